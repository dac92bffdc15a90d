//! What one data packet and its ack cost in a loss-free loop, with a law that does nothing, so that
//! only the transport is measured.
//!
//! `cargo run --release -p plimsoll-transport --example loop_cost`

use plimsoll_cc::{Ack, CongestionControl, Decision, Host, Loss, Path, Signals, Timeout};
use plimsoll_transport::{
    AckPacket, Config, DataPacket, MaxHopDelay, Poll, Receiver, Reflect, Sender, Stack,
};
use plimsoll_units::{Bytes, Rate, Span, Time};
use std::hint::black_box;
use std::time::Instant;

/// Short runs, of which the fastest counts: a busy machine disturbs some of them, not all.
const PACKETS: u64 = 50_000;
const RUNS: u32 = 300;

#[derive(Clone, Copy, Debug)]
struct Fixed(Decision);

impl CongestionControl for Fixed {
    type Flow = ();
    fn needs(&self) -> Signals {
        Signals::NONE
    }
    fn start(&self, _path: &Path) -> ((), Decision) {
        ((), self.0)
    }
    fn on_ack(&self, (): &mut (), ack: &Ack<'_>) -> Decision {
        black_box(ack.acked);
        self.0
    }
    fn on_loss(&self, (): &mut (), _loss: &Loss) -> Decision {
        self.0
    }
    fn on_timeout(&self, (): &mut (), _timeout: &Timeout) -> Decision {
        self.0
    }
    fn decision(&self, (): &()) -> Decision {
        self.0
    }
}

/// The two ends of a connection with much to send.
struct Ends<T> {
    stack: Stack<Fixed>,
    sender: Sender<Fixed>,
    receiver: Receiver<T>,
}

impl<T: Reflect> Ends<T> {
    fn new(window: u64, config: Config) -> Self {
        let host = Host {
            nic_rate: Rate::from_gbps(100),
            base_rtt: Span::from_us(10),
            mtu: Bytes::new(1048),
            mss: Bytes::new(1000),
        };
        let law = Fixed(Decision::unpaced(&host, (window * 1000) as f64));
        let stack = Stack::new("fixed", law, &host, config, Signals::NONE).expect("needs nothing");
        let mut sender = Sender::new(&stack, &Path { base_rtt: host.base_rtt, hops: 1, seed: 0 });
        sender.enqueue(Time::ZERO, Bytes::new(PACKETS * 1000)).expect("not empty");
        Self { stack, sender, receiver: Receiver::new() }
    }
}

/// 1048 B at 100 Gb/s.
const GAP: Span = Span::from_ps(83_840);

/// Hands each packet and each ack straight over: the cost of the two ends alone.
fn hand_over<T: Reflect>(config: Config) -> f64 {
    let Ends { stack, mut sender, mut receiver } = Ends::<T>::new(100, config);
    let mut now = Time::ZERO;
    let begin = Instant::now();
    while let Poll::Send(packet) = sender.poll_send::<T>(&stack, now) {
        now = now.saturating_add(GAP);
        if let Some(ack) = &receiver.on_data(stack.config(), now, &packet).ack {
            black_box(sender.on_ack(&stack, now, ack, ack.reflected.telemetry(ack.reverse_delay)));
        }
    }
    begin.elapsed().as_secs_f64() * 1e9 / PACKETS as f64
}

/// Moves a window of packets, then its acks, through two queues.
fn through_queues<T: Reflect>(window: u64, config: Config) -> f64 {
    let Ends { stack, mut sender, mut receiver } = Ends::<T>::new(window, config);
    let mut forward: Vec<DataPacket<T>> = Vec::with_capacity(1 << 12);
    let mut backward: Vec<AckPacket<T>> = Vec::with_capacity(1 << 12);
    let mut now = Time::ZERO;
    let begin = Instant::now();
    while !sender.is_idle() {
        while let Poll::Send(packet) = sender.poll_send::<T>(&stack, now) {
            forward.push(packet);
            now = now.saturating_add(GAP);
        }
        for packet in forward.drain(..) {
            if let Some(ack) = receiver.on_data(stack.config(), now, &packet).ack {
                backward.push(ack);
            }
        }
        if backward.is_empty() {
            now = now.max(receiver.next_timer());
            backward.extend(receiver.on_timer(now));
        }
        for ack in backward.drain(..) {
            black_box(sender.on_ack(&stack, now, &ack, ack.reflected.telemetry(ack.reverse_delay)));
        }
    }
    begin.elapsed().as_secs_f64() * 1e9 / PACKETS as f64
}

fn best(measure: impl Fn() -> f64) -> f64 {
    (0..RUNS).map(|_| measure()).fold(f64::INFINITY, f64::min)
}

fn main() {
    let each = Config::selective_repeat();
    let fourth = Config { ack_every: 4, ..each };
    println!("ns per data packet and its ack, best of {RUNS} runs:");
    println!("  handed over                     {:6.1}", best(|| hand_over::<()>(each)));
    println!("  handed over, max-hop delay      {:6.1}", best(|| hand_over::<MaxHopDelay>(each)));
    println!("  handed over, go-back-N          {:6.1}", best(|| hand_over::<()>(Config::rdma())));
    println!("  queues, window   10             {:6.1}", best(|| through_queues::<()>(10, each)));
    println!("  queues, window 1000             {:6.1}", best(|| through_queues::<()>(1000, each)));
    println!("  queues, window  100, 1 ack in 4 {:6.1}", best(|| through_queues::<()>(100, fourth)));
}
