//! Laws come into the kernel.

use crate::building::Building;
use crate::{Error, Law, Place, Settings, objects, program, requirements};
use libbpf_rs::{Link, MapCore, MapHandle, Object};
use std::ffi::OsStr;
use std::fs::File;
use std::os::fd::{AsFd, AsRawFd};
use std::path::Path;

/// Registers a law as a congestion control, with telemetry if nobody has begun it: for processes in the control group
/// `group`, or for all. `stop` says when the user wants no more.
///
/// # Errors
/// If something is missing, the law is there already, or a step fails; nothing is left then.
pub fn load(
    place: &Place,
    settings: &Settings,
    group: Option<&Path>,
    stop: &dyn Fn() -> bool,
) -> Result<Law, Error> {
    requirements::all()?;
    if let Some(group) = group.filter(|_| place.telemetry().exists()) {
        return Err(Error::Refused(format!(
            "telemetry is there already, with the first law that was loaded, so `{}` cannot be chosen: `plimsoll kernel unload` first",
            group.display()
        )));
    }
    let groups = match group {
        Some(group) => group.to_owned(),
        None => requirements::control_groups()?,
    };
    let alone = place.open()?;
    let result = load_all(place, settings, &groups, stop);
    place.close(alone)?;
    result
}

fn load_all(
    place: &Place,
    settings: &Settings,
    groups: &Path,
    stop: &dyn Fn() -> bool,
) -> Result<Law, Error> {
    let law = settings.law()?;
    if place.law(law).exists() {
        return Err(Error::Refused(format!(
            "{0} is loaded already: `plimsoll kernel unload {0}` first",
            law.name()
        )));
    }
    // What a killed process left has just been removed, and goes in a moment.
    if !crate::place::wait_until_gone(law) {
        return Err(Error::Refused(format!(
            "somebody else has registered a congestion control called {}",
            law.kernel_name()
        )));
    }
    let path = place.telemetry();
    let (telemetry, map) = if path.exists() {
        let map = path.join("map");
        (None, MapHandle::from_pinned_path(&map).map_err(|error| failed(&map.display(), &error))?)
    } else {
        let (building, map) = begin_telemetry(place, groups)?;
        (Some(building), map)
    };
    stopped(stop)?;
    let object = program::load(settings, &[("telemetry", map.as_fd())])?;
    let building = place.build()?;
    // The lists first: from the moment that the law is registered it can be watched.
    list_connections(&object, &building)?;
    stopped(stop)?;
    let mut object = object;
    let mut operations = object
        .maps_mut()
        .find(|map| map.name() == OsStr::new("congestion_control"))
        .ok_or_else(|| Error::Refused("the program has no operations".to_owned()))?;
    let mut link = operations.attach_struct_ops().map_err(|error| failed(&law.kernel_name(), &error))?;
    pin(&mut link, &building.at("link"))?;
    stopped(stop)?;
    let fresh = telemetry.is_some();
    if let Some(telemetry) = telemetry {
        telemetry.finish(&path)?;
    }
    building.finish(&place.law(law)).inspect_err(|_| {
        if fresh {
            let _ = crate::place::remove(&path);
        }
    })?;
    Ok(law)
}

fn stopped(stop: &dyn Fn() -> bool) -> Result<(), Error> {
    if stop() { Err(Error::Interrupted) } else { Ok(()) }
}

pub(crate) fn failed(what: &dyn std::fmt::Display, error: &libbpf_rs::Error) -> Error {
    Error::Refused(format!("{what}: {error}"))
}

pub(crate) fn pin(link: &mut Link, path: &Path) -> Result<(), Error> {
    link.pin(path).map_err(|error| failed(&path.display(), &error))
}

/// A file that lists the law's connections when it is read.
fn list_connections(object: &Object, building: &Building) -> Result<(), Error> {
    let connections = object.maps().find(|map| map.name() == OsStr::new("connections"));
    let connections =
        connections.ok_or_else(|| Error::Refused("the program has no connections".to_owned()))?;
    let lister = program::find(object, "list_connections")?;
    let mut link =
        lister.attach_iter(connections.as_fd()).map_err(|error| failed(&"list of connections", &error))?;
    pin(&mut link, &building.at("connections"))
}

/// Attaches the program of TCP options to all connections.
fn begin_telemetry(place: &Place, groups: &Path) -> Result<(Building, MapHandle), Error> {
    let building = place.build()?;
    let mut object = program::open("telemetry", objects::TELEMETRY, &[], &[])?;
    let folder = File::open(groups).map_err(|error| Error::file(groups, &error))?;
    let options = program::find(&object, "telemetry_options")?;
    let mut link =
        options.attach_cgroup(folder.as_raw_fd()).map_err(|error| failed(&groups.display(), &error))?;
    pin(&mut link, &building.at("link"))?;
    let mut map = object
        .maps_mut()
        .find(|map| map.name() == OsStr::new("telemetry"))
        .ok_or_else(|| Error::Refused("telemetry has no map".to_owned()))?;
    let path = building.at("map");
    map.pin(&path).map_err(|error| failed(&path.display(), &error))?;
    let map = MapHandle::from_pinned_path(&path).map_err(|error| failed(&path.display(), &error))?;
    Ok((building, map))
}
