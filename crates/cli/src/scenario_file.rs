//! Scenarios from files, with the files that they name.

use crate::error::Error;
use plimsoll_scenario::{Loader, Overrides, Scenario};
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Gives the files that a scenario names; relative paths begin at its folder.
pub(crate) struct Beside(PathBuf);

impl Beside {
    /// For the scenario at this path.
    pub(crate) fn new(scenario: &Path) -> Self {
        Self(scenario.parent().unwrap_or(Path::new("")).to_owned())
    }
}

impl Loader for Beside {
    fn load(&self, path: &str) -> Result<String, String> {
        fs::read_to_string(self.0.join(path)).map_err(|error| error.to_string())
    }
}

/// The text of a file; `-` is standard input.
pub(crate) fn text(path: &Path) -> Result<String, Error> {
    let mut text = String::new();
    let read = if path.as_os_str() == "-" {
        std::io::stdin().read_to_string(&mut text)
    } else {
        fs::File::open(path).and_then(|mut file| file.read_to_string(&mut text))
    };
    read.map_err(Error::file(path))?;
    Ok(text)
}

/// Reads and checks the text of the scenario at `path`. Without a name of its own it has that of its file.
pub(crate) fn parse(path: &Path, text: &str, overrides: &Overrides) -> Result<Scenario, Error> {
    let file = path.display().to_string();
    let mut scenario =
        Scenario::parse_with(&file, text, overrides, &Beside::new(path)).map_err(Error::Scenario)?;
    if scenario.name.is_empty() {
        let stem = path.file_stem().and_then(|stem| stem.to_str()).filter(|stem| *stem != "-");
        scenario.name = stem.unwrap_or("scenario").to_owned();
    }
    Ok(scenario)
}

/// Only what every file system takes for a name.
pub(crate) fn plain(name: &str) -> String {
    let plain: String =
        name.chars().map(|c| if c.is_alphanumeric() || "-_.".contains(c) { c } else { '-' }).collect();
    // No hidden folders, and not the folder above.
    match plain.trim_start_matches('.') {
        "" => "unnamed".to_owned(),
        name => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_folders_stay_in_their_folder() {
        assert_eq!(plain("incast16"), "incast16");
        assert_eq!(plain("hpcc:artifact"), "hpcc-artifact");
        assert_eq!(plain("../../etc"), "-..-etc");
        assert_eq!(plain(".."), "unnamed");
    }
}
