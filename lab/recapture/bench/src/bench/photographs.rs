//! Decodes the photographs that the download script left in its folder.

use std::{error::Error, fs, path::Path};

use jpeg_decoder::{Decoder, PixelFormat};
use recapture_bench::picture::Frame;

/// Facts about each photograph, and its source.
const LIST: &str = include_str!("../../photographs.tsv");

/// Content of a photograph, if relevant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shows {
    Anything,
    /// A sky in its upper part.
    Sky,
    /// A face, with the left, top and side of its square.
    Face(usize, usize, usize),
}

/// A photograph in 8-bit sRGB.
pub(crate) struct Photograph {
    pub(crate) name: String,
    pub(crate) frame: Frame,
    pub(crate) shows: Shows,
    /// The unchanged file, if it is a JPEG.
    pub(crate) jpeg: Option<Vec<u8>>,
}

/// Reads all photographs of the list that are in the folder.
pub(crate) fn read(folder: &Path) -> Result<Vec<Photograph>, Box<dyn Error>> {
    let mut photographs = Vec::new();
    for line in LIST.lines().filter(|line| !line.starts_with('#')) {
        let mut columns = line.split('\t');
        let name = columns.next().unwrap_or_default().to_owned();
        let shows = match (columns.nth(4), name.as_str()) {
            (Some("sky"), _) => Shows::Sky,
            (Some("face"), "astronaut") => Shows::Face(150, 20, 150),
            (Some("face"), "camera") => Shows::Face(190, 70, 110),
            (Some("face"), _) => Shows::Face(110, 20, 240),
            _ => Shows::Anything,
        };
        if let Ok(jpeg) = fs::read(folder.join(format!("{name}.jpg"))) {
            photographs.push(Photograph { name, frame: decode(&jpeg)?, shows, jpeg: Some(jpeg) });
        } else if let Ok(bytes) = fs::read(folder.join(format!("{name}.ppm"))) {
            photographs.push(Photograph { name, frame: read_ppm(&bytes)?, shows, jpeg: None });
        }
    }
    Ok(photographs)
}

fn decode(jpeg: &[u8]) -> Result<Frame, Box<dyn Error>> {
    let mut decoder = Decoder::new(jpeg);
    let samples = decoder.decode()?;
    let info = decoder.info().ok_or("a JPEG without a header")?;
    let rgb = match info.pixel_format {
        PixelFormat::L8 => samples.into_iter().flat_map(|luma| [luma; 3]).collect(),
        _ => samples,
    };
    Ok(Frame { width: usize::from(info.width), height: usize::from(info.height), rgb })
}

/// Binary PPM: `P6`, width, height, 255, then the samples.
fn read_ppm(bytes: &[u8]) -> Result<Frame, Box<dyn Error>> {
    let mut parts = bytes.splitn(4, |byte| byte.is_ascii_whitespace());
    let mut number = || -> Result<usize, Box<dyn Error>> {
        Ok(std::str::from_utf8(parts.next().ok_or("a PPM without a header")?)?.parse()?)
    };
    if !bytes.starts_with(b"P6") || number().is_ok() {
        return Err("not a binary PPM".into());
    }
    let (width, height) = (number()?, number()?);
    let rgb = parts.next().and_then(|rest| rest.strip_prefix(b"255\n")).ok_or("a PPM with an odd depth")?.to_vec();
    if rgb.len() != width * height * 3 {
        return Err("a PPM of another length than its header says".into());
    }
    Ok(Frame { width, height, rgb })
}
