//! `recapture [--threshold N] FILE.jpg…` analyses photos like ingest does, and prints a line of JSON for each: `file`,
//! `risk`, `scores` and `cpu_ms`, decoding included; or `file` and `error`, and then the exit code is 1. The threshold
//! is the evidence from which on a photo is `HIGH`, from 1 to 4; the default is that of licenses.

use std::{path::Path, process::ExitCode};

use lacre_domain::limits;
use lacre_recapture::{Analysis, analyse};
use rustix::time::{ClockId, clock_gettime};
use serde_json::{Value, json};

fn main() -> ExitCode {
    let mut files: Vec<_> = std::env::args_os().skip(1).collect();
    let threshold = match files.first() {
        Some(first) if first == "--threshold" => {
            let given = files.get(1).and_then(|text| text.to_str()?.parse().ok());
            files.drain(..files.len().min(2));
            given.filter(|number| limits::RECAPTURE_THRESHOLDS.contains(number))
        }
        _ => Some(limits::RECAPTURE_THRESHOLD),
    };
    let (Some(threshold), false) = (threshold, files.is_empty()) else {
        eprintln!("usage: recapture [--threshold N] FILE.jpg…, where N is from 1 to 4");
        return ExitCode::from(2);
    };
    let mut code = ExitCode::SUCCESS;
    for file in &files {
        let mut line = look(Path::new(file), threshold).unwrap_or_else(|error| {
            code = ExitCode::FAILURE;
            json!({ "error": error.to_string() })
        });
        line["file"] = json!(file.to_string_lossy());
        println!("{line}");
    }
    code
}

fn look(file: &Path, threshold: f64) -> Result<Value, Box<dyn std::error::Error>> {
    let jpeg = std::fs::read(file)?;
    let before = cpu_ms();
    let Analysis { risk, scores } = analyse(lacre_photo::decode(&jpeg)?, threshold);
    Ok(json!({ "risk": risk, "scores": scores, "cpu_ms": cpu_ms() - before }))
}

/// The CPU time of this thread in milliseconds.
fn cpu_ms() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 * 1e3 + time.tv_nsec as f64 / 1e6
}
