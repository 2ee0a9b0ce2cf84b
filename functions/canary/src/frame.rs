//! A frame that the service has not seen before.

/// The sample photo, which passes the recapture analysis.
const PHOTO: &[u8] = include_bytes!("../../../events/frame.jpg");

/// The sample photo with a random comment segment after the SOI marker, so that its hash is new.
pub(crate) fn fresh() -> Vec<u8> {
    let comment: [u8; 16] = lacre_storage::entropy();
    let (start, rest) = PHOTO.split_at(2);
    [start, &[0xff, 0xfe, 0, 18], &comment, rest].concat()
}
