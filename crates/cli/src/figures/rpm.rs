//! See `papers/rpm/`.

pub(super) mod aggregation;
pub(super) mod alg1;
pub(super) mod claim_reaction;
pub(super) mod fig1_3;
pub(super) mod fig5;
pub(super) mod lemma1;
pub(super) mod memory;
mod reaction;
pub(super) mod reflected;
pub(super) mod stability;
pub(super) mod table2;
