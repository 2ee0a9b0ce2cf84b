//! What may be signed: a JPEG that is a photo from its first to its last byte, and is nothing else.
//!
//! [`Jpeg::parse`] has found the markers. This reads what is between them: each segment by the rules of its kind, each
//! table to its end, each scan block by block. Nothing is left in which a document could be put, or a part of the picture
//! could be missing.

use std::sync::Arc;

use super::{
    APP0, APP15, COM, Coding, DHT, DQT, DRI, EOI, FrameHeader, Jpeg, JpegError, SOF0, SOF2, SOS, Walk, foreign,
    huffman::{Class, Table},
    scans::{Scans, Tables, Used},
    segments::Segments,
};

/// The most fill bytes, of which encoders write none.
const MAX_FILL: usize = 64;

/// A photo that can be signed: whole, and nothing but a photo.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Photo {
    bytes: Arc<[u8]>,
    frame: FrameHeader,
    manifest_offset: usize,
}

impl Photo {
    /// Checks all bytes. It takes about as long as decoding the entropy-coded data does.
    ///
    /// # Errors
    /// [`JpegError`] for the first rule that the bytes break.
    pub fn check(bytes: Arc<[u8]>) -> Result<Self, JpegError> {
        let Jpeg { frame, manifest_offset, .. } = Jpeg::parse(&bytes)?;
        Reading::new(&bytes, frame).run()?;
        Ok(Self { bytes, frame, manifest_offset })
    }

    /// The unchanged file.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Pixels a line.
    #[must_use]
    pub fn width(&self) -> u16 {
        self.frame.width
    }

    /// Lines.
    #[must_use]
    pub fn height(&self) -> u16 {
        self.frame.height
    }

    /// The offset of manifest segments: [`Jpeg::manifest_offset`].
    #[must_use]
    pub fn manifest_offset(&self) -> usize {
        self.manifest_offset
    }
}

struct Reading<'a> {
    walk: Walk<'a>,
    frame: FrameHeader,
    segments: Segments,
    scans: Scans,
    tables: Tables,
    quantization: [bool; 4],
    restart_interval: u16,
    /// The tables that no scan has used since they were defined.
    unused: Used,
    /// Whether the restart interval was defined since the last scan.
    interval_defined: bool,
    in_image_data: bool,
    fill: usize,
}

impl<'a> Reading<'a> {
    fn new(bytes: &'a [u8], frame: FrameHeader) -> Self {
        Self {
            // Behind SOI.
            walk: Walk { bytes, at: 2 },
            frame,
            segments: Segments::default(),
            scans: Scans::new(frame),
            tables: Tables::default(),
            quantization: [false; 4],
            restart_interval: 0,
            unused: Used::default(),
            interval_defined: false,
            in_image_data: false,
            fill: 0,
        }
    }

    fn run(mut self) -> Result<(), JpegError> {
        let [first, second, third] = self.frame.table.map(|component| component.id);
        if self.frame.components == 3 && (first == second || first == third || second == third) {
            return Err(JpegError::Segment { offset: 0, why: "two components of one number" });
        }
        loop {
            let offset = self.walk.at;
            let marker = self.walk.marker()?;
            self.fill += self.walk.at - offset - 2;
            if self.fill > MAX_FILL {
                return Err(JpegError::Segment { offset, why: "more than 64 fill bytes" });
            }
            if marker == EOI {
                return self.scans.check_complete();
            }
            let body = self.walk.segment()?;
            let read = match marker {
                SOS => {
                    self.scan(body, offset)?;
                    continue;
                }
                DHT => self.huffman_tables(body),
                DRI => self.restart_interval(body),
                _ if self.in_image_data => Err("a segment between scans"),
                DQT => self.quantization_tables(body),
                SOF0 | SOF2 => Ok(()),
                APP0..=APP15 | COM => self.segments.read(marker, body, self.frame.components),
                _ => Err("a segment that no browser writes"),
            };
            read.map_err(|why| JpegError::Segment { offset, why })?;
        }
    }

    fn scan(&mut self, header: &[u8], offset: usize) -> Result<(), JpegError> {
        if !self.in_image_data {
            self.segments.finish().map_err(|why| JpegError::Segment { offset, why })?;
            let components = self.frame.table.iter().take(usize::from(self.frame.components));
            if !components
                .map(|component| component.quantization)
                .all(|number| self.quantization.get(usize::from(number)).copied().unwrap_or_default())
            {
                return Err(JpegError::Segment { offset, why: "a quantization table is not there" });
            }
            if let Some(format) = foreign::find(self.walk.bytes, self.walk.at) {
                return Err(JpegError::Foreign(format));
            }
            self.in_image_data = true;
        }
        let (end, used) =
            self.scans.read(header, &self.tables, self.restart_interval, self.walk.bytes, self.walk.at)?;
        for (unused, used) in [(&mut self.unused.dc, used.dc), (&mut self.unused.ac, used.ac)] {
            unused.iter_mut().zip(used).for_each(|(unused, used)| *unused &= !used);
        }
        self.interval_defined = false;
        self.walk.at = end;
        Ok(())
    }

    /// For each table its class and number, and its codes.
    fn huffman_tables(&mut self, mut body: &[u8]) -> Result<(), &'static str> {
        while let Some((head, rest)) = body.split_first() {
            body = rest;
            let (class, number) = (head >> 4, usize::from(head & 0x0F));
            let progressive = self.frame.coding == Coding::Progressive;
            let (class, tables, unused) = match class {
                0 => (Class::Dc, &mut self.tables.dc, &mut self.unused.dc),
                1 => (Class::Ac { end_of_band: progressive }, &mut self.tables.ac, &mut self.unused.ac),
                _ => return Err("a Huffman table of an unknown class"),
            };
            let (Some(table), Some(unused)) = (tables.get_mut(number), unused.get_mut(number)) else {
                return Err("a Huffman table of a number that cannot be");
            };
            if *unused {
                return Err("a Huffman table that no scan uses");
            }
            (*table, *unused) = (Some(Table::take(&mut body, class)?), true);
        }
        Ok(())
    }

    /// For each table its number, with a precision of 8 bits, and 64 factors.
    fn quantization_tables(&mut self, body: &[u8]) -> Result<(), &'static str> {
        let (tables, rest) = body.as_chunks::<65>();
        if !rest.is_empty() {
            return Err("a quantization table is cut short");
        }
        for [number, factors @ ..] in tables {
            let defined =
                self.quantization.get_mut(usize::from(*number)).ok_or("a quantization table of another kind")?;
            if std::mem::replace(defined, true) || factors.contains(&0) {
                return Err("a quantization table comes again, or divides by zero");
            }
        }
        Ok(())
    }

    fn restart_interval(&mut self, body: &[u8]) -> Result<(), &'static str> {
        let interval = *body.as_array().ok_or("a malformed restart interval")?;
        if std::mem::replace(&mut self.interval_defined, true) {
            return Err("a restart interval that no scan uses");
        }
        self.restart_interval = u16::from_be_bytes(interval);
        Ok(())
    }
}
