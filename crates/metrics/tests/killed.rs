//! A run that is killed leaves no half result.
#![cfg(all(feature = "files", unix))]

use plimsoll_metrics::files::{IfExists, Results, ResultsWriter, remove_leftovers};
use plimsoll_metrics::{Reading, Sample, Sink, Summary};
use plimsoll_units::{Bytes, Time};
use std::io::{self, BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

/// Names the target for the process that is to be killed.
const TARGET: &str = "PLIMSOLL_TEST_KILLED_TARGET";
const THIS_TEST: &str = "a_killed_writer_leaves_nothing_under_the_name_of_the_result";

/// Writes for ever, and says so when some of it has reached the file.
fn write_until_killed(target: &Path) -> io::Result<()> {
    let mut writer = ResultsWriter::create(target, IfExists::Replace)?;
    writer.write_run("seed = 2\n")?;
    for at in 0.. {
        let sample = Sample { at: Time::from_ps(at), subject: 0, reading: Reading::Queue(Bytes::new(at)) };
        writer.series.put(sample)?;
        if at == 200_000 {
            println!("\nwriting");
        }
    }
    Ok(())
}

#[test]
fn a_killed_writer_leaves_nothing_under_the_name_of_the_result() {
    if let Some(target) = std::env::var_os(TARGET) {
        return write_until_killed(Path::new(&target)).unwrap();
    }
    let place = std::env::temp_dir().join(format!("plimsoll-metrics-killed-{}", std::process::id()));
    let target = place.join("run");
    let kill_a_writer = || {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args([THIS_TEST, "--exact", "--nocapture"])
            .env(TARGET, &target)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        assert!(lines.any(|line| line.unwrap() == "writing"), "it ended before it wrote");
        child.kill().unwrap();
        assert!(!child.wait().unwrap().success());
    };

    kill_a_writer();
    assert!(!target.exists());

    // A result that was there before is still there, whole.
    let writer = ResultsWriter::create(&target, IfExists::Refuse).unwrap();
    writer.finish(&Summary { seed: 1, ..Summary::default() }).unwrap();
    kill_a_writer();
    let results = Results::open(&target).unwrap();
    assert_eq!(results.summary().seed, 1);
    results.series(&mut Vec::new()).unwrap();

    assert_eq!(remove_leftovers(&target).unwrap(), 2);
    assert_eq!(std::fs::read_dir(&place).unwrap().count(), 1);
    std::fs::remove_dir_all(&place).unwrap();
}
