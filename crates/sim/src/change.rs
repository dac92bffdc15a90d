//! The network changes while the run goes on.

use crate::partition::Partition;
use crate::setup::ChangeKind;
use plimsoll_cc::CongestionControl;
use std::sync::Arc;

impl<L: CongestionControl> Partition<'_, L> {
    /// All changes that are due.
    pub(crate) fn change(&mut self, now: u64) {
        let shared = self.shared;
        while let Some(change) = shared.setup.changes.get(self.next_change) {
            if change.at.as_ps() > now {
                let source = self.source_of_change();
                self.wheel.set(source, change.at.as_ps());
                break;
            }
            self.next_change += 1;
            match change.what {
                ChangeKind::LinkDown(link) => self.break_link(now, link),
                ChangeKind::LinkUp(link) => {
                    for port in [2 * link, 2 * link + 1] {
                        self.ports[port as usize].is_up = true;
                    }
                }
                ChangeKind::LinkRate(link, rate) => {
                    for port in [2 * link, 2 * link + 1] {
                        if self.is_mine(shared.setup.network.near_end(port))
                            && self.ports[port as usize].from_switch
                        {
                            self.need_queue(now, port);
                            // When they left follows from the rate that they left with.
                            self.export_from(port, now);
                        }
                        self.ports[port as usize].set_rate(rate);
                    }
                }
                ChangeKind::LinkLoss(link, probability) => self.harm[link as usize].0 = probability,
                ChangeKind::LinkCorruption(link, probability) => self.harm[link as usize].1 = probability,
            }
        }
        let harms = self.harm.iter().any(|(loss, corruption)| *loss > 0.0 || *corruption > 0.0);
        self.inspects = harms || self.capture.is_some();
        while let Some((at, routes)) = shared.routes.get(self.epoch + 1).filter(|(at, _)| *at <= now) {
            debug_assert!(*at <= now);
            self.routes = Arc::clone(routes);
            self.epoch += 1;
            // Ways back are those of the old routes.
            self.ways_back.clear();
        }
    }

    /// All that is on the link, or waits for it, is lost.
    fn break_link(&mut self, now: u64, link: u32) {
        for port in [2 * link, 2 * link + 1] {
            self.ports[port as usize].is_up = false;
            let from_switch = self.ports[port as usize].from_switch;
            if from_switch && self.is_mine(self.shared.setup.network.near_end(port)) {
                // What has left the queue was counted and written on, even if nobody will see it.
                self.need_queue(now, port);
            }
            while !self.ports[port as usize].is_empty() {
                let held = self.ports[port as usize].head_is_held();
                let packet = self.ports[port as usize].pop();
                if held && from_switch {
                    self.release(port, packet.load());
                }
                self.totals.broken += 1;
                self.discard(packet.body, packet.size);
            }
            self.ports[port as usize].forget();
            let waiting =
                self.ports[port as usize].queue.as_mut().map_or_else(Vec::new, |queue| queue.drain());
            for packet in waiting {
                self.release(port, packet.load());
                self.totals.broken += 1;
                self.discard(packet.body, packet.size);
            }
            let source = self.source_of_arrival(port);
            self.wheel.clear(source);
            let source = self.source_of_departure(port);
            self.wheel.clear(source);
            // What is gone has made room, and nothing may be left whose leaving would say so.
            let near = self.shared.setup.network.near_end(port);
            if from_switch && !self.shared.pfc.is_empty() && self.is_mine(near) {
                self.resume_if_room(now, self.switch_of(port));
            }
        }
    }
}
