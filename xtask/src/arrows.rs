//! The rule of the architecture: dependency arrows point down only.
//!
//! A crate is known by its folder, because the folders are the architecture.

use std::path::Path;

use crate::metadata::{Dependency, Kind, Metadata};

/// Each crate with the crates of the workspace that it may use, in its tests and benchmarks too. Every row
/// mentions only rows above it. The simulator and the testbed do not know each other, the laws know nothing
/// but units, nobody knows the command line, and this crate is no part of the product.
const ARROWS: &[(&str, &[&str])] = &[
    ("units", &[]),
    ("cc", &["units"]),
    ("wire", &["units"]),
    ("metrics", &["units"]),
    ("transport", &["cc", "wire", "units"]),
    ("scenario", &["transport", "cc", "units"]),
    // The fluid models evaluate the very laws of cc, for the parameters that a scenario gives.
    ("fluid", &["scenario", "cc", "units"]),
    ("report", &["metrics", "units"]),
    ("sim", &["transport", "scenario", "metrics", "cc", "wire", "units"]),
    ("testbed", &["transport", "scenario", "metrics", "cc", "wire", "units"]),
    ("kernel", &["cc", "wire", "units"]),
    (
        "cli",
        &[
            "sim",
            "testbed",
            "kernel",
            "fluid",
            "report",
            "transport",
            "scenario",
            "metrics",
            "cc",
            "wire",
            "units",
        ],
    ),
    ("xtask", &[]),
];

/// What is wrong, one sentence each.
pub(crate) fn violations(workspace: &Metadata) -> Vec<String> {
    let mut found = Vec::new();
    for package in &workspace.packages {
        let user = crate_name(&workspace.root, &package.folder);
        let Some((_, allowed)) = ARROWS.iter().find(|(name, _)| *name == user) else {
            found.push(format!("{user} has no row in ARROWS of xtask/src/arrows.rs: say what it may use"));
            continue;
        };
        for dependency in &package.dependencies {
            found.extend(violation(&workspace.root, &user, allowed, dependency));
        }
    }
    found
}

fn violation(root: &Path, user: &str, allowed: &[&str], dependency: &Dependency) -> Option<String> {
    let used = crate_name(root, dependency.folder.as_deref()?);
    if allowed.contains(&used.as_str()) {
        return None;
    }
    let place = match dependency.kind {
        Kind::Normal => "",
        Kind::Build => " in its build script",
        Kind::Development => " in its tests",
    };
    let instead =
        if allowed.is_empty() { "no crate of the workspace".to_owned() } else { allowed.join(", ") };
    Some(format!("{user} uses {used}{place}, but it may use: {instead}"))
}

/// `crates/cc` is `cc`; a folder elsewhere keeps its path.
fn crate_name(root: &Path, folder: &Path) -> String {
    let inside = folder.strip_prefix(root).unwrap_or(folder);
    inside.strip_prefix("crates").unwrap_or(inside).display().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metadata::made_up::{on_path, on_registry, workspace};

    #[test]
    fn the_table_itself_points_down() {
        for (row, (user, allowed)) in ARROWS.iter().enumerate() {
            for used in *allowed {
                assert!(
                    ARROWS[..row].iter().any(|(above, _)| above == used),
                    "{user} mentions {used}, which stands below it or nowhere"
                );
            }
        }
    }

    #[test]
    fn this_workspace_obeys() {
        let metadata = Metadata::of_members(Path::new(env!("CARGO_MANIFEST_DIR"))).unwrap();
        assert_eq!(violations(&metadata), Vec::<String>::new());
    }

    #[test]
    fn arrows_that_point_down_and_crates_from_the_registry_are_fine() {
        let down = vec![on_path("crates/units", Kind::Normal), on_registry("libm", Kind::Normal)];
        assert!(violations(&workspace(vec![("crates/units", vec![]), ("crates/cc", down)])).is_empty());
    }

    #[test]
    fn an_arrow_that_points_up_is_found_in_code_build_script_and_tests() {
        for kind in [Kind::Normal, Kind::Build, Kind::Development] {
            let found = violations(&workspace(vec![("crates/units", vec![on_path("crates/cc", kind)])]));
            assert_eq!(found.len(), 1, "{kind:?}");
            assert!(found[0].starts_with("units uses cc"), "{found:?}");
        }
    }

    #[test]
    fn simulator_and_testbed_must_not_know_each_other() {
        let crates = vec![
            ("crates/sim", vec![on_path("crates/testbed", Kind::Normal)]),
            ("crates/testbed", vec![on_path("crates/sim", Kind::Development)]),
        ];
        assert_eq!(violations(&workspace(crates)).len(), 2);
    }

    #[test]
    fn nobody_may_use_the_command_line() {
        for (user, allowed) in ARROWS {
            assert!(!allowed.contains(&"cli"), "{user}");
        }
    }

    #[test]
    fn a_crate_without_a_row_is_refused() {
        let found = violations(&workspace(vec![("crates/magic", vec![])]));
        assert!(found.len() == 1 && found[0].contains("magic has no row"), "{found:?}");
    }

    #[test]
    fn a_path_that_leaves_the_crates_is_refused() {
        let found =
            violations(&workspace(vec![("crates/cli", vec![on_path("../elsewhere/thing", Kind::Normal)])]));
        assert_eq!(found.len(), 1, "{found:?}");
    }
}
