//! Decodes the scans, each code by code, which proves that every block of the picture is present, that there is nothing
//! else, and that all decoders see the same picture.
//!
//! A baseline block is converted to samples as soon as it is read. The coefficients of a progressive photo arrive in
//! several scans, and are kept until the last one.

use crate::{
    huffman::{Bits, Table},
    jpeg::{Coding, Component, FrameHeader, JpegError},
    planes::{Plane, Planes},
    transform::{Block, COEFFICIENTS, Quantization, ZIGZAG},
};

/// Marks a coefficient that no scan has contained yet.
const NEVER: u8 = u8::MAX;
/// The highest bit position that a first pass may leave to refinements.
const MAX_LOW: u8 = 13;
/// The largest quantized coefficient of 8-bit samples in any scan. Larger ones could exceed 16 bits when they are added
/// up.
const MAX_QUANTIZED: i32 = 2047;
/// Maximum number of components.
const MAX_COMPONENTS: usize = 3;

const OUT_OF_RANGE: &str = "a coefficient is out of range";

/// The current Huffman tables, by number.
#[derive(Default)]
pub(super) struct Tables {
    pub(super) dc: [Option<Table>; 4],
    pub(super) ac: [Option<Table>; 4],
}

/// The state that all scans share.
pub(super) struct Scans {
    frame: FrameHeader,
    /// One for each component of the frame.
    components: Vec<Coefficients>,
}

/// The coefficients of a component that were read.
struct Coefficients {
    component: Component,
    quantization: Quantization,
    /// For each coefficient the lowest bit that was read.
    low: [u8; COEFFICIENTS],
    plane: Plane,
    /// For a progressive photo: all blocks, padding to whole MCUs included.
    blocks: Vec<Block>,
}

/// A scan header that is consistent with the frame and the previous scans.
struct Header<'a> {
    /// The components, of which the first `count` are used.
    units: [Unit<'a>; MAX_COMPONENTS],
    count: usize,
    first: u8,
    last: u8,
    high: u8,
    low: u8,
    /// The number of MCUs per row, and in total.
    columns: u32,
    mcus: u32,
}

/// The blocks of a component within an MCU.
#[derive(Clone, Copy, Default)]
struct Unit<'a> {
    /// The index of the component in the frame.
    index: usize,
    /// The number of blocks across and down.
    across: usize,
    down: usize,
    dc: Option<&'a Table>,
    ac: Option<&'a Table>,
}

/// Which tables a scan uses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Used {
    pub(super) dc: [bool; 4],
    pub(super) ac: [bool; 4],
}

impl Scans {
    /// The state before the first scan. `quantization` returns a component's quantization table by number.
    pub(super) fn new(frame: FrameHeader, quantization: impl Fn(u8) -> Option<Quantization>) -> Option<Self> {
        let progressive = frame.coding == Coding::Progressive;
        let components = frame.components().iter().map(|component| {
            let plane = Plane::of(&frame, *component);
            Some(Coefficients {
                component: *component,
                quantization: quantization(component.quantization)?,
                low: [NEVER; COEFFICIENTS],
                blocks: if progressive { vec![[0; COEFFICIENTS]; plane.blocks()] } else { Vec::new() },
                plane,
            })
        });
        Some(Self { frame, components: components.collect::<Option<_>>()? })
    }

    /// Reads a scan whose image data begins at an offset. Returns the offset of the next marker, and the tables that it
    /// used.
    pub(super) fn read(
        &mut self,
        header: &[u8],
        tables: &Tables,
        restart_interval: u16,
        bytes: &[u8],
        at: usize,
    ) -> Result<(usize, Used), JpegError> {
        let malformed = |why| JpegError::Scan { offset: at, why };
        let mut used = Used::default();
        let header = self.header(header, tables, &mut used).map_err(malformed)?;
        let mut bits = Bits::new(bytes, at);
        let read = self.image_data(&header, restart_interval, &mut bits);
        read.map_err(|why| JpegError::Scan { offset: bits.position(), why })?;
        Ok((bits.position(), used))
    }

    /// Ends the image data and returns the picture. Fails if a part of it is missing.
    pub(super) fn finish(self, offset: usize) -> Result<Planes, JpegError> {
        if !self.components.iter().flat_map(|component| component.low).all(|low| low == 0) {
            return Err(JpegError::Incomplete);
        }
        let planes = self.components.into_iter().map(|mut component| {
            let blocks = std::mem::take(&mut component.blocks);
            let columns = component.plane.blocks_across();
            for (at, block) in blocks.iter().enumerate() {
                component.draw(at % columns, at / columns, block)?;
            }
            Ok(component.plane)
        });
        let planes = planes.collect::<Result<_, _>>().map_err(|why| JpegError::Scan { offset, why })?;
        Planes::of(planes).ok_or(JpegError::Incomplete)
    }

