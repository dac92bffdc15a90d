//! Every figure, table and claim of the four papers, and what it takes to show it.

/// What it takes to show a figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    /// A formula or a model without packets.
    Model,
    /// Packets, in runs that are here.
    Runs,
    /// A property of one piece.
    Library,
    /// Nothing to compute.
    Document,
    /// A switch or a kernel of the authors'.
    Hardware,
}

impl State {
    pub(crate) const ALL: [Self; 5] =
        [Self::Model, Self::Runs, Self::Library, Self::Document, Self::Hardware];

    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Model => "computed",
            Self::Runs => "simulated",
            Self::Library => "tested",
            Self::Document => "documented",
            Self::Hardware => "hardware",
        }
    }

    pub(crate) fn meaning(self) -> &'static str {
        match self {
            Self::Model => "a formula or a model without packets; `plimsoll reproduce` computes it",
            Self::Runs => "runs of the packet simulator; `plimsoll reproduce` does them",
            Self::Library => "a property of one piece, shown by that crate's tests",
            Self::Document => "notation, settings or prose: nothing to compute",
            Self::Hardware => "needs the authors' hardware or kernel",
        }
    }
}

/// A figure, table or claim.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    /// Paper and figure; the folder in `papers/` for those that are reproduced.
    pub(crate) id: &'static str,
    /// What it shows.
    pub(crate) about: &'static str,
    /// What it takes.
    pub(crate) state: State,
}

const fn entry(id: &'static str, state: State, about: &'static str) -> Entry {
    Entry { id, about, state }
}

