//! Tests of what may be signed: complete photos as browsers and encoders make them, and no file that is also a document
//! or an archive.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod coefficients;

use std::{fs, path::Path};

use coefficients::{Block, Form};
use jpeg_decoder::{Decoder, PixelFormat};
use jpeg_encoder::{ColorType, Encoder, SamplingFactor};
use lacre_photo::{CheckedPhoto, JpegError, Planes};
use lacre_proof_fixtures::{DOCUMENT, photographs, synthetic};

const DQT: u8 = 0xDB;
const DHT: u8 = 0xC4;
const SOF0: u8 = 0xC0;
const SOS: u8 = 0xDA;
const APP0: u8 = 0xE0;
const APP1: u8 = 0xE1;
const APP2: u8 = 0xE2;
const APP13: u8 = 0xED;
const APP14: u8 = 0xEE;
const COM: u8 = 0xFE;

fn check(file: &[u8]) -> Result<(), JpegError> {
    CheckedPhoto::check(file.into()).map(drop)
}

/// The JPEGs that other programs made, by name.
fn from_elsewhere() -> Vec<(String, Vec<u8>)> {
    let entries = fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/photo")).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    let photos = paths.filter(|path| path.extension().is_some_and(|extension| extension == "jpg"));
    photos.map(|path| (path.file_name().unwrap().to_str().unwrap().to_owned(), fs::read(path).unwrap())).collect()
}

fn encode(color: ColorType, set_up: impl FnOnce(&mut Encoder<&mut Vec<u8>>)) -> Vec<u8> {
    let (width, height) = (251, 243);
    let samples = usize::from(width) * usize::from(height) * if color == ColorType::Luma { 1 } else { 3 };
    let pixels: Vec<u8> = (0..samples).map(|n| ((n * 7 % 251) ^ (n >> 9)) as u8).collect();
    let mut file = Vec::new();
    let mut encoder = Encoder::new(&mut file, 80);
    set_up(&mut encoder);
    encoder.encode(&pixels, width, height, color).unwrap();
    file
}

fn insert(file: &[u8], at: usize, bytes: &[u8]) -> Vec<u8> {
    [&file[..at], bytes, &file[at..]].concat()
}

fn segment(marker: u8, body: &[u8]) -> Vec<u8> {
    [&[0xFF, marker], &u16::try_from(body.len() + 2).unwrap().to_be_bytes()[..], body].concat()
}

/// Inserts a segment after JFIF's.
fn with_segment(file: &[u8], marker: u8, body: &[u8]) -> Vec<u8> {
    insert(file, 20, &segment(marker, body))
}

/// The offsets of the segments with a marker before the image data.
fn segments(file: &[u8], marker: u8) -> Vec<usize> {
    let (mut at, mut found) = (2, Vec::new());
    loop {
        if file[at + 1] == marker {
            found.push(at);
        }
        if file[at + 1] == SOS {
            return found;
        }
        at += 2 + usize::from(u16::from_be_bytes([file[at + 2], file[at + 3]]));
    }
}

/// The offset at which the image data of the first scan begins.
fn image_data(file: &[u8]) -> usize {
    let header = segments(file, SOS)[0];
    header + 2 + usize::from(u16::from_be_bytes([file[header + 2], file[header + 3]]))
}

/// EXIF in either byte order: the entries of the image's and the photo's directory by tag, type and value, and the
/// bytes after them.
fn exif(little_endian: bool, image: &[(u16, u16, u32)], photo: &[(u16, u16, u32)], behind: &[u8]) -> Vec<u8> {
    let short = |value: u16| if little_endian { value.to_le_bytes() } else { value.to_be_bytes() };
    let long = |value: u32| if little_endian { value.to_le_bytes() } else { value.to_be_bytes() };
    let directory = |entries: &[(u16, u16, u32)]| {
        let entry = |(tag, kind, value): &(u16, u16, u32)| {
            let value = if *kind == 3 { [short(*value as u16), [0; 2]].concat() } else { long(*value).to_vec() };
            [&short(*tag)[..], &short(*kind), &long(1), &value].concat()
        };
        [&short(entries.len() as u16)[..], &entries.iter().flat_map(entry).collect::<Vec<_>>(), &[0; 4]].concat()
    };
    let head: &[u8] = if little_endian { b"II*\0" } else { b"MM\0*" };
    let below = if photo.is_empty() { Vec::new() } else { directory(photo) };
    [b"Exif\0\0", head, &long(8), &directory(image), &below, behind].concat()
}

/// The EXIF that Safari writes for a photo of 320 by 240: orientation, resolution, and below it color space and size.
fn exif_of_safari() -> Vec<u8> {
    safari(&[], |_| {})
}

/// Safari's EXIF with further entries in the photo's directory, and with all entries changed.
fn safari(more: &[(u16, u16, u32)], change: impl Fn(&mut (u16, u16, u32))) -> Vec<u8> {
    let mut photo = [&[(0xA001, 3, 1), (0xA002, 4, 320), (0xA003, 4, 240)], more].concat();
    let behind = 8 + 2 + 5 * 12 + 4 + 2 + 12 * photo.len() as u32 + 4;
    let mut image = [(0x112, 3, 1), (0x11A, 5, behind), (0x11B, 5, behind + 8), (0x128, 3, 2), (0x8769, 4, 74)];
    image.iter_mut().chain(&mut photo).for_each(change);
    exif(false, &image, &photo, &[0, 0, 0, 72, 0, 0, 0, 1].repeat(2))
}

/// An empty IPTC block, and the digest of no bytes.
const PHOTOSHOP: &[u8] = b"Photoshop 3.0\08BIM\x04\x04\0\0\0\0\0\08BIM\x04\x25\0\0\0\0\0\x10\
    \xD4\x1D\x8C\xD9\x8F\0\xB2\x04\xE9\x80\x09\x98\xEC\xF8\x42\x7E";

