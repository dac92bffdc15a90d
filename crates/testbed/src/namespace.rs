//! Network namespaces, one per host and one for the switch, joined by veth pairs: made by `ip`, and gone again.
//!
//! Every name begins with [`PREFIX`], the number of the process that made it and when that began, so that what a killed
//! process left can be told from what a living one uses, and from everything that is not ours. The number of the run
//! within its process follows, so that runs of one process do not remove each other's.

use crate::Error;
use crate::fabric::address;
use nix::sched::{CloneFlags, setns};
use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

/// What the names of all namespaces that we make begin with.
pub const PREFIX: &str = "plimsoll-";
/// Where `ip` keeps the names of namespaces.
const NAMES: &str = "/run/netns";
/// The host's end of each pair.
const CARD: &str = "eth0";
/// How many runs this process has begun.
static RUNS: AtomicU32 = AtomicU32::new(0);

/// The namespaces of a run; they go with it.
#[derive(Debug)]
pub struct Namespaces {
    maker: Maker,
    run: u32,
    hosts: u32,
}

/// Who made a namespace. Numbers of processes come again, together with the start they do not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Maker {
    process: u32,
    /// In the kernel's ticks; names that older versions made have none.
    start: Option<u64>,
}

/// The Ethernet address of a host; locally administered.
fn hardware(host: u32) -> String {
    format!("02:70:00:00:{:02x}:{:02x}", host >> 8 & 0xFF, host & 0xFF)
}

impl Namespaces {
    /// Makes a namespace for each host and one for the switch; cables take IP packets of up to `mtu` bytes. What dead processes left is removed first.
    ///
    /// # Errors
    /// If the user may not, if `ip` is missing, or if it fails; nothing is left behind then.
    pub fn make(hosts: u32, mtu: u64) -> Result<Self, Error> {
        allowed()?;
        clean()?;
        let process = std::process::id();
        let maker = Maker { process, start: start_of(process) };
        if maker.start.is_none() {
            return Err(Error::Missing("/proc does not tell when this process began: mount it".to_owned()));
        }
        let made = Self { maker, run: RUNS.fetch_add(1, Ordering::Relaxed), hosts };
        // From here on `made` removes what there is if anything fails.
        let mut lines = vec![format!("netns add {}", made.switch())];
        lines.extend((0..hosts).map(|host| format!("netns add {}", made.host(host))));
        for host in 0..hosts {
            let (name, switch, card) = (made.host(host), made.switch(), hardware(host));
            lines.push(format!(
                "link add {CARD} address {card} mtu {mtu} gso_max_segs 1 netns {name} type veth peer name {} mtu {mtu} \
                 netns {switch}",
                port_name(host)
            ));
        }
        batch(None, &lines)?;
        let up = |device: &str| format!("link set {device} up");
        for name in (0..hosts).map(|host| made.host(host)).chain([made.switch()]) {
            made.within(&name, || {
                // No IPv6 chatter on the cables; a kernel without IPv6 has none.
                let _ = std::fs::write("/proc/sys/net/ipv6/conf/all/disable_ipv6", "1");
                Ok(())
            })?;
        }
        let ports = (0..hosts).map(|host| up(&port_name(host)));
        batch(Some(&made.switch()), &ports.collect::<Vec<_>>())?;
        for host in 0..hosts {
            let mut lines = vec![
                format!("addr add {}/16 dev {CARD}", address(host)),
                "link set lo up".to_owned(),
                up(CARD),
            ];
            lines.extend((0..hosts).filter(|other| *other != host).map(|other| {
                format!("neigh add {} lladdr {} dev {CARD} nud permanent", address(other), hardware(other))
            }));
            batch(Some(&made.host(host)), &lines)?;
        }
        Ok(made)
    }

    /// The name of a host's namespace.
    #[must_use]
    pub fn host(&self, host: u32) -> String {
        format!("{}-h{host}", self.front())
    }

    /// The name of the switch's namespace.
    #[must_use]
    pub fn switch(&self) -> String {
        format!("{}-switch", self.front())
    }

    /// What the names of this run have in common.
    fn front(&self) -> String {
        let Maker { process, start } = self.maker;
        format!("{PREFIX}{process}-{}-{}", start.unwrap_or(0), self.run)
    }

