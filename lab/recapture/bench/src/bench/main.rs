//! Measures the recapture gate on simulated photos of displays and on photos of the world: detection rate, false
//! alarms, cost. See docs/concepts/recapture.md.

mod cost;
mod photographs;
mod plan;
mod report;
mod roc;
mod run;
mod shots;

use std::{error::Error, fs, path::PathBuf, process::ExitCode, time::Instant};

use clap::Parser;
use fastrand::Rng;
use lacre_domain::{RecaptureRisk, limits::MAX_ASSET_BYTES};
use peak_alloc::PeakAlloc;
use recapture_bench::{camera::Focus, display::Panel, recapture::Recapture};

use crate::{
    photographs::Photograph,
    plan::Row,
    run::Outcome,
    shots::{Shot, Subject, Treatment},
};

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

#[derive(Parser)]
#[command(about = "Measures the recapture gate.")]
struct Arguments {
    /// The folder of the photographs.
    #[arg(long)]
    photographs: PathBuf,
    /// The file of the ROC diagram.
    #[arg(long)]
    roc: PathBuf,
    /// Seeds of the photos made from the photographs and textures. Repeat it for more photos. The weights were fitted
    /// to photos of seed 81.
    #[arg(long = "seed", default_values_t = [82])]
    seeds: Vec<u64>,
    /// Limit the number of photos.
    #[arg(long)]
    photos: Option<usize>,
    /// A folder in which photos are kept and reused in later runs.
    #[arg(long)]
    frames: Option<PathBuf>,
}

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let arguments = Arguments::parse();
    let start = Instant::now();
    let photographs = photographs::read(&arguments.photographs)?;
    if photographs.is_empty() {
        return Err("photographs are missing: run lab/scripts/recapture-photographs".into());
    }
    let mut planned: Vec<_> = arguments.seeds.iter().flat_map(|seed| plan::plan(&photographs, *seed)).collect();
    planned.truncate(arguments.photos.unwrap_or(usize::MAX));
    if let Some(folder) = &arguments.frames {
        fs::create_dir_all(folder)?;
    }
    let outcomes = run::run(&planned, &photographs, arguments.frames.as_deref())?;

    println!("# The recapture gate\n");
    println!("{} photos, {} of them of the world.\n", outcomes.len(), of_the_world(&outcomes));
    report::verdicts(&outcomes);
    let costs = [(1920, 1080), (4000, 3000)].map(|size| costs(size, &photographs));
    report::costs(&costs.into_iter().collect::<Result<Vec<_>, _>>()?);
    fs::write(&arguments.roc, roc::draw(&outcomes))?;
    println!("\nThe ROC is {}. All this took {:.0} s.", arguments.roc.display(), start.elapsed().as_secs_f64());

    // A display without visible pixels is a control: HIGH for it is an error of the simulator.
    let found = |outcome: &Outcome<'_>| outcome.planned.row == Row::Control && outcome.is(RecaptureRisk::High);
    let controls = outcomes.iter().filter(|outcome| found(outcome)).count();
    if controls > 0 {
        eprintln!("{controls} photos of a display without pixels are HIGH");
    }
    Ok(if controls > 0 { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

fn of_the_world(outcomes: &[Outcome<'_>]) -> usize {
    outcomes.iter().filter(|outcome| matches!(outcome.planned.row, Row::World { .. })).count()
}

/// The cost of photos of a size that the service accepts: half of them of displays, half of the world.
fn costs(size: (usize, usize), photographs: &[Photograph]) -> Result<cost::Cost, String> {
    let mut rng = Rng::with_seed(11);
    // Only photographs that are at least as large.
    let large = |photograph: &Photograph| photograph.frame.width >= size.0 && photograph.frame.height >= size.1;
    let large: Vec<usize> = (0..photographs.len()).filter(|&i| large(&photographs[i])).collect();
    let jpegs = (0..12).map(|i| {
        let photograph = *rng.choice(large.iter()).ok_or("no photograph is large enough")?;
        let panel = Panel::WITH_PIXELS[i % 4];
        let display = Subject::Display(Recapture { panel, scale: 3.0, focus: Focus::Sharp, size });
        let subject = if i % 2 == 0 { display } else { Subject::World(Treatment::Crop) };
        Shot { subject, photograph, size, seed: rng.u64(..) }.jpeg_within(MAX_ASSET_BYTES, photographs)
    });
    cost::measure(size, &jpegs.collect::<Result<Vec<_>, String>>()?, &MEMORY)
}
