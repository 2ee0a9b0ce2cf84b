//! The delivered JPEG that the verifier's properties are about, with the roots that it verifies under.
//!
//! They are the product's: `cargo run -p lacre-proof-fixtures --example seed` of the project writes both again.

use std::sync::LazyLock;

use time::{OffsetDateTime, format_description::well_known::Rfc3339};
use lacre_verify::{Anchors, check};

/// The file.
pub(crate) const DELIVERED: &[u8] = include_bytes!("../../../tests/proof-fixtures/seed/delivered.jpg");

/// Whom to trust, as of when.
pub(crate) struct Judge {
    pub(crate) anchors: Anchors,
    pub(crate) now: OffsetDateTime,
}

/// The roots of the file, as of its signing.
pub(crate) static JUDGE: LazyLock<Judge> = LazyLock::new(|| {
    let anchors = Anchors::from_pem(include_str!("../../../tests/proof-fixtures/seed/anchors.pem")).unwrap();
    let seal = check(DELIVERED, &anchors, OffsetDateTime::UNIX_EPOCH).report.seal.unwrap();
    let now = OffsetDateTime::parse(&seal.signing_time, &Rfc3339).unwrap();
    assert!(check(DELIVERED, &anchors, now).report.valid, "the seed does not verify");
    Judge { anchors, now }
});
