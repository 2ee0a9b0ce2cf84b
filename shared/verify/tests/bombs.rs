//! Files that are crafted to exhaust resources: megabytes of boxes or CBOR, and lengths that announce gigabytes. The
//! check refuses each within a memory limit, and the JPEG parser refuses a picture that would not fit into memory. A long
//! revocation list is read within twice its size.
//!
//! It is a single test, since the allocator counts for the whole process.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use lacre_photo::{Jpeg, JpegError};
use lacre_proof::Anchors;
use lacre_proof_fixtures::{Sandbox, facts, synthetic};
use lacre_verify::{Revocations, check};
use peak_alloc::PeakAlloc;
use time::OffsetDateTime;

#[global_allocator]
static ALLOCATOR: PeakAlloc = PeakAlloc;

const MIB: usize = 1024 * 1024;
/// The memory limit of the check, in addition to the file. The check uses a small part of it.
const BOUND: usize = 64 * MIB;

/// The peak of memory use while something runs, above what was in use before.
fn peak<T>(run: impl FnOnce() -> T) -> (usize, T) {
    let before = ALLOCATOR.current_usage();
    ALLOCATOR.reset_peak_usage();
    let result = run();
    (ALLOCATOR.peak_usage().saturating_sub(before), result)
}

/// A box with the given content, which may be other boxes.
fn boxed(kind: &[u8], content: &[u8]) -> Vec<u8> {
    let length = u32::try_from(content.len() + 8).unwrap().to_be_bytes();
    [&length[..], kind, content].concat()
}

/// Copies boxes, with another content in the n-th CBOR box, and with correct lengths.
fn with_content(mut boxes: &[u8], left: &mut usize, content: &[u8]) -> Vec<u8> {
    let mut written = Vec::new();
    while let Some((head, _)) = boxes.split_at_checked(8) {
        let length = u32::from_be_bytes(head[..4].try_into().unwrap()) as usize;
        let (kind, inner) = (&head[4..], &boxes[8..length]);
        written.extend(match kind {
            b"jumb" => boxed(kind, &with_content(inner, left, content)),
            b"cbor" => {
                *left = left.wrapping_sub(1);
                boxed(kind, if *left == usize::MAX { content } else { inner })
            }
            _ => boxed(kind, inner),
        });
        boxes = &boxes[length..];
    }
    written
}

/// Embeds a manifest into the frame in APP11 segments, like the service.
fn embed(frame: &[u8], manifest: &[u8]) -> Vec<u8> {
    let (head, tail) = frame.split_at(Jpeg::parse(frame).unwrap().manifest_offset());
    let mut file = head.to_vec();
    for (packet, slice) in (1u32..).zip(manifest.chunks(64_000)) {
        let repeated = if packet == 1 { &[][..] } else { &manifest[..8] };
        let length = u16::try_from(10 + repeated.len() + slice.len()).unwrap();
        file.extend(
            [&[0xFF, 0xEB], &length.to_be_bytes()[..], b"JP\x02\x11", &packet.to_be_bytes(), repeated, slice].concat(),
        );
    }
    [&file, tail].concat()
}

/// CBOR that announces or contains too much, of about the maximum size of a manifest.
fn hostile_cbor() -> Vec<(&'static str, Vec<u8>)> {
    let filled = |head: &[u8], byte: u8| [head, &vec![byte; 200_000]].concat();
    vec![
        ("deep arrays", filled(&[], 0x81)),
        ("deep maps", filled(&[], 0xA1)),
        ("deep tags", filled(&[], 0xC1)),
        ("deep arrays without an end", filled(&[], 0x9F)),
        ("very many items", filled(&[0x9B, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], 0)),
        ("very many keys", filled(&[0xBB, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], 0)),
        ("very many bytes", filled(&[0x5B, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], 0)),
        ("very much text", filled(&[0x7A, 0xFF, 0xFF, 0xFF, 0xFF], b'x')),
        // These are deterministically encoded.
        ("200,000 numbers", filled(&[0x9A, 0x00, 0x03, 0x0D, 0x40], 0)),
        ("200,000 arrays", filled(&[0x9A, 0x00, 0x03, 0x0D, 0x40], 0x80)),
        ("200,000 texts", filled(&[0x9A, 0x00, 0x03, 0x0D, 0x40], 0x60)),
        ("one long text", filled(&[0x7A, 0x00, 0x03, 0x0D, 0x40], b'x')),
        ("one long string of bytes", filled(&[0x5A, 0x00, 0x03, 0x0D, 0x40], 0x30)),
    ]
}

/// A value in DER with this tag and content.
fn der(tag: u8, content: &[u8]) -> Vec<u8> {
    let length = u32::try_from(content.len()).unwrap().to_be_bytes();
    let head = match content.len() {
        0..=0x7F => vec![tag, length[3]],
        _ => {
            let length = &length[length.iter().take_while(|byte| **byte == 0).count()..];
            [&[tag, 0x80 | length.len() as u8], length].concat()
        }
    };
    [&head, content].concat()
}

