//! Creates each photo and analyses it as the service does, on all processors.

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

/// The analysis of a photo.
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

/// Analyses a JPEG from its bytes.
pub(crate) fn look(jpeg: &[u8]) -> Result<Analysis, String> {
    let planes = lacre_photo::decode(jpeg).map_err(|error| error.to_string())?;
    Ok(lacre_recapture::analyse(planes, limits::RECAPTURE_THRESHOLD))
}

/// Creates and analyses all planned photos. With a folder `frames`, existing photos are reused, and new ones are stored
/// with a table of their labels, so that work on the analysis need not repeat the simulation.
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

/// The content of a file, which is created if it does not exist.
fn kept(file: &Path, make: impl FnOnce() -> Result<Vec<u8>, String>) -> Result<Vec<u8>, String> {
    if let Ok(content) = fs::read(file) {
        return Ok(content);
    }
    let content = make()?;
    fs::write(file, &content).map_err(|error| format!("{}: {error}", file.display()))?;
    Ok(content)
}

/// A file name with the part, the row, the source and the seed, which makes it unique.
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

/// Writes labels.tsv for lab/scripts/evaluate-recapture and lab/scripts/train-recapture.
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
