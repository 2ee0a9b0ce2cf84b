//! One comparison: from the two files to the result and the pictures that the page shows.

use lacre_compare::{Comparison, Picture, ReadError, Region, compare};
use serde_json::{Value, json};

/// Inputs from the page.
#[derive(Default)]
pub(crate) struct Inputs {
    copy: Vec<u8>,
    original: Vec<u8>,
}

/// Outputs for the page, by the slots of `output`.
#[derive(Default)]
pub(crate) struct Outputs([Vec<u8>; 3]);

/// A file that is no picture for a comparison.
#[derive(Debug)]
pub(crate) struct Fault {
    /// The input: `copy` or `original`.
    file: &'static str,
    error: ReadError,
}

impl Inputs {
    pub(crate) fn buffer(&mut self, slot: usize) -> &mut Vec<u8> {
        if slot == 0 { &mut self.copy } else { &mut self.original }
    }
}

impl Outputs {
    pub(crate) fn get(&self, slot: usize) -> &[u8] {
        self.0.get(slot).map_or(&[], Vec::as_slice)
    }

    pub(crate) fn of_fault(Fault { file, error }: &Fault) -> Self {
        Self::new(&json!({ "fault": { "file": file, "kind": kind(error) } }), Default::default())
    }

    fn new(result: &Value, [original, copy]: [Vec<u8>; 2]) -> Self {
        Self([result.to_string().into_bytes(), original, copy])
    }
}

/// Compares the copy with the original.
///
/// # Errors
/// The file that cannot be read.
pub(crate) fn run(Inputs { copy, original }: Inputs) -> Result<Outputs, Fault> {
    let (copy, original) = (read("copy", copy)?, read("original", original)?);
    let comparison = compare(&copy, &original);
    let panels = comparison.panels(&copy, &original);
    let Comparison { verdict, regions, shown, .. } = &comparison;
    let result = json!({
        "verdict": verdict.name(),
        "differs": regions.iter().map(region).collect::<Vec<_>>(),
        "shown": region(shown),
        "original": { "width": original.width, "height": original.height },
        "panels": panels.iter().flatten().map(|Picture { width, height, .. }| [width, height]).collect::<Vec<_>>(),
    });
    Ok(Outputs::new(&result, panels.map_or_else(Default::default, |panels| panels.map(|panel| rgba(&panel)))))
}

/// Reads a picture, and releases its file.
fn read(name: &'static str, file: Vec<u8>) -> Result<Picture, Fault> {
    Picture::read(&file).map_err(|error| Fault { file: name, error })
}

/// The kind of an error, for which the page has a text.
fn kind(error: &ReadError) -> &'static str {
    match error {
        ReadError::UnknownFormat => "unknownFormat",
        ReadError::TooLarge { .. } => "tooLarge",
        ReadError::Cmyk => "cmyk",
        ReadError::Animation => "animation",
        ReadError::Malformed { .. } => "malformed",
    }
}

fn region(Region { left, top, width, height }: &Region) -> Value {
    json!({ "left": left, "top": top, "width": width, "height": height })
}

/// The pixels as a canvas takes them.
fn rgba(picture: &Picture) -> Vec<u8> {
    picture.rgb.as_chunks::<3>().0.iter().flat_map(|&[r, g, b]| [r, g, b, 255]).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    /// A picture with texture everywhere, in which a square can be made grey.
    fn picture(grey: Option<u32>) -> Picture {
        let (width, height) = (320, 240);
        let value = |x: u32, y: u32| match grey {
            Some(start) if x.wrapping_sub(start) < 96 && y.wrapping_sub(start) < 96 => 128,
            _ => ((x / 7 * 37) ^ (y / 5 * 91) ^ (x * y / 900 * 53)) as u8,
        };
        let rgb = (0..height).flat_map(|y| (0..width).flat_map(move |x| [value(x, y); 3])).collect();
        Picture { width, height, rgb }
    }

    fn outputs(copy: &Picture, original: &Picture) -> (Value, Outputs) {
        let [copy, original] = [copy, original].map(|picture| picture.png().unwrap());
        let outputs = run(Inputs { copy, original }).unwrap();
        (serde_json::from_slice(outputs.get(0)).unwrap(), outputs)
    }

    #[test]
    fn returns_regions_and_pictures() {
        let (original, edited) = (picture(None), picture(Some(96)));
        let (result, outputs) = outputs(&edited, &original);
        assert_eq!(result["verdict"], "SAME_WITH_DIFFERENCES");
        assert_eq!(result["differs"], json!([{ "left": 96, "top": 96, "width": 96, "height": 96 }]));
        assert_eq!(result["shown"], json!({ "left": 0, "top": 0, "width": 320, "height": 240 }));
        assert_eq!(result["original"], json!({ "width": 320, "height": 240 }));
        assert_eq!(result["panels"], json!([[320, 240], [320, 240]]));
        let pixel = |slot: usize, x: usize, y: usize| &outputs.get(slot)[4 * (y * 320 + x)..][..4];
        assert_eq!([1, 2, 3].map(|slot| outputs.get(slot).len()), [4 * 320 * 240, 4 * 320 * 240, 0]);
        assert_eq!(pixel(1, 140, 140)[0], original.rgb[3 * (140 * 320 + 140)]);
        assert_eq!(pixel(2, 140, 140), [128, 128, 128, 255]);
    }

    #[test]
    fn names_the_file_that_cannot_be_read() {
        let file = picture(None).png().unwrap();
        let fault = |copy: &[u8], original: &[u8]| {
            let fault = run(Inputs { copy: copy.to_vec(), original: original.to_vec() }).err().unwrap();
            serde_json::from_slice::<Value>(Outputs::of_fault(&fault).get(0)).unwrap()
        };
        let named = |file: &str, kind: &str| json!({ "fault": { "file": file, "kind": kind } });
        assert_eq!(fault(b"text", &file), named("copy", "unknownFormat"));
        assert_eq!(fault(&file, b""), named("original", "unknownFormat"));
        assert_eq!(fault(&file[..300], &file), named("copy", "malformed"));
    }
}