    /// Parses a scan header, and records its pass over the coefficients: first passes precede refinements, which
    /// proceed bit by bit.
    fn header<'a>(&mut self, body: &[u8], tables: &'a Tables, used: &mut Used) -> Result<Header<'a>, &'static str> {
        let (Some((count, rest)), Some(&[first, last, approximation])) = (body.split_first(), body.last_chunk()) else {
            return Err("a scan header is cut short");
        };
        let (high, low) = (approximation >> 4, approximation & 0x0F);
        let count = usize::from(*count);
        let named = rest.chunks_exact(2).take(count);
        if named.len() != count || !(1..=MAX_COMPONENTS).contains(&count) {
            return Err("a scan header is cut short");
        }
        let (most_tables, well_formed) = match self.frame.coding {
            Coding::Baseline => (1, (first, last, high, low) == (0, 63, 0, 0)),
            Coding::Progressive => {
                let band = if first == 0 { last == 0 } else { first <= last && last < 64 && count == 1 };
                (3, band && low <= MAX_LOW && (high == 0 || high == low + 1))
            }
        };
        if !well_formed {
            return Err("a scan of coefficients that no scan has");
        }
        let mut units = [Unit::default(); MAX_COMPONENTS];
        let mut known = self.components.iter_mut().enumerate();
        for (unit, pair) in units.iter_mut().zip(named) {
            let &[id, numbers] = pair else { return Err("a scan header is cut short") };
            let (dc, ac) = (usize::from(numbers >> 4), usize::from(numbers & 0x0F));
            let (uses_dc, uses_ac) = (first == 0 && high == 0, last > 0);
            // Decoders differ here: some look up a table that the scan does not use, and always have the first two
            // tables; others have only the defined tables, and look them up even where the scan refines the DC
            // coefficient. So both must be possible.
            for (number, used) in [(dc, uses_dc), (ac, uses_ac)] {
                if number > if used { most_tables } else { 1 } {
                    return Err("a scan names a table that cannot be");
                }
            }
            if first == 0 && !matches!(tables.dc.get(dc), Some(Some(_))) {
                return Err("a scan names a table that is missing");
            }
            // Components must be named in the order of the frame, so none can occur twice.
            let found = known.find(|(_, coefficients)| coefficients.component.id == id);
            let (index, coefficients) = found.ok_or("a component out of order")?;
            coefficients.note(first, last, high, low)?;
            let Component { horizontal, vertical, .. } = coefficients.component;
            *unit = Unit {
                index,
                across: usize::from(horizontal),
                down: usize::from(vertical),
                dc: if uses_dc { Some(table(&tables.dc, &mut used.dc, dc)?) } else { None },
                ac: if uses_ac { Some(table(&tables.ac, &mut used.ac, ac)?) } else { None },
            };
        }
        let (columns, rows) = if count == 1 {
            // A component alone in a scan is padded to whole blocks only.
            let [unit, ..] = &mut units;
            (unit.across, unit.down) = (1, 1);
            let alone = self.components.get(unit.index).map(|coefficients| self.frame.size(coefficients.component));
            let (width, height) = alone.unwrap_or_default();
            (width.div_ceil(8), height.div_ceil(8))
        } else {
            self.frame.mcus()
        };
        Ok(Header { units, count, first, last, high, low, columns, mcus: columns * rows })
    }

    fn image_data(
        &mut self,
        header: &Header<'_>,
        restart_interval: u16,
        bits: &mut Bits<'_>,
    ) -> Result<(), &'static str> {
        let interval = if restart_interval == 0 { header.mcus } else { u32::from(restart_interval) };
        let (mut from, mut restarts) = (0, 0);
        loop {
            let run = from..header.mcus.min(from + interval);
            match (self.frame.coding, header.first, header.high) {
                (Coding::Baseline, ..) => self.blocks(bits, header, run)?,
                (Coding::Progressive, 0, 0) => self.first_coefficients(bits, header, run)?,
                (Coding::Progressive, 0, _) => self.first_refinement(bits, header, run)?,
                (Coding::Progressive, _, 0) => self.band(bits, header, run)?,
                (Coding::Progressive, ..) => self.band_refinement(bits, header, run)?,
            }
            bits.finish()?;
            from += interval;
            if from >= header.mcus {
                return Ok(());
            }
            bits.restart(restarts)?;
            restarts += 1;
        }
    }

    /// Reads whole blocks, and converts each to samples at once.
    fn blocks(&mut self, bits: &mut Bits<'_>, header: &Header<'_>, run: Range) -> Result<(), &'static str> {
        let mut before = [0; MAX_COMPONENTS];
        each_block(header, run, |at, unit, column, row| {
            let (Some(coefficients), Some(dc), Some(ac)) = (self.components.get_mut(unit.index), unit.dc, unit.ac)
            else {
                return Err("a component out of order");
            };
            before[at] = difference(bits, dc, before[at])?;
            let mut block = [0; COEFFICIENTS];
            block[0] = before[at] as i16;
            if rest_of_block(bits, ac, &mut block)? {
                return coefficients.draw(column, row, &block);
            }
            let sample = coefficients.quantization.even_sample(block[0]).ok_or(OUT_OF_RANGE)?;
            coefficients.plane.set(column, row, &[[sample; 8]; 8]);
            Ok(())
        })
    }

    /// Reads the first pass over DC coefficients.
    fn first_coefficients(&mut self, bits: &mut Bits<'_>, header: &Header<'_>, run: Range) -> Result<(), &'static str> {
        let mut before = [0; MAX_COMPONENTS];
        each_block(header, run, |at, unit, column, row| {
            let dc = unit.dc.ok_or("a scan names a table that is missing")?;
            before[at] = difference(bits, dc, before[at])?;
            let value = before[at] << header.low;
            if value.abs() > MAX_QUANTIZED + 1 {
                return Err(OUT_OF_RANGE);
            }
            self.block(unit, column, row)?[0] = value as i16;
            Ok(())
        })
    }

    /// Reads a refinement bit of the DC coefficients.
    fn first_refinement(&mut self, bits: &mut Bits<'_>, header: &Header<'_>, run: Range) -> Result<(), &'static str> {
        each_block(header, run, |_, unit, column, row| {
            let bit = bits.number(1)? as i16;
            self.block(unit, column, row)?[0] |= bit << header.low;
            Ok(())
        })
    }

    /// Reads the first pass over a band of AC coefficients.
    fn band(&mut self, bits: &mut Bits<'_>, header: &Header<'_>, run: Range) -> Result<(), &'static str> {
        let last = u32::from(header.last);
        let mut ended = 0;
        each_block(header, run, |_, unit, column, row| {
            let ac = unit.ac.ok_or("a scan names a table that is missing")?;
            if ended > 0 {
                ended -= 1;
                return Ok(());
            }
            let block = self.block(unit, column, row)?;
            let mut at = u32::from(header.first);
            while at <= last {
                // A symbol of category 0 has no value bits.
                let (symbol, value) = bits.value(ac)?;
                let zeros = u32::from(symbol >> 4);
                if value == 0 {
                    match zeros {
                        15 if at + 16 <= last => at += 16,
                        15 => return Err("a run of zeros out of its band"),
                        _ => {
                            ended = (1 << zeros) + bits.number(zeros)? - 1;
                            break;
                        }
                    }
                    continue;
                }
                at += zeros;
                if at > last {
                    return Err("a run of zeros out of its band");
                }
                let value = value << header.low;
                if value.abs() > MAX_QUANTIZED {
                    return Err(OUT_OF_RANGE);
                }
                *coefficient(block, at) = value as i16;
                at += 1;
            }
            Ok(())
        })?;
        if ended > 0 { Err("a run of empty blocks out of the picture") } else { Ok(()) }
    }

    /// Reads a refinement bit of a band of AC coefficients.
    fn band_refinement(&mut self, bits: &mut Bits<'_>, header: &Header<'_>, run: Range) -> Result<(), &'static str> {
        let (last, bit) = (u32::from(header.last), 1 << header.low);
        let mut ended = 0;
        each_block(header, run, |_, unit, column, row| {
            let ac = unit.ac.ok_or("a scan names a table that is missing")?;
            let block = self.block(unit, column, row)?;
            let mut at = u32::from(header.first);
            while ended == 0 && at <= last {
                let symbol = bits.symbol(ac)?;
                let zeros = u32::from(symbol >> 4);
                let value = match symbol & 0x0F {
                    0 if zeros < 15 => {
                        ended = (1 << zeros) + bits.number(zeros)?;
                        break;
                    }
                    0 => 0,
                    1 if bits.number(1)? == 1 => bit,
                    1 => -bit,
                    _ => return Err("a refinement of more than one bit"),
                };
                // The new coefficient follows so many coefficients that stay zero; nonzero ones in between have a
                // refinement bit each.
                at = refine(bits, block, at, last, zeros, bit)?;
                if at > last {
                    return Err("a run of zeros out of its band");
                }
                *coefficient(block, at) = value;
                at += 1;
            }
            if ended > 0 {
                refine(bits, block, at, last, u32::MAX, bit)?;
                ended -= 1;
            }
            Ok(())
        })?;
        if ended > 0 { Err("a run of empty blocks out of the picture") } else { Ok(()) }
    }

    /// A block of a progressive photo.
    #[inline]
    fn block(&mut self, unit: &Unit<'_>, column: usize, row: usize) -> Result<&mut Block, &'static str> {
        let coefficients = self.components.get_mut(unit.index);
        let at = |plane: &Plane| row * plane.blocks_across() + column;
        let block = coefficients.and_then(|coefficients| coefficients.blocks.get_mut(at(&coefficients.plane)));
        block.ok_or("a block out of the picture")
    }
}