/// The color profile in a photo that another program made.
fn profile_of(name: &str) -> Vec<u8> {
    let photo = fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/photo").join(name)).unwrap();
    let at = segments(&photo, APP2)[0];
    let length = usize::from(u16::from_be_bytes([photo[at + 2], photo[at + 3]]));
    photo[at + 18..at + 2 + length].to_vec()
}

/// sRGB as Chromium writes it.
fn srgb() -> Vec<u8> {
    profile_of("chromium-srgb.jpg")
}

/// The elements of a color profile, by tag.
fn elements(profile: &[u8]) -> Vec<([u8; 4], Vec<u8>)> {
    let number = |at: usize| u32::from_be_bytes(profile[at..at + 4].try_into().unwrap()) as usize;
    let row = |row: usize| 132 + 12 * row;
    let element = |at: usize| profile[number(at + 4)..number(at + 4) + number(at + 8)].to_vec();
    (0..number(128)).map(|at| (profile[row(at)..row(at) + 4].try_into().unwrap(), element(row(at)))).collect()
}

/// The sRGB profile with other elements; those that are empty are removed.
fn profile(change: &[(&[u8; 4], Vec<u8>)]) -> Vec<u8> {
    let mut elements = elements(&srgb());
    elements.retain(|(tag, _)| change.iter().all(|(changed, _)| *changed != tag));
    elements.extend(change.iter().filter(|(_, data)| !data.is_empty()).map(|(tag, data)| (**tag, data.clone())));
    let mut file = srgb()[..128].to_vec();
    file.extend((elements.len() as u32).to_be_bytes());
    let mut place = 132 + 12 * elements.len();
    let mut data = Vec::new();
    for (tag, element) in &mut elements {
        file.extend([&tag[..], &(place as u32).to_be_bytes(), &(element.len() as u32).to_be_bytes()].concat());
        element.resize(element.len().next_multiple_of(4), 0);
        place += element.len();
        data.append(element);
    }
    file.append(&mut data);
    let length = (file.len() as u32).to_be_bytes();
    file[..4].copy_from_slice(&length);
    file
}

fn text(text: &[u8]) -> Vec<u8> {
    [b"text\0\0\0\0", text].concat()
}

/// An element with a color, given in fixed point with 16 fraction bits.
fn xyz(values: [f64; 3]) -> Vec<u8> {
    [b"XYZ \0\0\0\0", values.map(|value| ((value * 65536.0) as i32).to_be_bytes()).as_flattened()].concat()
}

/// An element with a sampled curve.
fn curve(values: impl IntoIterator<Item = u16>) -> Vec<u8> {
    let values: Vec<_> = values.into_iter().flat_map(u16::to_be_bytes).collect();
    [b"curv\0\0\0\0", &(values.len() as u32 / 2).to_be_bytes()[..], &values].concat()
}

fn chunk(number: u8, chunks: u8, data: &[u8]) -> Vec<u8> {
    [b"ICC_PROFILE\0", &[number, chunks][..], data].concat()
}

#[test]
fn accepts_browser_camera_and_encoder_photos() {
    let mut photos = from_elsewhere();
    assert_eq!(photos.len(), 8);
    photos.extend(photographs());
    let frame = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../events/frame.jpg");
    photos.push(("events/frame.jpg".into(), fs::read(frame).unwrap()));
    for sampling in [SamplingFactor::F_1_1, SamplingFactor::F_2_1, SamplingFactor::F_1_2, SamplingFactor::F_2_2] {
        for (progressive, optimized, interval) in
            [(false, false, 0), (false, true, 7), (true, false, 0), (true, true, 5), (true, true, 0)]
        {
            let set_up = |encoder: &mut Encoder<&mut Vec<u8>>| {
                encoder.set_sampling_factor(sampling);
                encoder.set_progressive(progressive);
                encoder.set_optimized_huffman_tables(optimized);
                encoder.set_restart_interval(interval);
            };
            let name = format!("{sampling:?}, progressive: {progressive}, optimized: {optimized}, restart: {interval}");
            photos.push((name, encode(ColorType::Rgb, set_up)));
            photos.push(("grey".into(), encode(ColorType::Luma, set_up)));
        }
    }
    for (name, photo) in photos {
        assert_eq!(check(&photo), Ok(()), "{name}");
        // The walk-through in docs/guides/first-capture.md makes a frame unique in this way.
        assert_eq!(check(&insert(&photo, 2, &segment(COM, b"0123456789abcdef"))), Ok(()), "{name}");
    }
}

#[test]
fn accepts_metadata_that_safari_writes() {
    let photo = synthetic(320, 240, false);
    let from_one = with_components(&photo, [1, 2, 3]);
    let (profile, adobe) = (srgb(), b"Adobe\0\x64\0\0\0\0\x01");
    let chunks = [chunk(1, 2, &profile[..200]), chunk(2, 2, &profile[200..])];
    let long =
        [&b"8BIM\x04\x04\0\0\0\0\0\x0F\x1C\x01Z\0\x03\x1B%G\x1C\x02\0\0\x02\0\x02\0"[..], &PHOTOSHOP[26..]].concat();
    for bodies in [
        vec![(APP1, exif_of_safari()), (APP13, PHOTOSHOP.to_vec()), (APP2, chunk(1, 1, &profile))],
        vec![(APP1, exif(true, &[(0x112, 3, 1)], &[], b"")), (APP13, [b"Photoshop 3.0\0", &long[..]].concat())],
        vec![(APP1, b"Exif\0\0II*\0\x08\0\0\0\0\0\0\0\0\0".to_vec()), (APP14, adobe.to_vec())],
        chunks.map(|chunk| (APP2, chunk)).into(),
    ] {
        let added: Vec<u8> = bodies.iter().flat_map(|(marker, body)| segment(*marker, body)).collect();
        assert_eq!(check(&insert(&photo, 20, &added)), Ok(()));
        // The order of segments does not matter, and JFIF is optional.
        assert_eq!(check(&insert(&photo, 2, &added)), Ok(()));
        assert_eq!(check(&[&from_one[..2], &added, &from_one[20..]].concat()), Ok(()));
        // Each segment may occur only once.
        for (marker, body) in bodies {
            let twice = insert(&photo, 20, &[added.as_slice(), &segment(marker, &body)].concat());
            assert!(matches!(check(&twice), Err(JpegError::Segment { .. })), "{marker:#x}");
        }
    }
}

