//! `plimsoll kernel …`.

use crate::error::{Error, Verdict};
use clap::{Args, Subcommand};
use plimsoll_units::{Bytes, Rate, Span};
use std::io::Write;
use std::path::PathBuf;

/// Load laws into Linux as TCP congestion controls, watch their connections, unload them.
///
/// A loaded law is there for every program: `iperf3 -C plim_poseidon`, or the socket option TCP_CONGESTION. Its windows
/// are those of the Rust law, from tables that are made of it. `attach` makes a network device a switch port that writes
/// telemetry into passing segments (int), or sets the echo of passing acks (rpm). What is loaded stays until `unload`,
/// which removes all of it and nothing else. Needs root, and a build with `--features kernel`.
#[derive(Args)]
#[command(after_help = EXITS)]
pub(crate) struct Kernel {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Register a law as a TCP congestion control.
    ///
    /// The kernel's names have 15 characters at most, so they begin with `plim_`: plim_poseidon, plim_swift, plim_theta,
    /// plim_powertcp. Poseidon alone means its brownfield form, which uses telemetry where it comes and the round trip
    /// else; swift alone means swift:poseidon-nsdi23.
    #[command(after_help = EXITS)]
    Load(Load),
    /// Make a network device a port of a switch.
    ///
    /// The port reckons the queue that a link of --rate would have, without holding packets back.
    #[command(after_help = EXITS)]
    Attach(Attach),
    /// Show what is loaded: each connection with its window, its signal and its target.
    #[command(after_help = EXITS)]
    Status {
        /// Print JSON instead of a table.
        #[arg(long)]
        json: bool,
    },
    /// Remove a law, or all laws and all programs at devices.
    ///
    /// Connections that use a law keep it until they close.
    #[command(after_help = EXITS)]
    Unload {
        /// The law; all of it if none is named.
        #[arg(value_name = "LAW")]
        law: Option<String>,
    },
}

const EXITS: &str = "Exit codes:\n  \
    0    done\n  \
    2    a wrong name, parameter or device, or a step failed; nothing is left half done\n  \
    3    root, a feature of the kernel, or the feature `kernel` of this build is missing; the message says which\n  \
    130  stopped by Ctrl-C; nothing was loaded\n\n\
    Examples:\n  \
    cargo build --release --features kernel                      needs clang, libelf-dev, zlib1g-dev\n  \
    sudo plimsoll kernel load poseidon --rate 1Gbps --base-rtt 100us\n  \
    sudo plimsoll kernel load poseidon --set p=2ms --set k=200us --rate 500Mbps\n  \
    iperf3 -c 10.0.0.2 -C plim_poseidon\n  \
    sudo plimsoll kernel attach int eth1 --rate 1Gbps            a switch that stamps\n  \
    sudo plimsoll kernel attach rpm eth1 --rate 1Gbps --mark-above 1ms\n  \
    sudo plimsoll kernel status\n  \
    sudo plimsoll kernel unload";

#[derive(Args)]
struct Load {
    /// poseidon, swift, theta-powertcp or powertcp; `name:preset` for another preset than the default.
    #[arg(value_name = "LAW")]
    law: String,
    /// Another value for a parameter of the law, as often as needed (`plimsoll explain poseidon`).
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Rate of the network card.
    #[arg(long, value_name = "RATE", default_value = "10Gbps")]
    rate: Rate,
    /// The network's longest round trip without queues. Each connection's own is measured.
    #[arg(long, value_name = "TIME", default_value = "100us")]
    base_rtt: Span,
    /// Largest IP packet.
    #[arg(long, value_name = "SIZE", default_value = "1500B")]
    mtu: Bytes,
    /// Switches on a path, for Swift's target.
    #[arg(long, value_name = "N", default_value_t = 1)]
    hops: u32,
    /// Telemetry only for processes in this cgroup2 folder [default: all].
    #[arg(long, value_name = "DIR")]
    cgroup: Option<PathBuf>,
}

#[derive(Args)]
struct Attach {
    /// int: write telemetry; rpm: send marks back by acks.
    #[arg(value_name = "WHAT", value_parser = ["int", "rpm"])]
    what: String,
    /// The network device by which data leaves.
    #[arg(value_name = "DEVICE")]
    device: String,
    /// Rate of the link that the device stands for.
    #[arg(long, value_name = "RATE")]
    rate: Rate,
    /// Drop what finds more than this in the queue [default: nothing].
    #[arg(long, value_name = "SIZE")]
    buffer: Option<Bytes>,
    /// rpm: mark what waits longer.
    #[arg(long, value_name = "TIME", default_value = "1ms")]
    mark_above: Span,
    /// The network namespace of the device, a name in /run/netns or a path [default: this one].
    #[arg(long, value_name = "NAME")]
    netns: Option<PathBuf>,
}

impl Kernel {
    #[cfg(target_os = "linux")]
    pub(super) fn run(self, out: &mut dyn Write) -> Result<Verdict, Error> {
        match self.command {
            Command::Load(load) => linux::load(&load, out),
            Command::Attach(attach) => linux::attach(&attach, out),
            Command::Status { json: true } => linux::status_json(out),
            Command::Status { json: false } => linux::status(out),
            Command::Unload { law } => linux::unload(law.as_deref(), out),
        }
    }

    #[cfg(not(target_os = "linux"))]
    pub(super) fn run(self, _: &mut dyn Write) -> Result<Verdict, Error> {
        Err(Error::Missing("programs in the kernel need Linux".to_owned()))
    }
}

#[cfg(target_os = "linux")]
#[path = "kernel/linux.rs"]
mod linux;
