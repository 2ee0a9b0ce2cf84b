//! The boxes of a manifest (JUMBF, ISO/IEC 19566-5, as C2PA uses it): one store, one manifest, its assertions, its claim, its
//! signature, in this order and nothing else.
//!
//! What is written here is read here. The parser follows exactly this grammar, and what it found, written again, must be
//! the bytes that it read. So no length, label, salt or gap can hide anything.

use sha2::{Digest, Sha256};

/// C2PA's box types, which share their last twelve bytes.
const TYPE_SUFFIX: [u8; 12] = [0x00, 0x11, 0x00, 0x10, 0x80, 0x00, 0x00, 0xAA, 0x00, 0x38, 0x9B, 0x71];
/// A description box has a label and can be referred to.
const TOGGLES: u8 = 0x03;
/// It has a private box too: the salt.
const TOGGLES_SALTED: u8 = 0x13;
/// The bytes of a salt.
pub(crate) const SALT: usize = 16;
const HEAD: usize = 8;
/// More than the service makes.
const MAX_ASSERTIONS: usize = 16;

/// A manifest's boxes.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Boxes<'a> {
    /// The manifest's label: `urn:c2pa:` and a UUID.
    pub(crate) label: &'a str,
    pub(crate) assertions: Vec<AssertionBox<'a>>,
    /// The claim's CBOR.
    pub(crate) claim: &'a [u8],
    /// The claim signature's CBOR.
    pub(crate) signature: &'a [u8],
}

/// One assertion.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct AssertionBox<'a> {
    pub(crate) label: &'a str,
    /// Random, so that the claim's hash of the assertion tells nothing about its content.
    pub(crate) salt: &'a [u8; SALT],
    /// The assertion's CBOR.
    pub(crate) content: &'a [u8],
}

impl AssertionBox<'_> {
    /// What the claim lists: the hash of everything inside the assertion's superbox.
    pub(crate) fn hash(&self) -> [u8; 32] {
        Sha256::digest(self.write()).into()
    }

    fn write(&self) -> Vec<u8> {
        let mut content = description(b"cbor", self.label, Some(self.salt));
        content.extend(boxed(b"cbor", self.content));
        content
    }
}

/// What is wrong with the boxes.
pub(crate) type Malformed = &'static str;

impl<'a> Boxes<'a> {
    /// Reads the boxes of a sidecar.
    pub(crate) fn parse(bytes: &'a [u8]) -> Result<Self, Malformed> {
        let boxes = Self::read(bytes)?;
        if boxes.write() == bytes { Ok(boxes) } else { Err("the boxes are not in the form in which they are made") }
    }

    fn read(mut bytes: &'a [u8]) -> Result<Self, Malformed> {
        let mut store = superbox(&mut bytes, b"c2pa")?;
        end(bytes)?;
        if store.label != "c2pa" {
            return Err("the store has another label");
        }

        let mut manifest = superbox(&mut store.content, b"c2ma")?;
        end(store.content)?;

        let mut assertion_store = superbox(&mut manifest.content, b"c2as")?;
        if assertion_store.label != "c2pa.assertions" {
            return Err("the assertion store has another label");
        }
        let mut assertions = Vec::new();
        while !assertion_store.content.is_empty() {
            if assertions.len() == MAX_ASSERTIONS {
                return Err("too many assertions");
            }
            let mut assertion = superbox(&mut assertion_store.content, b"cbor")?;
            let content = take_box(&mut assertion.content, b"cbor")?;
            end(assertion.content)?;
            let salt = assertion.salt.ok_or("an assertion without salt")?;
            assertions.push(AssertionBox { label: assertion.label, salt, content });
        }

        let claim = cbor_superbox(&mut manifest.content, b"c2cl", "c2pa.claim.v2")?;
        let signature = cbor_superbox(&mut manifest.content, b"c2cs", "c2pa.signature")?;
        end(manifest.content)?;
        Ok(Self { label: manifest.label, assertions, claim, signature })
    }

