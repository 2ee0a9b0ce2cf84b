//! The scans: each is read code by code, so that every block of the picture is known to be there, and nothing else.
//!
//! What the codes stand for is of no interest here, with one exception: a refinement has one bit for each coefficient that
//! is not zero so far, so these are noted.

use super::{
    Coding, FrameHeader, JpegError,
    huffman::{Bits, Table},
};

/// The coefficients of a block.
const COEFFICIENTS: usize = 64;
/// No pass over a coefficient yet.
const NEVER: u8 = u8::MAX;
/// The lowest bit that a first pass can leave to refinements.
const MAX_LOW: u8 = 13;
/// The blocks that an MCU of several components may have.
const MAX_BLOCKS: u32 = 10;

/// The Huffman tables that are in force, by number.
#[derive(Default)]
pub(super) struct Tables {
    pub(super) dc: [Option<Table>; 4],
    pub(super) ac: [Option<Table>; 4],
}

/// The state that scans share.
pub(super) struct Scans {
    frame: FrameHeader,
    /// By component and coefficient: the lowest bit that is there.
    low: [[u8; COEFFICIENTS]; 3],
    /// By component and block: the coefficients that are not zero. Empty where no refinement can ask for it.
    nonzero: [Vec<u64>; 3],
}

/// A scan header that fits the frame and the scans before.
struct Header {
    /// The components' indexes in the frame, with the numbers of their tables; the first `count` count.
    components: [(usize, usize, usize); 3],
    count: usize,
    first: u8,
    last: u8,
    high: u8,
    low: u8,
}

/// The tables that a scan reads with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Used {
    pub(super) dc: [bool; 4],
    pub(super) ac: [bool; 4],
}

impl Scans {
    pub(super) fn new(frame: FrameHeader) -> Self {
        Self { frame, low: [[NEVER; COEFFICIENTS]; 3], nonzero: [const { Vec::new() }; 3] }
    }

    /// Reads a scan whose image data begins at a place. Returns the offset of the next marker, and the tables it used.
    pub(super) fn read(
        &mut self,
        header: &[u8],
        tables: &Tables,
        restart_interval: u16,
        bytes: &[u8],
        at: usize,
    ) -> Result<(usize, Used), JpegError> {
        let malformed = |why| JpegError::Scan { offset: at, why };
        let header = self.header(header).map_err(malformed)?;
        let mut bits = Bits::new(bytes, at);
        let read = self.image_data(&header, tables, restart_interval, &mut bits);
        let used = read.map_err(|why| JpegError::Scan { offset: bits.position(), why })?;
        Ok((bits.position(), used))
    }

    /// Refuses a picture of which something never came.
    pub(super) fn check_complete(&self) -> Result<(), JpegError> {
        let components = self.low.iter().take(usize::from(self.frame.components));
        match components.flatten().all(|low| *low == 0) {
            true => Ok(()),
            false => Err(JpegError::Incomplete),
        }
    }

