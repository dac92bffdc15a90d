//! From a scenario to text.

use crate::read::{Front, Seed};
use crate::routing::{Paths, RoutingTable, Spreading};
use crate::select::Text;
use crate::switch::{Aqm, Ecn, Encoding, IntMode, IntWord, SwitchTable};
use crate::table::{Table, write_line};
use crate::{Routing, Scenario, SwitchSettings};
use plimsoll_cc::Parameters;
use plimsoll_cc::params::{Field, ParamType};
use std::fmt::{Display, Write};

/// Every table with every parameter, as configuration values that read back to the same.
pub(crate) fn scenario(scenario: &Scenario) -> String {
    let mut text = String::new();
    let front = Front {
        name: Text(scenario.name.clone()),
        description: Text(scenario.description.clone()),
        seed: Seed(scenario.seed),
        duration: scenario.duration,
    };
    front.write(&mut text);
    text.push_str("\n[topology]\n");
    scenario.topology.write(&mut text);
    parameters(&mut text, "host", &scenario.host);
    parameters(&mut text, "transport", &scenario.transport);
    switch(&mut text, &scenario.switch);
    routing(&mut text, &scenario.routing);
    text.push_str("\n[cc]\n");
    line(&mut text, "law", &format_args!("\"{}\"", scenario.cc.entry().name));
    scenario.cc.each(&mut |field, value| line(&mut text, field.key, value));
    for traffic in &scenario.traffic {
        text.push_str("\n[[traffic]]\n");
        write_line(&mut text, "name", &Text(traffic.name.clone()));
        write_line(&mut text, "class", &u32::from(traffic.class));
        write_line(&mut text, "via", &traffic.via);
        traffic.pattern.write(&mut text);
    }
    for fault in &scenario.faults {
        text.push_str("\n[[fault]]\n");
        fault.write(&mut text);
    }
    text.push_str("\n[record]\n");
    scenario.record.write(&mut text);
    text
}

fn switch(text: &mut String, switch: &SwitchSettings) {
    let (int, int_encoding, int_multiple) = match switch.int {
        IntMode::None => (IntWord::None, Encoding::Wire, None),
        IntMode::MaxHopDelay { encoding } => (IntWord::MaxHopDelay, encoding, None),
        IntMode::HopRecords { encoding, multiple } => (IntWord::HopRecords, encoding, Some(multiple)),
    };
    let table = SwitchTable {
        pipeline: switch.pipeline,
        ecn: if switch.marking.is_some() { Ecn::Red } else { Ecn::None },
        aqm: if switch.codel.is_some() { Aqm::CoDel } else { Aqm::None },
        aqm_switches: switch.aqm_switches.clone(),
        reverse_marking: switch.rpm.is_some(),
        int,
        int_encoding,
        int_multiple,
        int_switches: switch.int_switches.clone(),
        int_reflected: switch.int_reflected,
    };
    text.push_str("\n[switch]\n");
    table.write(text);
    text.push_str("\n[switch.buffer]\n");
    switch.buffer.write(text);
    text.push_str("\n[switch.pfc]\n");
    match &switch.pfc {
        Some(pfc) => pfc.write(text),
        None => line(text, "enabled", &false.scalar()),
    }
    if let Some(red) = &switch.marking {
        parameters(text, "switch.red", red);
    }
    if let Some(codel) = &switch.codel {
        parameters(text, "switch.codel", codel);
    }
    if let Some(rpm) = &switch.rpm {
        parameters(text, "switch.rpm", rpm);
    }
    for class in &switch.classes {
        text.push_str("\n[[switch.class]]\n");
        class.write(text);
    }
}

fn routing(text: &mut String, routing: &Routing) {
    let spreading = match routing.paths {
        Paths::Ecmp => Spreading::Ecmp,
        Paths::Plb(_) => Spreading::Plb,
        Paths::Spray => Spreading::Spray,
    };
    text.push_str("\n[routing]\n");
    RoutingTable { spreading, same_way_back: routing.same_way_back }.write(text);
    if let Paths::Plb(plb) = &routing.paths {
        parameters(text, "routing.plb", plb);
    }
}

/// A table that is a parameter set of `plimsoll_cc`.
fn parameters(text: &mut String, name: &str, parameters: &impl Parameters) {
    let _ = writeln!(text, "\n[{name}]");
    parameters.each(&mut |field: &Field, value| line(text, field.key, value));
}

fn line(text: &mut String, key: &str, value: &dyn Display) {
    // Writing to a String cannot fail.
    let _ = writeln!(text, "{key} = {value}");
}
