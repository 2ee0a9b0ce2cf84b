//! The properties of the parsers of untrusted input, which must hold for any bytes.
//!
//! A property is a function of bytes that panics where it does not hold. `targets/` gives each to `cargo fuzz`, which looks
//! for bytes that break one (`lab/scripts/fuzz`). What it found worth keeping is in `corpus/`, and ordinary tests replay it.

pub mod body;
pub mod jpeg;
pub mod label;
pub mod origin;
pub mod tampering;
pub mod timestamp;
pub mod user_agent;
pub mod verifier;

mod seed;
mod text;

/// A property.
pub type Property = fn(&[u8]);

/// Every property, by the name of its target and of its folder in `corpus/`.
pub const PROPERTIES: &[(&str, Property)] = &[
    ("body", body::hold),
    ("jpeg", jpeg::hold),
    ("label", label::hold),
    ("origin", origin::hold),
    ("tampering", tampering::hold),
    ("timestamp", timestamp::hold),
    ("user_agent", user_agent::hold),
    ("verifier", verifier::hold),
];
