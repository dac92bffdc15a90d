//! What one data packet and its ack cost: a loss-free loop of a sender and a receiver with a
//! window of 100 packets and a law that does nothing, so that only the transport is measured.
//!
//! `cargo run --release -p plimsoll-transport --example loop_cost`

use plimsoll_cc::{Ack, CongestionControl, Decision, Host, Loss, Path, Signals, Telemetry, Timeout};
use plimsoll_transport::{
    AckPacket, Config, DataPacket, MaxHopDelay, Poll, Receiver, Reflect, Sender, Stack,
};
use plimsoll_units::{Bytes, Rate, Span, Time};
use std::hint::black_box;
use std::time::Instant;

const PACKETS: u64 = 4_000_000;

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

/// Moves packets and acks through two pipes that deliver in order; gives ns per packet and ack.
fn run<T: Reflect>(window: u64, config: Config) -> f64 {
    let host = Host {
        nic_rate: Rate::from_gbps(100),
        base_rtt: Span::from_us(10),
        mtu: Bytes::new(1048),
        mss: Bytes::new(1000),
    };
    let law = Fixed(Decision::unpaced(&host, (window * 1000) as f64));
    let stack = Stack::new("fixed", law, &host, config, Signals::NONE).expect("needs nothing");
    let mut sender = Sender::new(&stack, &Path { base_rtt: host.base_rtt, hops: 1, seed: 0 });
    let mut receiver = Receiver::<T>::new();
    sender.enqueue(Time::ZERO, Bytes::new(PACKETS * 1000)).expect("not empty");

    let mut forward: Vec<DataPacket<T>> = Vec::with_capacity(1 << 12);
    let mut backward: Vec<AckPacket<T>> = Vec::with_capacity(1 << 12);
    let gap = Span::from_ps(83_840);
    let mut now = Time::ZERO;
    let begin = Instant::now();
    while !sender.is_idle() {
        while let Poll::Send(packet) = sender.poll_send::<T>(&stack, now) {
            forward.push(packet);
            now = now.saturating_add(gap);
        }
        for packet in forward.drain(..) {
            let arrival = receiver.on_data(stack.config(), now, &packet);
            if let Some(ack) = arrival.earlier {
                backward.push(ack);
            }
            if let Some(ack) = arrival.ack {
                backward.push(ack);
            }
        }
        if backward.is_empty() {
            now = now.max(receiver.next_timer());
            backward.extend(receiver.on_timer(now));
        }
        for ack in backward.drain(..) {
            let telemetry: Telemetry<'_> = ack.reflected.telemetry(ack.reverse_delay);
            black_box(sender.on_ack(&stack, now, &ack, telemetry));
        }
    }
    begin.elapsed().as_secs_f64() * 1e9 / PACKETS as f64
}

fn best(measure: impl Fn() -> f64) -> f64 {
    (0..5).map(|_| measure()).fold(f64::INFINITY, f64::min)
}

fn main() {
    let per_packet = Config::selective_repeat();
    let coalesced = Config { ack_every: 4, ..per_packet };
    println!("ns per data packet and its ack, best of 5:");
    println!("  window   10, ack each      {:6.1}", best(|| run::<()>(10, per_packet)));
    println!("  window  100, ack each      {:6.1}", best(|| run::<()>(100, per_packet)));
    println!("  window 1000, ack each      {:6.1}", best(|| run::<()>(1000, per_packet)));
    println!("  window  100, max-hop delay {:6.1}", best(|| run::<MaxHopDelay>(100, per_packet)));
    println!("  window  100, ack every 4th {:6.1}", best(|| run::<()>(100, coalesced)));
    println!("  window  100, go-back-N     {:6.1}", best(|| run::<()>(100, Config::rdma())));
}
