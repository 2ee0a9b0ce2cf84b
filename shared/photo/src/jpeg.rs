//! Parses a JPEG from marker to marker, and its frame header.

/// The minimum and maximum length of a side, in pixels.
const SIDES: std::ops::RangeInclusive<u16> = 240..=8192;
/// Maximum number of pixels.
pub const MAX_PIXELS: u32 = 16_777_216;
/// Maximum number of scans. A progressive photo has about ten; a file that is crafted to keep decoders busy has
/// thousands.
const MAX_SCANS: u32 = 64;

pub(crate) const SOF0: u8 = 0xC0;
pub(crate) const SOF2: u8 = 0xC2;
pub(crate) const DHT: u8 = 0xC4;
pub(crate) const SOI: u8 = 0xD8;
pub(crate) const EOI: u8 = 0xD9;
pub(crate) const SOS: u8 = 0xDA;
pub(crate) const DQT: u8 = 0xDB;
pub(crate) const DRI: u8 = 0xDD;
pub(crate) const APP0: u8 = 0xE0;
pub(crate) const APP1: u8 = 0xE1;
pub(crate) const APP2: u8 = 0xE2;
/// The marker of the segments that carry a C2PA manifest.
pub const APP11: u8 = 0xEB;
pub(crate) const APP13: u8 = 0xED;
pub(crate) const APP14: u8 = 0xEE;
pub(crate) const APP15: u8 = 0xEF;
pub(crate) const COM: u8 = 0xFE;

/// A JPEG whose markers and frame header were checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Jpeg<'a> {
    bytes: &'a [u8],
    pub(crate) frame: FrameHeader,
    scans: u32,
    manifest_offset: usize,
}

/// The coding process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coding {
    /// Baseline (SOF0).
    Baseline,
    /// Progressive (SOF2).
    Progressive,
}

/// Why the service does not sign a file. Offsets are in bytes from the start of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum JpegError {
    /// The file does not begin with SOI.
    #[error("not a JPEG")]
    NotJpeg,
    /// The file ends before EOI.
    #[error("ends before its end marker")]
    Truncated,
    /// Something follows EOI.
    #[error("{0} bytes follow the end marker")]
    TrailingData(usize),
    /// A byte outside any segment where a marker is expected.
    #[error("no marker at byte {0}")]
    NoMarker(usize),
    /// A marker that a baseline or progressive photo must not have, or not at this place.
    #[error("marker {marker:#04x} at byte {offset} does not belong there")]
    UnexpectedMarker {
        /// The marker's second byte.
        marker: u8,
        /// The offset of the marker.
        offset: usize,
    },
    /// An APP11 segment: the photo already has a manifest, or other data in its place.
    #[error("an APP11 segment at byte {0}")]
    App11(usize),
    /// An inconsistent frame or scan header.
    #[error("a malformed header at byte {0}")]
    MalformedHeader(usize),
    /// Samples do not have 8 bits.
    #[error("{0} bits a sample")]
    Precision(u8),
    /// The number of components is neither 1 nor 3.
    #[error("{0} components")]
    Components(u8),
    /// The sampling is not 4:4:4, 4:2:2, 4:4:0 or 4:2:0, on which decoders agree.
    #[error("sampling factors {0:#04x}")]
    Sampling(u8),
    /// The components are not numbered consecutively from 0 or 1.
    #[error("components of other numbers")]
    Numbers,
    /// A side or the area exceeds its bounds.
    #[error("{width}x{height} pixels")]
    Dimensions {
        /// Pixels per line.
        width: u16,
        /// Number of lines.
        height: u16,
    },
    /// More than 64 scans.
    #[error("more than {MAX_SCANS} scans")]
    TooManyScans,
    /// There is no scan.
    #[error("no image data")]
    NoImageData,
    /// A segment that a browser's photo does not have, or not in this form or at this place.
    #[error("{why} at byte {offset}")]
    Segment {
        /// What is wrong with the segment.
        why: &'static str,
        /// The offset of the segment.
        offset: usize,
    },
    /// A scan that is incomplete, or contains other data.
    #[error("{why} near byte {offset}")]
    Scan {
        /// What is wrong with the scan.
        why: &'static str,
        /// The offset at which reading stopped.
        offset: usize,
    },
    /// The scans do not contain all coefficients.
    #[error("a scan is missing")]
    Incomplete,
    /// Readers of another format would accept the file as their own.
    #[error("{0} in a photo")]
    Foreign(&'static str),
}

