//! A frame that was not captured before.

/// The sample photo, which passes the recapture gate.
const PHOTO: &[u8] = include_bytes!("../../../events/frame.jpg");

/// The photo with a random comment segment behind the start of the image.
pub(crate) fn fresh() -> Vec<u8> {
    let comment: [u8; 16] = lacre_storage::entropy();
    let (start, rest) = PHOTO.split_at(2);
    [start, &[0xff, 0xfe, 0, 18], &comment, rest].concat()
}
