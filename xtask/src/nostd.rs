//! The rule for the crates that run anywhere, in a kernel, a NIC or a browser: no standard library, no
//! allocator, no unsafe code, hardly a dependency.
//!
//! That they build for a target without a standard library is shown by building them. What that cannot show
//! is checked here: such a target still offers an allocator to whoever asks for it.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::metadata::{Kind, Metadata, Package};

/// The crates without the standard library, each with the registry crates that it may use.
const NO_STD: &[(&str, &[&str])] =
    &[("plimsoll-units", &[]), ("plimsoll-cc", &["libm"]), ("plimsoll-wire", &[])];

/// The attributes that the root of such a crate carries, in so many words: conditional ones would let a
/// feature switch them off.
const ATTRIBUTES: &[&str] = &["#![no_std]", "#![forbid(unsafe_code)]"];

/// The arguments that build these crates and nothing else for a target.
pub(crate) fn build_arguments(target: &str) -> Vec<&str> {
    let packages = NO_STD.iter().flat_map(|(name, _)| ["--package", name]);
    ["build", "--target", target].into_iter().chain(packages).collect()
}

/// What is wrong, one sentence each.
pub(crate) fn violations(workspace: &Metadata) -> Vec<String> {
    let mut found = Vec::new();
    for (name, allowed) in NO_STD {
        match workspace.packages.iter().find(|package| package.name == *name) {
            None => found.push(format!("{name} is not in the workspace")),
            Some(package) => {
                found.extend(foreign_dependencies(package, allowed));
                found.extend(source_violations(package));
            }
        }
    }
    found
}

fn foreign_dependencies(package: &Package, allowed: &[&str]) -> Vec<String> {
    let shipped = package.dependencies.iter().filter(|dependency| dependency.kind != Kind::Development);
    let foreign = shipped.filter(|dependency| dependency.folder.is_none());
    foreign
        .filter(|dependency| !allowed.contains(&dependency.name.as_str()))
        .map(|dependency| format!("{} uses {}, which it may not", package.name, dependency.name))
        .collect()
}

fn source_violations(package: &Package) -> Vec<String> {
    let folder = package.folder.join("src");
    match read_sources(&folder) {
        Err(error) => vec![format!("{}: {error}", folder.display())],
        Ok(sources) => sources.iter().flat_map(|(path, text)| file_violations(&folder, path, text)).collect(),
    }
}

fn file_violations(folder: &Path, path: &Path, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    if path == folder.join("lib.rs") {
        let missing =
            ATTRIBUTES.iter().filter(|&attribute| !text.lines().any(|line| line.trim() == *attribute));
        found.extend(missing.map(|attribute| format!("{}: {attribute} is missing", path.display())));
    }
    if asks_for_allocator(text) {
        found.push(format!("{}: 'extern crate alloc' outside of tests", path.display()));
    }
    found
}

fn asks_for_allocator(text: &str) -> bool {
    let mut before = "";
    for line in text.lines().map(str::trim) {
        if line.starts_with("extern crate alloc") && before != "#[cfg(test)]" {
            return true;
        }
        before = line;
    }
    false
}

/// Every Rust file below a folder, with its text.
fn read_sources(folder: &Path) -> io::Result<Vec<(PathBuf, String)>> {
    let mut sources = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            sources.extend(read_sources(&path)?);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = fs::read_to_string(&path)?;
            sources.push((path, text));
        }
    }
    sources.sort();
    Ok(sources)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metadata::made_up::{on_path, on_registry, workspace};

    fn root_file(text: &str) -> Vec<String> {
        file_violations(Path::new("src"), Path::new("src/lib.rs"), text)
    }

    #[test]
    fn both_attributes_must_stand_in_the_root_of_the_crate() {
        assert!(root_file("//! Doc.\n#![no_std]\n#![forbid(unsafe_code)]\n").is_empty());
        assert_eq!(root_file("#![no_std]\n").len(), 1);
        assert_eq!(root_file("").len(), 2);
    }

    #[test]
    fn an_attribute_in_a_comment_or_under_a_condition_does_not_count() {
        let text = "// #![no_std]\n#![cfg_attr(not(test), no_std)]\n#![forbid(unsafe_code)]\n";
        assert_eq!(root_file(text), ["src/lib.rs: #![no_std] is missing"]);
    }

    #[test]
    fn only_tests_may_ask_for_the_allocator() {
        assert!(asks_for_allocator("use core::fmt;\n    extern crate alloc;\n"));
        assert!(!asks_for_allocator("#[cfg(test)]\nextern crate alloc;\n"));
        assert!(!asks_for_allocator("// there is no extern crate alloc here\n"));
    }

    #[test]
    fn a_registry_crate_is_refused_unless_listed_or_for_tests() {
        let dependencies = vec![
            on_registry("libm", Kind::Normal),
            on_registry("serde", Kind::Normal),
            on_registry("cc", Kind::Build),
            on_registry("proptest", Kind::Development),
            on_path("crates/units", Kind::Normal),
        ];
        let made_up = workspace(vec![("crates/cc", dependencies)]);
        let found = foreign_dependencies(&made_up.packages[0], &["libm"]);
        assert_eq!(
            found,
            ["plimsoll-cc uses serde, which it may not", "plimsoll-cc uses cc, which it may not"]
        );
    }

    #[test]
    fn a_listed_crate_that_does_not_exist_is_reported() {
        let found = violations(&workspace(vec![]));
        assert_eq!(found.len(), NO_STD.len());
    }

    #[test]
    fn a_build_names_the_target_and_every_crate() {
        let arguments = build_arguments("thumbv7em-none-eabihf").join(" ");
        assert!(arguments.starts_with(
            "build --target thumbv7em-none-eabihf --package plimsoll-units --package plimsoll-cc"
        ));
    }
}
