//! The JPEG walk, the decoder behind it and the look for a display, as ingest calls them.

use domain::limits;
use proof::{Jpeg, JpegError, Photo};

/// A picture of more pixels is walked and not decoded: the decoder is the same for it, and a run would see fewer pictures.
const DECODED_PIXELS: u32 = 512 * 512;
/// A comment segment, which may stand anywhere.
const COMMENT: [u8; 6] = [0xFF, 0xFE, 0, 4, 0xFF, 0xD9];
/// An APP11 segment.
const APP11: [u8; 4] = [0xFF, 0xEB, 0, 2];

/// What passes the walk is one picture within the bounds, from its first byte to its last; a manifest finds its place in it;
/// and the decoder sees the picture that the walk measured. What passes the whole check has no byte of image data to spare,
/// and no room for another.
pub fn hold(data: &[u8]) {
    let Ok(jpeg) = Jpeg::parse(data) else { return };
    assert_eq!(jpeg.bytes(), data);
    let (width, height) = (u32::from(jpeg.width()), u32::from(jpeg.height()));
    assert!((240..=8192).contains(&width) && (240..=8192).contains(&height) && width * height <= 16_777_216);
    assert!([1, 3].contains(&jpeg.components()) && (1..=64).contains(&jpeg.scans()));

    // It begins and ends where it says.
    assert_eq!(Jpeg::parse(&[data, &[0]].concat()), Err(JpegError::TrailingData(1)));
    for cut in [data.len() - 1, data.len() - 2, data.len() / 2] {
        assert!(Jpeg::parse(&data[..cut]).is_err(), "the first {cut} bytes pass too");
    }

    // What is put in at the manifest's place is between two segments.
    let (head, tail) = data.split_at(jpeg.manifest_offset());
    let commented = [head, &COMMENT, tail].concat();
    let again = Jpeg::parse(&commented).unwrap();
    assert_eq!((again.width(), again.height(), again.scans()), (jpeg.width(), jpeg.height(), jpeg.scans()));
    assert_eq!(again.manifest_offset(), jpeg.manifest_offset());
    assert_eq!(Jpeg::parse(&[head, &APP11, tail].concat()), Err(JpegError::App11(head.len())));

    if let Ok(photo) = Photo::check(data.into()) {
        assert_eq!((photo.width(), photo.height(), photo.bytes()), (jpeg.width(), jpeg.height(), data));
        assert_eq!(photo.manifest_offset(), jpeg.manifest_offset());
        // Image data does not end with FF, which would be followed by 0: these are EOI's and fill bytes.
        let last = data[..data.len() - 1].iter().rposition(|byte| *byte != 0xFF).unwrap();
        let ended = |image_data: &[u8], more: &[u8]| [image_data, more, &[0xFF, 0xD9]].concat();
        assert!(Photo::check(ended(&data[..last], &[]).into()).is_err(), "a byte less passes too");
        assert!(Photo::check(ended(&data[..=last], &[0x55]).into()).is_err(), "a byte more passes too");
    }

    if width * height <= DECODED_PIXELS
        && let Ok(pixels) = recapture::decode(data, jpeg.width(), jpeg.height())
    {
        assert_eq!((pixels.width, pixels.height), (width as usize, height as usize));
        assert_eq!(pixels.components, usize::from(jpeg.components()));
        assert_eq!(pixels.samples.len(), pixels.width * pixels.height * pixels.components);
        assert!(recapture::analyse(pixels, limits::RECAPTURE_THRESHOLD).scores.values().all(|score| score.is_finite()));
    }
}
