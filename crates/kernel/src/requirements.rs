//! What the machine must have; each thing that is missing is named, with what would help.

use crate::Error;

/// Only root may do this.
pub(crate) fn root(what: &str) -> Result<(), Error> {
    if nix::unistd::geteuid().is_root() {
        return Ok(());
    }
    Err(Error::Missing(format!("{what} needs root: run this as root, or with sudo")))
}

/// Everything that loading needs, before anything is changed.
#[cfg(feature = "bpf")]
pub(crate) fn all() -> Result<(), Error> {
    root("loading programs into the kernel")?;
    let described = std::path::Path::new("/sys/kernel/btf/vmlinux");
    if !described.exists() {
        return Err(Error::Missing(format!(
            "{} is missing: the kernel must be built with CONFIG_DEBUG_INFO_BTF",
            described.display()
        )));
    }
    if std::fs::read_to_string("/proc/sys/net/core/bpf_jit_enable").is_ok_and(|on| on.trim() == "0") {
        return Err(Error::Missing(
            "the kernel does not compile BPF programs: sysctl net.core.bpf_jit_enable=1".to_owned(),
        ));
    }
    congestion_control()
}

/// Laws decide with every ack in `cong_control`, which has had four arguments since Linux 6.10.
#[cfg(feature = "bpf")]
fn congestion_control() -> Result<(), Error> {
    use libbpf_rs::btf::{Btf, BtfType, types};
    let kernel = Btf::from_vmlinux()
        .map_err(|error| Error::Missing(format!("the kernel's description cannot be read: {error}")))?;
    if kernel.type_by_name::<types::Struct<'_>>("bpf_struct_ops_tcp_congestion_ops").is_none() {
        return Err(Error::Missing(
            "this kernel has no congestion control by BPF programs (CONFIG_BPF_JIT and CONFIG_INET, Linux 5.6)"
                .to_owned(),
        ));
    }
    let operations = kernel.type_by_name::<types::Struct<'_>>("tcp_congestion_ops");
    let arguments = operations.and_then(|operations| {
        let member =
            operations.iter().find(|member| member.name.is_some_and(|name| name == "cong_control"))?;
        let pointer = kernel.type_by_id::<BtfType<'_>>(member.ty)?;
        let function = pointer.skip_mods_and_typedefs().next_type()?.skip_mods_and_typedefs();
        Some(types::FuncProto::try_from(function).ok()?.len())
    });
    match arguments {
        Some(4) => Ok(()),
        _ => Err(Error::Missing(
            "this kernel's cong_control has not the arguments that Linux 6.10 gave it: a newer kernel is needed"
                .to_owned(),
        )),
    }
}

/// The root of the control groups, where programs for all connections are attached.
#[cfg(feature = "bpf")]
pub(crate) fn control_groups() -> Result<std::path::PathBuf, Error> {
    let mounts = std::fs::read_to_string("/proc/self/mounts").unwrap_or_default();
    group_mount(&mounts).ok_or_else(|| {
        Error::Missing(
            "no cgroup2 is mounted, which telemetry in TCP options needs: mount -t cgroup2 none /sys/fs/cgroup"
                .to_owned(),
        )
    })
}

#[cfg(any(feature = "bpf", test))]
fn group_mount(mounts: &str) -> Option<std::path::PathBuf> {
    mounts.lines().find_map(|line| {
        let mut words = line.split(' ');
        let (_, place, kind) = (words.next()?, words.next()?, words.next()?);
        (kind == "cgroup2").then(|| std::path::PathBuf::from(place))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_version_of_control_groups_is_found_among_the_first() {
        let mounts = "tmpfs /sys/fs/cgroup tmpfs rw 0 0\ncgroup /sys/fs/cgroup/cpu cgroup rw,cpu 0 0\n\
                      cgroup2 /sys/fs/cgroup/unified cgroup2 rw 0 0\n";
        assert_eq!(group_mount(mounts), Some("/sys/fs/cgroup/unified".into()));
        assert_eq!(group_mount("proc /proc proc rw 0 0\n"), None);
    }
}
