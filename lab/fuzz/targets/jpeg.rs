//! Looks for bytes that break `fuzz::jpeg`.
#![no_main]
libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzz::jpeg::hold(data));
