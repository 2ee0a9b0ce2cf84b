//! Converts a PFX file from BER, which RFC 7292 allows besides DER, to DER: NSS (Firefox, Thunderbird) exports elements
//! of indefinite length and strings in parts.

const OCTET_STRING: u8 = 0x04;
const SEQUENCE: u8 = 0x30;
const CONSTRUCTED: u8 = 0x20;
/// The tag `[0]`: explicit around a content or, if primitive, the encrypted content itself.
const CONTENT: u8 = 0xA0;
const ENCRYPTED_CONTENT: u8 = 0x80;
const INDEFINITE: u8 = 0x80;
const END_OF_CONTENTS: [u8; 2] = [0, 0];
/// The object identifier `data` of PKCS#7, in DER.
const DATA: [u8; 11] = [0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x01];
/// Maximum nesting of elements. Those of a PFX are nested 20 levels deep.
const MAX_DEPTH: usize = 32;

/// The file in DER; `None` if it already is DER, or is not BER. The integrity check (`macData`) is dropped, because it
/// covers the original bytes; whether a key was decrypted correctly is verified with its certificate.
pub(super) fn der_of_pfx(pfx: &[u8]) -> Option<Vec<u8>> {
    let der = whole(pfx, 0)?;
    let (mut rest, mut parts) = (content_of(&der)?, Vec::new());
    while !rest.is_empty() {
        parts.push(element(&mut rest, 0)?);
    }
    parts.truncate(2);
    (der != pfx).then(|| written(SEQUENCE, &parts.concat()))
}

/// Converts a single element, after which nothing may follow.
fn whole(mut ber: &[u8], depth: usize) -> Option<Vec<u8>> {
    let der = element(&mut ber, depth)?;
    ber.is_empty().then_some(der)
}

/// Reads the next element and converts it to DER.
fn element(ber: &mut &[u8], depth: usize) -> Option<Vec<u8>> {
    let tag = byte(ber)?;
    let has_one_byte = tag & 0x1F != 0x1F;
    if depth > MAX_DEPTH || !has_one_byte {
        return None;
    }
    let length = byte(ber)?;
    if length == INDEFINITE {
        let mut parts = Vec::new();
        while !ber.starts_with(&END_OF_CONTENTS) {
            parts.push(element(ber, depth + 1)?);
        }
        *ber = ber.get(END_OF_CONTENTS.len()..)?;
        return (tag & CONSTRUCTED != 0).then(|| joined(tag, &parts, depth))?;
    }
    let length = definite(length, ber)?;
    let mut content = take(ber, length)?;
    if tag & CONSTRUCTED == 0 {
        return Some(written(tag, content));
    }
    let mut parts = Vec::new();
    while !content.is_empty() {
        parts.push(element(&mut content, depth + 1)?);
    }
    joined(tag, &parts, depth)
}

/// A constructed element made of DER parts.
fn joined(tag: u8, parts: &[Vec<u8>], depth: usize) -> Option<Vec<u8>> {
    let content = match (tag, parts) {
        (tag, parts) if tag == OCTET_STRING | CONSTRUCTED => {
            return Some(written(OCTET_STRING, &string(&parts.concat())?));
        }
        // `ContentInfo`: its octet string contains another encoding.
        (SEQUENCE, [name, data]) if *name == DATA && data.first() == Some(&CONTENT) => {
            let inner = string(content_of(data)?)?;
            let inner = whole(&inner, depth + 1).unwrap_or(inner);
            [name.clone(), written(CONTENT, &written(OCTET_STRING, &inner))].concat()
        }
        // `EncryptedContentInfo`: its octet string is tagged implicitly.
        (SEQUENCE, [name, algorithm, data]) if *name == DATA && data.first() == Some(&CONTENT) => {
            [name.as_slice(), algorithm, &written(ENCRYPTED_CONTENT, &string(content_of(data)?)?)].concat()
        }
        (_, parts) => parts.concat(),
    };
    Some(written(tag, &content))
}

/// The concatenated contents of octet strings in DER.
fn string(mut strings: &[u8]) -> Option<Vec<u8>> {
    let mut content = Vec::new();
    while !strings.is_empty() {
        let (tag, part) = tag_and_content(&mut strings)?;
        content.extend_from_slice(Some(part).filter(|_| tag == OCTET_STRING)?);
    }
    Some(content)
}

fn content_of(mut der: &[u8]) -> Option<&[u8]> {
    tag_and_content(&mut der).map(|(_, content)| content)
}

/// Splits off the next element of DER.
fn tag_and_content<'a>(der: &mut &'a [u8]) -> Option<(u8, &'a [u8])> {
    let (tag, length) = (byte(der)?, byte(der)?);
    let length = definite(length, der)?;
    Some((tag, take(der, length)?))
}

/// The value of a definite length that begins with the given byte.
fn definite(first: u8, ber: &mut &[u8]) -> Option<usize> {
    match first {
        0..=0x7F => Some(first.into()),
        0x81..=0x84 => take(ber, usize::from(first - 0x80))?
            .iter()
            .try_fold(0_usize, |length, byte| length.checked_mul(256)?.checked_add(usize::from(*byte))),
        _ => None,
    }
}

fn written(tag: u8, content: &[u8]) -> Vec<u8> {
    let length = content.len().to_be_bytes();
    let digits = length.iter().skip_while(|byte| **byte == 0).copied().collect::<Vec<_>>();
    let prefix = match content.len() {
        0..=0x7F => Vec::new(),
        // A length has at most eight bytes.
        _ => vec![0x80 | digits.len() as u8],
    };
    let digits = if content.is_empty() { vec![0] } else { digits };
    [&[tag], prefix.as_slice(), &digits, content].concat()
}

fn byte(ber: &mut &[u8]) -> Option<u8> {
    take(ber, 1)?.first().copied()
}

fn take<'a>(ber: &mut &'a [u8], length: usize) -> Option<&'a [u8]> {
    let (taken, rest) = ber.split_at_checked(length)?;
    *ber = rest;
    Some(taken)
}