/// Whether a file is refused because of a segment.
fn refused(file: &[u8]) -> bool {
    matches!(check(file), Err(JpegError::Segment { .. }))
}

#[test]
fn refuses_segments_in_other_forms() {
    let photo = synthetic(320, 240, false);
    let profile = srgb();
    let length = profile.len();
    let with = |at: usize, byte: u8| {
        let mut profile = profile.clone();
        profile[at] = byte;
        chunk(1, 1, &profile)
    };
    let mut directories = exif_of_safari();
    let below = directories.len() - 4 - 36 - 2;
    for (marker, body) in [
        (APP0, b"JFIF\0\x01\x01\0\0\x01\0\x01\x01\x01xyz".to_vec()),
        (APP0, b"JFXX\0\x10".to_vec()),
        (APP1, b"http://ns.adobe.com/xap/1.0/\0<x:xmpmeta/>".to_vec()),
        (APP1, b"Exif\0\0MM\0*\0\0\0\x08".to_vec()),
        (APP1, b"Exif\0\0MX\0*\0\0\0\x08\0\0\0\0\0\0".to_vec()),
        (APP2, b"MPF\0MM\0*\0\0\0\x08\0\0\0\0\0\0".to_vec()),
        (APP2, chunk(2, 2, &profile)),
        (APP2, chunk(0, 1, &profile)),
        (APP2, chunk(1, 2, &profile)),
        (APP2, chunk(1, 1, &profile[..100])),
        (APP2, chunk(1, 1, &profile[..length - 1])),
        (APP2, chunk(1, 1, &[profile.as_slice(), b"x"].concat())),
        (APP2, with(1, 2)),
        (APP2, with(8, 5)),
        (APP2, with(12, b'p')),
        (APP2, with(16, b'C')),
        (APP2, with(20, b'L')),
        (APP2, with(36, b'x')),
        (APP2, with(67, 3)),
        (APP2, with(110, 1)),
        (APP2, with(131, profile[131] + 1)),
        (APP2, with(131, profile[131] - 1)),
        (APP2, with(136, 8)),
        (APP2, with(140, 8)),
        (APP13, b"Photoshop 3.0\08BIM\x04\x0C\0\0\0\0\0\0".to_vec()),
        (APP13, b"Photoshop 3.0\08BIM\x04\x04\0\0\0\0\0\x01".to_vec()),
        (APP13, [PHOTOSHOP, b"8BIM\x04\x25\0\0\0\0\0\x10", &[0; 16]].concat()),
        (APP13, [PHOTOSHOP, b"x"].concat()),
        (APP14, b"Adobe\0\x64\0\0\0\0\x01x".to_vec()),
        (APP14, b"Adobe\0\x64\0\0\0\0\x02".to_vec()),
        (COM, vec![b'x'; 65]),
    ] {
        let without_jfif = [&photo[..2], &photo[20..]].concat();
        assert!(refused(&insert(&without_jfif, 2, &segment(marker, &body))), "{marker:#x} {body:02x?}");
    }
    assert!(refused(&with_segment(&with_segment(&photo, COM, &[b'x'; 32]), COM, &[b'x'; 33])), "64 bytes in all");
    assert!(refused(&insert(&photo, 20, &[0xFF; 65])));
    assert_eq!(check(&insert(&photo, 20, &[0xFF; 64])), Ok(()));
    // A directory that refers to its own entries in a loop.
    directories[below + 4..below + 6].copy_from_slice(&[0x87, 0x69]);
    assert!(refused(&with_segment(&photo, APP1, &directories)));
    // Such segments must not occur after the start of the image data.
    let progressive = synthetic(320, 240, true);
    let second = progressive.windows(2).rposition(|marker| marker == [0xFF, SOS]).unwrap();
    for body in [segment(COM, b""), segment(APP1, &exif_of_safari()), segment(DQT, &[&[3][..], &[1; 64]].concat())] {
        assert!(refused(&insert(&progressive, second, &body)));
        assert!(refused(&insert(&progressive, progressive.len() - 2, &body)));
    }
}

