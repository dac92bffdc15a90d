//! Topology files.

use super::lines::{FileError, Words};
use crate::topology::{Between, Graph, GraphLink, GraphLinks, Nodes};
use plimsoll_units::{Rate, Span};

/// The most nodes that a file may announce.
const MAX_NODES: u32 = 1_000_000;

/// What a topology file says. Hosts are called `h` and switches `s` with the file's numbers.
///
/// # Errors
/// Names the line and what should be there.
pub fn topology(text: &str) -> Result<Graph, FileError> {
    // The first line has three numbers, or a fourth (hosts per rack or ToRs) that nothing needs.
    let (header, first) = text
        .lines()
        .enumerate()
        .find(|(_, line)| !line.trim().is_empty())
        .map_or((0, ""), |(line, text)| (line, text));
    let numbers: Vec<Option<u32>> = first.split_whitespace().map(|word| word.parse().ok()).collect();
    let [Some(nodes), Some(switches), Some(links)] = *numbers.get(..3).unwrap_or_default() else {
        let message = format!("`{}` should be `nodes switches links`", first.trim());
        return Err(FileError { line: header + 1, message });
    };
    if numbers.len() > 4 || switches > nodes || nodes > MAX_NODES {
        let message = format!(
            "`{}` should be `nodes switches links`, with at most {MAX_NODES} nodes and fewer switches",
            first.trim()
        );
        return Err(FileError { line: header + 1, message });
    }
    let mut words = Words::from_line(text, header + 1);
    let mut is_switch = vec![false; nodes as usize];
    for _ in 0..switches {
        let node: usize = words.parse("the number of a switch")?;
        match is_switch.get_mut(node) {
            Some(switch) if !*switch => *switch = true,
            Some(_) => return Err(words.error(format!("switch {node} is listed twice"))),
            None => return Err(words.error(format!("switch {node} is not among the {nodes} nodes"))),
        }
    }
    let name = |node: usize| format!("{}{node}", if is_switch[node] { 's' } else { 'h' });
    let mut graph_links = Vec::new();
    for _ in 0..links {
        let mut end = || -> Result<String, FileError> {
            let node: usize = words.parse("the number of a node")?;
            if node < is_switch.len() {
                Ok(name(node))
            } else {
                Err(words.error(format!("there is no node {node}")))
            }
        };
        let between = Between([end()?, end()?]);
        let rate = rate(&mut words)?;
        let delay: Span = words.parse("a delay such as 1000ns or 0.001ms")?;
        let loss: f64 = words.parse("an error rate from 0 to 1")?;
        if !(0.0..=1.0).contains(&loss) {
            return Err(words.error(format!("an error rate of {loss} is not between 0 and 1")));
        }
        // The engine orders events by the delays of links; none may be zero.
        graph_links.push(GraphLink {
            between,
            rate,
            delay: delay.max(Span::from_ps(1)),
            loss,
            corruption: 0.0,
        });
    }
    let named = |switch: bool| {
        Nodes::Named((0..is_switch.len()).filter(|&node| is_switch[node] == switch).map(name).collect())
    };
    Ok(Graph { hosts: named(false), switches: named(true), links: GraphLinks(graph_links) })
}

/// A rate as ns-3 writes it: `100Gbps` or `100Gb/s`.
fn rate(words: &mut Words<'_>) -> Result<Rate, FileError> {
    const WHAT: &str = "a rate such as 100Gbps";
    let word = words.next(WHAT)?;
    let rate = word.parse::<Rate>().ok().filter(|rate| *rate > Rate::ZERO);
    rate.ok_or_else(|| words.error(format!("`{word}` is not {WHAT}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    const INCAST: &str = "4 1 3\n3\n0 3 100Gbps 1us 0\n1 3 100Gbps 1000ns 0.000000\n2 3 100Gb/s 0.001ms 0\n";

    #[test]
    fn both_forms_of_the_first_line_are_read() {
        let graph = topology(INCAST).unwrap();
        assert_eq!(graph.hosts, Nodes::Named(vec!["h0".into(), "h1".into(), "h2".into()]));
        assert_eq!(graph.switches, Nodes::Named(vec!["s3".into()]));
        let links = &graph.links.0;
        assert!(links.iter().all(|link| link.rate == Rate::from_gbps(100) && link.delay == Span::from_us(1)));
        assert_eq!(topology(&INCAST.replacen("4 1 3", "4 1 3 16", 1)).unwrap(), graph);
    }

    #[test]
    fn switches_may_have_the_first_numbers() {
        let graph = topology("3 1 2\n0\n1 0 1Gbps 1us 0\n2 0 1Gbps 1us 0\n").unwrap();
        assert_eq!(graph.hosts, Nodes::Named(vec!["h1".into(), "h2".into()]));
        assert_eq!(graph.links.0[0].between, Between(["h1".into(), "s0".into()]));
    }

    #[test]
    fn what_is_wrong_is_said_with_its_line() {
        let error = |text: &str| topology(text).unwrap_err().to_string();
        assert_eq!(error(""), "1: `` should be `nodes switches links`");
        assert_eq!(error(&INCAST.replace("1 3 100", "7 3 100")), "4: there is no node 7");
        assert_eq!(error(&INCAST.replace("100Gb/s", "fast")), "5: `fast` is not a rate such as 100Gbps");
        assert_eq!(
            error("4 1 3\n3\n0 3 1Gbps 1us"),
            "3: the file ends where an error rate from 0 to 1 should be"
        );
        assert_eq!(error("4 1 3\n9\n"), "2: switch 9 is not among the 4 nodes");
        assert!(error("4000000000 1 3\n").starts_with("1: "));
    }
}
