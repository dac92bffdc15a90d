//! The laws that have kernel programs.

use crate::Error;
use plimsoll_cc::registry::AnyParams;

/// A law with a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Law {
    /// Poseidon.
    Poseidon,
    /// Swift.
    Swift,
    /// θ-PowerTCP.
    ThetaPowerTcp,
    /// PowerTCP.
    PowerTcp,
}

impl Law {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Poseidon, Self::Swift, Self::ThetaPowerTcp, Self::PowerTcp];

    /// The law of these parameters, if it has a program.
    #[must_use]
    pub fn of(params: &AnyParams) -> Option<Self> {
        Self::named(params.entry().name)
    }

    /// The law of this name, if it has a program.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|law| law.name() == name)
    }

    /// The parameters called `name` or `name:preset`. A name alone means what suits TCP: Poseidon with the signal that
    /// does without INT where there is none, and Swift without a window for the receiver's delay, which acks do not
    /// tell.
    ///
    /// # Errors
    /// If there is no such law or preset, or the law has no program.
    pub fn parameters(name: &str) -> Result<AnyParams, Error> {
        let full = match name {
            "poseidon" => "poseidon:brownfield",
            "swift" => "swift:poseidon-nsdi23",
            other => other,
        };
        let params = AnyParams::named(full).map_err(|error| Error::Refused(error.to_string()))?;
        match Self::of(&params) {
            Some(_) => Ok(params),
            None => Err(crate::constants::no_program(params.entry().name)),
        }
    }

    /// The name in `plimsoll list cc`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Poseidon => "poseidon",
            Self::Swift => "swift",
            Self::ThetaPowerTcp => "theta-powertcp",
            Self::PowerTcp => "powertcp",
        }
    }

    /// The name that sockets use. The kernel allows 15 characters, which `plimsoll_poseidon` exceeds.
    #[must_use]
    pub fn kernel_name(self) -> &'static str {
        match self {
            Self::Poseidon => "plim_poseidon",
            Self::Swift => "plim_swift",
            Self::ThetaPowerTcp => "plim_theta",
            Self::PowerTcp => "plim_powertcp",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernel_takes_names_of_fifteen_characters() {
        for law in Law::ALL {
            assert!(law.kernel_name().len() <= 15, "{law:?}");
            assert!(law.kernel_name().starts_with("plim_"), "telemetry.bpf.c knows our connections by it");
            assert_eq!(Law::of(&Law::parameters(law.name()).unwrap()), Some(law));
        }
    }

    #[test]
    fn a_law_without_a_program_is_refused_with_those_that_have_one() {
        let message = Law::parameters("cubic").unwrap_err().to_string();
        assert!(message.contains("`cubic`") && message.contains("theta-powertcp"), "{message}");
        assert!(Law::parameters("poseidn").unwrap_err().to_string().contains("poseidon"));
    }
}
