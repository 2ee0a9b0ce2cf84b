//! Writes the seed file, a delivered JPEG, and the root certificates under which it verifies. The tests of the
//! verification page and the fuzz targets read them. The keys are not kept. Run it again when the manifest's format
//! changes:
//!
//! `cargo run -p lacre-proof-fixtures --example seed`

#![allow(clippy::unwrap_used)]

use std::{fs, path::Path};

use jpeg_encoder::{ColorType, Encoder};
use lacre_proof_fixtures::{Sandbox, facts};

#[tokio::main(flavor = "current_thread")]
async fn main() {
    // The photo is as small as possible, so that mutations of the file mostly affect the manifest.
    let mut frame = Vec::new();
    Encoder::new(&mut frame, 50).encode(&[128; 240 * 240], 240, 240, ColorType::Luma).unwrap();
    let sandbox = Sandbox::new();
    let proof = sandbox.seal(&frame, &facts()).await;
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("seed");
    fs::write(folder.join("delivered.jpg"), proof.jpeg).unwrap();
    fs::write(folder.join("anchors.pem"), sandbox.anchors_pem).unwrap();
}