impl<'a> Jpeg<'a> {
    /// Parses all markers from SOI to EOI.
    ///
    /// # Errors
    /// The [`JpegError`] of the first rule that the file violates.
    pub fn parse(bytes: &'a [u8]) -> Result<Self, JpegError> {
        Walk { bytes, at: 0 }.run()
    }

    /// The unchanged file.
    #[must_use]
    pub fn bytes(&self) -> &'a [u8] {
        self.bytes
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

    /// The number of components: 1 (grey) or 3 (color).
    #[must_use]
    pub fn components(&self) -> u8 {
        self.frame.components
    }

    /// The coding process: baseline or progressive.
    #[must_use]
    pub fn coding(&self) -> Coding {
        self.frame.coding
    }

    /// The number of scans, 1 to 64.
    #[must_use]
    pub fn scans(&self) -> u32 {
        self.scans
    }

    /// The offset at which manifest segments are inserted: after JFIF's APP0 and EXIF's APP1, both of which should be
    /// the first segment.
    #[must_use]
    pub fn manifest_offset(&self) -> usize {
        self.manifest_offset
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FrameHeader {
    pub(crate) coding: Coding,
    pub(crate) width: u16,
    pub(crate) height: u16,
    components: u8,
    table: [Component; 3],
}

/// A component in the frame header.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Component {
    pub(crate) id: u8,
    /// The relative number of samples along each side, compared with the least finely sampled component: 1 or 2.
    pub(crate) horizontal: u8,
    pub(crate) vertical: u8,
    pub(crate) quantization: u8,
}

pub(crate) struct Walk<'a> {
    pub(crate) bytes: &'a [u8],
    pub(crate) at: usize,
}

impl<'a> Walk<'a> {
    fn run(mut self) -> Result<Jpeg<'a>, JpegError> {
        if self.bytes.get(..2) != Some(&[0xFF, SOI]) {
            return Err(JpegError::NotJpeg);
        }
        self.at = 2;
        let mut manifest_offset = self.at;
        let mut only_leading_segments = true;
        let mut frame: Option<FrameHeader> = None;
        let mut scans = 0;
        loop {
            let start = self.at;
            let marker = self.marker()?;
            match marker {
                EOI => {
                    let (Some(frame), 1..) = (frame, scans) else { return Err(JpegError::NoImageData) };
                    let rest = self.bytes.len() - self.at;
                    return match rest {
                        0 => Ok(Jpeg { bytes: self.bytes, frame, scans, manifest_offset }),
                        _ => Err(JpegError::TrailingData(rest)),
                    };
                }
                SOF0 | SOF2 if frame.is_none() => {
                    let coding = if marker == SOF0 { Coding::Baseline } else { Coding::Progressive };
                    frame = Some(FrameHeader::parse(coding, self.segment()?, start)?);
                }
                SOS => {
                    let frame = frame.ok_or(JpegError::UnexpectedMarker { marker, offset: start })?;
                    frame.check_scan(self.segment()?, start)?;
                    scans += 1;
                    if scans > MAX_SCANS {
                        return Err(JpegError::TooManyScans);
                    }
                    self.entropy_coded_data()?;
                }
                APP11 => return Err(JpegError::App11(start)),
                DHT | DQT | DRI | APP0..=APP15 | COM => {
                    let body = self.segment()?;
                    only_leading_segments &= leads(marker, body);
                    if only_leading_segments {
                        manifest_offset = self.at;
                    }
                }
                _ => return Err(JpegError::UnexpectedMarker { marker, offset: start }),
            }
        }
    }

    /// Reads a marker: `FF`, fill bytes (further `FF`) and the code.
    pub(crate) fn marker(&mut self) -> Result<u8, JpegError> {
        let start = self.at;
        if self.byte()? != 0xFF {
            return Err(JpegError::NoMarker(start));
        }
        loop {
            match self.byte()? {
                0xFF => {}
                0 => return Err(JpegError::NoMarker(start)),
                code => return Ok(code),
            }
        }
    }

    fn byte(&mut self) -> Result<u8, JpegError> {
        let byte = *self.bytes.get(self.at).ok_or(JpegError::Truncated)?;
        self.at += 1;
        Ok(byte)
    }

    /// Reads a segment's length, which includes its own two bytes, and returns its body.
    pub(crate) fn segment(&mut self) -> Result<&'a [u8], JpegError> {
        let start = self.at;
        let length = usize::from(u16::from_be_bytes([self.byte()?, self.byte()?]));
        let body_length = length.checked_sub(2).ok_or(JpegError::MalformedHeader(start))?;
        let body = self.bytes.get(self.at..self.at + body_length).ok_or(JpegError::Truncated)?;
        self.at += body_length;
        Ok(body)
    }

    /// Skips to the first marker that is neither a stuffed `FF 00` nor a restart marker.
    fn entropy_coded_data(&mut self) -> Result<(), JpegError> {
        loop {
            let rest = self.bytes.get(self.at..).unwrap_or_default();
            self.at += memchr::memchr(0xFF, rest).ok_or(JpegError::Truncated)?;
            match self.bytes.get(self.at + 1).ok_or(JpegError::Truncated)? {
                0x00 | 0xD0..=0xD7 => self.at += 2,
                // A fill byte: the next round examines the `FF` after it.
                0xFF => self.at += 1,
                _ => return Ok(()),
            }
        }
    }
}