/// A revocation list (DER) of so many certificates.
fn revocation_list(count: u32) -> Vec<u8> {
    let sequence = |parts: &[Vec<u8>]| der(0x30, &parts.concat());
    let time = der(0x17, b"261201000000Z");
    let entry = |serial: u32| sequence(&[der(2, &(serial | 0x4000_0000).to_be_bytes()), time.clone()]);
    let sha_256_with_rsa = sequence(&[der(6, b"\x2A\x86\x48\x86\xF7\x0D\x01\x01\x0B"), der(5, &[])]);
    let entries: Vec<u8> = (0..count).flat_map(entry).collect();
    let (version, issuer) = (der(2, &[1]), sequence(&[]));
    let content = sequence(&[version, sha_256_with_rsa.clone(), issuer, time.clone(), der(0x30, &entries)]);
    sequence(&[content, sha_256_with_rsa, der(3, &[0; 257])])
}

#[test]
fn refuses_bombs_within_the_bounds() {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let sandbox = Sandbox::shared();
    let anchors = Anchors::from_pem(&sandbox.anchors_pem).unwrap();
    let now = OffsetDateTime::now_utc();

    // A photo of several megabytes.
    let picture = synthetic(240, 240, false);
    let frame = synthetic(3000, 2000, false);
    assert!(frame.len() > MIB);
    let delivered = runtime.block_on(sandbox.seal(&frame, &facts())).jpeg;
    let manifest = check(&delivered, &anchors, now).contents.unwrap().manifest;
    assert_eq!(embed(&frame, &manifest), delivered);

    let mut files = Vec::new();
    let boxes = (0..).take_while(|nth| with_content(&manifest, &mut { *nth }, &[]) != manifest).count();
    assert_eq!(boxes, 7, "five assertions, the claim and its signature");
    for (what, cbor) in hostile_cbor() {
        for nth in 0..boxes {
            files.push((format!("{what} in box {nth}"), embed(&frame, &with_content(&manifest, &mut { nth }, &cbor))));
        }
    }
    let deep = (0..10_000).fold(Vec::new(), |inner, _| boxed(b"jumb", &inner));
    files.push(("10,000 boxes in each other".into(), embed(&frame, &deep)));
    files.push((
        "30,000 boxes beside each other".into(),
        embed(&frame, &boxed(b"jumb", &boxed(b"jumb", &[]).repeat(30_000))),
    ));
    for length in [0_u32, 1, 7, 0x7FFF_FFFF, u32::MAX] {
        let mut lying = manifest.clone();
        lying[..4].copy_from_slice(&length.to_be_bytes());
        files.push((format!("a box of {length} bytes"), embed(&frame, &lying)));
    }
    files.push(("4 MB of manifest".into(), embed(&picture, &vec![0; 4 * MIB])));
    files.push((
        "4 MB of empty segments".into(),
        [&picture[..20], &[0xFF, 0xEB, 0, 2].repeat(MIB), &picture[20..]].concat(),
    ));
    files.push(("4 MB of fill bytes".into(), [&[0xFF, 0xD8][..], &vec![0xFF; 4 * MIB]].concat()));
    files.push(("4 MB of scan".into(), [&picture[..picture.len() - 2], &vec![0; 4 * MIB]].concat()));

    let mut most = 0;
    for (what, file) in &files {
        let (taken, verdict) = peak(|| check(file, &anchors, now));
        assert!(!verdict.report.valid, "{what}");
        assert!(taken <= file.len() + BOUND, "{what}: {taken} bytes for a file of {}", file.len());
        most = most.max(taken.saturating_sub(file.len()));
    }
    println!("{} files: the check took at most {most} bytes more than the file has", files.len());

    let list = revocation_list(500_000);
    let (taken, read) = peak(|| {
        let mut revocations = Revocations::default();
        revocations.add_list(&list).map(|()| revocations)
    });
    read.map(drop).unwrap();
    assert!(list.len() > 10 * MIB && taken <= 2 * list.len(), "{taken} bytes for a list of {}", list.len());

    // The parser allocates nothing, whatever size a header announces.
    let header = |width: u16, height: u16| {
        let mut bomb = picture.clone();
        let at = bomb.windows(2).position(|marker| marker == [0xFF, 0xC0]).unwrap();
        bomb[at + 5..at + 7].copy_from_slice(&height.to_be_bytes());
        bomb[at + 7..at + 9].copy_from_slice(&width.to_be_bytes());
        bomb
    };
    let progressive = synthetic(240, 240, true);
    let scan = progressive.windows(2).rposition(|marker| marker == [0xFF, 0xDA]).unwrap();
    let end = progressive.len() - 2;
    let thousand = [&progressive[..end], &progressive[scan..end].repeat(1000), &progressive[end..]].concat();
    for (bomb, why) in [
        (header(65_500, 65_500), JpegError::Dimensions { width: 65_500, height: 65_500 }),
        (header(8192, 2049), JpegError::Dimensions { width: 8192, height: 2049 }),
        (thousand, JpegError::TooManyScans),
    ] {
        assert_eq!(peak(|| Jpeg::parse(&bomb).map(drop)), (0, Err(why)));
    }
}
