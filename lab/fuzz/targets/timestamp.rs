//! Fuzz target of `fuzz::timestamp`.
#![no_main]
libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzz::timestamp::hold(data));
