//! See `papers/rpm/`.

pub(super) mod alg1;
pub(super) mod lemma1;
pub(super) mod reflected;