impl Coefficients {
    /// Records a pass over some coefficients, which must be their next one.
    fn note(&mut self, first: u8, last: u8, high: u8, low: u8) -> Result<(), &'static str> {
        let before = if high == 0 { NEVER } else { high };
        if first > 0 && self.low[0] == NEVER {
            return Err("an AC scan comes before the first DC scan");
        }
        for pass in self.low.iter_mut().take(usize::from(last) + 1).skip(usize::from(first)) {
            if std::mem::replace(pass, low) != before {
                return Err("a scan is repeated or out of order");
            }
        }
        Ok(())
    }

    /// Converts a block to samples.
    #[inline]
    fn draw(&mut self, column: usize, row: usize, block: &Block) -> Result<(), &'static str> {
        let samples = self.quantization.samples(block).ok_or(OUT_OF_RANGE)?;
        self.plane.set(column, row, &samples);
        Ok(())
    }
}

/// A range of MCUs, by their numbers in the scan.
type Range = std::ops::Range<u32>;

/// Visits blocks in the order of the file, each with the number of its component in the scan, its column and its row.
#[inline]
fn each_block<'a>(
    header: &Header<'a>,
    mcus: Range,
    mut visit: impl FnMut(usize, &Unit<'a>, usize, usize) -> Result<(), &'static str>,
) -> Result<(), &'static str> {
    let columns = header.columns.max(1) as usize;
    let (mut mcu_column, mut mcu_row) = (mcus.start as usize % columns, mcus.start as usize / columns);
    for _ in mcus {
        for (at, unit) in header.units.iter().take(header.count).enumerate() {
            for row in 0..unit.down {
                for column in 0..unit.across {
                    visit(at, unit, mcu_column * unit.across + column, mcu_row * unit.down + row)?;
                }
            }
        }
        mcu_column += 1;
        if mcu_column == columns {
            (mcu_column, mcu_row) = (0, mcu_row + 1);
        }
    }
    Ok(())
}

