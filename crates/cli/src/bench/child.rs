//! Measuring in a process of its own: peaks of memory are not mixed, and no run inherits another's heap.

use super::measure::{Bare, Measured};
use crate::error::Error;
use serde::de::DeserializeOwned;
use std::io::Write;
use std::process::{Command, Stdio};

/// The bare loop in a process of its own.
pub(crate) fn bare(packet_hops: u64) -> Result<Bare, Error> {
    ask(&["bench", "--measure", "bare", "--hops", &packet_hops.to_string()], None)
}

/// A case, or the scenario whose text is given, in a process of its own.
pub(crate) fn engine(case: &str, text: Option<&str>, threads: usize) -> Result<Measured, Error> {
    ask(&["bench", "--measure", case, "--threads", &threads.to_string()], text)
}

fn ask<T: DeserializeOwned>(arguments: &[&str], input: Option<&str>) -> Result<T, Error> {
    let name = std::env::current_exe().map_err(Error::file("plimsoll"))?;
    let mut command = Command::new(&name);
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().map_err(Error::file(&name))?;
    if let (Some(mut pipe), Some(text)) = (child.stdin.take(), input) {
        // A child that ends early says why itself.
        let _ = pipe.write_all(text.as_bytes());
    }
    let output = child.wait_with_output().map_err(Error::file(&name))?;
    if !output.status.success() {
        return Err(Error::Refused(format!("measuring with `{}` failed", arguments.join(" "))));
    }
    Ok(serde_json::from_slice(&output.stdout)?)
}
