//! How much memory this process has and how long it was on a processor, where the system tells.

/// Bytes in memory now.
pub(crate) fn resident() -> Option<u64> {
    status("VmRSS:")
}

/// The most bytes that were in memory at any time.
pub(crate) fn peak() -> Option<u64> {
    status("VmHWM:")
}

/// Seconds that the current thread was on a processor: what other processes take does not count. Linux tells in
/// nanoseconds, as the first of three numbers.
pub(crate) fn processor_seconds() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    Some(text.split_whitespace().next()?.parse::<u64>().ok()? as f64 / 1e9)
}

/// Linux tells in kilobytes of 1024; other systems have no such file.
fn status(name: &str) -> Option<u64> {
    number(&std::fs::read_to_string("/proc/self/status").ok()?, name)
}

fn number(status: &str, name: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix(name))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1_024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lines_of_linux_are_read() {
        let text = "Name:\tplimsoll\nVmHWM:\t   37648 kB\nVmRSS:\t      12 kB\n";
        assert_eq!((number(text, "VmHWM:"), number(text, "VmRSS:")), (Some(37_648 * 1_024), Some(12_288)));
        assert_eq!(number(text, "VmSwap:"), None);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn the_peak_is_not_below_what_is_there() {
        assert!(peak() >= resident() && resident() > Some(0));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_thread_that_sleeps_is_on_no_processor() {
        let before = processor_seconds();
        std::thread::sleep(std::time::Duration::from_millis(200));
        if let (Some(before), Some(after)) = (before, processor_seconds()) {
            assert!((0.0..0.1).contains(&(after - before)), "{before} {after}");
        }
    }
}
