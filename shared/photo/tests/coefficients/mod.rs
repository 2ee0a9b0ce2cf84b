//! Writes grey photos from their coefficients, which no encoder would produce, to test pictures that decoders decode
//! differently.

/// The coefficients of a block, in the order of the file.
pub(crate) type Block = [i32; 64];

/// The number of blocks along each side.
const SIDE: usize = 30;

const DQT: u8 = 0xDB;
const SOF0: u8 = 0xC0;
const SOF2: u8 = 0xC2;
const DHT: u8 = 0xC4;
const SOS: u8 = 0xDA;

/// The coding of a test photo.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Form {
    /// One scan.
    Baseline,
    /// Progressive: a scan of DC and one of AC coefficients.
    Bands,
    /// Progressive: like `Bands`, without the lowest bits, which follow one by one.
    Bits,
}

/// A photo of 240 by 240 pixels that is uniform except for its first blocks.
pub(crate) fn photo(form: Form, factor: u8, first: &[Block]) -> Vec<u8> {
    let mut blocks = first.to_vec();
    blocks.resize(SIDE * SIDE, [0; 64]);
    let marker = if matches!(form, Form::Baseline) { SOF0 } else { SOF2 };
    let mut file = b"\xFF\xD8".to_vec();
    file.extend(segment(DQT, &[&[0][..], &[factor; 64]].concat()));
    file.extend(segment(marker, &[8, 0, 240, 0, 240, 1, 1, 0x11, 0]));
    // All codes have equal length, and are the numbers of the symbols.
    let tables = [table(0x00, 4, &dc_symbols()), table(0x10, 8, &ac_symbols(form))].concat();
    file.extend(segment(DHT, &tables));
    let scans: &[(u8, u8, u8, u8)] = match form {
        Form::Baseline => &[(0, 63, 0, 0)],
        Form::Bands => &[(0, 0, 0, 0), (1, 63, 0, 0)],
        Form::Bits => {
            &[(0, 0, 0, 2), (1, 5, 0, 2), (6, 63, 0, 2), (0, 0, 2, 1), (1, 63, 2, 1), (1, 63, 1, 0), (0, 0, 1, 0)]
        }
    };
    for (from, to, high, low) in scans.iter().copied() {
        file.extend(segment(SOS, &[1, 1, 0, from, to, high << 4 | low]));
        let mut bits = Bits::default();
        let mut before = 0;
        for block in &blocks {
            if from == 0 && high == 0 {
                let dc = block[0] >> low;
                bits.value(&dc_symbols(), 4, 0, dc - before);
                before = dc;
            } else if from == 0 {
                bits.push((block[0] >> low & 1) as u32, 1);
            }
            if to > 0 {
                bits.band(form, block, from.max(1), to, high, low);
            }
        }
        file.extend(bits.finish());
    }
    file.extend(b"\xFF\xD9");
    file
}

fn segment(marker: u8, body: &[u8]) -> Vec<u8> {
    [&[0xFF, marker], &u16::try_from(body.len() + 2).unwrap().to_be_bytes()[..], body].concat()
}

fn table(class: u8, length: usize, symbols: &[u8]) -> Vec<u8> {
    let mut table = vec![0; 17];
    table[0] = class;
    table[length] = symbols.len() as u8;
    [table, symbols.to_vec()].concat()
}

fn dc_symbols() -> Vec<u8> {
    (0..=11).collect()
}

/// The symbols: all runs and categories, ends of blocks, sixteen zeros, and ends of bands where the coding has them.
fn ac_symbols(form: Form) -> Vec<u8> {
    let values = (0..16).flat_map(|run| (1..=10).map(move |category| run << 4 | category));
    let ends = (0..16).map(|run| run << 4);
    ends.filter(|end| !matches!(form, Form::Baseline) || [0, 0xF0].contains(end)).chain(values).collect()
}

#[derive(Default)]
struct Bits {
    bits: Vec<bool>,
}

impl Bits {
    fn push(&mut self, value: u32, length: usize) {
        self.bits.extend((0..length).rev().map(|bit| value >> bit & 1 == 1));
    }

    fn symbol(&mut self, symbols: &[u8], length: usize, symbol: u8) {
        self.push(symbols.iter().position(|other| *other == symbol).unwrap() as u32, length);
    }

    /// Writes a value: the symbol of its run and category, then its bits.
    fn value(&mut self, symbols: &[u8], length: usize, run: u8, value: i32) {
        let category = 32 - value.unsigned_abs().leading_zeros();
        self.symbol(symbols, length, run << 4 | category as u8);
        let bits = if value < 0 { value - 1 } else { value };
        self.push(bits as u32, category as usize);
    }

    /// Writes a band of AC coefficients (F.1.2.2, G.1.2.2 and G.1.2.3 of the standard), with a separate end for each
    /// block.
    fn band(&mut self, form: Form, block: &Block, from: u8, to: u8, high: u8, low: u8) {
        let symbols = ac_symbols(form);
        let (mut run, mut corrections) = (0, Vec::new());
        let magnitude = |at: u8, bit: u8| block[usize::from(at)].abs() >> bit;
        let newest = (from..=to).rev().find(|at| magnitude(*at, low) > 0 && (high == 0 || magnitude(*at, high) == 0));
        for at in from..=to {
            let (value, here) = (block[usize::from(at)], magnitude(at, low));
            if high > 0 && magnitude(at, high) > 0 {
                corrections.push(here & 1);
            } else if here == 0 {
                run += 1;
            } else {
                self.value(&symbols, 8, run, here * value.signum());
                corrections.drain(..).for_each(|bit| self.push(bit as u32, 1));
                run = 0;
            }
            if run == 16 && newest.is_some_and(|newest| newest > at) {
                self.symbol(&symbols, 8, 0xF0);
                corrections.drain(..).for_each(|bit| self.push(bit as u32, 1));
                run = 0;
            }
        }
        if run > 0 || !corrections.is_empty() {
            self.symbol(&symbols, 8, 0);
            corrections.drain(..).for_each(|bit| self.push(bit as u32, 1));
        }
    }

    /// The bits as bytes, padded with ones, with a zero stuffed after each `FF`.
    fn finish(self) -> Vec<u8> {
        let byte = |bits: &[bool]| (0..8).fold(0, |byte, at| byte << 1 | u8::from(*bits.get(at).unwrap_or(&true)));
        let bytes = self.bits.chunks(8).map(byte);
        bytes.flat_map(|byte| if byte == 0xFF { vec![0xFF, 0] } else { vec![byte] }).collect()
    }
}