#[test]
fn exif_of_a_camera_is_refused() {
    let photo = synthetic(320, 240, false);
    let check = |exif: Vec<u8>| check(&with_segment(&photo, APP1, &exif));
    let uncalibrated = safari(&[], |entry| {
        if entry.0 == 0xA001 {
            entry.2 = 0xFFFF
        }
    });
    let short_sides = safari(&[], |entry| {
        if entry.0 == 0xA002 || entry.0 == 0xA003 {
            entry.1 = 3
        }
    });
    let versions = [(0x9000, 7, 0x3032_3231), (0x9101, 7, 0x0102_0300), (0xA000, 7, 0x3031_3030), (0xA406, 3, 0)];
    // `exif` writes a count of 1, but these values have 4 bytes.
    let mut versions = safari(&versions, |_| {});
    for at in (0..versions.len() - 8).filter(|at| versions[*at..].starts_with(&[0, 7, 0, 0, 0, 1])).collect::<Vec<_>>()
    {
        versions[at + 5] = 4;
    }
    for (what, plain) in [
        ("Safari's", exif_of_safari()),
        ("of a profile", uncalibrated),
        ("of short sides", short_sides),
        ("of versions", versions),
        ("nothing", exif(true, &[], &[], b"")),
        ("either byte order", exif(true, &[(0x112, 3, 1), (0x213, 3, 1), (0x8769, 4, 50)], &[(0xA001, 3, 1)], b"")),
    ] {
        assert_eq!(check(plain), Ok(()), "{what}");
    }

    for orientation in [0, 2, 3, 4, 5, 6, 7, 8, 9] {
        let turned = safari(&[], |entry| {
            if entry.0 == 0x112 {
                entry.2 = orientation
            }
        });
        assert!(check(turned).is_err(), "orientation {orientation}");
        assert!(check(exif(true, &[(0x112, 3, orientation)], &[], b"")).is_err(), "orientation {orientation}");
    }
    // Description, maker, model, program, date, artist, copyright, location; original date, maker notes, comment, lens,
    // interoperability.
    for tag in [0x10E, 0x10F, 0x110, 0x131, 0x132, 0x13B, 0x8298, 0x8825] {
        for kind in [2, 3, 4] {
            assert!(check(exif(true, &[(tag, kind, 1)], &[], b"")).is_err(), "{tag:#06x}");
        }
    }
    for tag in [0x9003, 0x9004, 0x927C, 0x9286, 0xA434, 0xA420, 0xA005] {
        for kind in [2, 4, 7] {
            assert!(check(safari(&[(tag, kind, 1)], |_| {})).is_err(), "{tag:#06x}");
        }
    }
    let exif_of_safari = exif_of_safari();
    let end = exif_of_safari.len();
    let with = |at: usize, byte: u8| {
        let mut exif = exif_of_safari.clone();
        exif[at] = byte;
        exif
    };
    for (what, other) in [
        (
            "another width",
            safari(&[], |entry| {
                if entry.0 == 0xA002 {
                    entry.2 = 640
                }
            }),
        ),
        (
            "another height",
            safari(&[], |entry| {
                if entry.0 == 0xA003 {
                    entry.2 = 320
                }
            }),
        ),
        ("an entry twice", safari(&[(0xA002, 4, 320)], |_| {})),
        (
            "Adobe RGB",
            safari(&[], |entry| {
                if entry.0 == 0xA001 {
                    entry.2 = 2
                }
            }),
        ),
        (
            "another type",
            safari(&[], |entry| {
                if entry.0 == 0x112 {
                    entry.1 = 4
                }
            }),
        ),
        (
            "a value out of it",
            safari(&[], |entry| {
                if entry.0 == 0x11A {
                    entry.2 = 1000
                }
            }),
        ),
        (
            "a directory out of it",
            safari(&[], |entry| {
                if entry.0 == 0x8769 {
                    entry.2 = 1000
                }
            }),
        ),
        (
            "its own directory",
            safari(&[], |entry| {
                if entry.0 == 0x8769 {
                    entry.2 = 8
                }
            }),
        ),
        ("room behind", [exif_of_safari.as_slice(), &[0]].concat()),
        ("a thumbnail's directory", with(6 + 8 + 2 + 5 * 12 + 3, 8)),
        ("another directory", with(end - 16 - 1, 8)),
        ("no end", exif_of_safari[..end - 1].to_vec()),
        ("no directory", b"Exif\0\0MM\0*\0\0\0\x08".to_vec()),
        ("no byte order", b"Exif\0\0MX\0*\0\0\0\x08\0\0\0\0\0\0".to_vec()),
    ] {
        assert!(check(other).is_err(), "{what}");
    }
}

/// An element with a parametric curve of the given kind.
fn parametric(kind: u16, parameters: &[f64]) -> Vec<u8> {
    let parameters = parameters.iter().flat_map(|value| ((value * 65_536.0) as i32).to_be_bytes());
    [b"para\0\0\0\0", &kind.to_be_bytes()[..], &[0, 0], &parameters.collect::<Vec<_>>()].concat()
}

