//! Writing files that are whole or not there.

use crate::error::Error;
use std::fs;
use std::path::Path;

/// Writes to a name of its own beside the goal, then renames: whoever looks sees the old file or
/// the new one, and a killed run leaves no half.
pub(crate) fn write(path: &Path, contents: &[u8]) -> Result<(), Error> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(Error::file(folder))?;
    }
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".{}.part", std::process::id()));
    let part = Path::new(&name);
    fs::write(part, contents).map_err(Error::file(part))?;
    fs::rename(part, path).map_err(|error| {
        // The error to report is the rename's; a part that cannot be removed either only lingers.
        let _ = fs::remove_file(part);
        Error::file(path)(error)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_as_a_whole_and_no_part_stays() {
        let folder = std::env::temp_dir().join(format!("plimsoll-files-{}", std::process::id()));
        let path = folder.join("a/b.txt");
        write(&path, b"old and long").unwrap();
        write(&path, b"new").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert_eq!(fs::read_dir(folder.join("a")).unwrap().count(), 1);
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_path_that_cannot_be_is_named() {
        let error = write(Path::new("/dev/null/x/y.txt"), b"").unwrap_err();
        assert!(error.to_string().contains("/dev/null/x"), "{error}");
    }
}
