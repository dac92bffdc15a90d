//! From which UDP port a connection sends: one of its own, so that hashes and registers of switches tell the connections
//! of two hosts apart.

use plimsoll_scenario::Workload;

/// The port of a host's first connection.
const FIRST: u16 = 0xE000;
/// Sockets for data of all hosts together: a process may have 1024 files open if nobody allows more.
const MOST_SOCKETS: usize = 512;

/// Where each connection sends from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SendingPorts {
    /// By connection: which of its host's sockets.
    sockets: Vec<u16>,
    /// By host: how many sockets it needs.
    counts: Vec<u16>,
}

impl SendingPorts {
    /// Connections of a host that has more than its share of sockets take turns.
    pub(crate) fn of(workload: &Workload, hosts: u32) -> Self {
        let share = (MOST_SOCKETS / (hosts as usize).max(1)).max(1) as u16;
        let mut counts = vec![0_u16; hosts as usize];
        let mut seen = vec![0_usize; hosts as usize];
        let socket = |connection: &plimsoll_scenario::Connection| {
            let from = connection.from as usize;
            let socket = (seen[from] % usize::from(share)) as u16;
            seen[from] += 1;
            counts[from] = counts[from].max(socket + 1);
            socket
        };
        let sockets = workload.connections.iter().map(socket).collect();
        Self { sockets, counts }
    }

    /// The ports that a host sends from.
    pub(crate) fn of_host(&self, host: u32) -> impl Iterator<Item = u16> {
        let count = self.counts.get(host as usize).copied().unwrap_or(0);
        (0..count).map(|socket| FIRST + socket)
    }

    /// Which of its host's sockets a connection sends by.
    pub(crate) fn socket(&self, connection: u32) -> usize {
        self.sockets.get(connection as usize).copied().unwrap_or(0).into()
    }

    /// The port that it sends from, to which its acks go.
    pub(crate) fn port(&self, connection: u32) -> u16 {
        FIRST + self.socket(connection) as u16
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use plimsoll_scenario::Scenario;

    fn ports(hosts: u32, flows: &str) -> SendingPorts {
        let text = format!(
            "duration = \"1s\"\n[topology]\nkind = \"single-switch\"\nhosts = {hosts}\nrate = \"50Mbps\"\n\
             [cc]\nlaw = \"swift\"\n{flows}"
        );
        let scenario = Scenario::parse("test.toml", &text).unwrap_or_else(|problems| panic!("{problems}"));
        let network = scenario.network().unwrap();
        SendingPorts::of(&scenario.workload(&network, 1).unwrap(), hosts)
    }

    #[test]
    fn connections_of_a_pair_have_ports_of_their_own() {
        let flow = "[[traffic]]\nkind = \"flows\"\nfrom = 0\nto = 1\n";
        let other = "[[traffic]]\nkind = \"flows\"\nfrom = 1\nto = 0\n";
        let ports = ports(2, &format!("{flow}{other}{flow}{flow}"));
        assert_eq!([0, 1, 2, 3].map(|connection| ports.port(connection)), [0xE000, 0xE000, 0xE001, 0xE002]);
        assert_eq!(ports.of_host(0).collect::<Vec<_>>(), [0xE000, 0xE001, 0xE002]);
        assert_eq!(ports.of_host(1).count(), 1);
    }

    /// 512 sockets for 64 hosts are eight each: the ninth connection takes the first again.
    #[test]
    fn sockets_are_shared_when_there_are_many() {
        let ports = ports(64, &"[[traffic]]\nkind = \"flows\"\nfrom = 0\nto = 1\n".repeat(9));
        assert_eq!((ports.of_host(0).count(), ports.port(7), ports.port(8)), (8, 0xE007, 0xE000));
        assert_eq!(ports.of_host(5).count(), 0, "who sends nothing needs none");
    }
}