    /// Does something in a namespace; what is opened there stays there. Other threads are not moved.
    pub(crate) fn within<T>(
        &self,
        name: &str,
        action: impl FnOnce() -> Result<T, Error>,
    ) -> Result<T, Error> {
        let path = Path::new(NAMES).join(name);
        let open = |path: &Path| File::open(path).map_err(|error| Error::file(path, &error));
        // Of this thread; the process's own link is that of its first thread.
        let home = open(Path::new("/proc/thread-self/ns/net"))?;
        let there = open(&path)?;
        setns(&there, CloneFlags::CLONE_NEWNET).map_err(|error| Error::system("setns", error))?;
        let result = action();
        setns(&home, CloneFlags::CLONE_NEWNET).map_err(|error| Error::system("setns", error))?;
        result
    }
}

impl Drop for Namespaces {
    fn drop(&mut self) {
        let hosts = (0..self.hosts).map(|host| self.host(host));
        remove(&hosts.chain([self.switch()]).collect::<Vec<_>>());
    }
}

/// The switch's end of a host's pair.
#[must_use]
pub(crate) fn port_name(host: u32) -> String {
    format!("p{host}")
}

/// Whether namespaces can be made here.
fn allowed() -> Result<(), Error> {
    if !nix::unistd::geteuid().is_root() {
        return Err(Error::Missing(
            "network namespaces need root: run this as root, or with sudo".to_owned(),
        ));
    }
    if !Path::new("/proc/self/ns/net").exists() {
        return Err(Error::Missing("this kernel has no network namespaces (CONFIG_NET_NS)".to_owned()));
    }
    Ok(())
}

/// Removes what processes that are gone have left; gives the names.
///
/// # Errors
/// If the user may not.
pub fn clean() -> Result<Vec<String>, Error> {
    allowed()?;
    let left: Vec<String> =
        ours().into_iter().filter(|(_, maker)| !is_alive(*maker)).map(|one| one.0).collect();
    remove(&left);
    Ok(left)
}

/// The names of all namespaces that processes of ours made, with their makers.
fn ours() -> Vec<(String, Maker)> {
    let Ok(entries) = std::fs::read_dir(NAMES) else { return Vec::new() };
    let names = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok());
    let mut names: Vec<(String, Maker)> =
        names.filter_map(|name| Some((name.clone(), process_of(&name)?))).collect();
    names.sort();
    names
}

/// The maker in `plimsoll-PROCESS-START-RUN-…`, or in the `plimsoll-PROCESS-…` of older versions; `None` for names that
/// are not ours.
fn process_of(name: &str) -> Option<Maker> {
    let parts: Vec<&str> = name.strip_prefix(PREFIX)?.split('-').collect();
    let (process, start, which) = match parts[..] {
        [process, which] => (process, None, which),
        [process, start, run, which] => {
            number::<u32>(run)?;
            (process, Some(number(start)?), which)
        }
        _ => return None,
    };
    let host = which.strip_prefix('h').and_then(number::<u32>);
    (host.is_some() || which == "switch").then_some(Maker { process: number(process)?, start })
}

/// A number as we write it: digits and nothing else.
fn number<T: std::str::FromStr>(text: &str) -> Option<T> {
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok())?
}

/// Whether the process lives that made a name. Of an old name only the process's number is known: as long as anybody has
/// it, the name stays.
fn is_alive(maker: Maker) -> bool {
    match maker.start {
        Some(start) => start_of(maker.process) == Some(start),
        None => Path::new("/proc").join(maker.process.to_string()).exists(),
    }
}

/// When a process began, in the kernel's ticks; `None` if there is none.
fn start_of(process: u32) -> Option<u64> {
    start_in(&std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?)
}

/// Field 22. The second is the program's name in brackets, which may itself have spaces and brackets.
fn start_in(stat: &str) -> Option<u64> {
    let (_, behind) = stat.rsplit_once(')')?;
    behind.split_ascii_whitespace().nth(22 - 3)?.parse().ok()
}

/// Removes namespaces and the devices in them; one that is not there is as good as gone.
fn remove(names: &[String]) {
    for name in names {
        if Path::new(NAMES).join(name).exists() {
            let _ = Command::new("ip")
                .args(["netns", "del", name])
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .status();
        }
    }
}

