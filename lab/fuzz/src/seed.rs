//! The delivered JPEG that the verifier's properties mutate, with the roots under which it verifies.
//!
//! Both belong to the project: `cargo run -p lacre-proof-fixtures --example seed` writes them again.

use std::sync::LazyLock;

use lacre_verify::{Anchors, check};
use time::{OffsetDateTime, format_description::well_known::Rfc3339};

/// The file.
pub(crate) const DELIVERED: &[u8] = include_bytes!("../../../tests/proof-fixtures/seed/delivered.jpg");

/// Trust anchors and the time of the verification.
pub(crate) struct Judge {
    pub(crate) anchors: Anchors,
    pub(crate) now: OffsetDateTime,
}

/// The file's roots, at the time of its signing.
pub(crate) static JUDGE: LazyLock<Judge> = LazyLock::new(|| {
    let anchors = Anchors::from_pem(include_str!("../../../tests/proof-fixtures/seed/anchors.pem")).unwrap();
    let seal = check(DELIVERED, &anchors, OffsetDateTime::UNIX_EPOCH).report.seal.unwrap();
    let now = OffsetDateTime::parse(&seal.signing_time, &Rfc3339).unwrap();
    assert!(check(DELIVERED, &anchors, now).report.valid, "the seed does not verify");
    Judge { anchors, now }
});
