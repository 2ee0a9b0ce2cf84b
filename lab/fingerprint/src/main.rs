//! Computes the fingerprints of pictures for `lab/scripts/evaluate-fingerprint`, or measures what they cost.
//!
//! `fingerprint` reads pictures from standard input, each after a line with its kind and numbers: `jpeg BYTES`, as `ingest`
//! reads an original, or three bytes for each pixel after `rgb COLUMNS ROWS` or `copy COLUMNS ROWS`. For each it writes a
//! line of JSON with `pixels` (the 32 × 32 of which the code is computed) and `codes`, each with `code` and `bands`. Of a
//! copy these are its hypotheses.
//!
//! `fingerprint --time FILE...` prints for each JPEG the milliseconds per megapixel of decoding and of the code: the least
//! of seven runs.

use std::{
    error::Error,
    fs,
    io::{self, BufRead, Write},
    sync::Arc,
    time::Instant,
};

use lacre_fingerprint::{Fingerprint, Luma, code_of, hypotheses};
use lacre_photo::CheckedPhoto;
use serde_json::{Value, json};

const RUNS: usize = 7;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    match arguments.next().as_deref() {
        None => fingerprints(io::stdin().lock(), io::stdout().lock()),
        Some("--time") => time(arguments),
        Some(_) => Err("usage: fingerprint [--time FILE...]".into()),
    }
}

fn fingerprints(mut input: impl BufRead, mut output: impl Write) -> Result<(), Box<dyn Error>> {
    let mut line = String::new();
    while input.read_line(&mut line)? > 0 {
        let words: Vec<_> = line.split_whitespace().collect();
        let fingerprint = match words.as_slice() {
            ["jpeg", bytes] => {
                let mut jpeg = vec![0; bytes.parse()?];
                input.read_exact(&mut jpeg)?;
                let planes = lacre_photo::decode(&jpeg)?;
                let luma = Luma::of_planes(&planes);
                of(&luma, &Vec::from_iter(code_of(&luma)))
            }
            [kind @ ("rgb" | "copy"), columns, rows] => {
                let (columns, rows): (usize, usize) = (columns.parse()?, rows.parse()?);
                let mut rgb = vec![0; columns * rows * 3];
                input.read_exact(&mut rgb)?;
                let luma = Luma::of_rgb(columns, &rgb);
                of(&luma, &if *kind == "copy" { hypotheses(&luma) } else { Vec::from_iter(code_of(&luma)) })
            }
            _ => return Err(format!("not a picture: {line}").into()),
        };
        writeln!(output, "{fingerprint}")?;
        output.flush()?;
        line.clear();
    }
    Ok(())
}

fn of(luma: &Luma, codes: &[Fingerprint]) -> Value {
    let pixels: String = luma.pixels().iter().map(|pixel| format!("{pixel:02x}")).collect();
    let codes: Vec<_> = codes.iter().map(|code| json!({"code": code.hex(), "bands": code.bands()})).collect();
    json!({"pixels": pixels, "codes": codes})
}

fn time(files: impl Iterator<Item = String>) -> Result<(), Box<dyn Error>> {
    for file in files {
        let bytes: Arc<[u8]> = fs::read(&file)?.into();
        let mut least = [f64::INFINITY; 2];
        let mut size = [0; 2];
        for _ in 0..RUNS {
            let start = Instant::now();
            let (photo, planes) = CheckedPhoto::read(Arc::clone(&bytes))?;
            let read = start.elapsed();
            let start = Instant::now();
            let code = code_of(&Luma::of_planes(&planes));
            let computed = start.elapsed();
            code.ok_or("the picture is too uniform")?;
            for (least, duration) in least.iter_mut().zip([read, computed]) {
                *least = least.min(duration.as_secs_f64() * 1e3);
            }
            size = [photo.width(), photo.height()];
        }
        let [columns, rows] = size;
        let megapixels = f64::from(columns) * f64::from(rows) / 1e6;
        let [read, code] = least.map(|milliseconds| milliseconds / megapixels);
        println!(
            "{file}: {columns} × {rows}, read {read:.2} ms/MP, code {code:.2} ms/MP, {:.1} %",
            100.0 * code / read
        );
    }
    Ok(())
}
