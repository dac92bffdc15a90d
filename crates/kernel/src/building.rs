//! How something comes into the folder of all that is loaded.

use crate::Error;
use crate::place::{Alone, BPFFS, DEVICE, MOUNTED, Place, UNFINISHED, is_bpffs, lock, remove};
use nix::mount::{MsFlags, mount};
use std::fs;
use std::path::{Path, PathBuf};

impl Place {
    /// A program at a device: `device_NAMESPACE_INDEX_WHAT`.
    pub(crate) fn device(&self, namespace: u64, index: u32, what: &str) -> PathBuf {
        self.root.join(format!("{DEVICE}{namespace}_{index}_{what}"))
    }

    /// Makes the folder, mounts what it lies in if nobody has, and locks it.
    pub(crate) fn open(&self) -> Result<Alone, Error> {
        let mounted = ensure_mounted()?;
        let alone = lock()?;
        fs::create_dir_all(&self.root).map_err(|error| Error::file(&self.root, &error))?;
        if mounted {
            let marker = self.root.join(MOUNTED);
            fs::create_dir_all(&marker).map_err(|error| Error::file(&marker, &error))?;
        }
        self.sweep()?;
        Ok(alone)
    }

    /// A folder to build something in; it goes again unless it is finished.
    pub(crate) fn build(&self) -> Result<Building, Error> {
        let number = self.entries()?.len();
        let path = self.root.join(format!("{UNFINISHED}{}_{number}", std::process::id()));
        fs::create_dir(&path).map_err(|error| Error::file(&path, &error))?;
        Ok(Building { path, finished: false })
    }
}

/// Something half built.
pub(crate) struct Building {
    path: PathBuf,
    finished: bool,
}

impl Building {
    pub(crate) fn at(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// From now on it counts.
    pub(crate) fn finish(mut self, path: &Path) -> Result<(), Error> {
        fs::rename(&self.path, path).map_err(|error| Error::file(path, &error))?;
        self.finished = true;
        Ok(())
    }
}

impl Drop for Building {
    fn drop(&mut self) {
        if !self.finished {
            // What cannot be removed now the next command sweeps.
            let _ = remove(&self.path);
        }
    }
}

/// Whether it had to be mounted.
fn ensure_mounted() -> Result<bool, Error> {
    let path = Path::new(BPFFS);
    if is_bpffs(path) {
        return Ok(false);
    }
    mount(Some("bpf"), path, Some("bpf"), MsFlags::empty(), Some("mode=0700")).map_err(|error| {
        Error::Missing(format!(
            "no BPF file system is mounted at {BPFFS}, and mounting one failed ({error}): the kernel needs \
             CONFIG_BPF_SYSCALL, and the process the right to mount"
        ))
    })?;
    Ok(true)
}
