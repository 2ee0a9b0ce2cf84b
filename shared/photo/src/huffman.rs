//! Huffman tables, and the reader of a scan's bits.

/// The number of bits that are looked up in a table; longer codes are searched.
const LOOKUP_BITS: u32 = 9;
/// The largest categories of a DC difference and of an AC coefficient in a photo with 8 bits per sample.
const MAX_CATEGORIES: [u8; 2] = [11, 10];

/// The class of a table: DC or AC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    /// Categories of DC differences.
    Dc,
    /// Runs of zeros, each with the category of the AC coefficient that follows.
    Ac {
        /// Whether a code may end a run of blocks.
        end_of_band: bool,
    },
}

/// A table of Huffman codes with 1 to 16 bits.
pub(super) struct Table {
    /// By the next bits: length and symbol of the code that they begin with; length 0 for a longer code.
    lookup: [(u8, u8); 1 << LOOKUP_BITS],
    /// By length: the first 16-bit value after all codes of up to that length.
    limits: [u32; 17],
    /// By length: the value to add to a code to get the index of its symbol.
    indexes: [u32; 17],
    symbols: [u8; 256],
}

impl Table {
    /// Parses a table at the front of a DHT segment: the number of codes of each length, then the symbols.
    pub(super) fn take(body: &mut &[u8], class: Class) -> Result<Self, &'static str> {
        let (counts, rest) = body.split_first_chunk::<16>().ok_or("a Huffman table is cut short")?;
        let total = counts.iter().map(|count| usize::from(*count)).sum();
        let (listed, rest) = rest.split_at_checked(total).ok_or("a Huffman table is cut short")?;
        *body = rest;
        let mut table = Self { lookup: [(0, 0); _], limits: [0; 17], indexes: [0; 17], symbols: [0; 256] };
        if listed.is_empty() || listed.len() > table.symbols.len() {
            return Err("a Huffman table has no codes or too many");
        }
        let mut seen = [false; 256];
        for (slot, symbol) in table.symbols.iter_mut().zip(listed) {
            if !class.has(*symbol) || std::mem::replace(&mut seen[usize::from(*symbol)], true) {
                return Err("a Huffman table has a symbol without a use");
            }
            *slot = *symbol;
        }
        let mut symbols = listed.iter();
        let (mut code, mut index) = (0_u32, 0_u32);
        for (length, count) in (1_u32..).zip(counts) {
            let after = code + u32::from(*count);
            // The standard forbids a code that consists of ones only.
            if after >= 1 << length {
                return Err("a Huffman table has more codes than its lengths allow");
            }
            if let Some(unused) = LOOKUP_BITS.checked_sub(length) {
                let slots = table.lookup.iter_mut().skip((code << unused) as usize);
                let codes = symbols.by_ref().take(usize::from(*count));
                let filled = codes.flat_map(|symbol| std::iter::repeat_n((length as u8, *symbol), 1 << unused));
                // `slots` must be the second argument: `zip` would otherwise consume a slot without a code.
                filled.zip(slots).for_each(|(code, slot)| *slot = code);
            }
            table.limits[length as usize] = after << (16 - length);
            table.indexes[length as usize] = index.wrapping_sub(code);
            index += u32::from(*count);
            code = after << 1;
        }
        Ok(table)
    }

    /// The length and symbol of the code at the front of 16 bits; `None` if no code matches.
    #[inline]
    fn find(&self, bits: u32) -> Option<(u32, u8)> {
        let (length, symbol) = self.lookup[(bits >> (16 - LOOKUP_BITS)) as usize % (1 << LOOKUP_BITS)];
        if length > 0 {
            return Some((u32::from(length), symbol));
        }
        let length = (LOOKUP_BITS + 1..=16).find(|length| bits < self.limits[*length as usize])?;
        let index = self.indexes[length as usize].wrapping_add(bits >> (16 - length));
        Some((length, self.symbols[index as usize % 256]))
    }
}

impl Class {
    fn has(self, symbol: u8) -> bool {
        let (run, category) = (symbol >> 4, symbol & 0x0F);
        match self {
            Self::Dc => symbol <= MAX_CATEGORIES[0],
            Self::Ac { end_of_band } => match category {
                0 => end_of_band || run == 0 || run == 15,
                _ => category <= MAX_CATEGORIES[1],
            },
        }
    }
}

/// Reads the entropy-coded bits from an offset in the file to the next marker, most significant bit first.
pub(super) struct Bits<'a> {
    bytes: &'a [u8],
    /// The offset of the next byte that is not in the buffer.
    at: usize,
    /// The next bits, from the most significant one on.
    buffer: u64,
    /// The number of valid bits in the buffer. The bits after them are zero, or the beginning of the next byte.
    count: u32,
}

