//! Faults as changes of links, by time.

use crate::setup::{Change, ChangeKind};
use crate::simulate::SimError;
use plimsoll_scenario::fault::What;
use plimsoll_scenario::{Network, Scenario};
use plimsoll_units::{Rate, Time};

/// From when to when something holds, and what.
type During<T> = (Time, Time, T);

/// What is planned for one link.
#[derive(Clone, Debug, Default)]
struct Plan {
    down: Vec<During<()>>,
    losses: Vec<During<f64>>,
    corruptions: Vec<During<f64>>,
    rates: Vec<During<Rate>>,
}

/// What happens to links, by time. A switch that restarts is all its links going down; a link that is down for two
/// reasons returns when the last of them is over. What holds at any time follows from all faults that are in force
/// then, in whatever order the scenario lists them.
pub(crate) fn changes(scenario: &Scenario, network: &Network) -> Result<Vec<Change>, SimError> {
    let mut plans = vec![Plan::default(); network.links.len()];
    for fault in scenario.faults(network)? {
        let (start, stop) = (fault.start, fault.stop);
        match fault.what {
            What::LinkDown { link } => plans[link as usize].down.push((start, stop, ())),
            What::Loss { link, probability } => plans[link as usize].losses.push((start, stop, probability)),
            What::Corruption { link, probability } => {
                plans[link as usize].corruptions.push((start, stop, probability));
            }
            What::Rate { link, rate } => plans[link as usize].rates.push((start, stop, rate)),
            What::Reboot { switch } => {
                let its =
                    network.links.iter().zip(&mut plans).filter(|(link, _)| link.ends.contains(&switch));
                its.for_each(|(_, plan)| plan.down.push((start, stop, ())));
            }
        }
    }
    let mut changes = Vec::new();
    for ((number, link), plan) in (0..).zip(&network.links).zip(&plans) {
        let mut add = |at: Time, what: ChangeKind| changes.push(Change { at, what });
        for (at, loss) in in_force(&plan.losses, link.loss, |active| together(link.loss, active)) {
            add(at, ChangeKind::LinkLoss(number, loss));
        }
        for (at, share) in
            in_force(&plan.corruptions, link.corruption, |active| together(link.corruption, active))
        {
            add(at, ChangeKind::LinkCorruption(number, share));
        }
        for (at, rate) in in_force(&plan.rates, link.rate, |active| active.min().unwrap_or(link.rate)) {
            add(at, ChangeKind::LinkRate(number, rate));
        }
        for (at, is_down) in in_force(&plan.down, false, |active| active.next().is_some()) {
            let what = if is_down { ChangeKind::LinkDown(number) } else { ChangeKind::LinkUp(number) };
            add(at, what);
        }
    }
    changes.sort_by_key(|change| change.at);
    Ok(changes)
}

/// When a value changes and to what, by time: `combine` says what holds when these faults are in force.
fn in_force<T: Copy, V: Copy + PartialEq>(
    faults: &[During<T>],
    usual: V,
    combine: impl Fn(&mut dyn Iterator<Item = T>) -> V,
) -> Vec<(Time, V)> {
    let mut moments: Vec<Time> = faults.iter().flat_map(|(start, stop, _)| [*start, *stop]).collect();
    moments.sort();
    moments.dedup();
    let mut value = usual;
    let mut changes = Vec::new();
    for at in moments.into_iter().filter(|at| *at < Time::NEVER) {
        let active = |fault: &&During<T>| fault.0 <= at && at < fault.1;
        let now = combine(&mut faults.iter().filter(active).map(|fault| fault.2));
        if now != value {
            changes.push((at, now));
            value = now;
        }
    }
    changes
}

/// The probability that at least one of several independent causes strikes, 1 − Π(1 − p); of one alone exactly its
/// own.
fn together(own: f64, others: &mut dyn Iterator<Item = f64>) -> f64 {
    others.fold(own, |all, probability| all + probability * (1.0 - all))
}

#[cfg(test)]
mod tests {
    use super::*;
    use plimsoll_units::Span;

    /// Microseconds and what begins then, of the link of the first of two hosts.
    fn timeline(faults: &str) -> Vec<(u64, ChangeKind)> {
        let text = format!(
            "[topology]\nkind = \"single-switch\"\nhosts = 2\nrate = \"100Gbps\"\n[cc]\nlaw = \"newreno\"\n{faults}"
        );
        let scenario = Scenario::parse("test.toml", &text).unwrap();
        let changes = changes(&scenario, &scenario.network().unwrap()).unwrap();
        let micros = |at: Time| at.since_start().as_ps() / Span::from_us(1).as_ps();
        changes.iter().map(|change| (micros(change.at), change.what)).collect()
    }

    fn fault(kind: &str, value: &str, start: u64, stop: u64) -> String {
        format!(
            "[[fault]]\nkind = \"{kind}\"\nlinks = \"h0:s0\"\n{value}\nstart = \"{start}us\"\nstop = \"{stop}us\"\n"
        )
    }

    #[test]
    fn losses_that_overlap_combine_and_end_one_by_one() {
        // Of the half that the first leaves the second takes half: 1 − 0.5 · 0.5 = 0.75.
        let both = fault("loss", "probability = 0.5", 10, 30) + &fault("loss", "probability = 0.5", 20, 40);
        let loss = |probability| ChangeKind::LinkLoss(0, probability);
        assert_eq!(timeline(&both), [(10, loss(0.5)), (20, loss(0.75)), (30, loss(0.5)), (40, loss(0.0))]);
        // The same for damage: 1 − 0.75 · 0.5 = 0.625.
        let both = fault("corruption", "probability = 0.25", 10, 40)
            + &fault("corruption", "probability = 0.5", 20, 30);
        let damage = |probability| ChangeKind::LinkCorruption(0, probability);
        let expected = [(10, damage(0.25)), (20, damage(0.625)), (30, damage(0.25)), (40, damage(0.0))];
        assert_eq!(timeline(&both), expected);
    }

    #[test]
    fn of_rates_that_overlap_the_lowest_counts() {
        let both = fault("rate", "rate = \"1Gbps\"", 10, 30) + &fault("rate", "rate = \"10Gbps\"", 20, 40);
        let rate = |gbps| ChangeKind::LinkRate(0, Rate::from_gbps(gbps));
        assert_eq!(timeline(&both), [(10, rate(1)), (30, rate(10)), (40, rate(100))]);
    }

    #[test]
    fn faults_that_follow_each_other_may_be_listed_in_any_order() {
        let (first, second) =
            (fault("loss", "probability = 0.1", 10, 20), fault("loss", "probability = 0.2", 20, 30));
        let loss = |probability| ChangeKind::LinkLoss(0, probability);
        let expected = vec![(10, loss(0.1)), (20, loss(0.2)), (30, loss(0.0))];
        assert_eq!(timeline(&(first.clone() + &second)), expected);
        assert_eq!(timeline(&(second + &first)), expected);
    }

    #[test]
    fn a_link_that_is_down_for_two_reasons_returns_once() {
        let restart =
            "[[fault]]\nkind = \"switch-reboot\"\nswitches = \"s0\"\nstart = \"20us\"\nstop = \"40us\"\n";
        let text = fault("link-down", "", 10, 30) + restart;
        let of_first: Vec<_> = timeline(&text)
            .into_iter()
            .filter(|(_, what)| matches!(what, ChangeKind::LinkDown(0) | ChangeKind::LinkUp(0)))
            .collect();
        assert_eq!(of_first, [(10, ChangeKind::LinkDown(0)), (40, ChangeKind::LinkUp(0))]);
    }
}
