//! `plimsoll export fct DIR`, `plimsoll export pcapng DIR`.

mod pcapng;

use crate::error::{Error, Verdict};
use crate::{files, results};
use clap::{Args, Subcommand};
use plimsoll_metrics::MessageRecord;
use plimsoll_metrics::fct::write_fct;
use plimsoll_metrics::files::Results;
use plimsoll_units::Span;
use std::io::Write;
use std::path::PathBuf;

/// Write results in another program's format.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    plimsoll export fct results/incast16-hpcc-1 > fct.txt\n  \
    plimsoll export fct results/hadoop --origin 2s --out fct.txt\n  \
    plimsoll export pcapng results/incast16-hpcc-1 --out incast.pcapng\n  \
    plimsoll export pcapng results/incast16-hpcc-1 --ports 's0>h16' | tshark -r -")]
pub(crate) struct Export {
    #[command(subcommand)]
    to: To,
}

#[derive(Subcommand)]
enum To {
    Fct(Fct),
    Pcapng(pcapng::Pcapng),
}

/// Flow completion times in the columns of the HPCC authors' fct.txt.
///
/// Addresses of source and destination (hex), their ports, bytes, start, completion time and that in
/// an empty network (ns); a line per completed flow, in the order of their finish.
#[derive(Args)]
#[command(after_help = "Examples:\n  plimsoll export fct results/incast16-hpcc-1 > fct.txt")]
struct Fct {
    /// The folder of results.
    dir: PathBuf,
    /// The file to write instead of standard output.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// The destination port, which the results do not know.
    #[arg(long, value_name = "N", default_value_t = 100)]
    port: u16,
    /// Added to all starts: imported flow files often begin at 2 s, their scenarios at 0.
    #[arg(long, value_name = "TIME", default_value = "0s")]
    origin: Span,
}

impl Export {
    pub(super) fn run(self, out: &mut dyn Write) -> Result<Verdict, Error> {
        match self.to {
            To::Fct(fct) => fct.run(out),
            To::Pcapng(pcapng) => pcapng.run(out),
        }
    }
}

impl Fct {
    fn run(self, out: &mut dyn Write) -> Result<Verdict, Error> {
        let results = Results::open(&self.dir).map_err(results::problem(&self.dir))?;
        let mut records: Vec<MessageRecord> = Vec::new();
        results.flows(&mut records).map_err(results::problem(&self.dir))?;
        for record in &mut records {
            record.start = record.start.saturating_add(self.origin);
            record.finish = record.finish.map(|finish| finish.saturating_add(self.origin));
        }
        let mut text = Vec::new();
        write_fct(&mut text, &records, self.port).map_err(results::problem(&self.dir))?;
        match &self.out {
            Some(path) => files::write(path, &text)?,
            None => out.write_all(&text)?,
        }
        Ok(Verdict::Good)
    }
}