#[test]
fn accepts_only_known_color_spaces() {
    let photo = synthetic(320, 240, false);
    let check = |profile: Vec<u8>| check(&with_segment(&photo, APP2, &chunk(1, 1, &profile)));
    let gamma = |gamma: f64| curve((0..1024).map(|step| ((f64::from(step) / 1023.0).powf(gamma) * 65_535.0) as u16));
    let curves = |curve: Vec<u8>| [b"rTRC", b"gTRC", b"bTRC"].map(|tag| (tag, curve.clone()));
    let srgb = [2.4, 1.0 / 1.055, 0.055 / 1.055, 1.0 / 12.92, 0.04045];
    let mut jump = srgb;
    (jump[3], jump[4]) = (16_000.0, 0.003);
    let dark = [2.4, 1.0 / 1.055, 0.055 / 1.055, 0.0, 0.04045, 0.0, -30_000.0];
    let steep = |step: u16| if step < 128 { 0 } else { u16::MAX };
    let falling = |step: u16| if step == 600 { 0 } else { step * 64 };
    for (what, known) in [
        ("sRGB", profile(&[])),
        ("Display P3", profile_of("chromium-display-p3.jpg")),
        (
            "Adobe RGB",
            profile(&[
                (b"rXYZ", xyz([0.6097, 0.3111, 0.0195])),
                (b"gXYZ", xyz([0.2053, 0.6257, 0.0609])),
                (b"bXYZ", xyz([0.1492, 0.0632, 0.7446])),
                (b"cicp", vec![]),
            ]),
        ),
        ("a table", profile(&curves(gamma(2.2)))),
        ("an exponent", profile(&curves(curve([0x0233])))),
        ("a function", profile(&curves(parametric(3, &srgb)))),
        ("a name", profile(&[(b"cprt", text(b"No copyright, use freely"))])),
    ] {
        assert_eq!(check(known), Ok(()), "{what}");
    }

    let zero = || xyz([0.0; 3]);
    let three = |red, green, blue| profile(&[(b"rXYZ", red), (b"gXYZ", green), (b"bXYZ", blue)]);
    let colors = || [xyz([0.4361, 0.2225, 0.0139]), xyz([0.3851, 0.7169, 0.0971]), xyz([0.1431, 0.0606, 0.7141])];
    let [red, green, blue] = colors();
    let mut gaps = profile(&[]);
    gaps.extend([0; 4]);
    let length = (gaps.len() as u32).to_be_bytes();
    gaps[..4].copy_from_slice(&length);
    let mut row_twice = profile(&[]);
    row_twice.copy_within(132..144, 144);
    for (what, other) in [
        ("red alone", three(red.clone(), zero(), zero())),
        ("green alone", three(zero(), green.clone(), zero())),
        ("all the same", three(red.clone(), red.clone(), red.clone())),
        ("red and green exchanged", three(green.clone(), red.clone(), blue.clone())),
        ("ProPhoto RGB", three(xyz([0.7977, 0.288, 0.0]), xyz([0.1352, 0.7119, 0.0]), xyz([0.0313, 0.0001, 0.8249]))),
        ("no color", three(zero(), zero(), zero())),
        ("below nothing", three(xyz([-0.4, 0.2, 0.0]), green, blue)),
        ("no red", profile(&[(b"rXYZ", vec![])])),
        ("no curve", profile(&[(b"gTRC", vec![])])),
        ("linear", profile(&curves(curve([])))),
        ("exponent 1", profile(&curves(curve([0x0100])))),
        ("exponent 1.6", profile(&curves(gamma(1.6)))),
        ("exponent 3", profile(&curves(gamma(3.0)))),
        ("a step", profile(&curves(curve((0..256).map(steep))))),
        ("upside down", profile(&curves(curve((0..256).map(|step| u16::MAX - step * 257))))),
        ("a curve that falls", profile(&curves(curve((0..1024).map(falling))))),
        ("one curve", profile(&[(b"bTRC", curve((0..256).map(steep)))])),
        ("a dark curve below the visible", profile(&curves(parametric(4, &dark)))),
        ("a jump between two steps", profile(&curves(parametric(3, &jump)))),
        ("a longer curve", profile(&[(b"bTRC", [gamma(2.2), vec![b'x'; 8]].concat())])),
        ("a table of colors", profile(&[(b"A2B0", [b"mft2\0\0\0\0", &[3; 60][..]].concat())])),
        ("a private element", profile(&[(b"priv", text(b"contract"))])),
        ("an element of a private type", profile(&[(b"desc", [b"priv\0\0\0\0", &[b'x'; 60][..]].concat())])),
        ("a long text", profile(&[(b"cprt", text(&[b'x'; 2000]))])),
        ("many texts", profile(&[b"cprt", b"desc", b"dmnd", b"dmdd"].map(|tag| (tag, text(&[b'x'; 500]))))),
        ("reserved bytes", profile(&[(b"cprt", b"text\0\0\0xtext".to_vec())])),
        ("PQ by numbers", profile(&[(b"cicp", b"cicp\0\0\0\0\x09\x10\0\x01".to_vec())])),
        ("a gap at the end", gaps),
        ("an element twice", row_twice),
        ("of grey", [&profile(&[])[..16], b"GRAY", &profile(&[])[20..]].concat()),
    ] {
        assert!(matches!(check(other), Err(JpegError::Segment { .. })), "{what}");
    }
}

/// A baseline photo with other component numbers.
fn with_components(photo: &[u8], numbers: [u8; 3]) -> Vec<u8> {
    let (frame, scan) = (segments(photo, SOF0)[0], segments(photo, SOS)[0]);
    let mut photo = photo.to_vec();
    for (at, number) in numbers.into_iter().enumerate() {
        photo[frame + 10 + 3 * at] = number;
        photo[scan + 5 + 2 * at] = number;
    }
    photo
}

#[test]
fn refuses_ambiguous_color_codings() {
    let photo = encode(ColorType::Rgb, |encoder| encoder.set_sampling_factor(SamplingFactor::F_2_2));
    // JFIF states that components 0, 1 and 2 are luma and color.
    let from_one = with_components(&photo, [1, 2, 3]);
    assert_eq!(check(&[&from_one[..2], &from_one[20..]].concat()), Ok(()));
    let from_zero = with_components(&photo, [0, 1, 2]);
    assert_eq!(check(&from_zero), Ok(()));
    assert!(refused(&[&from_zero[..2], &from_zero[20..]].concat()));
    // Adobe's segment for RGB, and components with the names of RGB.
    assert!(refused(&with_segment(&photo, APP14, b"Adobe\0\x64\0\0\0\0\0")));
    for numbers in [*b"RGB", [2, 3, 4], [3, 2, 1], [1, 2, 2]] {
        assert!(check(&with_components(&photo, numbers)).is_err(), "{numbers:?}");
    }
}

/// The luma of another decoder's picture, where it can be computed because no color was clipped.
fn luma_of(photo: &[u8]) -> Vec<Option<f64>> {
    let mut decoder = Decoder::new(photo);
    let samples = decoder.decode().unwrap();
    let inside = |value: &u8| (1..=254).contains(value);
    match decoder.info().unwrap().pixel_format {
        PixelFormat::L8 => samples.iter().map(|luma| Some(f64::from(*luma))).collect(),
        _ => samples
            .as_chunks::<3>()
            .0
            .iter()
            .map(|rgb| {
                let [r, g, b] = rgb.map(f64::from);
                rgb.iter().all(inside).then_some(0.299 * r + 0.587 * g + 0.114 * b)
            })
            .collect(),
    }
}

#[test]
fn decodes_luma_like_another_decoder() {
    let mut photos = from_elsewhere();
    photos.extend([synthetic(320, 240, false), synthetic(320, 240, true)].map(|photo| ("synthetic".to_owned(), photo)));
    photos.push(("grey".to_owned(), encode(ColorType::Luma, |_| {})));
    for (name, photo) in photos {
        let (_, Planes { luma, .. }) = CheckedPhoto::read(photo.as_slice().into()).unwrap();
        let ours = (0..luma.height()).flat_map(|y| luma.row(y));
        let others = luma_of(&photo);
        assert_eq!(others.len(), luma.width() * luma.height(), "{name}");
        let differences = ours.zip(others).filter_map(|(ours, other)| Some((f64::from(*ours) - other?).abs()));
        let most = differences.fold(0.0, f64::max);
        assert!(most < 2.5, "{name}: {most}");
    }
}