/// Hands lines to one `ip`, in a namespace or in ours.
fn batch(namespace: Option<&str>, lines: &[String]) -> Result<(), Error> {
    let mut command = Command::new("ip");
    if let Some(name) = namespace {
        command.args(["-n", name]);
    }
    command.args(["-batch", "-"]).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => Error::Missing(
            "`ip` was not found: install iproute2 (on Debian: apt install iproute2)".to_owned(),
        ),
        _ => Error::Refused(format!("`ip` cannot be run: {error}")),
    })?;
    if let Some(mut input) = child.stdin.take() {
        let text = lines.iter().fold(String::new(), |text, line| text + line + "\n");
        // If it ended early, its message says why.
        let _ = input.write_all(text.as_bytes());
    }
    let output = child.wait_with_output().map_err(|error| Error::Refused(format!("`ip` failed: {error}")))?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let said: Vec<&str> = said.lines().take(3).collect();
    Err(Error::Refused(format!("`ip` cannot set up the network: {}", said.join("; "))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_that_we_make_are_ours() {
        let maker = |process, start| Some(Maker { process, start });
        assert_eq!(process_of("plimsoll-17-4711-0-h3"), maker(17, Some(4711)));
        assert_eq!(process_of("plimsoll-17-4711-2-switch"), maker(17, Some(4711)));
        // Of older versions.
        assert_eq!(process_of("plimsoll-17-h3"), maker(17, None));
        assert_eq!(process_of("plimsoll-17-switch"), maker(17, None));
        let others = "plimsoll plimsoll- plimsoll-x-h3 plimsoll-17-hx plimsoll-17-h plimsoll-17-lab other-17-h3 \
                      plimsoll-+17-h3 plimsoll-17-4711-h3 plimsoll-17-x-0-h3 plimsoll-17-4711-x-h3 \
                      plimsoll-17-4711-0-lab plimsoll-17-4711-0-h3-x plimsoll-17-4711--h3 plimsoll-17-4711-0-h+3";
        for name in others.split_whitespace() {
            assert_eq!(process_of(name), None, "{name}");
        }
    }

    #[test]
    fn runs_of_a_process_have_names_of_their_own() {
        let maker = Maker { process: 17, start: Some(4711) };
        let names = |run| {
            let namespaces = Namespaces { maker, run, hosts: 0 };
            [namespaces.host(3), namespaces.switch()]
        };
        assert_eq!(names(0), ["plimsoll-17-4711-0-h3", "plimsoll-17-4711-0-switch"]);
        assert_eq!(names(1), ["plimsoll-17-4711-1-h3", "plimsoll-17-4711-1-switch"]);
        assert!(names(0).iter().all(|name| process_of(name) == Some(maker)));
    }

    #[test]
    fn a_process_that_is_gone_is_not_alive() {
        let process = std::process::id();
        let start = start_of(process);
        assert!(start.is_some());
        assert!(is_alive(Maker { process, start }) && is_alive(Maker { process, start: None }));
        // Another had the number before.
        assert!(!is_alive(Maker { process, start: start.map(|start| start + 1) }));
        // Numbers of processes end below this.
        assert!(
            !is_alive(Maker { process: 1 << 30, start })
                && !is_alive(Maker { process: 1 << 30, start: None })
        );
    }

    /// Whoever panics while namespaces are there unwinds, and they go.
    #[test]
    fn a_panic_leaves_no_namespace() {
        if let Err(why) = allowed() {
            // Not by a macro, whose output a test that passes keeps back.
            let _ = writeln!(std::io::stderr(), "\n*** SKIPPED: NO REAL PACKETS ON THIS MACHINE: {why} ***");
            return;
        }
        let names = std::sync::Mutex::new(Vec::new());
        let panicked = std::panic::catch_unwind(|| {
            let namespaces = Namespaces::make(2, 1_500).unwrap();
            let all = [namespaces.switch(), namespaces.host(0), namespaces.host(1)];
            assert!(all.iter().all(|name| Path::new(NAMES).join(name).exists()), "{all:?}");
            names.lock().unwrap().extend(all);
            panic!("this is a test");
        });
        let names = names.into_inner().unwrap();
        assert!(panicked.is_err() && names.len() == 3, "{names:?}");
        assert!(names.iter().all(|name| !Path::new(NAMES).join(name).exists()), "{names:?}");
    }

    #[test]
    fn a_name_with_brackets_does_not_hide_the_start() {
        let stat = "17 (a ) b) S 1 17 17 0 -1 4194560 100 0 0 0 1 2 0 0 20 0 1 0 4711 1000 200";
        assert_eq!(start_in(stat), Some(4711));
        assert_eq!(start_in("17 (short) S 1"), None);
    }
}
