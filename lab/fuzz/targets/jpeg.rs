//! Fuzz target of `fuzz::jpeg`.
#![no_main]
libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzz::jpeg::hold(data));
