//! Fuzz target of `fuzz::user_agent`.
#![no_main]
libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzz::user_agent::hold(data));