/// A block with one coefficient besides the DC coefficient.
fn block(dc: i32, at: usize, value: i32) -> Block {
    let mut block = [0; 64];
    (block[0], block[at]) = (dc, value);
    if at == 0 {
        block[0] = value;
    }
    block
}

#[test]
fn refuses_pictures_that_decoders_dispute() {
    let forms = [Form::Baseline, Form::Bands, Form::Bits];
    let (mut refused, mut accepted) = (0, 0);
    for form in forms {
        for factor in [40, 64, 128, 255] {
            for at in [0, 1, 8, 20, 63] {
                // A quantized coefficient that is equal modulo 2^16 after dequantization, and the honest one.
                let around = 65_536 / i32::from(factor);
                for value in [around, -around, around + 3, around / 2, -around / 2, 1280 / i32::from(factor) + 2] {
                    if value.abs() >= if at == 0 { 2048 } else { 1024 } {
                        continue;
                    }
                    let file = coefficients::photo(form, factor, &[block(0, at, value), block(1, 3, 1)]);
                    assert!(matches!(check(&file), Err(JpegError::Scan { .. })), "{form:?}, {factor}, {at}: {value}");
                    refused += 1;
                }
                for value in [3, -3, 700 / i32::from(factor), -700 / i32::from(factor)] {
                    let file = coefficients::photo(form, factor, &[block(0, at, value), block(1, 3, 1)]);
                    assert_eq!(check(&file), Ok(()), "{form:?}, {factor}, {at}: {value}");
                    accepted += 1;
                }
            }
        }
        // The sum grows step by step, although each difference is valid.
        let rising =
            |most| -> Vec<Block> { (1..most).chain((0..most).rev()).map(|nth| block(0, 0, nth * 100)).collect() };
        assert!(check(&coefficients::photo(form, 1, &rising(40))).is_err(), "{form:?}");
        assert_eq!(check(&coefficients::photo(form, 1, &rising(12))), Ok(()), "{form:?}");
        // Each coefficient is possible in a picture, but all together are not.
        let mut all = block(0, 0, 0);
        all[..20].fill(30);
        assert!(matches!(check(&coefficients::photo(form, 40, &[all])), Err(JpegError::Scan { .. })), "{form:?}");
    }
    println!("{refused} refused, {accepted} accepted");
}

#[test]
fn refinements_must_name_existing_tables() {
    let file = coefficients::photo(Form::Bits, 4, &[block(0, 0, 3)]);
    // A scan of one component that refines the DC coefficient.
    let refines = |scan: &[u8]| scan.starts_with(b"\xFF\xDA\x00\x08\x01") && scan[7..9] == [0, 0] && scan[9] >> 4 > 0;
    let at = file.windows(10).position(refines).unwrap();
    for (selectors, passes) in [(0x00, true), (0x01, true), (0x10, false), (0x20, false)] {
        let mut file = file.clone();
        file[at + 6] = selectors;
        assert_eq!(check(&file).is_ok(), passes, "{selectors:#04x}");
    }
}

#[test]
fn every_form_shows_the_same_picture() {
    let blocks: Vec<Block> = (0..200)
        .map(|nth| {
            let mut block = [0; 64];
            for (at, value) in block.iter_mut().enumerate() {
                let size = [20, 3, 1, 1][at.min(63) / 16 % 4];
                *value = (nth * 7919 + at as i32 * 104_729) % (2 * size + 1) - size;
            }
            block
        })
        .collect();
    let planes = [Form::Baseline, Form::Bands, Form::Bits].map(|form| {
        let file = coefficients::photo(form, 4, &blocks);
        let others = luma_of(&file);
        let (_, planes) = CheckedPhoto::read(file.into()).unwrap();
        let ours = (0..240).flat_map(|y| planes.luma.row(y));
        assert!(ours.zip(others).all(|(ours, other)| (f64::from(*ours) - other.unwrap()).abs() <= 1.0), "{form:?}");
        planes
    });
    assert_eq!(planes[0], planes[1]);
    assert_eq!(planes[0], planes[2]);
}

#[test]
fn refuses_malformed_and_unused_tables() {
    let photo = encode(ColorType::Rgb, |_| {});
    let (dqt, dht, sof, sos) =
        (segments(&photo, DQT), segments(&photo, DHT), segments(&photo, SOF0), segments(&photo, SOS));
    let with = |at: usize, byte: u8| {
        let mut photo = photo.clone();
        photo[at] = byte;
        photo
    };
    let quantization = segment(DQT, &[&[3][..], &[1; 64]].concat());
    let huffman = |counts: &[(usize, u8)], symbols: &[u8]| {
        let mut body = vec![0x02; 1];
        body.extend([0; 16]);
        counts.iter().for_each(|(length, count)| body[*length] = *count);
        segment(DHT, &[body.as_slice(), symbols].concat())
    };
    let progressive = encode(ColorType::Rgb, |encoder| encoder.set_progressive(true));
    assert_eq!(check(&insert(&photo, sos[0], &quantization)), Ok(()));
    assert_eq!(check(&insert(&photo, sos[0], &huffman(&[(1, 1), (2, 1)], &[0, 1]))), Ok(()));
    for (what, file) in [
        ("a factor of 0", with(dqt[0] + 20, 0)),
        ("16 bits a factor", with(dqt[0] + 4, 0x10)),
        ("an unknown number", with(dqt[0] + 4, 4)),
        ("the same number again", with(dqt[1] + 4, 0)),
        ("a byte behind the table", insert(&photo, sos[0], &segment(DQT, &[&[3][..], &[1; 65]].concat()))),
        ("factors that are not there", with(sof[0] + 4 + 8, 3)),
        ("all codes", insert(&photo, sos[0], &huffman(&[(1, 2)], &[0, 1]))),
        ("more codes than there are", insert(&photo, sos[0], &huffman(&[(2, 1), (1, 2)], &[0, 1, 2]))),
        ("no codes", insert(&photo, sos[0], &huffman(&[], &[]))),
        ("more symbols than codes", insert(&photo, sos[0], &huffman(&[(2, 1)], &[0, 1]))),
        ("fewer symbols than codes", insert(&photo, sos[0], &huffman(&[(2, 2)], &[0]))),
        ("a symbol twice", insert(&photo, sos[0], &huffman(&[(2, 2)], &[1, 1]))),
        ("an unknown category", insert(&photo, sos[0], &huffman(&[(2, 1)], &[12]))),
        ("a table that is not used", insert(&photo, sos[0], &huffman(&[(2, 1)], &[1]).repeat(2))),
        ("an unknown class", with(dht[0] + 4, 0x20)),
        ("an interval of one byte", insert(&photo, sos[0], b"\xFF\xDD\0\x03\0")),
        ("two intervals", insert(&photo, sos[0], &b"\xFF\xDD\0\x04\0\0".repeat(2))),
        ("a table that is not there", with(sos[0] + 6, 0x20)),
        ("a scan of a component that is not there", with(sos[0] + 5, 9)),
        ("a scan of a component twice", with(sos[0] + 7, photo[sos[0] + 5])),
        ("a part of the coefficients", with(sos[0] + 12, 62)),
        ("two components of one number", with(sof[0] + 4 + 9, photo[sof[0] + 4 + 6])),
    ] {
        assert!(check(&file).is_err(), "{what}");
        assert_ne!(file, photo, "{what}");
    }
    // A repeated scan, and a missing scan.
    let scan = progressive.windows(2).rposition(|marker| marker == [0xFF, SOS]).unwrap();
    let end = progressive.len() - 2;
    let again = [&progressive[..end], &progressive[scan..]].concat();
    assert!(matches!(check(&again), Err(JpegError::Scan { .. })));
    assert_eq!(check(&[&progressive[..scan], &progressive[end..]].concat()), Err(JpegError::Incomplete));
}

