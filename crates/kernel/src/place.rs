//! Where programs stay when nobody runs who loaded them: a folder of ours in the kernel's own file system for that.
//!
//! A thing that is loaded is a folder with everything that keeps it there. It is built under another name and renamed
//! when it is complete, so that there are no halves; who builds or removes holds a lock, so what is half built when
//! somebody else gets the lock was left by a process that is gone.

use crate::{Error, Law};
use nix::fcntl::{Flock, FlockArg};
use nix::mount::umount;
use nix::sys::statfs::{BPF_FS_MAGIC, statfs};
use std::fs::{self, File};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// Where Linux has its file system of BPF programs.
pub(crate) const BPFFS: &str = "/sys/fs/bpf";
/// Dots are not allowed there.
pub(crate) const UNFINISHED: &str = "new_";
/// A folder that says that we mounted the file system.
pub(crate) const MOUNTED: &str = "mounted";
pub(crate) const TELEMETRY: &str = "telemetry";
const LAW: &str = "law_";
pub(crate) const DEVICE: &str = "device_";

/// The folder of all that is loaded.
#[derive(Clone, Debug)]
pub struct Place {
    pub(crate) root: PathBuf,
}

impl Default for Place {
    fn default() -> Self {
        Self::named("plimsoll")
    }
}

/// Nobody else changes anything meanwhile.
pub(crate) struct Alone(#[allow(dead_code, reason = "held, not used")] Flock<File>);

impl Place {
    /// A folder of another name, for tests.
    #[must_use]
    pub fn named(name: &str) -> Self {
        Self { root: Path::new(BPFFS).join(name) }
    }

    pub(crate) fn law(&self, law: Law) -> PathBuf {
        self.root.join(format!("{LAW}{}", law.name()))
    }

    pub(crate) fn telemetry(&self) -> PathBuf {
        self.root.join(TELEMETRY)
    }

    /// The laws that are loaded.
    pub(crate) fn laws(&self) -> Result<Vec<Law>, Error> {
        let entries = self.entries()?;
        Ok(Law::ALL
            .into_iter()
            .filter(|law| entries.iter().any(|name| *name == format!("{LAW}{}", law.name())))
            .collect())
    }

    /// The programs at devices: folder, namespace, index, what.
    pub(crate) fn devices(&self) -> Result<Vec<(PathBuf, u64, u32, String)>, Error> {
        let read = |name: String| {
            let mut parts = name.strip_prefix(DEVICE)?.splitn(3, '_');
            let (namespace, index) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
            Some((self.root.join(&name), namespace, index, parts.next()?.to_owned()))
        };
        Ok(self.entries()?.into_iter().filter_map(read).collect())
    }

    /// Names in our folder, in order; none if there is no folder.
    pub(crate) fn entries(&self) -> Result<Vec<String>, Error> {
        let entries = match fs::read_dir(&self.root) {
            Ok(entries) => entries,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) if error.kind() == ErrorKind::PermissionDenied => {
                return Err(Error::Missing(format!(
                    "{} may be read by root alone: run this as root, or with sudo",
                    self.root.display()
                )));
            }
            Err(error) => return Err(Error::file(&self.root, &error)),
        };
        let mut names: Vec<String> =
            entries.flatten().filter_map(|entry| entry.file_name().into_string().ok()).collect();
        names.sort();
        Ok(names)
    }

    /// Removes what killed processes left half built.
    pub(crate) fn sweep(&self) -> Result<(), Error> {
        for name in self.entries()?.iter().filter(|name| name.starts_with(UNFINISHED)) {
            remove(&self.root.join(name))?;
        }
        Ok(())
    }

    /// Removes laws, all programs at devices if no law is named, and telemetry with the last law. Gives what was
    /// removed.
    ///
    /// # Errors
    /// If the user may not, or a file cannot be removed.
    pub fn unload(&self, law: Option<Law>) -> Result<Vec<String>, Error> {
        crate::requirements::root("unloading")?;
        if !is_bpffs(Path::new(BPFFS)) || !self.root.exists() {
            return Ok(Vec::new());
        }
        let alone = lock()?;
        self.sweep()?;
        let mut gone = Vec::new();
        let laws: Vec<Law> =
            self.laws()?.into_iter().filter(|one| law.is_none_or(|wanted| wanted == *one)).collect();
        for law in laws {
            remove(&self.law(law))?;
            // Should it take longer, it is on its way all the same.
            let _ = wait_until_gone(law);
            gone.push(law.name().to_owned());
        }
        if law.is_none() {
            for (path, _, _, what) in self.devices()? {
                remove(&path)?;
                gone.push(what);
            }
        }
        if self.laws()?.is_empty() && self.telemetry().exists() {
            remove(&self.telemetry())?;
            gone.push(TELEMETRY.to_owned());
        }
        self.close(alone)?;
        Ok(gone)
    }

    /// Leaves nothing where nothing is loaded.
    pub(crate) fn close(&self, alone: Alone) -> Result<(), Error> {
        let entries = self.entries()?;
        if entries.iter().any(|name| name != MOUNTED) {
            return Ok(());
        }
        remove(&self.root)?;
        drop(alone);
        // Only the kernel's own files have dots in their names.
        let others = fs::read_dir(BPFFS).is_ok_and(|entries| {
            entries.flatten().any(|entry| !entry.file_name().as_encoded_bytes().contains(&b'.'))
        });
        if !entries.is_empty() && !others {
            // If somebody is in it, it stays: an empty file system harms nobody.
            let _ = umount(BPFFS);
        }
        Ok(())
    }
}

/// Removes a folder; one that is gone is as good.
pub(crate) fn remove(path: &Path) -> Result<(), Error> {
    match fs::remove_dir_all(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(Error::file(path, &error)),
        _ => Ok(()),
    }
}

/// The kernel forgets a law a moment after its last file is gone; whether it has.
pub(crate) fn wait_until_gone(law: Law) -> bool {
    const TRIES: u32 = 200;
    (0..TRIES).any(|_| {
        let gone = !crate::status::is_registered(law);
        if !gone {
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        gone
    })
}

pub(crate) fn is_bpffs(path: &Path) -> bool {
    statfs(path).is_ok_and(|found| found.filesystem_type() == BPF_FS_MAGIC)
}

pub(crate) fn lock() -> Result<Alone, Error> {
    let path = Path::new(BPFFS);
    let folder = File::open(path).map_err(|error| Error::file(path, &error))?;
    Flock::lock(folder, FlockArg::LockExclusive)
        .map(Alone)
        .map_err(|(_, error)| Error::Refused(format!("{BPFFS} cannot be locked: {error}")))
}
