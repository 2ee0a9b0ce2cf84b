//! Fuzz target of `fuzz::picture`.
#![no_main]
libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzz::picture::hold(data));
