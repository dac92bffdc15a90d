//! Programs at network devices, held by a file: libbpf-rs has no safe function for it.
#![allow(unsafe_code, reason = "two calls of libbpf that libbpf-rs does not wrap")]

use crate::Error;
use std::ffi::CString;
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// Which packets of a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    /// Those that leave by it.
    Exit,
    /// Those that come in by it.
    Entry,
}

/// Attaches a program to a device of this thread's network namespace for as long as the file exists.
pub(crate) fn attach(program: BorrowedFd<'_>, device: u32, side: Side, path: &Path) -> Result<(), Error> {
    let kind = match side {
        Side::Exit => libbpf_sys::BPF_TCX_EGRESS,
        Side::Entry => libbpf_sys::BPF_TCX_INGRESS,
    };
    let name = CString::new(path.as_os_str().as_bytes())
        .map_err(|error| Error::Refused(format!("{}: {error}", path.display())))?;
    let index = i32::try_from(device).map_err(|error| Error::Refused(format!("device {device}: {error}")))?;
    // SAFETY: only numbers are handed over, and no options (null is allowed).
    let link = unsafe { libbpf_sys::bpf_link_create(program.as_raw_fd(), index, kind, std::ptr::null()) };
    if link < 0 {
        let error = std::io::Error::from_raw_os_error(-link);
        let hint =
            if error.raw_os_error() == Some(nix::libc::EINVAL) { " (Linux 6.6 is needed)" } else { "" };
        return Err(Error::Refused(format!("the program cannot be attached to the device: {error}{hint}")));
    }
    // SAFETY: the kernel has just given us this descriptor, and nobody else knows it.
    let link = unsafe { OwnedFd::from_raw_fd(link) };
    // SAFETY: the name ends with a zero and outlives the call.
    let pinned = unsafe { libbpf_sys::bpf_obj_pin(link.as_raw_fd(), name.as_ptr()) };
    if pinned < 0 {
        let error = std::io::Error::from_raw_os_error(-pinned);
        return Err(Error::file(path, &error));
    }
    Ok(())
}
