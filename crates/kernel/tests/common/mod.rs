//! What the tests of programs share.

/// Whether programs can be loaded here; says so loudly if not.
pub(crate) fn can_run() -> bool {
    let root = nix::unistd::geteuid().is_root();
    let described = std::path::Path::new("/sys/kernel/btf/vmlinux").exists();
    if root && described {
        return true;
    }
    let why = if root { "the kernel has no BTF" } else { "only root may" };
    eprintln!("SKIPPED: NO KERNEL PROGRAMS ON THIS MACHINE: {why}");
    false
}
