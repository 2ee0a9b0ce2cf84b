//! Fuzz target of `fuzz::origin`.
#![no_main]
libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzz::origin::hold(data));
