//! The switch: one loop between the cables and the [`Fabric`].

use crate::cards::Cards;
use crate::clock::Clock;
use crate::fabric::{Counted, Fabric};
use crate::namespace::Namespaces;
use crate::noise::{Stall, Watch};
use crate::sockets::{BURST, PortSocket};
use crate::{Control, Error};
use nix::sys::epoll::{Epoll, EpollCreateFlags, EpollEvent, EpollFlags, EpollTimeout};
use plimsoll_metrics::{Reading, Sample};
use plimsoll_units::{Bytes, Rate, Span, Time};
use std::sync::atomic::Ordering;

/// Larger than any frame.
const LARGEST: usize = 65_536 + 14;

/// What is read of ports while the switch runs.
#[derive(Debug, Default)]
pub(crate) struct Readings {
    pub(crate) queues: Vec<u32>,
    pub(crate) throughput: Vec<u32>,
    pub(crate) interval: Span,
}

/// What the switch saw.
#[derive(Debug, Default)]
pub(crate) struct Seeing {
    pub(crate) counted: Counted,
    pub(crate) longest_queue: Bytes,
    pub(crate) samples: Vec<Sample>,
    pub(crate) stalls: Vec<Stall>,
    pub(crate) longest_turn: Span,
    /// How late frames were let out: half, and one of a hundred, were later than this.
    pub(crate) lateness: (Span, Span),
    /// Frames that the kernel did not take.
    pub(crate) unsent: u64,
}

/// The switch's cables.
pub(crate) struct Switch {
    fabric: Fabric,
    ports: Vec<PortSocket>,
    epoll: Epoll,
}

impl Switch {
    pub(crate) fn open(namespaces: &Namespaces, fabric: Fabric, hosts: u32) -> Result<Self, Error> {
        let epoll =
            Epoll::new(EpollCreateFlags::EPOLL_CLOEXEC).map_err(|error| Error::system("epoll", error))?;
        let mut ports = Vec::new();
        for host in 0..hosts {
            let port = PortSocket::open(namespaces, host)?;
            let event = EpollEvent::new(EpollFlags::EPOLLIN, u64::from(host));
            epoll.add(&port, event).map_err(|error| Error::system("epoll", error))?;
            ports.push(port);
        }
        Ok(Self { fabric, ports, epoll })
    }

    /// Runs until somebody says that it is over.
    pub(crate) fn run(
        mut self,
        clock: Clock,
        control: &Control,
        cards: &Cards,
        readings: &Readings,
    ) -> Seeing {
        let mut seeing = Seeing::default();
        let mut watch = Watch::start(clock.now());
        let mut buffer = vec![0; LARGEST];
        let mut events = vec![EpollEvent::empty(); 64];
        let mut late = Lateness::default();
        let mut next_sample = Time::after_start(readings.interval);
        let mut last_sample = Time::ZERO;
        let mut sent: Vec<Bytes> = vec![Bytes::ZERO; readings.throughput.len()];
        while !control.over.load(Ordering::Relaxed) {
            watch.turn(clock.now());
            // What was due while the loop was away happens before what is read now.
            self.let_out(clock.now(), &mut late, &mut seeing.unsent);
            let ready = self.epoll.wait(&mut events, EpollTimeout::ZERO).unwrap_or(0);
            for event in events.iter().take(ready) {
                let host = event.data() as u32;
                let Some(port) = self.ports.get(host as usize) else { continue };
                for _ in 0..BURST {
                    let Some(length) = port.receive(&mut buffer) else { break };
                    self.fabric.send(clock.now(), host, buffer.get(..length).unwrap_or_default());
                }
            }
            let now = clock.now();
            self.let_out(now, &mut late, &mut seeing.unsent);
            cards.tell(|host| self.fabric.card_free_at(host));
            if now >= next_sample && readings.interval > Span::ZERO {
                for &subject in &readings.queues {
                    let reading = Reading::Queue(self.fabric.queue(subject));
                    seeing.samples.push(Sample { at: next_sample, subject, reading });
                }
                // A turn may be late; the mean is over the time that has gone by since the last reading.
                let gone = now.saturating_since(last_sample).as_secs_f64();
                last_sample = now;
                for (&subject, before) in readings.throughput.iter().zip(&mut sent) {
                    let all = self.fabric.sent(subject);
                    let rate =
                        Rate::saturating_from_bps_f64(all.saturating_sub(*before).as_f64() * 8.0 / gone);
                    *before = all;
                    let reading = Reading::Throughput(rate);
                    seeing.samples.push(Sample { at: next_sample, subject, reading });
                }
                while next_sample <= now {
                    next_sample += readings.interval;
                }
            }
        }
        seeing.counted = self.fabric.counted();
        seeing.longest_queue = self.fabric.longest_queue();
        (seeing.stalls, seeing.longest_turn) = watch.finish();
        seeing.lateness = (late.percentile(0.5), late.percentile(0.99));
        seeing
    }

    /// Sends what has reached a host by now.
    fn let_out(&mut self, now: Time, late: &mut Lateness, unsent: &mut u64) {
        let ports = &self.ports;
        self.fabric.advance(now, &mut |host, due, bytes| {
            late.count(now.saturating_since(due));
            if !ports.get(host as usize).is_some_and(|port| port.send(bytes)) {
                *unsent += 1;
            }
        });
    }
}

/// How late frames were let out, in classes that grow by a quarter.
struct Lateness {
    classes: [u64; 64],
}

impl Default for Lateness {
    fn default() -> Self {
        Self { classes: [0; 64] }
    }
}

impl Lateness {
    /// Below 10 ns and up to 10 ms.
    const FIRST: f64 = 10.0;
    const GROWTH: f64 = 1.25;

    fn count(&mut self, late: Span) {
        let ns = late.as_ps() as f64 * 1e-3;
        let class =
            if ns <= Self::FIRST { 0.0 } else { ((ns / Self::FIRST).ln() / Self::GROWTH.ln()).ceil() };
        self.classes[(class as usize).min(63)] += 1;
    }

    /// The upper end of the class in which it lies.
    fn percentile(&self, part: f64) -> Span {
        let all: u64 = self.classes.iter().sum();
        let mut left = (all as f64 * part).ceil() as u64;
        for (class, &count) in (0..).zip(&self.classes) {
            if count >= left && left > 0 {
                return Span::from_ps((Self::FIRST * Self::GROWTH.powi(class) * 1e3) as u64);
            }
            left = left.saturating_sub(count);
        }
        Span::ZERO
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lateness_is_told_within_a_quarter() {
        let mut late = Lateness::default();
        (0..90).for_each(|_| late.count(Span::from_ns(100)));
        (0..10).for_each(|_| late.count(Span::from_us(20)));
        assert!((100.0..=125.0).contains(&(late.percentile(0.5).as_ps() as f64 * 1e-3)));
        assert!((20.0..=25.0).contains(&late.percentile(0.99).as_us_f64()));
        assert_eq!(Lateness::default().percentile(0.5), Span::ZERO);
    }
}
