//! Fuzz target of `fuzz::tampering`.
#![no_main]
libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzz::tampering::hold(data));
