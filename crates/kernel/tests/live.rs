//! Real connections between two network namespaces, joined by a cable, that use the kernel's programs.
#![cfg(all(target_os = "linux", feature = "bpf"))]
#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests are tests")]

mod common;

use nix::sched::{CloneFlags, setns};
use nix::sys::socket::{self, AddressFamily, SockFlag, SockType, SockaddrIn, sockopt};
use plimsoll_cc::{Host, Value, rpm};
use plimsoll_kernel::{Connection, Duty, Law, Place, Port, Settings, attach, load, status};
use plimsoll_units::{Bytes, Rate, Span};
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

/// Names of congestion controls are the machine's.
static ALONE: Mutex<()> = Mutex::new(());
const FROM: &str = "10.77.1.1";
const TO: &str = "10.77.2.1";
const PORT: u16 = 5_201;

/// A sender, a router and a receiver, each a namespace; the cable to the receiver is the router's `eth1`.
struct Cable {
    sender: String,
    router: String,
    receiver: String,
}

impl Cable {
    fn new(test: &str) -> Self {
        let name = |side| format!("plimsoll-kernel-{}-{test}-{side}", std::process::id());
        let cable = Self { sender: name("a"), router: name("r"), receiver: name("b") };
        let (a, r, b) = (&cable.sender, &cable.router, &cable.receiver);
        for name in [a, r, b] {
            ip(&format!("netns add {name}"));
        }
        ip(&format!("link add eth0 netns {a} type veth peer name eth0 netns {r}"));
        ip(&format!("link add eth0 netns {b} type veth peer name eth1 netns {r}"));
        for (name, device, address) in
            [(a, "eth0", FROM), (r, "eth0", "10.77.1.254"), (r, "eth1", "10.77.2.254"), (b, "eth0", TO)]
        {
            ip(&format!("-n {name} addr add {address}/24 dev {device}"));
            ip(&format!("-n {name} link set {device} up"));
        }
        ip(&format!("-n {a} route add default via 10.77.1.254"));
        ip(&format!("-n {b} route add default via 10.77.2.254"));
        within(r, || fs::write("/proc/sys/net/ipv4/ip_forward", "1").unwrap());
        cable
    }

    /// A queue that really stands, behind the programs of the router's device.
    fn shape(&self, rate: Rate) {
        let line = format!("qdisc add dev eth1 root tbf rate {}bit burst 2kb limit 20mb", rate.as_bps());
        let status = Command::new("tc").args(["-n", &self.router]).args(line.split(' ')).status().unwrap();
        assert!(status.success(), "tc {line}");
    }
}

/// Does something in a namespace, in a thread of its own.
fn within<T: Send>(namespace: &str, action: impl FnOnce() -> T + Send) -> T {
    thread::scope(|scope| {
        let there = scope.spawn(|| {
            enter(namespace);
            action()
        });
        there.join().unwrap()
    })
}

impl Drop for Cable {
    fn drop(&mut self) {
        for name in [&self.sender, &self.router, &self.receiver] {
            let _ = Command::new("ip").args(["netns", "del", name]).status();
        }
    }
}

fn ip(line: &str) {
    let status = Command::new("ip").args(line.split(' ')).status().unwrap();
    assert!(status.success(), "ip {line}");
}

fn path_of(namespace: &str) -> PathBuf {
    Path::new("/run/netns").join(namespace)
}

/// Moves this thread, and no other.
fn enter(namespace: &str) {
    setns(File::open(path_of(namespace)).unwrap(), CloneFlags::CLONE_NEWNET).unwrap();
}

fn congestion_control(socket: &impl std::os::fd::AsFd, name: &str) {
    socket::setsockopt(socket, sockopt::TcpCongestion, &OsString::from(name)).unwrap();
}

/// A connection that gets its law when it is established already, as iperf3 does it.
fn connect(law: &str) -> TcpStream {
    let socket = socket::socket(AddressFamily::Inet, SockType::Stream, SockFlag::SOCK_CLOEXEC, None).unwrap();
    // When the time is over, nobody waits for what is still on its way.
    let now = nix::libc::linger { l_onoff: 1, l_linger: 0 };
    socket::setsockopt(&socket, sockopt::Linger, &now).unwrap();
    let address = SockaddrIn::from(std::net::SocketAddrV4::new(TO.parse().unwrap(), PORT));
    socket::connect(socket.as_raw_fd(), &address).unwrap();
    congestion_control(&socket, law);
    TcpStream::from(socket)
}

/// Reads until the other side ends; gives the number of bytes.
fn count(mut stream: TcpStream) -> u64 {
    let mut buffer = vec![0; 1 << 16];
    let mut total = 0;
    while let Ok(length @ 1..) = stream.read(&mut buffer) {
        total += length as u64;
    }
    total
}

