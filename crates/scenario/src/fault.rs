//! The `[[fault]]` tables: what goes wrong, and when.

use crate::network::Network;
use crate::problem::Kind;
use crate::select::{Links, Refusal, Switches};
use crate::table::{kinds, table};
use plimsoll_units::{Rate, Span, Time};

table! {
    /// Links carry nothing for a while: what is on them is lost, routes are recomputed.
    pub struct LinkDown in "fault.link-down" {
        /// Which links.
        links: Links,
        /// When they go down.
        start: Span where [Span::ZERO, Span::from_s(100_000)] = Span::ZERO,
        /// When they come back; "auto" = never.
        stop: Option<Span> where [Span::ZERO, Span::from_s(100_000)] = None,
    }
}

table! {
    /// Links lose packets at random.
    pub struct Loss in "fault.loss" {
        /// Which links.
        links: Links,
        /// The probability that a packet vanishes. Several faults at once, and the link's own loss, combine as
        /// independent causes: 1 − Π(1 − p).
        probability: f64 where [0.0, 1.0],
        /// When it begins.
        start: Span where [Span::ZERO, Span::from_s(100_000)] = Span::ZERO,
        /// When it ends; "auto" = never.
        stop: Option<Span> where [Span::ZERO, Span::from_s(100_000)] = None,
    }
}

table! {
    /// Links damage packets at random: they take their time on the link and are discarded by the receiver.
    pub struct Corruption in "fault.corruption" {
        /// Which links.
        links: Links,
        /// The probability that a packet is damaged. Several faults at once, and the link's own corruption,
        /// combine as independent causes: 1 − Π(1 − p).
        probability: f64 where [0.0, 1.0],
        /// When it begins.
        start: Span where [Span::ZERO, Span::from_s(100_000)] = Span::ZERO,
        /// When it ends; "auto" = never.
        stop: Option<Span> where [Span::ZERO, Span::from_s(100_000)] = None,
    }
}

table! {
    /// Links have another rate for a while.
    pub struct RateChange in "fault.rate" {
        /// Which links.
        links: Links,
        /// Their rate meanwhile; of several faults at once the lowest counts.
        rate: Rate where [Rate::from_bps(1_000), Rate::from_gbps(100_000)],
        /// When it changes.
        start: Span where [Span::ZERO, Span::from_s(100_000)] = Span::ZERO,
        /// When it changes back; "auto" = never.
        stop: Option<Span> where [Span::ZERO, Span::from_s(100_000)] = None,
    }
}

table! {
    /// Switches restart: they lose what they hold and forward nothing until they are back.
    pub struct Reboot in "fault.switch-reboot" {
        /// Which switches.
        switches: Switches,
        /// When they go down.
        start: Span where [Span::ZERO, Span::from_s(100_000)] = Span::ZERO,
        /// When they are back; "auto" = never.
        stop: Option<Span> where [Span::ZERO, Span::from_s(100_000)] = None,
    }
}

kinds! {
    /// Something that goes wrong, as a scenario says it.
    pub enum FaultTable in "fault" {
        LinkDown(LinkDown) = "link-down",
        Loss(Loss) = "loss",
        Corruption(Corruption) = "corruption",
        Rate(RateChange) = "rate",
        Reboot(Reboot) = "switch-reboot",
    }
}

/// Something that goes wrong with one link or switch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fault {
    /// From when on.
    pub start: Time,
    /// Until when; [`Time::NEVER`] = for good.
    pub stop: Time,
    /// What.
    pub what: What,
}

/// What goes wrong.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum What {
    /// The link carries nothing.
    LinkDown {
        /// The link.
        link: u32,
    },
    /// Packets vanish.
    Loss {
        /// The link.
        link: u32,
        /// Probability per packet.
        probability: f64,
    },
    /// Packets arrive damaged.
    Corruption {
        /// The link.
        link: u32,
        /// Probability per packet.
        probability: f64,
    },
    /// The link has another rate.
    Rate {
        /// The link.
        link: u32,
        /// The rate.
        rate: Rate,
    },
    /// The switch forwards nothing and has lost what it held.
    Reboot {
        /// The switch's node.
        switch: u32,
    },
}

impl What {
    /// Circuits keep to their calendar, and what waits for them has no other way than the packet network: neither
    /// can break or slow down.
    fn check(&self, network: &Network) -> Result<(), Refusal> {
        let Some(circuits) = &network.circuits else { return Ok(()) };
        let of_tors = |link: u32| circuits.is_circuit(link) || circuits.is_uplink(link);
        let (key, whose) = match *self {
            Self::LinkDown { link } | Self::Rate { link, .. } if of_tors(link) => {
                let [a, b] = network.links[link as usize].ends;
                ("links", format!("`{}:{}`", network.name(a), network.name(b)))
            }
            Self::Reboot { switch } => ("switches", format!("`{}`", network.name(switch))),
            _ => return Ok(()),
        };
        let message = format!(
            "{whose} belongs to a rotor, whose links follow their calendar and do not break or change their rate; \
             links of hosts can, and all links can lose packets (`kind = \"loss\"`)"
        );
        Err(Refusal::new(Kind::Contradiction, key, message))
    }
}

impl FaultTable {
    /// What it means for each link or switch of a network.
    ///
    /// # Errors
    /// If it names no link or switch of it, or ends before it begins.
    pub fn resolve(&self, network: &Network) -> Result<Vec<Fault>, Refusal> {
        let (start, stop) = match self {
            Self::LinkDown(LinkDown { start, stop, .. })
            | Self::Loss(Loss { start, stop, .. })
            | Self::Corruption(Corruption { start, stop, .. })
            | Self::Rate(RateChange { start, stop, .. })
            | Self::Reboot(Reboot { start, stop, .. }) => (*start, *stop),
        };
        if let Some(stop) = stop
            && stop <= start
        {
            let message =
                format!("the fault ends at \"{stop}\", but begins at \"{start}\"; it must end later");
            return Err(Refusal::new(Kind::Contradiction, "stop", message));
        }
        let links = |links: &Links| links.resolve(network).map_err(|refusal| refusal.at("links"));
        let whats: Vec<What> = match self {
            Self::LinkDown(down) => {
                links(&down.links)?.into_iter().map(|link| What::LinkDown { link }).collect()
            }
            Self::Loss(Loss { links: on, probability, .. }) => {
                links(on)?.into_iter().map(|link| What::Loss { link, probability: *probability }).collect()
            }
            Self::Corruption(Corruption { links: on, probability, .. }) => links(on)?
                .into_iter()
                .map(|link| What::Corruption { link, probability: *probability })
                .collect(),
            Self::Rate(RateChange { links: on, rate, .. }) => {
                links(on)?.into_iter().map(|link| What::Rate { link, rate: *rate }).collect()
            }
            Self::Reboot(Reboot { switches, .. }) => {
                let switches = switches.resolve(network).map_err(|refusal| refusal.at("switches"))?;
                switches.into_iter().map(|switch| What::Reboot { switch }).collect()
            }
        };
        whats.iter().try_for_each(|what| what.check(network))?;
        let start = Time::after_start(start);
        let stop = stop.map_or(Time::NEVER, Time::after_start);
        Ok(whats.into_iter().map(|what| Fault { start, stop, what }).collect())
    }
}
