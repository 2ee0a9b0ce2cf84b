#![allow(clippy::unwrap_used, clippy::panic)]
use lacre_domain::FrameHash;
use lacre_proof::assertions::{BROWSER, CAPTURE, SEAL};

use super::*;

const SIGNATURE: usize = 2000;

/// The photo to which manifests are bound.
fn photo() -> CheckedPhoto {
    CheckedPhoto::check(include_bytes!("../../../../events/frame.jpg").as_slice().into()).unwrap()
}

/// The statements of a manifest in which the capture assertion is a text of the given length.
fn statements(capture: usize) -> [Statement; 4] {
    [
        Statement::actions("2026-11-20T12:00:00.000Z").unwrap(),
        Statement::new(CAPTURE, &"x".repeat(capture)).unwrap(),
        Statement::new(SEAL, &()).unwrap(),
        Statement::new(BROWSER, &()).unwrap(),
    ]
}

/// In the hard binding the length is a CBOR integer of one, three or five bytes, and the segments around the manifest
/// add one header for every 64 KiB.
#[test]
fn predicts_the_length_of_a_manifest() {
    let (writer, frame) = (Writer::new().unwrap(), photo());
    let hash = FrameHash::of(frame.bytes());
    let lengths = (0..=24).chain(250..=260).chain(55_000..55_010).chain((58_000..64_000).step_by(331)).chain([70_000]);
    let mut segments = Vec::new();
    for capture in lengths.chain(61_200..61_320) {
        let statements = statements(capture);
        let statements = statements.each_ref();
        let (binding, length) = writer.bind(&frame, &hash, &statements, SIGNATURE).unwrap();
        let placeholder = writer.builder(&statements, &binding).unwrap().data_hashed_placeholder(SIGNATURE, SIDECAR);
        assert_eq!(placeholder.unwrap().len(), length, "{capture}");
        let [excluded] = &binding.exclusions.as_deref().unwrap() else { panic!("one exclusion") };
        assert_eq!(excluded.length(), app11::wrapped_length(length) as u64, "{capture}");
        assert_eq!(excluded.start(), frame.manifest_offset() as u64);
        segments.push(excluded.length());
    }
    // The tested lengths cover both sides of where the integer grows, and of where a segment is added.
    assert!(segments.iter().any(|length| *length < 65_536) && segments.iter().any(|length| *length > 65_536));
}

/// A manifest as the library writes it, with a placeholder signature.
fn manifest(statements: &[&Statement], binding: &DataHash) -> Vec<u8> {
    let mut builder = Writer::new().unwrap().builder(statements, binding).unwrap();
    builder.data_hashed_placeholder(SIGNATURE, SIDECAR).unwrap()
}

#[test]
fn embedded_manifest_must_match_the_seal() {
    let (one, other) = (statements(3), statements(4));
    let (one, other) = (one.each_ref(), other.each_ref());
    let binding = |hash: &[u8]| {
        let mut binding = DataHash::new(EXCLUSION_NAME, SHA_256);
        binding.set_hash(FrameHash::of(hash).as_bytes().to_vec());
        binding
    };
    let (bound, elsewhere) = (binding(b"frame"), binding(b"another"));
    let manifest = manifest(&one, &bound);
    let id = check_embedded(&manifest, &one, &bound, [None; 2]).unwrap();
    assert!(id.starts_with("urn:c2pa:"), "{id}");

    let refused = |statements: &[&Statement], binding: &DataHash, unsigned: [Option<&[u8]>; 2]| {
        check_embedded(&manifest, statements, binding, unsigned).unwrap_err()
    };
    assert_eq!(refused(&other, &bound, [None; 2]), "br.lacre.capture is not embedded as it was sealed");
    assert_eq!(refused(&one, &elsewhere, [None; 2]), "the hard binding is not embedded as it was made");
    let [token, staple] = [[Some(&b"token"[..]), None], [None, Some(&b"response"[..])]];
    assert_eq!(refused(&one, &bound, token), "the timestamp is not embedded as it was checked");
    assert_eq!(refused(&one, &bound, staple), "the OCSP response is not embedded as it was checked");
    let fewer = self::manifest(&one[..3], &bound);
    let refused = check_embedded(&fewer, &one, &bound, [None; 2]).unwrap_err();
    assert_eq!(refused, "the manifest has other assertions than a proof");
    assert!(check_embedded(&manifest[1..], &one, &bound, [None; 2]).is_err());
}
