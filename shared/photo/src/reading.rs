//! Decides which files may be signed: a JPEG that is a photo from its first to its last byte, and nothing else.
//!
//! [`Jpeg::parse`] has found the markers. This module reads what is between them: each segment by the rules of its
//! kind, each table to its end, each scan block by block. So there is no space for a document, no part of the picture
//! is missing, and the result is the picture.

use std::sync::Arc;

use crate::{
    foreign,
    huffman::{Class, Table},
    jpeg::{APP0, APP15, COM, Coding, DHT, DQT, DRI, EOI, FrameHeader, Jpeg, JpegError, SOF0, SOF2, SOS, Walk},
    planes::Planes,
    scans::{Scans, Tables, Used},
    segments::Segments,
    transform::Quantization,
};

/// Maximum number of fill bytes; encoders write none.
const MAX_FILL: usize = 64;

/// A photo that may be signed: complete, and nothing but a photo.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckedPhoto {
    bytes: Arc<[u8]>,
    frame: FrameHeader,
    manifest_offset: usize,
}

impl CheckedPhoto {
    /// Checks all bytes of a file, and decodes the picture in the same pass.
    ///
    /// The dimensions are checked before memory is allocated for the picture: 1.5 to 3 bytes per pixel, and 3 to 6 more
    /// while a progressive photo is being read.
    ///
    /// # Errors
    /// The [`JpegError`] of the first rule that the file violates.
    pub fn read(bytes: Arc<[u8]>) -> Result<(Self, Planes), JpegError> {
        let jpeg = Jpeg::parse(&bytes)?;
        let (frame, manifest_offset) = (jpeg.frame, jpeg.manifest_offset());
        let planes = Reading::new(&bytes, frame, Some(Segments::new(frame))).run()?;
        Ok((Self { bytes, frame, manifest_offset }, planes))
    }

    /// Like [`CheckedPhoto::read`], without the picture.
    ///
    /// # Errors
    /// The same as [`CheckedPhoto::read`].
    pub fn check(bytes: Arc<[u8]>) -> Result<Self, JpegError> {
        Self::read(bytes).map(|(photo, _)| photo)
    }

    /// The unchanged file.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Pixels per line.
    #[must_use]
    pub fn width(&self) -> u16 {
        self.frame.width
    }

    /// Number of lines.
    #[must_use]
    pub fn height(&self) -> u16 {
        self.frame.height
    }

    /// The offset at which manifest segments are inserted, see [`Jpeg::manifest_offset`].
    #[must_use]
    pub fn manifest_offset(&self) -> usize {
        self.manifest_offset
    }
}

/// Decodes the picture of a JPEG as strictly as that of a photo, but with any metadata, and with any data after its
/// end. For the laboratory, whose photos come from cameras.
///
/// # Errors
/// The [`JpegError`] of the first rule that the image data violates.
pub fn decode(bytes: &[u8]) -> Result<Planes, JpegError> {
    match Jpeg::parse(bytes) {
        Err(JpegError::TrailingData(length)) => decode(bytes.get(..bytes.len() - length).unwrap_or_default()),
        jpeg => Reading::new(bytes, jpeg?.frame, None).run(),
    }
}

struct Reading<'a> {
    walk: Walk<'a>,
    frame: FrameHeader,
    /// Checks the segments before the image data; `None` if they are not checked.
    segments: Option<Segments>,
    /// The state of the scans, from the first one on.
    scans: Option<Scans>,
    tables: Tables,
    quantization: [Option<Quantization>; 4],
    restart_interval: u16,
    /// The tables that no scan has used since they were defined.
    unused: Used,
    /// Whether the restart interval was defined after the last scan.
    interval_defined: bool,
    fill: usize,
}

impl<'a> Reading<'a> {
    fn new(bytes: &'a [u8], frame: FrameHeader, segments: Option<Segments>) -> Self {
        Self {
            // The offset after SOI.
            walk: Walk { bytes, at: 2 },
            frame,
            segments,
            scans: None,
            tables: Tables::default(),
            quantization: [None; 4],
            restart_interval: 0,
            unused: Used::default(),
            interval_defined: false,
            fill: 0,
        }
    }

    fn run(mut self) -> Result<Planes, JpegError> {
        loop {
            let offset = self.walk.at;
            let marker = self.walk.marker()?;
            self.fill += self.walk.at - offset - 2;
            if self.fill > MAX_FILL {
                return Err(JpegError::Segment { offset, why: "more than 64 fill bytes" });
            }
            if marker == EOI {
                return self.scans.ok_or(JpegError::NoImageData)?.finish(offset);
            }
            let body = self.walk.segment()?;
            let read = match marker {
                SOS => {
                    self.scan(body, offset)?;
                    continue;
                }
                DHT => self.huffman_tables(body),
                DRI => self.restart_interval(body),
                _ if self.scans.is_some() => Err("a segment between scans"),
                DQT => self.quantization_tables(body),
                SOF0 | SOF2 => Ok(()),
                APP0..=APP15 | COM => self.segments.as_mut().map_or(Ok(()), |segments| segments.read(marker, body)),
                _ => Err("a segment that no browser writes"),
            };
            read.map_err(|why| JpegError::Segment { offset, why })?;
        }
    }

    fn scan(&mut self, header: &[u8], offset: usize) -> Result<(), JpegError> {
        let scans = match &mut self.scans {
            Some(scans) => scans,
            before => {
                if let Some(segments) = &self.segments {
                    segments.finish().map_err(|why| JpegError::Segment { offset, why })?;
                    if let Some(format) = foreign::find(self.walk.bytes, self.walk.at) {
                        return Err(JpegError::Foreign(format));
                    }
                }
                let table = |number| self.quantization.get(usize::from(number)).copied().flatten();
                let why = "a quantization table is missing";
                before.insert(Scans::new(self.frame, table).ok_or(JpegError::Segment { offset, why })?)
            }
        };
        let (end, used) = scans.read(header, &self.tables, self.restart_interval, self.walk.bytes, self.walk.at)?;
        for (unused, used) in [(&mut self.unused.dc, used.dc), (&mut self.unused.ac, used.ac)] {
            unused.iter_mut().zip(used).for_each(|(unused, used)| *unused &= !used);
        }
        self.interval_defined = false;
        self.walk.at = end;
        Ok(())
    }

    /// Parses Huffman tables: for each its class and number, and its codes.
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

    /// Parses quantization tables: for each its number, with a precision of 8 bits, and 64 factors.
    fn quantization_tables(&mut self, body: &[u8]) -> Result<(), &'static str> {
        let (tables, rest) = body.as_chunks::<65>();
        if !rest.is_empty() {
            return Err("a quantization table is cut short");
        }
        for [number, factors @ ..] in tables {
            let defined = self
                .quantization
                .get_mut(usize::from(*number))
                .ok_or("a quantization table has an unsupported number or precision")?;
            if defined.replace(Quantization::new(factors)).is_some() || factors.contains(&0) {
                return Err("a quantization table is repeated or divides by zero");
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
