//! Programs of the user in hosts' namespaces: whatever they send goes through the switch too.

use crate::Error;
use crate::fabric::address;
use crate::namespace::Namespaces;
use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use std::fs::File;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// A command line for a host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// The host, by number.
    pub host: u32,
    /// What the shell is given; `{h3}` stands for the address of host 3.
    pub command: String,
    /// Where its output goes.
    pub output: PathBuf,
}

/// How long programs have to end by themselves.
const PATIENCE: Duration = Duration::from_secs(2);

/// Programs that run; they do not outlive this.
#[derive(Debug, Default)]
pub(crate) struct Running(Vec<Child>);

impl Running {
    /// Starts them, in their order.
    pub(crate) fn start(namespaces: &Namespaces, hosts: u32, programs: &[Program]) -> Result<Self, Error> {
        let mut running = Self::default();
        for program in programs {
            let file = File::create(&program.output).map_err(|error| Error::file(&program.output, &error))?;
            let errors = file.try_clone().map_err(|error| Error::file(&program.output, &error))?;
            let command = with_addresses(&program.command, hosts);
            // A child begins in the namespace of the thread that made it.
            let child = namespaces.within(&namespaces.host(program.host), || {
                Command::new("sh")
                    .args(["-c", &command])
                    .stdin(Stdio::null())
                    .stdout(file)
                    .stderr(errors)
                    .process_group(0)
                    .spawn()
                    .map_err(|error| Error::Refused(format!("`{command}` cannot be started: {error}")))
            })?;
            running.0.push(child);
        }
        Ok(running)
    }

    /// Whether any is still at work.
    pub(crate) fn are_busy(&mut self) -> bool {
        self.0.iter_mut().any(|child| matches!(child.try_wait(), Ok(None)))
    }

    /// Ends those that have not ended, gives how each ended, in order; `None` if it had to be killed.
    pub(crate) fn finish(mut self) -> Vec<Option<ExitStatus>> {
        self.ask(Signal::SIGTERM);
        let start = Instant::now();
        while self.are_busy() && start.elapsed() < PATIENCE {
            thread::sleep(Duration::from_millis(10));
        }
        self.0.iter_mut().map(|child| child.try_wait().ok().flatten()).collect()
    }

    fn ask(&mut self, signal: Signal) {
        for child in &mut self.0 {
            if matches!(child.try_wait(), Ok(None))
                && let Ok(id) = i32::try_from(child.id())
            {
                let _ = killpg(Pid::from_raw(id), signal);
            }
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.ask(Signal::SIGKILL);
        self.0.iter_mut().for_each(|child| {
            let _ = child.wait();
        });
    }
}

/// `{h3}` becomes the address of host 3.
fn with_addresses(command: &str, hosts: u32) -> String {
    (0..hosts).fold(command.to_owned(), |text, host| {
        text.replace(&format!("{{h{host}}}"), &address(host).to_string())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_braces_are_addresses() {
        assert_eq!(with_addresses("iperf3 -c {h1} -B {h0}", 2), "iperf3 -c 10.77.0.2 -B 10.77.0.1");
        assert_eq!(with_addresses("awk '{h7}'", 2), "awk '{h7}'");
    }
}