/// Sends for a while to a peer that has what the machine gives it.
fn transfer<T: Send>(cable: &Cable, law: &str, span: Duration, watch: impl FnOnce() -> T + Send) -> (f64, T) {
    transfer_to(None, cable, law, span, watch)
}

/// Sends for a while to a peer with a law of its own; meanwhile somebody watches. Gives the rate of what arrived, in
/// Mb/s.
fn transfer_to<T: Send>(
    peer: Option<&str>,
    cable: &Cable,
    law: &str,
    span: Duration,
    watch: impl FnOnce() -> T + Send,
) -> (f64, T) {
    thread::scope(|scope| {
        let (ready, begin) = std::sync::mpsc::channel();
        let receiver = scope.spawn(move || {
            enter(&cable.receiver);
            let listener = TcpListener::bind((TO, PORT)).unwrap();
            if let Some(peer) = peer {
                congestion_control(&listener, peer);
            }
            ready.send(()).unwrap();
            count(listener.accept().unwrap().0)
        });
        begin.recv().unwrap();
        let sender = scope.spawn(move || {
            enter(&cable.sender);
            let mut stream = connect(law);
            stream.set_write_timeout(Some(Duration::from_secs(10))).unwrap();
            let start = Instant::now();
            while start.elapsed() < span {
                stream.write_all(&[7; 1 << 14]).unwrap();
            }
            start.elapsed()
        });
        thread::sleep(span / 2);
        let seen = watch();
        let elapsed = sender.join().unwrap();
        (receiver.join().unwrap() as f64 * 8e-6 / elapsed.as_secs_f64(), seen)
    })
}