/// All of them, in the papers' order.
pub(crate) const FIGURES: &[Entry] = &[
    entry("poseidon/claim-rtt", State::Runs, "fabric round trip time against Swift"),
    entry("poseidon/claim-converge", State::Runs, "ramp-up time against Swift and HPCC"),
    entry("poseidon/claim-variation", State::Runs, "variation of throughput"),
    entry("poseidon/claim-op", State::Runs, "message latency"),
    entry("poseidon/claim-brownfield", State::Runs, "gain when only some switches stamp"),
    entry("poseidon/fig1abc", State::Runs, "a new flow beside established ones"),
    entry("poseidon/fig2", State::Runs, "a victim flow of two congested hops under Swift"),
    entry("poseidon/fig3", State::Runs, "a forward flow against reverse traffic under Swift"),
    entry("poseidon/fig4", State::Library, "the largest wait of all hops is echoed"),
    entry("poseidon/fig5", State::Runs, "two flows of unequal rate on one hop"),
    entry("poseidon/fig6", State::Model, "what one step does to two flows (Eqs. 1 and 2)"),
    entry("poseidon/fig7a", State::Model, "ramp from 1 to 50 Gb/s"),
    entry("poseidon/fig7b", State::Model, "target over rate, logarithm against square root"),
    entry("poseidon/fig8-9", State::Runs, "three flows over two switches"),
    entry("poseidon/thm1", State::Model, "flows settle on the max-min fair rates (Lemma 1, App. D and E)"),
    entry("poseidon/fig10", State::Library, "packet formats of in-band telemetry"),
    entry("poseidon/fig11", State::Library, "the testbed's 16-bit field of 256 ns"),
    entry("poseidon/fig12b", State::Runs, "testbed: victim of two hops"),
    entry("poseidon/fig13b", State::Runs, "testbed: reverse traffic"),
    entry("poseidon/fig14b", State::Runs, "multi-hop congestion: rate of the victim"),
    entry("poseidon/fig14c", State::Runs, "multi-hop congestion: signal of the victim"),
    entry("poseidon/fig14d", State::Runs, "multi-hop congestion: targets and delays"),
    entry("poseidon/fig14-text", State::Runs, "multi-hop congestion: window of the victim"),
    entry("poseidon/fig15a", State::Runs, "reverse traffic: forward throughput"),
    entry("poseidon/fig15b", State::Runs, "reverse traffic: signals"),
    entry("poseidon/fig16ab", State::Runs, "flows that come and go"),
    entry("poseidon/fig17a", State::Runs, "convergence of two flows"),
    entry("poseidon/fig17b", State::Runs, "variation of many flows"),
    entry("poseidon/fig18a", State::Runs, "round trip times as flows are added one by one"),
    entry("poseidon/fig18b", State::Runs, "round trip times as flows are added by fifty"),
    entry("poseidon/fig19a", State::Runs, "message latency, uniform random traffic"),
    entry("poseidon/fig19b", State::Runs, "message latency with a rotating incast"),
    entry("poseidon/fig20a", State::Runs, "brownfield: message latency"),
    entry("poseidon/fig20b", State::Runs, "brownfield: multi-hop congestion"),
    entry("poseidon/fig21a", State::Runs, "ablations"),
    entry("poseidon/fig21b", State::Runs, "sensitivity to p"),
    entry("poseidon/fig21c", State::Runs, "sensitivity to k"),
    entry("poseidon/fig21d", State::Runs, "sensitivity to m"),
    entry("poseidon/appB3", State::Model, "update by ratio against update by distance"),
    entry("poseidon/fig22", State::Runs, "message latency by ratio and by distance"),
    entry("poseidon/fig23ab", State::Runs, "targets by rate and by window"),
    entry("poseidon/text-aimd", State::Model, "round trips to double a window by additive increase"),
    entry("powertcp/table1-2", State::Document, "notation and analogy (also Fig. 1)"),
    entry("powertcp/fig2", State::Model, "reaction of voltage, current and power"),
    entry("powertcp/fig3", State::Model, "phase plane of voltage, current and power"),
    entry("powertcp/property1", State::Runs, "power is bandwidth times window"),
    entry("powertcp/thm1-3", State::Model, "equilibrium, time constant and shares, by the model"),
    entry("powertcp/thm1-3-packets", State::Runs, "equilibrium, time constant and shares, with packets"),
    entry("powertcp/claim-q1", State::Runs, "tail of the buffer"),
    entry("powertcp/claim-abstract", State::Runs, "99.9-percentile of short flows"),
    entry("powertcp/fig4-top", State::Runs, "incast of 10"),
    entry("powertcp/fig4-bottom", State::Runs, "incast of 255"),
    entry("powertcp/fig5", State::Runs, "fairness as flows come and go"),
    entry("powertcp/fig6a", State::Runs, "flow completion times by size at 20 % load"),
    entry("powertcp/fig6b", State::Runs, "flow completion times by size at 60 % load"),
    entry("powertcp/fig6a-pod", State::Runs, "the same at 20 % load, as the artifact loads the network"),
    entry("powertcp/fig6b-pod", State::Runs, "the same at 60 % load, as the artifact loads the network"),
    entry("powertcp/fig7a-b", State::Runs, "slowdown over load"),
    entry("powertcp/fig7c-d", State::Runs, "slowdown over request rate"),
    entry("powertcp/fig7e-f", State::Runs, "slowdown over request size"),
    entry("powertcp/fig7g", State::Runs, "buffer occupancy at 80 % load"),
    entry("powertcp/fig7h", State::Runs, "buffer occupancy at 80 % load with incasts"),
    entry("powertcp/fig7a-b-pod", State::Runs, "slowdown over load, as the artifact loads the network"),
    entry(
        "powertcp/fig7c-d-pod",
        State::Runs,
        "slowdown over request rate, as the artifact loads the network",
    ),
    entry(
        "powertcp/fig7e-f-pod",
        State::Runs,
        "slowdown over request size, as the artifact loads the network",
    ),
    entry("powertcp/fig7g-pod", State::Runs, "buffer occupancy, as the artifact loads the network"),
    entry(
        "powertcp/fig7h-pod",
        State::Runs,
        "buffer occupancy with incasts, as the artifact loads the network",
    ),
    entry("powertcp/fig8a", State::Runs, "reconfigurable network: throughput and queue of a pair of racks"),
    entry("powertcp/fig8b", State::Runs, "reconfigurable network: tail of the queueing latency"),
    entry("powertcp/fig9", State::Runs, "HOMA's overcommitment: an incast of 255"),
    entry("powertcp/fig10", State::Runs, "HOMA's overcommitment: an incast of ten"),
    entry("powertcp/fig11", State::Runs, "HOMA's overcommitment: fairness"),
    entry("powertcp/homa-own", State::Runs, "HOMA where its own paper put it"),
    entry("powertcp/sec3.6", State::Hardware, "switch stages and kernel module"),
    entry("vai-sf/eq1", State::Model, "Swift's multiplicative decrease"),
    entry("vai-sf/example-IV", State::Model, "halving everybody keeps unfairness"),
    entry("vai-sf/fig1ac", State::Runs, "HPCC's and Swift's variants: fairness over time"),
    entry("vai-sf/fig1bd", State::Runs, "HPCC's and Swift's variants: queue over time"),
    entry("vai-sf/fig2", State::Runs, "HPCC's variants: start and finish"),
    entry("vai-sf/fig3", State::Runs, "Swift's variants: start and finish"),
    entry("vai-sf/fig4", State::Model, "decreases per round trip against decreases per acks"),
    entry("vai-sf/sf-condition", State::Model, "when sampling by acks is fairer at first"),
    entry("vai-sf/alg1-2", State::Model, "tokens and dampener, round by round"),
    entry("vai-sf/fig5ab", State::Runs, "VAI SF over HPCC, 16:1: fairness and queue"),
    entry("vai-sf/fig5cd", State::Runs, "VAI SF over HPCC, 96:1: fairness and queue"),
    entry("vai-sf/fig6ab", State::Runs, "VAI SF over Swift, 16:1: fairness and queue"),
    entry("vai-sf/fig6cd", State::Runs, "VAI SF over Swift, 96:1: fairness and queue"),
    entry("vai-sf/fig7", State::Model, "the fat tree"),
    entry("vai-sf/fig8-9", State::Runs, "VAI SF: start and finish"),
    entry("vai-sf/fig10", State::Runs, "tail slowdown, Hadoop"),
    entry("vai-sf/fig11", State::Runs, "tail slowdown, web search and storage"),
    entry("vai-sf/fig12", State::Runs, "median slowdown, Hadoop"),
    entry("vai-sf/fig13", State::Runs, "median slowdown, web search and storage"),
    entry("vai-sf/claim-2x", State::Runs, "tail of long flows"),
    entry("vai-sf/powertcp", State::Runs, "ours: VAI SF over PowerTCP, 16:1"),
    entry("rpm/fig1-3", State::Runs, "loop delays"),
    entry("rpm/alg1", State::Model, "marks owed and paid"),
    entry("rpm/memory", State::Model, "memory of the register against collisions (ours)"),
    entry("rpm/table1", State::Document, "delays of the set-up"),
    entry("rpm/table2", State::Runs, "fairness of flows with unequal round trips"),
    entry("rpm/claim-reaction", State::Runs, "reaction time of every flow"),
    entry("rpm/aggregation", State::Runs, "small registers and one state per port (ours)"),
    entry("rpm/fig5", State::Runs, "completion time of short flows"),
    entry("rpm/lemma1", State::Model, "marking strength that keeps a flow stable"),
    entry("rpm/stability", State::Model, "all roots, and the region of stability"),
    entry("rpm/reflected-14", State::Runs, "ours: acks bring the present delay, multi-hop congestion"),
    entry("rpm/reflected-17", State::Runs, "ours: acks bring the present delay, convergence"),
    entry("rpm/reflected-19a", State::Runs, "ours: acks bring the present delay, message latency"),
    entry("rpm/reflected-19b", State::Runs, "ours: acks bring the present delay, latency beside an incast"),
    entry("rpm/claims", State::Document, "no change of end hosts; state per flow"),
];
