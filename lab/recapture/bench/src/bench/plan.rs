//! Which photos the bench makes: displays by condition, the world by kind, each of one of two parts of the photographs and textures,
//! so that weights can be fitted to one and reported of the other.

use fastrand::Rng;
use recapture_bench::{
    camera::{Focus, between},
    display::Panel,
    recapture::Recapture,
    texture::{GROUPS, Kind},
};

use crate::{
    photographs::{Photograph, Shows},
    shots::{Shot, Subject, Treatment},
};

/// Frame pixels per display pixel, from and to.
pub(crate) const BANDS: [(f32, f32); 6] = [(1.2, 1.5), (1.5, 2.0), (2.0, 2.5), (2.5, 3.0), (3.0, 4.0), (4.0, 6.0)];

/// Which photographs and kinds of texture: those that weights may be chosen on, or the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    Chosen,
    Reported,
}

/// The row of a table that a photo counts in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Row {
    Display {
        panel: Panel,
        band: usize,
        focus: Focus,
    },
    Control,
    /// A photo of the world, and whether it is a plain one: neither worked on nor chosen for being hard.
    World {
        kind: &'static str,
        plain: bool,
    },
}

/// A photo of the bench.
pub(crate) struct Planned {
    pub(crate) shot: Shot,
    pub(crate) row: Row,
    pub(crate) part: Part,
    /// What it is of: a photograph's or a texture's name.
    pub(crate) source: String,
}

/// Deals sources to the two parts in turn, in the order of their names' hashes (FNV-1a): by chance, the same in every run,
/// and as many to either.
fn deal<'a>(sources: impl IntoIterator<Item = &'a str>) -> Vec<(String, Part)> {
    let hash = |source: &str| {
        source
            .bytes()
            .fold(0xcbf2_9ce4_8422_2325u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3))
    };
    let mut sources: Vec<&str> = sources.into_iter().collect();
    sources.sort_by_key(|source| hash(source));
    let parts = [Part::Reported, Part::Chosen].into_iter().cycle();
    sources.into_iter().map(str::to_owned).zip(parts).collect()
}

/// What is done to each photograph: the table's row, whether the result is a plain photo, and how many times.
const TREATMENTS: [(Treatment, &str, bool, usize); 7] = [
    (Treatment::Whole, "photographs as they come", true, 1),
    (Treatment::Crop, "photographs, cropped", true, 3),
    (Treatment::Shrunk, "photographs, scaled down", true, 3),
    (Treatment::Camera, "photographs through the camera", true, 3),
    (Treatment::Enlarged, "photographs, digitally enlarged", false, 3),
    (Treatment::Sharpened, "photographs, sharpened", false, 2),
    (Treatment::Night, "night", false, 2),
];

struct Planner<'a> {
    photographs: &'a [Photograph],
    parts: Vec<(String, Part)>,
    rng: Rng,
    planned: Vec<Planned>,
}

/// All photos of the bench that a seed gives, in no order: the first of them are a smaller bench.
pub(crate) fn plan(photographs: &[Photograph], seed: u64) -> Vec<Planned> {
    let mut parts = deal(photographs.iter().map(|photograph| photograph.name.as_str()));
    for (_, kinds) in GROUPS {
        let names: Vec<String> = kinds.iter().map(|kind| kind.name()).collect();
        parts.extend(deal(names.iter().map(String::as_str)));
    }
    let mut planner = Planner { photographs, parts, rng: Rng::with_seed(seed), planned: Vec::new() };
    planner.displays();
    planner.world();
    planner.textures();
    planner.rng.shuffle(&mut planner.planned);
    planner.planned
}

impl Planner<'_> {
    /// Mostly full HD; else what other cameras and other ways to hold them give.
    fn size(&mut self) -> (usize, usize) {
        match self.rng.u8(0..100) {
            0..60 => (1920, 1080),
            60..80 => (1280, 720),
            80..90 => (1080, 1920),
            90..94 => (1600, 1200),
            94..99 => (720, 1280),
            _ => (4000, 3000),
        }
    }

    fn add(&mut self, subject: Subject, photograph: usize, size: (usize, usize), row: Row, source: &str) {
        let shot = Shot { subject, photograph, size, seed: self.rng.u64(..) };
        let part = self.parts.iter().find(|(name, _)| name == source).map_or(Part::Chosen, |(_, part)| *part);
        self.planned.push(Planned { shot, row, part, source: source.to_owned() });
    }

    fn display(&mut self, panel: Panel, scale: (f32, f32), focus: Focus, row: Row) {
        let photograph = self.rng.usize(0..self.photographs.len());
        let size = self.size();
        let recapture = Recapture { panel, scale: between(&mut self.rng, scale), focus, size };
        let source = self.photographs[photograph].name.clone();
        self.add(Subject::Display(recapture), photograph, size, row, &source);
    }

    fn displays(&mut self) {
        for (band, scale) in BANDS.into_iter().enumerate() {
            for panel in Panel::WITH_PIXELS {
                for (focus, full) in [(Focus::Sharp, 20), (Focus::Soft, 6), (Focus::Blurred, 3)] {
                    for _ in 0..full {
                        self.display(panel, scale, focus, Row::Display { panel, band, focus });
                    }
                }
            }
            for _ in 0..12 {
                self.display(Panel::Seamless, scale, Focus::Sharp, Row::Control);
            }
        }
    }

    fn world(&mut self) {
        for (photograph, &Photograph { ref name, shows, .. }) in self.photographs.iter().enumerate() {
            for (treatment, kind, plain, full) in TREATMENTS {
                self.treated(photograph, name, treatment, Row::World { kind, plain }, full);
            }
            match shows {
                Shows::Anything => {}
                Shows::Sky => {
                    self.treated(photograph, name, Treatment::Sky, Row::World { kind: "sky", plain: false }, 5)
                }
                Shows::Face(..) => {
                    self.treated(
                        photograph,
                        name,
                        Treatment::Face,
                        Row::World { kind: "zoomed faces", plain: false },
                        14,
                    );
                }
            }
        }
    }

    fn treated(&mut self, photograph: usize, name: &str, treatment: Treatment, row: Row, full: usize) {
        for _ in 0..full {
            let size = self.size();
            self.add(Subject::World(treatment), photograph, size, row.clone(), name);
        }
    }

    fn textures(&mut self) {
        for (group, kinds) in GROUPS {
            for &kind in kinds {
                for _ in 0..20 {
                    self.texture(kind, group, false);
                }
                for _ in 0..6 {
                    self.texture(kind, group, true);
                }
            }
        }
    }

    fn texture(&mut self, kind: Kind, group: &'static str, part: bool) {
        let (shortest, longest) = kind.periods();
        let period = shortest * (longest / shortest).powf(self.rng.f32());
        let photograph = self.rng.usize(0..self.photographs.len());
        let size = self.size();
        let subject = Subject::Texture { kind, period, part };
        self.add(subject, photograph, size, Row::World { kind: group, plain: false }, &kind.name());
    }
}