    /// Reads a header and notes its pass over the coefficients: first passes come before refinements, which come bit by bit.
    fn header(&mut self, body: &[u8]) -> Result<Header, &'static str> {
        let (Some((count, rest)), Some(&[first, last, approximation])) = (body.split_first(), body.last_chunk()) else {
            return Err("a scan header is cut short");
        };
        let (high, low) = (approximation >> 4, approximation & 0x0F);
        let mut header = Header { components: [(0, 0, 0); 3], count: usize::from(*count), first, last, high, low };
        let known = self.frame.table.iter().take(usize::from(self.frame.components));
        let mut known = known.enumerate();
        let named = rest.chunks_exact(2).take(header.count);
        if named.len() != header.count || header.count > header.components.len() {
            return Err("a scan header is cut short");
        }
        for (slot, pair) in header.components.iter_mut().zip(named) {
            let &[id, tables] = pair else { return Err("a scan header is cut short") };
            // Components are named in the order of the frame, so none twice.
            let (index, _) = known.find(|(_, component)| component.id == id).ok_or("a component out of order")?;
            *slot = (index, usize::from(tables >> 4), usize::from(tables & 0x0F));
        }
        let (most_tables, well_formed) = match self.frame.coding {
            Coding::Baseline => (1, (first, last, high, low) == (0, 63, 0, 0)),
            Coding::Progressive => {
                let band = if first == 0 { last == 0 } else { first <= last && last < 64 && header.count == 1 };
                (3, band && low <= MAX_LOW && (high == 0 || high == low + 1))
            }
        };
        if !well_formed {
            return Err("a scan of coefficients that no scan has");
        }
        for (index, dc, ac) in header.components.iter().take(header.count) {
            if *dc > most_tables || *ac > most_tables {
                return Err("a scan names a table that cannot be");
            }
            let Some(passes) = self.low.get_mut(*index) else { return Err("a component out of order") };
            let before = if high == 0 { NEVER } else { high };
            if first > 0 && passes[0] == NEVER {
                return Err("a scan before its time");
            }
            for pass in passes.iter_mut().take(usize::from(last) + 1).skip(usize::from(first)) {
                if std::mem::replace(pass, low) != before {
                    return Err("a scan before its time, or again");
                }
            }
        }
        Ok(header)
    }

    fn image_data(
        &mut self,
        header: &Header,
        tables: &Tables,
        restart_interval: u16,
        bits: &mut Bits<'_>,
    ) -> Result<Used, &'static str> {
        let mut used = Used::default();
        let components = header.components.get(..header.count).unwrap_or_default();
        let mut units = [(0, None, None); 3];
        let progressive = self.frame.coding == Coding::Progressive;
        if header.first == 0 && header.high == 0 {
            for (unit, (_, number, _)) in units.iter_mut().zip(components) {
                unit.1 = Some(table(&tables.dc, &mut used.dc, *number)?);
            }
        }
        if header.last > 0 {
            for (unit, (_, _, number)) in units.iter_mut().zip(components) {
                unit.2 = Some(table(&tables.ac, &mut used.ac, *number)?);
            }
        }
        let mcus = match components {
            // Alone a component has no padding but to whole blocks.
            &[(index, ..)] => {
                units[0].0 = 1;
                let (columns, rows) = self.frame.blocks(index);
                columns * rows
            }
            _ => {
                for (unit, (index, ..)) in units.iter_mut().zip(components) {
                    unit.0 = self.frame.table.get(*index).map_or(0, |component| component.blocks());
                }
                let (columns, rows) = self.frame.mcus();
                columns * rows
            }
        };
        let units = units.get(..header.count).unwrap_or_default();
        if units.iter().map(|unit| unit.0).sum::<u32>() > MAX_BLOCKS {
            return Err("an MCU of too many blocks");
        }
        // Bands of AC coefficients come one component at a time.
        let index = components.first().map_or(0, |component| component.0);
        let nonzero = self.nonzero.get_mut(index).ok_or("a component out of order")?;
        if progressive && header.last > 0 && header.low > 0 && nonzero.is_empty() {
            *nonzero = vec![0; mcus as usize];
        }

        let mut nonzero = nonzero.as_mut_slice();
        let (mut left, mut restarts) = (mcus, 0);
        loop {
            let run = if restart_interval == 0 { left } else { left.min(u32::from(restart_interval)) };
            let (here, rest) = std::mem::take(&mut nonzero).split_at_mut_checked(run as usize).unwrap_or_default();
            nonzero = rest;
            match (units, header.high) {
                (&[(_, _, Some(ac))], 0) if progressive => band(bits, header, ac, run, here)?,
                (&[(_, _, Some(ac))], _) if progressive => band_refinement(bits, header, ac, here)?,
                (_, 0) => blocks(bits, units, run)?,
                _ => (0..run).try_for_each(|_| bits.skip(units.iter().map(|unit| unit.0).sum()))?,
            }
            bits.finish()?;
            left -= run;
            if left == 0 {
                return Ok(used);
            }
            bits.restart(restarts)?;
            restarts += 1;
        }
    }
}

/// A component of an MCU: its blocks, and the tables that they are read with.
type Unit<'a> = (u32, Option<&'a Table>, Option<&'a Table>);

fn table<'a>(tables: &'a [Option<Table>; 4], used: &mut [bool; 4], number: usize) -> Result<&'a Table, &'static str> {
    let (Some(Some(table)), Some(used)) = (tables.get(number), used.get_mut(number)) else {
        return Err("a scan names a table that is not there");
    };
    *used = true;
    Ok(table)
}

