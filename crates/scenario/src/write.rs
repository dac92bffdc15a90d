//! From a scenario to text.

use crate::Scenario;
use plimsoll_cc::Parameters;
use std::fmt::{Display, Write};

/// Every table with every parameter, as configuration values that read back to the same.
pub(crate) fn scenario(scenario: &Scenario) -> String {
    let mut text = String::from("[host]\n");
    scenario.host.each(&mut |field, value| line(&mut text, field.key, value));
    text.push_str("\n[cc]\n");
    line(&mut text, "law", &format_args!("\"{}\"", scenario.cc.entry().name));
    scenario.cc.each(&mut |field, value| line(&mut text, field.key, value));
    text
}

fn line(text: &mut String, key: &str, value: &dyn Display) {
    // Writing to a String cannot fail.
    let _ = writeln!(text, "{key} = {value}");
}
