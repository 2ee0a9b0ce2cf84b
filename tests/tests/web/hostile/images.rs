//! Uploads that keep a decoder busy, or make it allocate too much.

use lacre_tests::{Service, frame, service::refusal};

/// A picture with another size in its header.
fn resized(width: u16, height: u16) -> Vec<u8> {
    let mut jpeg = frame::fresh();
    let header = jpeg.windows(2).position(|marker| marker == [0xff, 0xc0]).unwrap();
    jpeg[header + 5..header + 7].copy_from_slice(&height.to_be_bytes());
    jpeg[header + 7..header + 9].copy_from_slice(&width.to_be_bytes());
    jpeg
}

/// A progressive picture whose last scan is repeated.
fn with_scans(count: usize) -> Vec<u8> {
    let jpeg = frame::with_comment(&frame::encode(240, 240, |encoder| encoder.set_progressive(true)));
    let last = jpeg.windows(2).rposition(|marker| marker == [0xff, 0xda]).unwrap();
    let end = jpeg.len() - 2;
    [&jpeg[..end], &jpeg[last..end].repeat(count), &jpeg[end..]].concat()
}

#[tokio::test]
async fn refuses_images_that_cost_too_much() {
    let service = Service::start().await;
    let loaded = service.open("LICENSE_KEY").await;
    for (what, photo) in [
        ("65500x65500", resized(65_500, 65_500)),
        ("8192x8192", resized(8192, 8192)),
        ("1x1", resized(1, 1)),
        ("0x0", resized(0, 0)),
        ("a height that is defined later", resized(320, 0)),
        ("a thousand scans", with_scans(1000)),
        ("no more than a start", vec![0xff, 0xd8]),
        ("nothing but fill bytes", [vec![0xff, 0xd8], vec![0xff; 1_000_000]].concat()),
        ("a header without a picture", [&frame::fresh()[..600], &[0xff, 0xd9]].concat()),
    ] {
        let again = service.reload(&loaded.token).await;
        let answer = service.capture_in(&again, &photo).await;
        assert_eq!(answer.outcome(), refusal(400, "Imagem ausente ou inválida", None), "{what}");
    }
    let again = service.reload(&loaded.token).await;
    assert_eq!(service.capture_in(&again, &frame::fresh()).await.status, 200);
    assert_eq!(service.validate("LICENSE_KEY").await.ok()["captures_used"], 1);
}
