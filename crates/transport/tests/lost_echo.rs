//! A congestion mark reaches the law even if the ack that told of it is lost: the receiver's count
//! of marked bytes says it again with every later ack.

use plimsoll_cc::registry::AnyParams;
use plimsoll_cc::{Host, Path, Signals, Telemetry};
use plimsoll_transport::{Config, Ecn, EcnEcho, Poll, Receiver, Sender, Stack};
use plimsoll_units::{Bytes, Rate, Span, Time};

/// What happened to the third packet, and to its ack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Third {
    ecn: Ecn,
    ack_lost: bool,
}

fn at_us(us: u64) -> Time {
    Time::ZERO + Span::from_us(us)
}

/// The window and the pace after the acks of twelve packets, one sent per microsecond.
fn after_twelve_packets(name: &str, third: Third) -> (Bytes, Rate) {
    let host = Host {
        nic_rate: Rate::from_gbps(100),
        base_rtt: Span::from_us(12),
        mtu: Bytes::new(1048),
        mss: Bytes::new(1000),
    };
    let law = AnyParams::named(name).expect("it is listed").build(&host).expect("it is published");
    let config = Config { ecn: EcnEcho::Accurate, ..Config::selective_repeat() };
    let stack = Stack::new(law.name(), law, &host, config, Signals::EVERY).expect("all is offered");
    let mut sender = Sender::new(&stack, &Path { base_rtt: host.base_rtt, hops: 2, seed: 1 });
    let mut receiver: Receiver<()> = Receiver::new();
    sender.enqueue(Time::ZERO, Bytes::new(100_000)).expect("it is not empty");
    let mut acks = Vec::new();
    for number in 0..24 {
        if let Poll::Send(mut packet) = sender.poll_send::<()>(&stack, at_us(number)) {
            if packet.number.0 == 2 {
                packet.ecn = third.ecn;
            }
            let ack =
                receiver.on_data(&config, at_us(number + 6), &packet).ack.expect("every packet is acked");
            acks.push((number + 12, ack));
        }
        let due = acks.iter().filter(|(at, _)| *at == number);
        for (at, ack) in due {
            if ack.number.0 != 2 || !third.ack_lost {
                sender.on_ack(&stack, at_us(*at), ack, Telemetry::None);
            }
        }
    }
    (sender.window(), sender.pacing())
}

#[test]
fn a_mark_whose_ack_is_lost_still_slows_the_flow() {
    for name in ["newreno", "cubic", "dctcp:hpcc-sim", "dcqcn"] {
        for ack_lost in [false, true] {
            // The same acks arrive in both cases; only the mark differs.
            let (window, pace) = after_twelve_packets(name, Third { ecn: Ecn::Capable, ack_lost });
            let (marked_window, marked_pace) =
                after_twelve_packets(name, Third { ecn: Ecn::Marked, ack_lost });
            assert!(
                marked_window < window || marked_pace < pace,
                "{name}, ack lost {ack_lost}: {window} at {pace}, then {marked_window} at {marked_pace}"
            );
        }
    }
}
