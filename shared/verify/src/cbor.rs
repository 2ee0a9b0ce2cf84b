//! Checks that CBOR is deterministically encoded (RFC 8949, 4.2), before anything is decoded.
//!
//! Lengths must be definite and in their shortest form, text must be UTF-8, a map must not repeat a key, nesting is
//! limited, and nothing may follow the value. After this check a decoder allocates at most a small multiple of the
//! input's size, and there is only one way to read the bytes.

/// Maximum nesting. The manifests that the service makes have six levels.
const MAX_DEPTH: u32 = 16;

/// Checks that the bytes are exactly one such value.
pub(super) fn check(bytes: &[u8]) -> Result<(), &'static str> {
    let mut reader = Reader { bytes, at: 0 };
    reader.value(MAX_DEPTH)?;
    if reader.at == bytes.len() { Ok(()) } else { Err("bytes behind a CBOR value") }
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    fn value(&mut self, depth: u32) -> Result<(), &'static str> {
        let depth = depth.checked_sub(1).ok_or("CBOR nested too deep")?;
        let first = self.take(1)?[0];
        let (major, info) = (first >> 5, first & 0x1F);
        match major {
            // Integers.
            0 | 1 => self.argument(info).map(drop),
            2 => self.string(info).map(drop),
            3 => std::str::from_utf8(self.string(info)?).map(drop).map_err(|_| "CBOR text is not UTF-8"),
            4 => {
                let items = self.argument(info)?;
                (0..items).try_for_each(|_| self.value(depth))
            }
            5 => self.map(info, depth),
            // A tag with its value.
            6 => {
                self.argument(info)?;
                self.value(depth)
            }
            // `false`, `true`, `null`, and floating-point numbers of any precision.
            _ => match info {
                20..=22 => Ok(()),
                25 => self.take(2).map(drop),
                26 => self.take(4).map(drop),
                27 => self.take(8).map(drop),
                _ => Err("a CBOR value that no manifest needs"),
            },
        }
    }

    fn map(&mut self, info: u8, depth: u32) -> Result<(), &'static str> {
        let entries = self.argument(info)?;
        let mut keys: Vec<&[u8]> = Vec::new();
        for _ in 0..entries {
            let start = self.at;
            self.value(depth)?;
            let key = &self.bytes[start..self.at];
            if keys.contains(&key) {
                return Err("a CBOR map has a key twice");
            }
            if keys.len() == MAX_ENTRIES {
                return Err("a CBOR map has too many keys");
            }
            keys.push(key);
            self.value(depth)?;
        }
        Ok(())
    }

    fn string(&mut self, info: u8) -> Result<&'a [u8], &'static str> {
        let length = self.argument(info)?;
        self.take(usize::try_from(length).map_err(|_| "CBOR is cut short")?)
    }

    /// Reads the argument after an initial byte; only its shortest form is valid.
    fn argument(&mut self, info: u8) -> Result<u64, &'static str> {
        let (value, least) = match info {
            0..=23 => (u64::from(info), 0),
            24 => (self.number(1)?, 24),
            25 => (self.number(2)?, 1 << 8),
            26 => (self.number(4)?, 1 << 16),
            27 => (self.number(8)?, 1 << 32),
            _ => return Err("CBOR of indefinite length"),
        };
        if value >= least { Ok(value) } else { Err("a CBOR number is not in its shortest form") }
    }

    fn number(&mut self, bytes: usize) -> Result<u64, &'static str> {
        Ok(self.take(bytes)?.iter().fold(0, |number, byte| number << 8 | u64::from(*byte)))
    }

    fn take(&mut self, length: usize) -> Result<&'a [u8], &'static str> {
        let end = self.at.checked_add(length).ok_or("CBOR is cut short")?;
        let taken = self.bytes.get(self.at..end).ok_or("CBOR is cut short")?;
        self.at = end;
        Ok(taken)
    }
}

/// Maximum entries of a map. Maps of manifests have about ten; the search for duplicate keys must not take quadratic
/// time.
const MAX_ENTRIES: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_in_their_one_form_pass() {
        for good in [
            &[0x00][..],
            &[0x18, 24],
            &[0x19, 1, 0],
            &[0x1A, 0, 1, 0, 0],
            &[0x1B, 0, 0, 0, 1, 0, 0, 0, 0],
            &[0x20],
            &[0x62, 0xC3, 0xA9],
            &[0x42, 0xFF, 0xFF],
            &[0x82, 0xF4, 0xF6],
            &[0xA2, 0x01, 0x02, 0x02, 0x02],
            &[0xC0, 0x61, b'x'],
            &[0xF9, 0, 0],
            &[0xFA, 0, 0, 0, 0],
            &[0xFB, 0, 0, 0, 0, 0, 0, 0, 0],
        ] {
            assert_eq!(check(good), Ok(()), "{good:02x?}");
        }
    }

    #[test]
    fn every_other_form_is_refused() {
        for (bad, why) in [
            (&[][..], "CBOR is cut short"),
            (&[0x00, 0x00], "bytes behind a CBOR value"),
            (&[0x18, 23], "a CBOR number is not in its shortest form"),
            (&[0x19, 0, 255], "a CBOR number is not in its shortest form"),
            (&[0x1A, 0, 0, 255, 255], "a CBOR number is not in its shortest form"),
            (&[0x1B, 0, 0, 0, 0, 255, 255, 255, 255], "a CBOR number is not in its shortest form"),
            (&[0x58, 1, 0], "a CBOR number is not in its shortest form"),
            (&[0x5F, 0x41, 0, 0xFF], "CBOR of indefinite length"),
            (&[0x9F, 0xFF], "CBOR of indefinite length"),
            (&[0x1C], "CBOR of indefinite length"),
            (&[0x61, 0xFF], "CBOR text is not UTF-8"),
            (&[0xA2, 0x01, 0x02, 0x01, 0x02], "a CBOR map has a key twice"),
            (&[0xF7], "a CBOR value that no manifest needs"),
            (&[0xF8, 0xFF], "a CBOR value that no manifest needs"),
            (&[0x5B, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], "CBOR is cut short"),
            (&[0x9B, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], "CBOR is cut short"),
            (&[0x81; 100], "CBOR nested too deep"),
        ] {
            assert_eq!(check(bad), Err(why), "{bad:02x?}");
        }
    }

    #[test]
    fn refuses_maps_with_too_many_keys() {
        let mut map = vec![0xB9, 0x01, 0x00];
        for key in 0..=255u8 {
            map.extend([0x44, 0, 0, 0, key, 0x00]);
        }
        assert_eq!(check(&map), Err("a CBOR map has too many keys"));
    }
}