/// MCUs of blocks that come whole, or of DC coefficients.
fn blocks(bits: &mut Bits<'_>, units: &[Unit<'_>], mcus: u32) -> Result<(), &'static str> {
    for _ in 0..mcus {
        for (blocks, dc, ac) in units {
            for _ in 0..*blocks {
                if let Some(dc) = dc {
                    let category = bits.symbol(dc)?;
                    bits.skip(u32::from(category))?;
                }
                if let Some(ac) = ac {
                    coefficients(bits, ac)?;
                }
            }
        }
    }
    Ok(())
}

/// All AC coefficients of a block.
#[inline]
fn coefficients(bits: &mut Bits<'_>, ac: &Table) -> Result<(), &'static str> {
    let mut at = 1;
    while at < COEFFICIENTS as u32 {
        let symbol = bits.symbol(ac)?;
        let (run, category) = (u32::from(symbol >> 4), u32::from(symbol & 0x0F));
        match (run, category) {
            (0, 0) => return Ok(()),
            // Sixteen zeros; a coefficient comes behind them.
            (15, 0) if at + 16 < COEFFICIENTS as u32 => at += 16,
            (_, 0) => return Err("a run of zeros out of its block"),
            _ => {
                at += run + 1;
                bits.skip(category)?;
            }
        }
    }
    if at > COEFFICIENTS as u32 { Err("a run of zeros out of its block") } else { Ok(()) }
}

/// The first pass over a band of AC coefficients.
fn band(
    bits: &mut Bits<'_>,
    header: &Header,
    ac: &Table,
    blocks: u32,
    nonzero: &mut [u64],
) -> Result<(), &'static str> {
    let last = u32::from(header.last);
    let mut block = 0;
    while block < blocks {
        let mut at = u32::from(header.first);
        let mut found = 0_u64;
        let mut ended = 1;
        while at <= last {
            let symbol = bits.symbol(ac)?;
            let (run, category) = (u32::from(symbol >> 4), u32::from(symbol & 0x0F));
            match (run, category) {
                (15, 0) if at + 16 <= last => at += 16,
                (15, 0) => return Err("a run of zeros out of its band"),
                (_, 0) => {
                    ended = (1 << run) + bits.number(run)?;
                    break;
                }
                _ => {
                    at += run;
                    if at > last {
                        return Err("a run of zeros out of its band");
                    }
                    found |= 1 << at;
                    bits.skip(category)?;
                    at += 1;
                }
            }
        }
        if let Some(nonzero) = nonzero.get_mut(block as usize) {
            *nonzero |= found;
        }
        block += ended;
    }
    if block > blocks { Err("a run of empty blocks out of the picture") } else { Ok(()) }
}

/// A further bit of a band of AC coefficients.
fn band_refinement(bits: &mut Bits<'_>, header: &Header, ac: &Table, blocks: &mut [u64]) -> Result<(), &'static str> {
    let last = u32::from(header.last);
    let mut ended = 0;
    for nonzero in blocks {
        let mut at = u32::from(header.first);
        while ended == 0 && at <= last {
            let symbol = bits.symbol(ac)?;
            let (run, category) = (u32::from(symbol >> 4), symbol & 0x0F);
            match category {
                0 if run < 15 => {
                    ended = (1 << run) + bits.number(run)?;
                    break;
                }
                0 => {}
                1 => bits.skip(1)?,
                _ => return Err("a refinement of more than one bit"),
            }
            // Behind so many coefficients that stay zero; those that are not have a bit each.
            let place = nth_zero(*nonzero, at, run);
            if place > last {
                return Err("a run of zeros out of its band");
            }
            bits.skip((*nonzero & between(at, place)).count_ones())?;
            if category == 1 {
                *nonzero |= 1 << place;
            }
            at = place + 1;
        }
        if ended > 0 {
            bits.skip((*nonzero & between(at, last + 1)).count_ones())?;
            ended -= 1;
        }
    }
    if ended > 0 { Err("a run of empty blocks out of the picture") } else { Ok(()) }
}

/// The place of the n-th bit, from 0, that is zero; 64 or more if no bit is zero.
fn nth_zero(bits: u64, from: u32, mut nth: u32) -> u32 {
    let mut at = from;
    while at < 64 {
        at += (bits >> at).trailing_ones();
        if nth == 0 {
            break;
        }
        at += 1;
        nth -= 1;
    }
    at
}

/// The bits from one place to before another one, of 0 to 64.
fn between(from: u32, to: u32) -> u64 {
    let below = |place: u32| 1_u64.checked_shl(place).map_or(u64::MAX, |bit| bit - 1);
    below(to) & !below(from)
}
