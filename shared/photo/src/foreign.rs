//! Detects other formats in a photo's bytes that would make a reader of documents or archives accept the file as its
//! own.
//!
//! A JPEG begins with its own marker, so only formats matter whose readers search for their markers further on.

use memchr::{memchr_iter, memmem};

/// The number of bytes at the beginning of a file in which PDF readers search for the header.
const HEAD: usize = 1024;
/// Byte sequences that must not occur anywhere. They are so long that image data contains one of them by chance in less
/// than one of a million photos.
const NOWHERE: [(&str, &[u8]); 8] = [
    ("PDF", b"%PDF-1"),
    ("PDF", b"%PDF-2"),
    ("PDF", b"endobj"),
    ("PDF", b"startxref"),
    ("PDF", b"trailer"),
    ("RAR", b"Rar!\x1A\x07"),
    ("7z", b"7z\xBC\xAF\x27\x1C"),
    ("ZIP", b"PK\x06\x06\x2C\0\0\0"),
];
/// HTML tags that must not occur anywhere, in either case.
const NO_TAG_ANYWHERE: [&[u8]; 12] = [
    b"<!doctype",
    b"<html>",
    b"<html ",
    b"<head>",
    b"<body>",
    b"<body ",
    b"<script",
    b"<iframe",
    b"<style",
    b"<title",
    b"<?xml ",
    b"<?php ",
];
/// Short sequences that must not occur before the image data; image data may contain them by chance.
const NO_TAG_IN_HEAD: [&[u8]; 8] = [b"<!--", b"<html", b"<head", b"<body", b"<table", b"<?xml", b"<?php", b"<svg"];
/// Formats that are recognized by bytes at a fixed offset.
const AT_PLACES: [(&str, usize, &[u8]); 3] =
    [("DICOM", 128, b"DICM"), ("tar", 257, b"ustar"), ("ISO 9660", 32_769, b"CD001")];

/// The length of a ZIP end record without its comment.
const END_RECORD: usize = 22;
/// The length of the record that precedes it in a ZIP64.
const LOCATOR: usize = 20;

/// The other format as which a file can be read, if any. `image_data` is the offset at which the photo's image data
/// begins.
pub(super) fn find(file: &[u8], image_data: usize) -> Option<&'static str> {
    let head = file.get(..image_data.max(HEAD)).unwrap_or(file);
    // Some PDF readers need no header, and search for objects instead.
    if [&b"%PDF-"[..], b" obj"].iter().any(|mark| memmem::find(head, mark).is_some()) {
        return Some("PDF");
    }
    let found = NOWHERE.iter().find(|(_, mark)| memmem::find(file, mark).is_some());
    let placed = || AT_PLACES.iter().find(|(_, at, mark)| file.get(*at..).is_some_and(|rest| rest.starts_with(mark)));
    if let Some(name) = found.map(|found| found.0).or_else(|| placed().map(|placed| placed.0)) {
        return Some(name);
    }
    if has_tag(file, &NO_TAG_ANYWHERE) || has_tag(head, &NO_TAG_IN_HEAD) {
        return Some("HTML");
    }
    (ends_as_zip(file) || has_zipped_file(file)).then_some("ZIP")
}

/// Whether the file contains a ZIP local file header with an existing version of the format, which suffices for 7-Zip.
fn has_zipped_file(file: &[u8]) -> bool {
    let versions = |at: usize| file.get(at + 4..at + 6).is_some_and(|version| version < &[64, 0] && version[1] == 0);
    memmem::find_iter(file, b"PK\x03\x04").any(versions)
}

fn has_tag(bytes: &[u8], tags: &[&[u8]]) -> bool {
    let begins = |at: usize, tag: &[u8]| {
        let there = bytes.get(at..).and_then(|rest| rest.get(..tag.len()));
        there.is_some_and(|there| there.eq_ignore_ascii_case(tag))
    };
    memchr_iter(b'<', bytes).any(|at| tags.iter().any(|tag| begins(at, tag)))
}