    /// Writes the boxes: the sidecar.
    pub(crate) fn write(&self) -> Vec<u8> {
        let mut assertion_store = description(b"c2as", "c2pa.assertions", None);
        for assertion in &self.assertions {
            assertion_store.extend(boxed(b"jumb", &assertion.write()));
        }
        let mut manifest = description(b"c2ma", self.label, None);
        manifest.extend(boxed(b"jumb", &assertion_store));
        for (kind, label, content) in
            [(b"c2cl", "c2pa.claim.v2", self.claim), (b"c2cs", "c2pa.signature", self.signature)]
        {
            let mut superbox = description(kind, label, None);
            superbox.extend(boxed(b"cbor", content));
            manifest.extend(boxed(b"jumb", &superbox));
        }
        let mut store = description(b"c2pa", "c2pa", None);
        store.extend(boxed(b"jumb", &manifest));
        boxed(b"jumb", &store)
    }
}

struct Superbox<'a> {
    label: &'a str,
    salt: Option<&'a [u8; SALT]>,
    /// What follows the description box.
    content: &'a [u8],
}

/// Takes a superbox of a C2PA type off the front.
fn superbox<'a>(bytes: &mut &'a [u8], kind: &[u8; 4]) -> Result<Superbox<'a>, Malformed> {
    let mut content = take_box(bytes, b"jumb")?;
    let description = take_box(&mut content, b"jumd")?;

    let (found, rest) = description.split_at_checked(16).ok_or("a description box is cut short")?;
    if found[..4] != kind[..] || found[4..] != TYPE_SUFFIX {
        return Err("a box of another type");
    }
    let (&toggles, rest) = rest.split_first().ok_or("a description box is cut short")?;
    let label_end = rest.iter().position(|byte| *byte == 0).ok_or("a label without its end")?;
    let label = std::str::from_utf8(&rest[..label_end]).map_err(|_| "a label that is not UTF-8")?;
    let mut private = &rest[label_end + 1..];
    let salt = match toggles {
        TOGGLES => None,
        TOGGLES_SALTED => {
            let salt = take_box(&mut private, b"c2sh")?;
            Some(salt.try_into().map_err(|_| "a salt of another length")?)
        }
        _ => return Err("a description box with other parts"),
    };
    end(private)?;
    Ok(Superbox { label, salt, content })
}

/// Takes a superbox that holds one CBOR box off the front, and returns the CBOR.
fn cbor_superbox<'a>(bytes: &mut &'a [u8], kind: &[u8; 4], label: &str) -> Result<&'a [u8], Malformed> {
    let mut superbox = superbox(bytes, kind)?;
    if superbox.label != label || superbox.salt.is_some() {
        return Err("claim or signature has another label");
    }
    let content = take_box(&mut superbox.content, b"cbor")?;
    end(superbox.content)?;
    Ok(content)
}

/// Takes a box of a type off the front, and returns its content.
fn take_box<'a>(bytes: &mut &'a [u8], kind: &[u8; 4]) -> Result<&'a [u8], Malformed> {
    let (head, _) = bytes.split_first_chunk::<HEAD>().ok_or("a box is cut short")?;
    let [l3, l2, l1, l0, found @ ..] = *head;
    if found != *kind {
        return Err("another box was expected");
    }
    let length = usize::try_from(u32::from_be_bytes([l3, l2, l1, l0])).map_err(|_| "a box is too long")?;
    let content = bytes.get(HEAD..length).ok_or("a box's length is wrong")?;
    *bytes = &bytes[length..];
    Ok(content)
}

fn end(bytes: &[u8]) -> Result<(), Malformed> {
    if bytes.is_empty() { Ok(()) } else { Err("bytes that belong to no box") }
}

fn boxed(kind: &[u8; 4], content: &[u8]) -> Vec<u8> {
    // Manifests have kilobytes; one that was read had its length in 32 bits.
    let length = (HEAD + content.len()) as u32;
    [&length.to_be_bytes(), kind, content].concat()
}

fn description(kind: &[u8; 4], label: &str, salt: Option<&[u8; SALT]>) -> Vec<u8> {
    let toggles = if salt.is_some() { TOGGLES_SALTED } else { TOGGLES };
    let salt = salt.map(|salt| boxed(b"c2sh", salt)).unwrap_or_default();
    boxed(b"jumd", &[kind, &TYPE_SUFFIX[..], &[toggles], label.as_bytes(), &[0], &salt].concat())
}
