//! The part of `cargo metadata` that the rules look at.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::child;

/// A workspace, with the packages that were asked for.
#[derive(Debug)]
pub(crate) struct Metadata {
    pub(crate) root: PathBuf,
    pub(crate) packages: Vec<Package>,
}

#[derive(Debug)]
pub(crate) struct Package {
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) folder: PathBuf,
    /// The licence expression, as the author wrote it.
    pub(crate) license: Option<String>,
    /// Where it came from; nothing for a package that lies in this repository.
    pub(crate) source: Option<String>,
    pub(crate) dependencies: Vec<Dependency>,
}

/// A dependency as the manifest declares it, whatever features and platforms it is limited to.
#[derive(Debug)]
pub(crate) struct Dependency {
    pub(crate) name: String,
    pub(crate) kind: Kind,
    /// Where it lies, if it is given by path.
    pub(crate) folder: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Normal,
    Build,
    Development,
}

impl Metadata {
    /// The crates of the workspace. Needs no network and no resolved dependencies.
    pub(crate) fn of_members(root: &Path) -> Result<Self, String> {
        Self::ask(root, &["metadata", "--format-version", "1", "--no-deps"])
    }

    /// The crates of the workspace and all that they depend on, on any platform and with any feature.
    pub(crate) fn of_everything(root: &Path) -> Result<Self, String> {
        Self::ask(root, &["metadata", "--format-version", "1", "--all-features"])
    }

    fn ask(root: &Path, arguments: &[&str]) -> Result<Self, String> {
        Self::parse(&child::read(child::cargo(root, arguments))?)
    }

    fn parse(text: &str) -> Result<Self, String> {
        let value: Value = serde_json::from_str(text).map_err(|error| format!("cargo metadata: {error}"))?;
        Ok(Self {
            root: string(&value, "workspace_root")?.into(),
            packages: array(&value, "packages")?.iter().map(package).collect::<Result<_, _>>()?,
        })
    }
}

fn package(value: &Value) -> Result<Package, String> {
    let manifest = PathBuf::from(string(value, "manifest_path")?);
    Ok(Package {
        name: string(value, "name")?,
        version: string(value, "version")?,
        folder: manifest.parent().map(Path::to_path_buf).unwrap_or_default(),
        license: optional_string(value, "license"),
        source: optional_string(value, "source"),
        dependencies: array(value, "dependencies")?.iter().map(dependency).collect::<Result<_, _>>()?,
    })
}

fn dependency(value: &Value) -> Result<Dependency, String> {
    let kind = match optional_string(value, "kind").as_deref() {
        None => Kind::Normal,
        Some("build") => Kind::Build,
        Some("dev") => Kind::Development,
        Some(other) => return Err(format!("cargo metadata: unknown kind of dependency '{other}'")),
    };
    Ok(Dependency {
        name: string(value, "name")?,
        kind,
        folder: optional_string(value, "path").map(PathBuf::from),
    })
}

fn string(value: &Value, key: &str) -> Result<String, String> {
    optional_string(value, key).ok_or_else(|| format!("cargo metadata: '{key}' is missing"))
}

fn optional_string(value: &Value, key: &str) -> Option<String> {
    value.get(key)?.as_str().map(str::to_owned)
}

fn array<'a>(value: &'a Value, key: &str) -> Result<&'a Vec<Value>, String> {
    value.get(key).and_then(Value::as_array).ok_or_else(|| format!("cargo metadata: '{key}' is missing"))
}

/// Made-up workspaces for the tests of the rules.
#[cfg(test)]
pub(crate) mod made_up {
    use super::*;

    /// A workspace in `/w` of crates given as (folder, dependencies).
    pub(crate) fn workspace(crates: Vec<(&str, Vec<Dependency>)>) -> Metadata {
        let packages = crates.into_iter().map(|(folder, dependencies)| Package {
            name: format!("plimsoll-{}", folder.trim_start_matches("crates/")),
            version: "0.1.0".to_owned(),
            folder: Path::new("/w").join(folder),
            license: Some("MIT OR Apache-2.0".to_owned()),
            source: None,
            dependencies,
        });
        Metadata { root: "/w".into(), packages: packages.collect() }
    }

    pub(crate) fn on_path(folder: &str, kind: Kind) -> Dependency {
        Dependency { name: folder.to_owned(), kind, folder: Some(Path::new("/w").join(folder)) }
    }

    pub(crate) fn on_registry(name: &str, kind: Kind) -> Dependency {
        Dependency { name: name.to_owned(), kind, folder: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_workspace_lists_this_crate_with_its_declared_dependencies() {
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        let metadata = Metadata::of_members(here).unwrap();
        let xtask = metadata.packages.iter().find(|package| package.name == "xtask").unwrap();
        assert_eq!(xtask.folder, here);
        assert_eq!(xtask.license.as_deref(), Some("MIT OR Apache-2.0"));
        assert!(
            xtask
                .dependencies
                .iter()
                .any(|found| found.name == "toml" && found.kind == Kind::Normal && found.folder.is_none())
        );
    }

    #[test]
    fn a_kind_of_dependency_that_cargo_may_invent_is_not_taken_for_a_normal_one() {
        let text = r#"{"workspace_root": "/w", "packages": [{"manifest_path": "/w/a/Cargo.toml", "name": "a",
            "version": "0.1.0", "dependencies": [{"name": "b", "kind": "psychic"}]}]}"#;
        let message = Metadata::parse(text).unwrap_err();
        assert!(message.contains("'psychic'"), "{message}");
    }

    #[test]
    fn output_that_lacks_a_key_is_refused_by_name() {
        assert!(Metadata::parse("{}").unwrap_err().contains("'workspace_root'"));
        assert!(Metadata::parse("not json").is_err());
    }
}