/// A folder of its own in the kernel's file system; what is in it goes with it.
struct Folder(Place, &'static str);

impl Folder {
    fn new(name: &'static str) -> Self {
        Self(Place::named(name), name)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        self.0.unload(None).unwrap();
        assert!(!Path::new("/sys/fs/bpf").join(self.1).exists(), "everything is gone");
    }
}

fn settings(law: &str, rate: Rate) -> Settings {
    let mut params = Law::parameters(law).unwrap();
    if law == "poseidon" {
        // As the testbed scales delays to slow links.
        params.set("p", Value::Text("2ms")).unwrap();
        params.set("k", Value::Text("200us")).unwrap();
    }
    let host =
        Host { nic_rate: rate, base_rtt: Span::from_us(200), mtu: Bytes::new(1500), mss: Bytes::new(1436) };
    Settings { params, host, hops: 1 }
}

/// Whether the law's name is free; says loudly if not.
fn is_free(law: Law) -> bool {
    let known = fs::read_to_string("/proc/sys/net/ipv4/tcp_available_congestion_control").unwrap();
    let taken = known.split_whitespace().any(|name| name == law.kernel_name());
    if taken {
        eprintln!("SKIPPED: {} IS LOADED ON THIS MACHINE ALREADY", law.kernel_name());
    }
    !taken
}

fn only_connection(place: &Place, law: Law) -> Connection {
    let status = status(place).unwrap();
    let (_, connections) = status.laws.iter().find(|(one, _)| *one == law).unwrap();
    let sending: Vec<&Connection> = connections.iter().filter(|one| one.there.port() == PORT).collect();
    assert_eq!(sending.len(), 1, "{connections:?}");
    *sending[0]
}

fn registered(law: Law) -> bool {
    let known = fs::read_to_string("/proc/sys/net/ipv4/tcp_available_congestion_control").unwrap();
    known.split_whitespace().any(|name| name == law.kernel_name())
}

#[test]
fn every_law_carries_a_transfer_and_status_shows_its_connection() {
    let _alone = ALONE.lock();
    if !common::can_run() || !Law::ALL.into_iter().all(is_free) {
        return;
    }
    let folder = Folder::new("plimsoll_test_laws");
    let cable = Cable::new("laws");
    for law in Law::ALL {
        let settings = settings(law.name(), Rate::from_gbps(1));
        load(&folder.0, &settings, None, &|| false).unwrap();
        assert!(registered(law));
        let again = load(&folder.0, &settings, None, &|| false).unwrap_err().to_string();
        assert!(again.contains("loaded already"), "{again}");
        let watch = || only_connection(&folder.0, law);
        let (rate, seen) = transfer(&cable, law.kernel_name(), Duration::from_millis(400), watch);
        println!("{}: {rate:.0} Mb/s, {seen:?}", law.name());
        assert!(rate > 1.0, "{law:?}: {rate} Mb/s");
        assert_eq!(seen.here.ip().to_string(), FROM);
        assert!(seen.acks > 10 && seen.rtt > Span::ZERO, "{seen:?}");
        assert_eq!(seen.told, 0, "no switch stamps here");
        assert_eq!(seen.packets, (seen.window as u32).max(4), "TCP has the law's window: {seen:?}");
        assert_eq!(folder.0.unload(Some(law)).unwrap(), [law.name(), "telemetry"]);
        assert!(!registered(law));
    }
}

#[test]
fn poseidon_follows_what_a_device_stamps() {
    let _alone = ALONE.lock();
    if !common::can_run() || !is_free(Law::Poseidon) {
        return;
    }
    let folder = Folder::new("plimsoll_test_int");
    let cable = Cable::new("int");
    let rate = Rate::from_mbps(500);
    let port = Port { rate, buffer: None, duty: Duty::Stamp, clock_ns: None };
    cable.shape(rate);
    attach(&folder.0, "eth1", Some(&path_of(&cable.router)), &port).unwrap();
    let mut settings = settings("poseidon", rate);
    // The stamps alone: round trips through a busy machine take what they like.
    settings.params.set("signal", Value::Text("max-hop-delay")).unwrap();
    load(&folder.0, &settings, None, &|| false).unwrap();
    let watch = || (only_connection(&folder.0, Law::Poseidon), status(&folder.0).unwrap().devices);
    let span = Duration::from_millis(1_500);
    let (rate, (seen, devices)) = transfer(&cable, "plim_poseidon", span, watch);
    println!("{rate:.1} Mb/s, {seen:?}, {devices:?}");
    assert!(seen.told * 10 > seen.acks * 8, "acks bring telemetry: {seen:?}");
    assert!((10.0..525.0).contains(&rate), "{rate} Mb/s");
    let counts = devices[0].counts.unwrap();
    assert!(counts.stamped > 100 && counts.dropped == 0, "{counts:?}");
    // The link is full and no faster flow is there: the queue is about the target of such a flow, 0.2 ms. Twenty times
    // that is far below the 20 MB, 0.3 s, that the router would hold for somebody who does not listen.
    assert!((Span::from_us(20)..Span::from_ms(4)).contains(&counts.longest_wait), "{counts:?}");
}

#[test]
fn powertcp_follows_the_records_of_a_device() {
    let _alone = ALONE.lock();
    if !common::can_run() || !is_free(Law::PowerTcp) {
        return;
    }
    let folder = Folder::new("plimsoll_test_power");
    let cable = Cable::new("power");
    let rate = Rate::from_mbps(100);
    let port = Port { rate, buffer: None, duty: Duty::Stamp, clock_ns: None };
    attach(&folder.0, "eth1", Some(&path_of(&cable.router)), &port).unwrap();
    let mut settings = settings("powertcp", Rate::from_gbps(1));
    // A tenth of this is added per round trip: nine packets.
    settings.host.base_rtt = Span::from_ms(1);
    load(&folder.0, &settings, None, &|| false).unwrap();
    // Who has the law at both ends gathers and reflects in turn.
    for peer in [None, Some("plim_powertcp")] {
        let watch = || only_connection(&folder.0, Law::PowerTcp);
        let span = Duration::from_millis(1_500);
        let (rate, seen) = transfer_to(peer, &cable, "plim_powertcp", span, watch);
        println!("{peer:?}: {rate:.1} Mb/s, {seen:?}");
        assert!(seen.told * 10 > seen.acks * 8, "acks bring telemetry: {seen:?}");
        assert!((5.0..130.0).contains(&rate), "{rate} Mb/s");
    }
}

#[test]
fn a_peer_without_our_programs_passes_the_option_over() {
    let _alone = ALONE.lock();
    if !common::can_run() || !is_free(Law::Poseidon) {
        return;
    }
    let mounts = fs::read_to_string("/proc/self/mounts").unwrap();
    let root = mounts.lines().find(|line| line.contains(" cgroup2 ")).unwrap().split(' ').nth(1).unwrap();
    let group = Group::new(Path::new(root));
    let folder = Folder::new("plimsoll_test_peer");
    let cable = Cable::new("peer");
    let settings = settings("poseidon", Rate::from_gbps(1));
    load(&folder.0, &settings, Some(&group.path), &|| false).unwrap();
    // A receiver that is not in the group, and so has no telemetry: it opens the connection, we send.
    let receive =
        format!("echo $$ > {root}/cgroup.procs; exec 3<>/dev/tcp/{FROM}/{PORT}; head -c 2000000 <&3 | wc -c");
    let (told, received) = within(&cable.sender, || {
        let listener = TcpListener::bind((FROM, PORT)).unwrap();
        congestion_control(&listener, "plim_poseidon");
        let receiver = Command::new("nsenter")
            .arg(format!("--net={}", path_of(&cable.receiver).display()))
            .args(["bash", "-c", &receive])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stream = listener.accept().unwrap().0;
        stream.set_write_timeout(Some(Duration::from_secs(20))).unwrap();
        stream.write_all(&vec![7; 2_000_000]).unwrap();
        let status = status(&folder.0).unwrap();
        let told: u64 = status.laws[0].1.iter().map(|one| one.told).sum();
        let said = receiver.wait_with_output().unwrap().stdout;
        (told, String::from_utf8_lossy(&said).trim().to_owned())
    });
    assert_eq!(received, "2000000");
    assert_eq!(told, 0);
}

/// This process in a control group of its own.
struct Group {
    path: PathBuf,
    root: PathBuf,
}

impl Group {
    fn new(root: &Path) -> Self {
        let path = root.join(format!("plimsoll-test-{}", std::process::id()));
        fs::create_dir(&path).unwrap();
        fs::write(path.join("cgroup.procs"), "0").unwrap();
        Self { path, root: root.to_owned() }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        let _ = fs::write(self.root.join("cgroup.procs"), "0");
        let _ = fs::remove_dir(&self.path);
    }
}

#[test]
fn rpm_holds_stock_cubic_back_by_echoes_alone() {
    let _alone = ALONE.lock();
    if !common::can_run() {
        return;
    }
    let folder = Folder::new("plimsoll_test_rpm");
    let cable = Cable::new("rpm");
    for name in [&cable.sender, &cable.receiver] {
        within(name, || fs::write("/proc/sys/net/ipv4/tcp_ecn", "1").unwrap());
    }
    cable.shape(Rate::from_mbps(100));
    let mut waits = Vec::new();
    for mark_above in [Span::from_s(1_000), Span::from_ms(1)] {
        let duty = Duty::Rpm { mark_above, params: rpm::Params::paper() };
        let port = Port { rate: Rate::from_mbps(100), buffer: None, duty, clock_ns: None };
        attach(&folder.0, "eth1", Some(&path_of(&cable.router)), &port).unwrap();
        let watch = || ();
        let (rate, ()) = transfer(&cable, "cubic", Duration::from_millis(1_500), watch);
        let counts = status(&folder.0).unwrap().devices[0].counts.unwrap();
        println!("{rate:.1} Mb/s, {counts:?}");
        assert!(rate > 20.0, "{rate} Mb/s");
        waits.push(counts);
        folder.0.unload(None).unwrap();
    }
    assert_eq!(waits[0].marked, 0);
    assert!(waits[1].marked > 0, "{waits:?}");
    assert!(waits[1].longest_wait < waits[0].longest_wait / 2, "the queue is shorter: {waits:?}");
}

#[test]
fn a_law_that_is_interrupted_leaves_nothing() {
    let _alone = ALONE.lock();
    if !common::can_run() || !is_free(Law::Swift) {
        return;
    }
    let folder = Folder::new("plimsoll_test_stop");
    let calls = std::cell::Cell::new(0);
    // What a process left that was killed while it built something goes with the next command.
    load(&folder.0, &settings("swift", Rate::from_gbps(1)), None, &|| false).unwrap();
    fs::create_dir("/sys/fs/bpf/plimsoll_test_stop/new_1_0").unwrap();
    folder.0.unload(Some(Law::Swift)).unwrap();
    assert!(!Path::new("/sys/fs/bpf/plimsoll_test_stop").exists());
    // At each of the moments at which the user is asked.
    for moment in 1..=3 {
        calls.set(0);
        let stop = || {
            calls.set(calls.get() + 1);
            calls.get() == moment
        };
        let result = load(&folder.0, &settings("swift", Rate::from_gbps(1)), None, &stop);
        assert_eq!(result, Err(plimsoll_kernel::Error::Interrupted));
        assert!(!Path::new("/sys/fs/bpf/plimsoll_test_stop").exists(), "moment {moment}");
    }
    let start = Instant::now();
    while registered(Law::Swift) {
        assert!(start.elapsed() < Duration::from_secs(5), "it is still registered");
        thread::sleep(Duration::from_millis(10));
    }
    let refused = attach(
        &folder.0,
        "no-such-device",
        None,
        &Port { rate: Rate::from_gbps(1), buffer: None, duty: Duty::Stamp, clock_ns: None },
    );
    assert!(refused.unwrap_err().to_string().contains("no-such-device"));
    assert!(!Path::new("/sys/fs/bpf/plimsoll_test_stop").exists());
}
