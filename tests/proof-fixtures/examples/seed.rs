//! Writes the seed: a delivered JPEG, and the roots that it verifies under. The tests of the verification page and the fuzz
//! targets read it. Its keys are not kept. It is written again when the form of the manifest changes:
//!
//! `cargo run -p lacre-proof-fixtures --example seed`

#![allow(clippy::unwrap_used)]

use std::{fs, path::Path};

use jpeg_encoder::{ColorType, Encoder};
use lacre_proof_fixtures::{Sandbox, facts};

#[tokio::main(flavor = "current_thread")]
async fn main() {
    // The smallest photo there is: what is tried on the file is tried on its manifest.
    let mut frame = Vec::new();
    Encoder::new(&mut frame, 50).encode(&[128; 240 * 240], 240, 240, ColorType::Luma).unwrap();
    let sandbox = Sandbox::new();
    let proof = sandbox.seal(&frame, &facts()).await;
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("seed");
    fs::write(folder.join("delivered.jpg"), proof.jpeg).unwrap();
    fs::write(folder.join("anchors.pem"), sandbox.anchors_pem).unwrap();
}
