//! The rule for dependencies: their licences and where they come from, as `deny.toml` says.

use std::fs;
use std::path::Path;

use toml::{Table, Value};

use crate::metadata::{Metadata, Package};
use crate::spdx;

/// The part of `deny.toml` that needs nothing but cargo's metadata.
#[derive(Debug)]
pub(crate) struct Policy {
    licences: Vec<String>,
    registries: Vec<String>,
}

impl Policy {
    pub(crate) fn read(root: &Path) -> Result<Self, String> {
        let path = root.join("deny.toml");
        let text = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        Self::parse(&text).map_err(|error| format!("{}: {error}", path.display()))
    }

    fn parse(text: &str) -> Result<Self, String> {
        let table: Table = text.parse().map_err(|error: toml::de::Error| error.to_string())?;
        Ok(Self {
            licences: strings(&table, "licenses", "allow")?,
            registries: strings(&table, "sources", "allow-registry")?,
        })
    }

    /// What is wrong, one sentence each.
    pub(crate) fn violations(&self, everything: &Metadata) -> Vec<String> {
        everything.packages.iter().flat_map(|package| self.package_violations(package)).collect()
    }

    fn package_violations(&self, package: &Package) -> Vec<String> {
        let problems = [self.licence_problem(package), self.source_problem(package)];
        let named = |problem| format!("{} {}: {problem}", package.name, package.version);
        problems.into_iter().flatten().map(named).collect()
    }

    fn licence_problem(&self, package: &Package) -> Option<String> {
        let Some(expression) = &package.license else {
            return Some("it does not name its licence".to_owned());
        };
        match spdx::satisfied(expression, &self.licences) {
            Ok(true) => None,
            Ok(false) => Some(format!("licence '{expression}' is not allowed by deny.toml")),
            Err(error) => Some(error),
        }
    }

    fn source_problem(&self, package: &Package) -> Option<String> {
        let source = package.source.as_ref()?;
        let registry = source.strip_prefix("registry+");
        let known = registry.is_some_and(|registry| self.registries.iter().any(|known| known == registry));
        (!known).then(|| format!("it comes from '{source}', which deny.toml does not allow"))
    }
}

fn strings(table: &Table, section: &str, key: &str) -> Result<Vec<String>, String> {
    let list = table.get(section).and_then(|section| section.get(key)).and_then(Value::as_array);
    let list = list.ok_or_else(|| format!("[{section}] needs a list '{key}'"))?;
    let strings = list.iter().map(|value| value.as_str().map(str::to_owned));
    strings.collect::<Option<_>>().ok_or_else(|| format!("[{section}] {key}: every entry must be a string"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const CRATES_IO: &str = "registry+https://github.com/rust-lang/crates.io-index";

    fn policy() -> Policy {
        Policy::read(Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()).unwrap()
    }

    fn problems(license: Option<&str>, source: Option<&str>) -> Vec<String> {
        policy().package_violations(&Package {
            name: "thing".to_owned(),
            version: "1.2.3".to_owned(),
            folder: "/registry/thing".into(),
            license: license.map(str::to_owned),
            source: source.map(str::to_owned),
            dependencies: Vec::new(),
        })
    }

    #[test]
    fn the_usual_licence_from_the_usual_place_is_fine() {
        assert!(problems(Some("MIT OR Apache-2.0"), Some(CRATES_IO)).is_empty());
    }

    #[test]
    fn copyleft_is_refused_with_name_version_and_licence() {
        let found = problems(Some("GPL-3.0-only"), Some(CRATES_IO));
        assert_eq!(found, ["thing 1.2.3: licence 'GPL-3.0-only' is not allowed by deny.toml"]);
    }

    #[test]
    fn a_crate_without_licence_is_refused() {
        assert_eq!(problems(None, Some(CRATES_IO)).len(), 1);
    }

    #[test]
    fn a_git_dependency_and_another_registry_are_refused() {
        assert_eq!(problems(Some("MIT"), Some("git+https://github.com/some/thing#0123abc")).len(), 1);
        assert_eq!(problems(Some("MIT"), Some("registry+https://example.org/index")).len(), 1);
    }

    #[test]
    fn a_policy_without_its_lists_is_an_error_and_not_an_empty_policy() {
        assert!(Policy::parse("").unwrap_err().contains("[licenses] needs a list 'allow'"));
        assert!(
            Policy::parse("[licenses]\nallow = [1]\n[sources]\nallow-registry = []")
                .unwrap_err()
                .contains("string")
        );
    }
}
