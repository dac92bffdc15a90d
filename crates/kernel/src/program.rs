//! Programs with their constants, in the kernel and not yet in use.

use crate::{Error, Settings, objects};
use libbpf_rs::{Object, ObjectBuilder, OpenObject, ProgramMut};
use std::ffi::OsStr;
use std::os::fd::BorrowedFd;

/// Maps that programs share, by the names they have in C.
pub(crate) type Shared<'a> = [(&'static str, BorrowedFd<'a>)];

/// Loads the program of a law.
pub(crate) fn load(settings: &Settings, shared: &Shared<'_>) -> Result<Object, Error> {
    let law = settings.law()?;
    open(law.name(), objects::of(law), &settings.tables()?, shared)
}

/// Opens compiled code, fills its constants, and hands it to the kernel's verifier.
pub(crate) fn open(
    name: &str,
    code: &[u8],
    values: &[(&str, Vec<u8>)],
    shared: &Shared<'_>,
) -> Result<Object, Error> {
    let complain = |error: libbpf_rs::Error| Error::Refused(format!("{name}: {error}"));
    let mut object = ObjectBuilder::default().open_memory(code).map_err(complain)?;
    for (section, value) in values {
        fill(&mut object, name, section, value)?;
    }
    for (map, file) in shared {
        if let Some(mut found) = object.maps_mut().find(|one| one.name() == OsStr::new(map)) {
            found.reuse_fd(*file).map_err(complain)?;
        }
    }
    object
        .load()
        .map_err(|error| Error::Refused(format!("the kernel refuses the program of {name}: {error}")))
}

fn fill(object: &mut OpenObject, name: &str, section: &str, value: &[u8]) -> Result<(), Error> {
    let found = object.maps_mut().find(|map| map.name() == OsStr::new(section));
    let Some(mut map) = found else {
        return Err(Error::Refused(format!("{name}: the program has no section {section}")));
    };
    let room = map.initial_value().map_or(0, <[u8]>::len);
    if room != value.len() {
        return Err(Error::Refused(format!("{name}: {section} has {room} bytes, not {}", value.len())));
    }
    map.set_initial_value(value).map_err(|error| Error::Refused(format!("{name}: {section}: {error}")))
}

/// The program of this name in an object.
pub(crate) fn find<'o>(object: &'o Object, name: &str) -> Result<ProgramMut<'o>, Error> {
    let found = object.progs_mut().find(|program| program.name() == OsStr::new(name));
    found.ok_or_else(|| Error::Refused(format!("there is no program `{name}`")))
}
