//! A strict parser for the boxes of a manifest (JUMBF, ISO/IEC 19566-5, as C2PA uses it): one store with one manifest,
//! which consists of its assertions, its claim and its signature, in this order.
//!
//! Every box has its exact length; every type, label and flag has a single allowed value or is covered by a hash; and
//! every byte belongs to a box. So no data can be hidden between boxes.

use sha2::{Digest, Sha256};

/// The last twelve bytes of all C2PA box types.
const TYPE_SUFFIX: [u8; 12] = [0x00, 0x11, 0x00, 0x10, 0x80, 0x00, 0x00, 0xAA, 0x00, 0x38, 0x9B, 0x71];
/// The toggles of a description box with a label that can be referred to.
const TOGGLES: u8 = 0x03;
/// The toggles of a description box that also has a private box, which contains the salt.
const TOGGLES_SALTED: u8 = 0x13;
/// The length of a salt in bytes.
const SALT: usize = 16;
const HEAD: usize = 8;
/// Maximum number of assertions; the service writes fewer.
const MAX_ASSERTIONS: usize = 16;

/// The boxes of a manifest.
#[derive(Debug, PartialEq, Eq)]
pub struct Boxes<'a> {
    /// The manifest's label: `urn:c2pa:` and a UUID.
    pub label: &'a str,
    /// The assertions, in the order of the assertion store.
    pub assertions: Vec<AssertionBox<'a>>,
    /// The claim's CBOR.
    pub claim: &'a [u8],
    /// The claim signature's CBOR.
    pub signature: &'a [u8],
}

/// An assertion.
#[derive(Debug, PartialEq, Eq)]
pub struct AssertionBox<'a> {
    /// The label of the assertion.
    pub label: &'a str,
    /// The CBOR of the assertion.
    pub content: &'a [u8],
    /// The content of the assertion's superbox: its description box with label and salt, and its content box.
    hashed: &'a [u8],
}

impl AssertionBox<'_> {
    /// The hash that the claim lists: SHA-256 of the content of the assertion's superbox.
    pub fn hash(&self) -> [u8; 32] {
        Sha256::digest(self.hashed).into()
    }
}

/// A description of what is wrong with the boxes.
pub type Malformed = &'static str;

impl<'a> Boxes<'a> {
    /// Parses a sidecar.
    pub fn parse(mut bytes: &'a [u8]) -> Result<Self, Malformed> {
        let mut store = superbox(&mut bytes, b"c2pa")?;
        end(bytes)?;
        if store.label != "c2pa" {
            return Err("the label of the store is not c2pa");
        }
        store.without_salt()?;

        let mut manifest = superbox(&mut store.content, b"c2ma")?;
        end(store.content)?;
        manifest.without_salt()?;

        let mut assertion_store = superbox(&mut manifest.content, b"c2as")?;
        if assertion_store.label != "c2pa.assertions" {
            return Err("the label of the assertion store is not c2pa.assertions");
        }
        assertion_store.without_salt()?;
        let mut assertions = Vec::new();
        while !assertion_store.content.is_empty() {
            if assertions.len() == MAX_ASSERTIONS {
                return Err("too many assertions");
            }
            assertions.push(assertion(&mut assertion_store.content)?);
        }

        let claim = cbor_superbox(&mut manifest.content, b"c2cl", "c2pa.claim.v2")?;
        let signature = cbor_superbox(&mut manifest.content, b"c2cs", "c2pa.signature")?;
        end(manifest.content)?;
        Ok(Self { label: manifest.label, assertions, claim, signature })
    }

    /// The CBOR of the assertion with the given label.
    pub fn content(&self, label: &str) -> Option<&'a [u8]> {
        self.assertions.iter().find(|assertion| assertion.label == label).map(|assertion| assertion.content)
    }
}

struct Superbox<'a> {
    label: &'a str,
    has_salt: bool,
    /// The boxes after the description box.
    content: &'a [u8],
    /// The description box and the boxes after it.
    inside: &'a [u8],
}

impl Superbox<'_> {
    fn without_salt(&self) -> Result<(), Malformed> {
        if self.has_salt { Err("a box has a salt that is not allowed") } else { Ok(()) }
    }
}

/// Takes a superbox of a C2PA type from the front.
fn superbox<'a>(bytes: &mut &'a [u8], kind: &[u8; 4]) -> Result<Superbox<'a>, Malformed> {
    let inside = take_box(bytes, b"jumb")?;
    let mut content = inside;
    let description = take_box(&mut content, b"jumd")?;

    let (found, rest) = description.split_at_checked(16).ok_or("a description box is cut short")?;
    if found[..4] != kind[..] || found[4..] != TYPE_SUFFIX {
        return Err("a box has an unexpected type");
    }
    let (&toggles, rest) = rest.split_first().ok_or("a description box is cut short")?;
    let label_end = rest.iter().position(|byte| *byte == 0).ok_or("a label without its end")?;
    let label = std::str::from_utf8(&rest[..label_end]).map_err(|_| "a label that is not UTF-8")?;
    let mut private = &rest[label_end + 1..];
    let has_salt = match toggles {
        TOGGLES => false,
        TOGGLES_SALTED if take_box(&mut private, b"c2sh")?.len() == SALT => true,
        TOGGLES_SALTED => return Err("a salt has an unexpected length"),
        _ => return Err("a description box with other parts"),
    };
    end(private)?;
    Ok(Superbox { label, has_salt, content, inside })
}

/// Takes a CBOR assertion from the front.
fn assertion<'a>(bytes: &mut &'a [u8]) -> Result<AssertionBox<'a>, Malformed> {
    let mut superbox = superbox(bytes, b"cbor")?;
    if !superbox.has_salt {
        return Err("an assertion without salt");
    }
    let content = take_box(&mut superbox.content, b"cbor")?;
    end(superbox.content)?;
    Ok(AssertionBox { label: superbox.label, content, hashed: superbox.inside })
}

/// Takes a superbox with a single CBOR box from the front, and returns the CBOR.
fn cbor_superbox<'a>(bytes: &mut &'a [u8], kind: &[u8; 4], label: &str) -> Result<&'a [u8], Malformed> {
    let mut superbox = superbox(bytes, kind)?;
    superbox.without_salt()?;
    if superbox.label != label {
        return Err("the claim or the signature has an unexpected label");
    }
    let content = take_box(&mut superbox.content, b"cbor")?;
    end(superbox.content)?;
    Ok(content)
}

/// Takes a box of a given type from the front, and returns its content.
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