#[test]
fn refuses_image_data_cut_anywhere() {
    let mut photos = photographs();
    assert!(photos.len() >= 5, "no photographs: scripts/photos makes them");
    photos.truncate(5);
    photos.extend(from_elsewhere());
    let sizes = [(240, 240), (320, 240), (640, 480), (241, 333), (800, 600)];
    photos.extend(sizes.map(|(width, height)| ("progressive".into(), synthetic(width, height, true))));
    for (name, photo) in photos {
        let (begin, end) = (image_data(&photo), photo.len() - 2);
        for cut in (0..20).map(|nth| begin + (end - begin) * nth / 20).chain([begin + 1, end - 1]) {
            let file = [&photo[..cut], b"\xFF\xD9"].concat();
            assert!(check(&file).is_err(), "{name}: {cut} of {}", photo.len());
            // Ends with whole codes, as far as zeros or ones form codes.
            for rest in [0x00, 0xFE, 0x7F] {
                assert!(
                    check(&[&photo[..cut], &[rest], b"\xFF\xD9"].concat()).is_err() || cut == end - 1,
                    "{name}: {cut}"
                );
            }
        }
    }
}

#[test]
fn restart_markers_are_where_they_belong() {
    let photo = encode(ColorType::Rgb, |encoder| encoder.set_restart_interval(7));
    let begin = image_data(&photo);
    let markers: Vec<_> =
        (begin..photo.len()).filter(|at| photo[*at] == 0xFF && photo[at + 1] & 0xF8 == 0xD0).collect();
    assert!(markers.len() > 10);
    for at in &markers[..10] {
        let mut other = photo.clone();
        other[at + 1] ^= 1;
        assert!(check(&other).is_err(), "another number");
        assert!(check(&[&photo[..*at], &photo[at + 2..]].concat()).is_err(), "none");
        assert!(check(&insert(&photo, *at, &photo[*at..at + 2])).is_err(), "two");
        assert!(check(&insert(&photo, *at, &[0])).is_err(), "a byte before it");
    }
    assert!(check(&insert(&photo, photo.len() - 2, &[0xFF, 0xD0])).is_err(), "one at the end");
    assert!(check(&insert(&encode(ColorType::Rgb, |_| {}), begin + 200, &[0xFF, 0xD0])).is_err(), "one too many");
}

/// A page, a document and an archive. Other programs made the last two, which are as short as possible.
fn documents() -> Vec<(&'static str, Vec<u8>)> {
    let archive = include_bytes!("photo/archive.zip");
    vec![
        ("page", b"<!DOCTYPE html><html><body><script>alert(1)</script></body></html>".to_vec()),
        ("script", b"<script>alert(1)</script>".to_vec()),
        ("document", DOCUMENT.to_vec()),
        ("short document", b"%PDF-1.\ntrailer<</Root<</Pages<<>>>>>>".to_vec()),
        ("archive", archive.to_vec()),
        ("empty archive", [b"PK\x05\x06", &[0; 18][..]].concat()),
    ]
}

