//! Fuzz target of `fuzz::verifier`.
#![no_main]
libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzz::verifier::hold(data));