/// Whether a segment must stay before all others.
fn leads(marker: u8, body: &[u8]) -> bool {
    match marker {
        APP0 => true,
        APP1 => body.starts_with(b"Exif\0"),
        _ => false,
    }
}

impl FrameHeader {
    fn parse(coding: Coding, body: &[u8], offset: usize) -> Result<Self, JpegError> {
        let &[precision, h1, h0, w1, w0, components, ref table @ ..] = body else {
            return Err(JpegError::MalformedHeader(offset));
        };
        if precision != 8 {
            return Err(JpegError::Precision(precision));
        }
        if !matches!(components, 1 | 3) {
            return Err(JpegError::Components(components));
        }
        if table.len() != usize::from(components) * 3 {
            return Err(JpegError::MalformedHeader(offset));
        }
        let table = Component::parse(table)?;
        let (width, height) = (u16::from_be_bytes([w1, w0]), u16::from_be_bytes([h1, h0]));
        let pixels = u32::from(width) * u32::from(height);
        if !SIDES.contains(&width) || !SIDES.contains(&height) || pixels > MAX_PIXELS {
            return Err(JpegError::Dimensions { width, height });
        }
        Ok(Self { coding, width, height, components, table })
    }

    /// Checks a scan header: it must name at least one and at most all components of the frame, in two bytes each,
    /// between the count and three bytes of spectral selection.
    fn check_scan(self, body: &[u8], offset: usize) -> Result<(), JpegError> {
        match body.first() {
            Some(&count) if (1..=self.components).contains(&count) && body.len() == usize::from(count) * 2 + 4 => {
                Ok(())
            }
            _ => Err(JpegError::MalformedHeader(offset)),
        }
    }
}

impl FrameHeader {
    /// The frame's components in order: one of luma, or Y, Cb and Cr.
    pub(crate) fn components(&self) -> &[Component] {
        self.table.get(..usize::from(self.components)).unwrap_or_default()
    }

    /// The number of columns and rows of MCUs in a scan with several components.
    pub(crate) fn mcus(&self) -> (u32, u32) {
        // No component is sampled more finely than the first.
        let [first, ..] = self.table;
        let along = |side: u16, factor: u8| u32::from(side).div_ceil(8 * u32::from(factor.max(1)));
        (along(self.width, first.horizontal), along(self.height, first.vertical))
    }

    /// The number of columns and rows of a component's samples.
    pub(crate) fn size(&self, component: Component) -> (u32, u32) {
        let [first, ..] = self.table;
        let along =
            |side: u16, factor: u8, most: u8| (u32::from(side) * u32::from(factor)).div_ceil(u32::from(most.max(1)));
        (
            along(self.width, component.horizontal, first.horizontal),
            along(self.height, component.vertical, first.vertical),
        )
    }
}

impl Component {
    /// Parses the frame's component table: for each component its number, its sampling factors in four bits each, and
    /// its quantization table. Numbers start at 0 or 1. Color is sampled as finely as brightness, or half as finely
    /// along one or both sides.
    fn parse(table: &[u8]) -> Result<[Self; 3], JpegError> {
        let mut components = [Self::default(); 3];
        let (rows, _) = table.as_chunks();
        for (at, (component, &[id, factors, quantization])) in components.iter_mut().zip(rows).enumerate() {
            let (horizontal, vertical) = (factors >> 4, factors & 0x0F);
            let most = if at == 0 && rows.len() > 1 { 2 } else { 1 };
            if !(1..=most).contains(&horizontal) || !(1..=most).contains(&vertical) {
                return Err(JpegError::Sampling(factors));
            }
            *component = Self { id, horizontal, vertical, quantization };
        }
        // With other numbers some decoders interpret the components as red, green and blue.
        let numbers = rows.iter().map(|[id, ..]| *id);
        if !numbers.clone().eq(0..rows.len() as u8) && !numbers.eq(1..=rows.len() as u8) {
            return Err(JpegError::Numbers);
        }
        Ok(components)
    }
}

#[cfg(test)]
mod tests;