/// Whether the file contains a ZIP end record whose comment extends to the end of the file, or whose directory may be
/// located before it. Readers differ in which of the two they require.
fn ends_as_zip(file: &[u8]) -> bool {
    let start = file.len().saturating_sub(END_RECORD + usize::from(u16::MAX));
    let tail = file.get(start..).unwrap_or_default();
    memmem::find_iter(tail, b"PK\x05\x06").any(|at| {
        let Some((record, behind)) = tail.get(at..).and_then(<[u8]>::split_first_chunk::<END_RECORD>) else {
            return false;
        };
        let end = start + at;
        let [.., s0, s1, s2, s3, o0, o1, o2, o3, c0, c1] = *record;
        let number = |bytes| usize::try_from(u32::from_le_bytes(bytes)).unwrap_or(usize::MAX);
        let (size, offset) = (number([s0, s1, s2, s3]), number([o0, o1, o2, o3]));
        let zip64 = end.checked_sub(LOCATOR).and_then(|at| file.get(at..));
        usize::from(u16::from_le_bytes([c0, c1])) == behind.len()
            || size.max(offset) <= end
            || end.checked_sub(size).and_then(|at| file.get(at..)).is_some_and(|at| at.starts_with(b"PK\x01\x02"))
            || zip64.is_some_and(|locator| locator.starts_with(b"PK\x06\x07"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_each_mark_where_readers_look() {
        let file = vec![0x55; 100_000];
        let with = |at: usize, mark: &[u8]| {
            let mut file = file.clone();
            file[at..at + mark.len()].copy_from_slice(mark);
            find(&file, 2000)
        };
        assert_eq!(find(&file, 2000), None);
        for (name, mark) in NOWHERE {
            assert_eq!([with(3, mark), with(50_000, mark), with(100_000 - mark.len(), mark)], [Some(name); 3]);
        }
        for (name, at, mark) in AT_PLACES {
            assert_eq!((with(at, mark), with(at + 1, mark)), (Some(name), None));
        }
        for tag in NO_TAG_ANYWHERE {
            assert_eq!([with(50_000, tag), with(50_000, &tag.to_ascii_uppercase())], [Some("HTML"); 2]);
        }
        for tag in NO_TAG_IN_HEAD {
            assert_eq!([with(1990, tag), with(2000, tag)], [Some("HTML"), None]);
        }
        for mark in [&b"%PDF-x"[..], b"1 0 obj<<"] {
            assert_eq!([with(1980, mark), with(2000, mark)], [Some("PDF"), None]);
        }
        assert_eq!([with(3, b"PK\x03\x04\x14\0"), with(50_000, b"PK\x03\x04\x3F\0")], [Some("ZIP"); 2]);
        assert_eq!([with(3, b"PK\x03\x04\x40\0"), with(3, b"PK\x03\x04\x14\x01")], [None, None]);
        assert_eq!(find(&[b"\xFF\xD8 %PDF-", &[0; 2000][..]].concat(), 2), Some("PDF"));
    }

    #[test]
    fn only_plausible_end_records_count() {
        let record = |size: u32, offset: u32, comment: u16| {
            let numbers = [&size.to_le_bytes()[..], &offset.to_le_bytes(), &comment.to_le_bytes()].concat();
            [&b"PK\x05\x06\0\0\0\0\x01\0\x01\0"[..], &numbers].concat()
        };
        let find = |file: &[&[u8]]| find(&file.concat(), 2);
        let directory = [&b"PK\x01\x02"[..], &[0; 46]].concat();
        assert_eq!(find(&[&[0; 500], &record(400, 500, 99), b"end"]), Some("ZIP"), "a directory that fits");
        assert_eq!(find(&[&[0; 500], &record(501, 500, 99), b"end"]), None);
        assert_eq!(find(&[&[0; 500], &record(500, 501, 99), b"end"]), None);
        assert_eq!(find(&[&[0; 500], &record(9999, 9999, 3), b"end"]), Some("ZIP"), "the comment is the rest");
        assert_eq!(find(&[&[0; 500], &record(9999, 9999, 4), b"end"]), None);
        assert_eq!(find(&[&[0; 500], &directory, &record(50, 9999, 99), b"end"]), Some("ZIP"), "a directory before it");
        let zip64 = [b"PK\x06\x07", &[0; 16][..], &record(u32::MAX, u32::MAX, 99)].concat();
        assert_eq!(find(&[&[0; 500], &zip64, b"end"]), Some("ZIP"), "ZIP64");
        assert_eq!(
            find(&[&[0; 500], &record(9, 9, 0), &[0; 70_000]]),
            None,
            "further from the end than a comment is long"
        );
        assert_eq!(find(&[&[0; 500], b"PK\x05\x06"]), None, "cut short");
    }
}
