//! Fig. 19b: message latency with a rotating incast.

pub(crate) use super::fig19a::compute;