fn table<'a>(tables: &'a [Option<Table>; 4], used: &mut [bool; 4], number: usize) -> Result<&'a Table, &'static str> {
    let (Some(Some(table)), Some(used)) = (tables.get(number), used.get_mut(number)) else {
        return Err("a scan names a table that is missing");
    };
    *used = true;
    Ok(table)
}

/// Reads a DC coefficient, which is coded as the difference from the previous one.
#[inline]
fn difference(bits: &mut Bits<'_>, dc: &Table, before: i32) -> Result<i32, &'static str> {
    let sum = before + bits.value(dc)?.1;
    if sum.abs() > MAX_QUANTIZED { Err(OUT_OF_RANGE) } else { Ok(sum) }
}

/// Reads all AC coefficients of a block. Returns whether any is nonzero.
#[inline]
fn rest_of_block(bits: &mut Bits<'_>, ac: &Table, block: &mut Block) -> Result<bool, &'static str> {
    let end = COEFFICIENTS as u32;
    let mut at = 1;
    while at < end {
        let (symbol, value) = bits.value(ac)?;
        let zeros = u32::from(symbol >> 4);
        match (zeros, value) {
            (0, 0) => return Ok(at > 1),
            // Sixteen zeros, which must be followed by a coefficient.
            (15, 0) if at + 16 < end => at += 16,
            (_, 0) => return Err("a run of zeros out of its block"),
            _ => {
                at += zeros;
                if at >= end {
                    return Err("a run of zeros out of its block");
                }
                *coefficient(block, at) = value as i16;
                at += 1;
            }
        }
    }
    Ok(true)
}

/// Reads a refinement bit of each nonzero coefficient, from an index to the last of the band, or until the given number
/// of zeros was passed. Returns the index of the next zero, or the one after the band.
fn refine(
    bits: &mut Bits<'_>,
    block: &mut Block,
    from: u32,
    last: u32,
    mut zeros: u32,
    bit: i16,
) -> Result<u32, &'static str> {
    for at in from..=last {
        let value = coefficient(block, at);
        if *value == 0 {
            if zeros == 0 {
                return Ok(at);
            }
            zeros -= 1;
        } else if bits.number(1)? == 1 {
            *value += value.signum() * bit;
        }
    }
    Ok(last + 1)
}

/// A coefficient by its index in the order of the file, 0 to 63.
#[inline]
fn coefficient(block: &mut Block, at: u32) -> &mut i16 {
    &mut block[usize::from(ZIGZAG[at as usize % COEFFICIENTS]) % COEFFICIENTS]
}