impl<'a> Bits<'a> {
    pub(super) fn new(bytes: &'a [u8], at: usize) -> Self {
        Self { bytes, at, buffer: 0, count: 0 }
    }

    /// The offset of the next unread byte; after [`Self::finish`] that of the marker.
    pub(super) fn position(&self) -> usize {
        self.at
    }

    /// Reads a code.
    #[inline]
    pub(super) fn symbol(&mut self, table: &Table) -> Result<u8, &'static str> {
        self.fill();
        let (length, symbol) = table.find((self.buffer >> 48) as u32).ok_or("a code is not in its Huffman table")?;
        self.drop(length)?;
        Ok(symbol)
    }

    /// Reads a code and the value after it, whose category is in the lower four bits of the symbol (F.1.2.1 of the
    /// standard).
    #[inline]
    pub(super) fn value(&mut self, table: &Table) -> Result<(u8, i32), &'static str> {
        self.fill();
        let (length, symbol) = table.find((self.buffer >> 48) as u32).ok_or("a code is not in its Huffman table")?;
        let category = u32::from(symbol & 0x0F);
        // The buffer has at least 32 bits, or all that are left: enough for a code of 16 and a value of at most 11
        // bits.
        let bits = (self.buffer << length >> 1 >> (63 - category)) as i32;
        self.drop(length + category)?;
        // A value whose first bit is not set is negative.
        let negative = (bits >> category.saturating_sub(1)) - 1;
        Ok((symbol, bits + (negative & (1 - (1 << category)))))
    }

    /// Reads an unsigned number of up to 16 bits.
    #[inline]
    pub(super) fn number(&mut self, length: u32) -> Result<u32, &'static str> {
        self.fill();
        // In two steps, because a shift by all 64 bits is not defined.
        let number = (self.buffer >> 1 >> (63 - length)) as u32;
        self.drop(length)?;
        Ok(number)
    }

    /// Ends at a marker. Less than a byte may be left; it must consist of ones, as the standard requires, or of zeros,
    /// as some encoders write.
    pub(super) fn finish(&mut self) -> Result<(), &'static str> {
        self.fill();
        if self.count >= 8 {
            return Err("data is left over");
        }
        let padding = self.buffer.checked_shr(64 - self.count).unwrap_or_default();
        if padding != 0 && padding != (1_u64 << self.count) - 1 {
            return Err("bits are left over");
        }
        (self.buffer, self.count) = (0, 0);
        Ok(())
    }

    /// Reads the n-th restart marker.
    pub(super) fn restart(&mut self, nth: u32) -> Result<(), &'static str> {
        let marker = [0xFF, 0xD0 + (nth % 8) as u8];
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        if !rest.starts_with(&marker) {
            return Err("not the restart marker that belongs there");
        }
        self.at += marker.len();
        Ok(())
    }

    #[inline]
    fn drop(&mut self, length: u32) -> Result<(), &'static str> {
        if length > self.count {
            return Err("the image data ends early");
        }
        self.buffer <<= length;
        self.count -= length;
        Ok(())
    }

    /// Fills the buffer to at least 32 bits, or with all that are left.
    #[inline]
    fn fill(&mut self) {
        if self.count >= 32 {
            return;
        }
        match self.bytes.get(self.at..).and_then(<[u8]>::first_chunk) {
            Some(next) if !has_ff(u64::from_be_bytes(*next)) => {
                // The next round writes the bits after the last whole byte again, with the same value.
                self.buffer |= u64::from_be_bytes(*next) >> self.count;
                let taken = (64 - self.count) / 8;
                self.at += taken as usize;
                self.count += taken * 8;
            }
            _ => self.fill_by_bytes(),
        }
    }

    fn fill_by_bytes(&mut self) {
        while self.count <= 56 {
            let byte = match self.bytes.get(self.at..).unwrap_or_default() {
                [0xFF, 0x00, ..] => {
                    self.at += 1;
                    0xFF
                }
                [0xFF, ..] | [] => return,
                [byte, ..] => *byte,
            };
            self.at += 1;
            self.buffer |= u64::from(byte) << (56 - self.count);
            self.count += 8;
        }
    }
}

/// Whether one of eight bytes is `FF`.
#[inline]
fn has_ff(word: u64) -> bool {
    const ONES: u64 = 0x0101_0101_0101_0101;
    (!word).wrapping_sub(ONES) & word & (ONES << 7) != 0
}
