//! The boxes of a manifest (JUMBF, ISO/IEC 19566-5, as C2PA uses it): one store, one manifest, its assertions, its claim, its
//! signature, in this order and nothing else.
//!
//! The parser follows exactly this grammar, and what it found, written again by [`Boxes::write`], must be the bytes that
//! it read. So no length, label, salt or gap can hide anything.

/// C2PA's box types, which share their last twelve bytes.
const TYPE_SUFFIX: [u8; 12] = [0x00, 0x11, 0x00, 0x10, 0x80, 0x00, 0x00, 0xAA, 0x00, 0x38, 0x9B, 0x71];
/// A description box has a label and can be referred to.
const TOGGLES: u8 = 0x03;
/// It has a private box too: the salt.
const TOGGLES_SALTED: u8 = 0x13;
const SALT: usize = 16;
const HEAD: usize = 8;
/// More than the service makes.
const MAX_ASSERTIONS: usize = 16;

/// A manifest's boxes. Slices are parts of the bytes that were read.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Boxes<'a> {
    /// The manifest's label: `urn:c2pa:` and a UUID.
    pub(super) label: &'a str,
    pub(super) assertions: Vec<AssertionBox<'a>>,
    /// The claim's CBOR.
    pub(super) claim: &'a [u8],
    /// The claim signature's CBOR.
    pub(super) signature: &'a [u8],
}

/// One assertion.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct AssertionBox<'a> {
    pub(super) label: &'a str,
    salt: &'a [u8],
    /// The assertion's CBOR.
    pub(super) content: &'a [u8],
    /// What the claim's hash of the assertion is over: everything inside its superbox.
    pub(super) hashed: &'a [u8],
}

/// What is wrong with the boxes.
pub(super) type Malformed = &'static str;

impl<'a> Boxes<'a> {
    /// Reads the boxes of a sidecar.
    pub(super) fn parse(bytes: &'a [u8]) -> Result<Self, Malformed> {
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
            assertions.push(AssertionBox { label: assertion.label, salt, content, hashed: assertion.whole });
        }

        let claim = cbor_superbox(&mut manifest.content, b"c2cl", "c2pa.claim.v2")?;
        let signature = cbor_superbox(&mut manifest.content, b"c2cs", "c2pa.signature")?;
        end(manifest.content)?;
        Ok(Self { label: manifest.label, assertions, claim, signature })
    }

    /// Writes the boxes as the service makes them.
    fn write(&self) -> Vec<u8> {
        let mut assertion_store = description(b"c2as", "c2pa.assertions", None);
        for assertion in &self.assertions {
            let mut content = description(b"cbor", assertion.label, Some(assertion.salt));
            content.extend(boxed(b"cbor", assertion.content));
            assertion_store.extend(boxed(b"jumb", &content));
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
    salt: Option<&'a [u8]>,
    /// What follows the description box.
    content: &'a [u8],
    /// Description box and content.
    whole: &'a [u8],
}

/// Takes a superbox of a C2PA type off the front.
fn superbox<'a>(bytes: &mut &'a [u8], kind: &[u8; 4]) -> Result<Superbox<'a>, Malformed> {
    let whole = take_box(bytes, b"jumb")?;
    let mut content = whole;
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
        TOGGLES_SALTED => Some(take_box(&mut private, b"c2sh")?),
        _ => return Err("a description box with other parts"),
    };
    end(private)?;
    if salt.is_some_and(|salt| salt.len() != SALT) {
        return Err("a salt of another length");
    }
    Ok(Superbox { label, salt, content, whole })
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
    // The content was read from a box whose length has 32 bits.
    let length = (HEAD + content.len()) as u32;
    [&length.to_be_bytes(), kind, content].concat()
}

fn description(kind: &[u8; 4], label: &str, salt: Option<&[u8]>) -> Vec<u8> {
    let toggles = if salt.is_some() { TOGGLES_SALTED } else { TOGGLES };
    let salt = salt.map(|salt| boxed(b"c2sh", salt)).unwrap_or_default();
    boxed(b"jumd", &[kind, &TYPE_SUFFIX[..], &[toggles], label.as_bytes(), &[0], &salt].concat())
}
