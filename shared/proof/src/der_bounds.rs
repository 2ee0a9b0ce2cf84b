//! Limits the work of a DER decoder: it sorts the elements of a SET by insertion, so very many elements would take
//! quadratic time.

/// Maximum number of elements of a constructed value; proofs have fewer.
const MAX_ELEMENTS: usize = 64;
/// Maximum nesting; proofs have less.
const MAX_DEPTH: usize = 32;

/// The tag of a SET.
const SET: u8 = 0x31;

/// Checks in one pass, without decoding, that no constructed value has too many elements. Invalid DER is left for the
/// decoder to report.
///
/// # Errors
/// A text that names the exceeded limit.
pub fn check(der: &[u8]) -> Result<(), &'static str> {
    elements(der, MAX_ELEMENTS, MAX_DEPTH, |_| MAX_ELEMENTS)
}

/// Like [`check`], for revocation lists: only SETs are bounded, because lists name many certificates.
///
/// # Errors
/// A text that names the exceeded limit.
pub fn check_sets(der: &[u8]) -> Result<(), &'static str> {
    elements(der, usize::MAX, MAX_DEPTH, |tag| if tag == SET { MAX_ELEMENTS } else { usize::MAX })
}

fn elements(mut bytes: &[u8], most: usize, depth: usize, bound: fn(u8) -> usize) -> Result<(), &'static str> {
    let depth = depth.checked_sub(1).ok_or("DER nested too deep")?;
    let mut count = 0;
    while let Some((tag, content, rest)) = take(bytes) {
        count += 1;
        if count > most {
            return Err("a DER value with too many elements");
        }
        if tag & 0x20 != 0 {
            elements(content, bound(tag), depth, bound)?;
        }
        bytes = rest;
    }
    Ok(())
}

/// Splits off the first value: the first byte of its tag, its content, and the bytes after it.
fn take(bytes: &[u8]) -> Option<(u8, &[u8], &[u8])> {
    let (&tag, rest) = bytes.split_first()?;
    // A tag number of several bytes continues while the most significant bit is set.
    let long = match tag & 0x1F {
        0x1F => 1 + rest.iter().position(|byte| byte & 0x80 == 0)?,
        _ => 0,
    };
    let (&first, rest) = rest.get(long..)?.split_first()?;
    let (length, rest) = match first {
        0..=0x7F => (usize::from(first), rest),
        0x81..=0x84 => {
            let (number, rest) = rest.split_at_checked(usize::from(first & 0x7F))?;
            (number.iter().fold(0, |length, byte| length << 8 | usize::from(*byte)), rest)
        }
        _ => return None,
    };
    let (content, rest) = rest.split_at_checked(length)?;
    Some((tag, content, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A SET of INTEGERs in descending order.
    fn set(count: u16) -> Vec<u8> {
        let content: Vec<u8> = (0..count).rev().flat_map(|n| [2, 2, (n >> 8) as u8 | 0x40, n as u8]).collect();
        [&[0x31, 0x82][..], &(content.len() as u16).to_be_bytes(), &content].concat()
    }

    #[test]
    fn refuses_too_many_elements_anywhere() {
        assert_eq!(check(&set(64)), Ok(()));
        assert_eq!(check(&set(65)), Err("a DER value with too many elements"));
        let inner = set(5000);
        let nested = [&[0xA0, 0x83, 0][..], &(inner.len() as u16).to_be_bytes(), &inner].concat();
        assert_eq!(check(&nested), Err("a DER value with too many elements"));
    }

    #[test]
    fn lists_are_long_and_sets_are_not() {
        let sequence = |content: &[u8]| [&[0x30, 0x82][..], &(content.len() as u16).to_be_bytes(), content].concat();
        let list = sequence(&[2, 1, 7].repeat(1000));
        assert_eq!((check(&list), check_sets(&list)), (Err("a DER value with too many elements"), Ok(())));
        assert_eq!(check_sets(&sequence(&set(65))), Err("a DER value with too many elements"));
        assert_eq!(check_sets(&sequence(&set(64))), Ok(()));
    }

    #[test]
    fn deep_nesting_is_refused() {
        let deep = (0..40).fold(Vec::new(), |inner: Vec<u8>, _| [&[0x30, inner.len() as u8][..], &inner].concat());
        assert_eq!(check(&deep), Err("DER nested too deep"));
    }
}
