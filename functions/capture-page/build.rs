//! Generates a table of the files in `assets/`, each uncompressed and compressed. `node web/build-hosted.mjs` makes the
//! files.

use std::{error::Error, fmt::Write as _, fs, io::Write as _, path::Path};

use flate2::{Compression, write::GzEncoder};

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=assets");
    let out = std::env::var("OUT_DIR")?;
    let assets = Path::new(&std::env::var("CARGO_MANIFEST_DIR")?).join("assets");
    let mut files = fs::read_dir(assets)?.collect::<Result<Vec<_>, _>>()?;
    files.sort_by_key(fs::DirEntry::file_name);
    let mut table = "[\n".to_owned();
    for file in files {
        let name = file.file_name().into_string().map_err(|_| "a file name that is not UTF-8")?;
        let compressed = format!("{out}/{name}.gz");
        let mut encoder = GzEncoder::new(fs::File::create(&compressed)?, Compression::best());
        encoder.write_all(&fs::read(file.path())?)?;
        encoder.finish()?;
        let plain = file.path();
        writeln!(
            table,
            "    Asset {{ name: {name:?}, plain: include_bytes!({plain:?}), gzip: include_bytes!({compressed:?}) }},"
        )?;
    }
    table.push_str("]\n");
    Ok(fs::write(format!("{out}/assets.rs"), table)?)
}
