//! Properties of the parsers of untrusted input, which must hold for all bytes.
//!
//! A property is a function of bytes that panics if it does not hold. `targets/` passes each one to `cargo fuzz`, which
//! searches for counterexamples (`lab/scripts/fuzz`). Interesting inputs are in `corpus/`, and the tests replay them.

pub mod body;
pub mod jpeg;
pub mod label;
pub mod origin;
pub mod picture;
pub mod tampering;
pub mod timestamp;
pub mod user_agent;
pub mod verifier;

mod seed;
mod text;

/// A function that panics if the property does not hold for these bytes.
pub type Property = fn(&[u8]);

/// All properties, by the name of their target and of their folder in `corpus/`.
pub const PROPERTIES: &[(&str, Property)] = &[
    ("body", body::hold),
    ("jpeg", jpeg::hold),
    ("label", label::hold),
    ("origin", origin::hold),
    ("picture", picture::hold),
    ("tampering", tampering::hold),
    ("timestamp", timestamp::hold),
    ("user_agent", user_agent::hold),
    ("verifier", verifier::hold),
];
