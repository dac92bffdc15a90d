//! Every parser of the crate on any bytes; see `tests/shared/feed_everything.rs`.
#![no_main]

#[path = "../../tests/shared/feed_everything.rs"]
mod feed_everything;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    feed_everything::feed_everything(bytes);
});
