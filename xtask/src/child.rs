//! Running other programs: their output is shown while they run.

use std::io::{self, Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};

use crate::count::{Count, Tally};
use crate::steps::Outcome;

/// The cargo that started this program, so that every step uses the same toolchain.
pub(crate) fn cargo(root: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root).args(arguments);
    command
}

/// Runs a command that either succeeds or does not.
pub(crate) fn check(mut command: Command) -> Outcome {
    announce(&command);
    match command.status() {
        Ok(status) if status.success() => Outcome::Passed,
        Ok(status) => Outcome::Failed(format!("{} ended with {status}", describe(&command))),
        Err(error) => Outcome::Failed(format!("{} could not be started: {error}", describe(&command))),
    }
}

/// Runs a command that runs tests, and counts them.
pub(crate) fn count(mut command: Command) -> Outcome {
    announce(&command);
    match echo(&mut command) {
        Ok((succeeded, tally)) => judge(succeeded, tally.finish()),
        Err(error) => Outcome::Failed(format!("{} could not be run: {error}", describe(&command))),
    }
}

/// A command that fails without a failed test (it did not compile, a test process died) is one failure, and
/// so is one that succeeds without having said how many tests it ran: that would hide a harness we cannot read.
fn judge(succeeded: bool, counted: Option<Count>) -> Outcome {
    match counted {
        None if succeeded => Outcome::Failed("no 'test result:' line was seen".to_owned()),
        None => Outcome::Failed("no test ran".to_owned()),
        Some(mut count) => {
            if !succeeded && count.failed == 0 {
                count += Count::FAILED;
            }
            Outcome::Counted(count)
        }
    }
}

/// Shows the command's output as it comes, and reads it on the way.
fn echo(command: &mut Command) -> io::Result<(bool, Tally)> {
    let mut child = command.stdout(Stdio::piped()).spawn()?;
    let mut tally = Tally::default();
    if let Some(mut output) = child.stdout.take() {
        let mut buffer = [0; 8192];
        loop {
            let length = match output.read(&mut buffer) {
                Ok(0) => break,
                Ok(length) => length,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            let piece = buffer.get(..length).unwrap_or_default();
            tally.feed(piece);
            let mut stdout = io::stdout().lock();
            stdout.write_all(piece)?;
            stdout.flush()?;
        }
    }
    Ok((child.wait()?.success(), tally))
}

/// Whether a command succeeds, without showing anything.
pub(crate) fn succeeds(mut command: Command) -> bool {
    command.stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|status| status.success())
}

/// What a command prints; its error output if it fails.
pub(crate) fn read(mut command: Command) -> Result<String, String> {
    let output =
        command.output().map_err(|error| format!("{} could not be started: {error}", describe(&command)))?;
    if output.status.success() {
        String::from_utf8(output.stdout).map_err(|error| format!("{}: {error}", describe(&command)))
    } else {
        Err(format!("{} failed:\n{}", describe(&command), String::from_utf8_lossy(&output.stderr).trim_end()))
    }
}

pub(crate) fn announce(command: &Command) {
    println!("$ {}", describe(command));
}

/// The command as one would type it, with the program's name alone.
pub(crate) fn describe(command: &Command) -> String {
    let program = Path::new(command.get_program()).file_stem().unwrap_or(command.get_program());
    let mut words = Vec::new();
    for (name, value) in command.get_envs() {
        words.push(format!("{}=\"{}\"", name.display(), value.unwrap_or_default().display()));
    }
    words.push(program.display().to_string());
    words.extend(command.get_args().map(|argument| argument.display().to_string()));
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    const THREE: Count = Count { passed: 3, failed: 0, skipped: 0 };

    #[test]
    fn a_command_that_fails_without_a_failed_test_is_one_failure() {
        let crashed = Count { failed: 1, ..THREE };
        assert_eq!(judge(false, Some(THREE)), Outcome::Counted(crashed));
        assert!(matches!(judge(false, None), Outcome::Failed(_)));
    }

    #[test]
    fn failed_tests_are_not_counted_twice() {
        let failed = Count { passed: 1, failed: 2, skipped: 0 };
        assert_eq!(judge(false, Some(failed)), Outcome::Counted(failed));
    }

    #[test]
    fn success_without_any_result_is_a_failure() {
        assert!(matches!(judge(true, None), Outcome::Failed(_)));
        assert_eq!(judge(true, Some(THREE)), Outcome::Counted(THREE));
    }

    #[test]
    fn a_command_is_shown_as_one_would_type_it() {
        let mut command = Command::new("/some/where/cargo");
        command.args(["doc", "--no-deps"]).env("RUSTDOCFLAGS", "-D warnings");
        assert_eq!(describe(&command), "RUSTDOCFLAGS=\"-D warnings\" cargo doc --no-deps");
    }
}
