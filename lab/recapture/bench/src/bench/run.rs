//! Makes each photo and analyses it as the service does, on all processors.

use std::{
    fs,
    path::Path,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

use lacre_domain::{RecaptureRisk, limits};
use lacre_recapture::Analysis;
use recapture_bench::camera::Focus;

use crate::{
    photographs::Photograph,
    plan::{Planned, Row},
    shots::Subject,
};

/// What the analysis said of a photo.
pub(crate) struct Outcome<'a> {
    pub(crate) planned: &'a Planned,
    pub(crate) analysis: Analysis,
}

impl Outcome<'_> {
    pub(crate) fn evidence(&self) -> f64 {
        self.analysis.scores.get("evidence").copied().unwrap_or(f64::NEG_INFINITY)
    }

    pub(crate) fn is(&self, risk: RecaptureRisk) -> bool {
        self.analysis.risk == risk
    }
}

/// What a JPEG is analysed as: through its bytes.
pub(crate) fn look(jpeg: &[u8]) -> Result<Analysis, String> {
    let planes = lacre_photo::decode(jpeg).map_err(|error| error.to_string())?;
    Ok(lacre_recapture::analyse(planes, limits::RECAPTURE_THRESHOLD))
}

/// Makes and judges all planned photos. Photos that are in the folder `frames` already are taken from there, and others left
/// there, with a table of what they are: for work on the analysis, which need not wait for the camera.
pub(crate) fn run<'a>(
    planned: &'a [Planned],
    photographs: &[Photograph],
    frames: Option<&Path>,
) -> Result<Vec<Outcome<'a>>, String> {
    let next = AtomicUsize::new(0);
    let outcomes = Mutex::new(Vec::with_capacity(planned.len()));
    let work = || -> Result<(), String> {
        while let Some(planned) = planned.get(next.fetch_add(1, Ordering::Relaxed)) {
            let jpeg = match frames {
                Some(folder) => kept(&folder.join(file_name(planned)), || planned.shot.jpeg(photographs))?,
                None => planned.shot.jpeg(photographs)?,
            };
            let outcome = Outcome { planned, analysis: look(&jpeg)? };
            outcomes.lock().unwrap_or_else(PoisonError::into_inner).push(outcome);
        }
        Ok(())
    };
    let processors = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        let workers: Vec<_> = (0..processors).map(|_| scope.spawn(work)).collect();
        workers.into_iter().try_for_each(|worker| worker.join().map_err(|_| "a worker panicked".to_owned())?)
    })?;
    let outcomes = outcomes.into_inner().unwrap_or_else(PoisonError::into_inner);
    if let Some(folder) = frames {
        write_labels(folder, planned).map_err(|error| format!("{}: {error}", folder.display()))?;
    }
    Ok(outcomes)
}

/// A file's content, which is made where the file is not there.
fn kept(file: &Path, make: impl FnOnce() -> Result<Vec<u8>, String>) -> Result<Vec<u8>, String> {
    if let Ok(content) = fs::read(file) {
        return Ok(content);
    }
    let content = make()?;
    fs::write(file, &content).map_err(|error| format!("{}: {error}", file.display()))?;
    Ok(content)
}

/// Says the part, the row and what it is of. The seed makes it unique.
fn file_name(Planned { row, part, source, shot }: &Planned) -> String {
    let row = match (row, shot.subject) {
        (Row::Display { panel, focus, .. }, Subject::Display(recapture)) => {
            format!("display-{panel:?}-{:.2}-{focus:?}", recapture.scale)
        }
        (Row::World { kind, .. }, Subject::Texture { period, .. }) => {
            format!("world-{}-{period:.1}", kind.replace([' ', ','], "_"))
        }
        (Row::World { kind, .. }, _) => format!("world-{}", kind.replace([' ', ','], "_")),
        _ => "control".to_owned(),
    };
    format!("{part:?}-{row}-{source}-{:016x}.jpg", shot.seed)
}

/// The table labels.tsv that lab/scripts/evaluate-recapture and lab/scripts/train-recapture read: what each photo is.
fn write_labels(folder: &Path, planned: &[Planned]) -> std::io::Result<()> {
    let line = |planned: &Planned| {
        let (label, kind, pixels, focus, plain) = match (&planned.row, planned.shot.subject) {
            (Row::Display { panel, focus, .. }, Subject::Display(recapture)) => {
                let focus = if *focus == Focus::Sharp { "sharp" } else { focus.name() };
                ("display", panel.name(), format!("{:.3}", recapture.scale), focus, "")
            }
            (Row::World { kind, .. }, Subject::Texture { .. }) => ("texture", *kind, String::new(), "", ""),
            (Row::World { kind, plain }, _) => {
                ("photograph", *kind, String::new(), "", if *plain { "plain" } else { "worked on" })
            }
            _ => ("control", "", String::new(), "", ""),
        };
        let (file, part) = (file_name(planned), planned.part);
        format!("{file}\t{label}\t{kind}\t{pixels}\t{focus}\t{plain}\t{part:?}\t{}\n", planned.source)
    };
    let heading = "file\tlabel\tkind\tpixels\tfocus\tplain\tpart\tsource\n".to_owned();
    fs::write(folder.join("labels.tsv"), heading + &planned.iter().map(line).collect::<String>())
}
