//! Looks for bytes that break `fuzz::label`.
#![no_main]
libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzz::label::hold(data));
