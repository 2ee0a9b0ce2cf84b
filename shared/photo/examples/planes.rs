//! `planes FOLDER` decodes photos for a comparison with other decoders (`scripts/test-decoders`). It reads each photo
//! of a folder like ingest does, and writes beside it the rows of its planes Y, Cb, Cr as `NAME.planes`, and the output
//! of another decoder in Rust as `NAME.rgb`. For each photo it prints a line of JSON with `file`, `width`, `height`,
//! `planes` (columns and rows of each), and `error`, the reason if it is refused.

use std::{error::Error, ffi::OsStr, fs, path::Path};

use jpeg_decoder::Decoder;
use lacre_photo::{CheckedPhoto, Planes};
use serde_json::json;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args_os().nth(1).ok_or("usage: planes FOLDER")?;
    let entries = fs::read_dir(folder)?.collect::<Result<Vec<_>, _>>()?;
    let mut files: Vec<_> = entries.into_iter().map(|entry| entry.path()).collect();
    files.retain(|file| file.extension() == Some(OsStr::new("jpg")));
    files.sort();
    for file in files {
        let bytes = fs::read(&file)?;
        if let Ok(rgb) = Decoder::new(bytes.as_slice()).decode() {
            fs::write(file.with_extension("rgb"), rgb)?;
        }
        let name = file.file_name().map(OsStr::to_string_lossy);
        match CheckedPhoto::read(bytes.into()) {
            Ok((photo, planes)) => {
                let sizes = write(&file.with_extension("planes"), &planes)?;
                let (width, height) = (photo.width(), photo.height());
                println!("{}", json!({"file": name, "width": width, "height": height, "planes": sizes, "error": null}));
            }
            Err(error) => println!("{}", json!({"file": name, "error": error.to_string()})),
        }
    }
    Ok(())
}

/// Writes the samples of all planes, and returns each plane's number of columns and rows.
fn write(file: &Path, planes: &Planes) -> Result<Vec<[usize; 2]>, std::io::Error> {
    let planes: Vec<_> = [&planes.luma].into_iter().chain(planes.color.iter().flatten()).collect();
    let rows = planes.iter().flat_map(|plane| (0..plane.height()).map(|y| plane.row(y)));
    fs::write(file, rows.collect::<Vec<_>>().concat())?;
    Ok(planes.iter().map(|plane| [plane.width(), plane.height()]).collect())
}
