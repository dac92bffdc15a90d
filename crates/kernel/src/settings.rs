//! What a law in the kernel must know.

use crate::fixed::{bytes, log2_table};
use crate::{Error, Law, constants};
use plimsoll_cc::Host;
use plimsoll_cc::registry::AnyParams;

/// A law with its parameters, the host and the network.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// The law.
    pub params: AnyParams,
    /// The card, and the network's base round trip.
    pub host: Host,
    /// Switches on a path, for laws whose target depends on it: TCP's acks do not tell.
    pub hops: u32,
}

impl Settings {
    /// The law, if it has a program.
    ///
    /// # Errors
    /// If it has none; the error names those that have.
    pub fn law(&self) -> Result<Law, Error> {
        Law::of(&self.params).ok_or_else(|| constants::no_program(self.params.entry().name))
    }

    /// The sections of the program that hold the law's numbers and curves, and their bytes.
    ///
    /// # Errors
    /// If the law has no program, or a parameter asks for what the program does not do.
    pub fn tables(&self) -> Result<Vec<(&'static str, Vec<u8>)>, Error> {
        let law = self.law()?;
        let mut tables = vec![
            (".rodata.constants", bytes(&constants::of(&self.params, &self.host, self.hops)?)),
            (".rodata.network", bytes(&[self.host.base_rtt.as_ns()])),
        ];
        if matches!(law, Law::Poseidon | Law::Swift) {
            tables.push((".rodata.log2", bytes(&log2_table())));
        }
        Ok(tables)
    }
}