#[test]
fn refuses_documents_anywhere_in_a_photo() {
    let mut tried = 0;
    for (name, document) in documents() {
        for photo in [synthetic(320, 240, false), synthetic(320, 240, true), encode(ColorType::Luma, |_| {})] {
            let (begin, end) = (image_data(&photo), photo.len() - 2);
            let mut files: Vec<(String, Vec<u8>)> = Vec::new();
            let mut put = |place: &str, file: Vec<u8>| files.push((format!("{name} in {place}"), file));
            for marker in (APP0..=0xEF).chain([COM, 0xF0, 0xC8, 0xDC, 0xDE, 0xDF, 0xCC]) {
                put("a segment", with_segment(&photo, marker, &document));
                put("the first segment", insert(&photo, 2, &segment(marker, &document)));
                put("a segment behind the scan", insert(&photo, end, &segment(marker, &document)));
                put("a segment before the scan", insert(&photo, segments(&photo, SOS)[0], &segment(marker, &document)));
            }
            for piece in [8, 32, 60] {
                let comments: Vec<u8> = document.chunks(piece).flat_map(|piece| segment(COM, piece)).collect();
                put("comments", insert(&photo, 20, &comments));
            }
            put("EXIF", with_segment(&photo, APP1, &exif(false, &[(0x10E, 2, 26)], &[], &document)));
            put("the end of EXIF", with_segment(&photo, APP1, &[exif_of_safari(), document.clone()].concat()));
            for tag in [b"cprt", b"priv"] {
                put("a color profile", with_segment(&photo, APP2, &chunk(1, 1, &profile(&[(tag, text(&document))]))));
            }
            let size = u32::try_from(document.len()).unwrap().to_be_bytes();
            let iptc =
                [b"Photoshop 3.0\08BIM\x04\x04\0\0", &size[..], &document, &[0; 1][..document.len() % 2]].concat();
            put("IPTC", with_segment(&photo, APP13, &iptc));
            put("Adobe's mark", with_segment(&photo, APP14, &[b"Adobe", document.as_slice()].concat()));
            put(
                "JFIF",
                [&photo[..2], &segment(APP0, &[b"JFIF\0", document.as_slice()].concat()), &photo[20..]].concat(),
            );
            for marker in [DQT, DHT] {
                for table in segments(&photo, marker) {
                    // Over the table's content, as far as it fits, and as a table of its own.
                    let mut file = photo.clone();
                    let room = usize::from(u16::from_be_bytes([file[table + 2], file[table + 3]])) - 3;
                    let taken = room.min(document.len());
                    file[table + 5..table + 5 + taken].copy_from_slice(&document[..taken]);
                    put("a table", file);
                    put("a table of its own", insert(&photo, table, &segment(marker, &document)));
                    put(
                        "the end of a table",
                        insert(&photo, table, &segment(marker, &[&[3][..], &[1; 64], &document].concat())),
                    );
                }
            }
            for nth in 0..20 {
                let at = begin + (end - begin) * nth / 20;
                put("image data", insert(&photo, at, &document));
                let mut file = photo.clone();
                let taken = document.len().min(end - at);
                file[at..at + taken].copy_from_slice(&document[..taken]);
                put("place of image data", file);
            }
            for (at, _) in photo.windows(2).enumerate().filter(|(_, marker)| *marker == [0xFF, SOS]) {
                put("between scans", insert(&photo, at, &document));
            }
            put("behind the image data", insert(&photo, end, &document));
            put("behind the end", [photo.as_slice(), &document].concat());
            put("behind the end, with another", [photo.as_slice(), &document, b"\xFF\xD9"].concat());
            put("front", [document.as_slice(), &photo].concat());
            for (place, file) in files {
                assert!(check(&file).is_err(), "{place}");
                tried += 1;
            }
        }
    }
    println!("{tried} files, none is a photo");
}

/// A photo whose image data consists of arbitrary bytes below FE: each is a code with its value bits.
fn swallowing(data: &[u8]) -> Vec<u8> {
    let counts = [1; 8].into_iter().chain([0; 8]);
    let table = |class: u8, last: u8| {
        let symbols = (0..8).map(|nth| if nth < 7 { 7 - nth } else { last });
        [class].into_iter().chain(counts.clone()).chain(symbols).collect::<Vec<u8>>()
    };
    let blocks = 30 * 30;
    let mut file = b"\xFF\xD8".to_vec();
    file.extend(segment(DQT, &[&[0][..], &[1; 64]].concat()));
    file.extend(segment(SOF0, &[8, 0, 240, 0, 240, 1, 1, 0x11, 0]));
    file.extend(segment(DHT, &[table(0x00, 0), table(0x10, 0)].concat()));
    file.extend(segment(SOS, &[1, 1, 0, 0, 63, 0]));
    assert!(data.len() <= blocks * 64 && data.iter().all(|byte| *byte < 0xFE));
    let mut filled = data.to_vec();
    // Fills the rest with small coefficients, each greater than zero.
    filled.resize(blocks * 64, 0xFD);
    [file, filled, b"\xFF\xD9".to_vec()].concat()
}

#[test]
fn refuses_documents_encoded_as_image_data() {
    assert_eq!(check(&swallowing(&[0xFC; 11])), Ok(()));
    for (name, document) in documents() {
        for before in [0, 500, 5000, 57_600 - document.len()] {
            let file = swallowing(&[vec![b' '; before], document.clone()].concat());
            assert!(matches!(check(&file), Err(JpegError::Foreign(_))), "{name} behind {before}: {:?}", check(&file));
        }
    }
    // An archive whose comment is the rest of the photo.
    let mut ended = include_bytes!("photo/archive.zip").to_vec();
    let at = ended.len() - 2;
    ended[at..].copy_from_slice(&1002_u16.to_le_bytes());
    let file = swallowing(&[vec![b' '; 57_600 - 1000 - ended.len()], ended].concat());
    assert_eq!(check(&file), Err(JpegError::Foreign("ZIP")));
}

#[test]
fn no_input_makes_the_check_panic() {
    let mut random = 0x9E37_79B9_7F4A_7C15_u64;
    let mut next = |end: usize| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (random >> 33) as usize % end
    };
    let safari =
        [&segment(APP1, &exif_of_safari())[..], &segment(APP13, PHOTOSHOP), &segment(APP2, &chunk(1, 1, &srgb()))];
    let mut photos: Vec<_> = from_elsewhere().into_iter().map(|(_, photo)| photo).collect();
    photos.push(insert(&photos[0], 20, &safari.concat()));
    let (mut passed, mut refused) = (0, 0);
    for _ in 0..1000 {
        for photo in &photos {
            let mut file = photo.clone();
            for _ in 0..1 + next(3) {
                // Half of the changes are made in the headers.
                let most = if next(2) == 0 { file.len() } else { 1000 };
                let at = next(most);
                match next(3) {
                    0 => file[at] = next(256) as u8,
                    1 => drop(file.remove(at)),
                    _ => file.insert(at, next(256) as u8),
                }
            }
            *if check(&file).is_ok() { &mut passed } else { &mut refused } += 1;
        }
    }
    println!("{passed} pass, {refused} do not");
}
