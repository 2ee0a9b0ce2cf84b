//! Fuzz target of `fuzz::label`.
#![no_main]
libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzz::label::hold(data));
