//! Short numbers that stand for long texts.

/// FNV-1a: the same on every machine and with every compiler, unlike the standard library's.
pub(crate) fn fingerprint(text: &str) -> u64 {
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3);
    text.bytes().fold(0xCBF2_9CE4_8422_2325, step)
}

/// The running program: its version, and, as long as versions do not change with every commit, when and how
/// large it was built.
pub(crate) fn program() -> String {
    let built = std::env::current_exe().and_then(std::fs::metadata).ok();
    let size = built.as_ref().map_or(0, std::fs::Metadata::len);
    let since_1970 = |time: std::time::SystemTime| time.duration_since(std::time::UNIX_EPOCH).ok();
    let age = built.and_then(|built| built.modified().ok()).and_then(since_1970);
    format!("{} {size} {}", env!("CARGO_PKG_VERSION"), age.map_or(0, |age| age.as_nanos()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Test vectors of the authors of FNV.
    #[test]
    fn fingerprints_are_fnv() {
        assert_eq!(fingerprint(""), 0xCBF2_9CE4_8422_2325);
        assert_eq!(fingerprint("a"), 0xAF63_DC4C_8601_EC8C);
        assert_eq!(fingerprint("foobar"), 0x8594_4171_F739_67E8);
    }

    #[test]
    fn the_program_is_the_same_while_it_runs() {
        assert_eq!(program(), program());
        assert!(program().starts_with(env!("CARGO_PKG_VERSION")));
    }
}
