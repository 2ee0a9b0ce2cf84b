//! Plans the photos of the bench: displays by condition, the world by kind. Photographs and textures are divided into
//! two parts, so that weights can be fitted to one and evaluated on the other.

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

/// Ranges of frame pixels per display pixel.
pub(crate) const BANDS: [(f32, f32); 6] = [(1.2, 1.5), (1.5, 2.0), (2.0, 2.5), (2.5, 3.0), (3.0, 4.0), (4.0, 6.0)];

/// The part of the photographs and textures: the one for choosing weights, or the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    Chosen,
    Reported,
}

/// The table row in which a photo counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Row {
    Display {
        panel: Panel,
        band: usize,
        focus: Focus,
    },
    Control,
    /// A photo of the world. Plain photos are neither processed nor selected for difficulty.
    World {
        kind: &'static str,
        plain: bool,
    },
}

/// A planned photo.
pub(crate) struct Planned {
    pub(crate) shot: Shot,
    pub(crate) row: Row,
    pub(crate) part: Part,
    /// Name of the photograph or texture.
    pub(crate) source: String,
}

/// Assigns sources to the two parts alternately, in the order of their names' hashes (FNV-1a). The assignment is
/// arbitrary, the same in every run, and balanced.
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

/// Treatments of each photograph: the table row, whether the result is a plain photo, and how many photos are made.
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

/// All photos of a seed, shuffled, so that the first ones form a smaller bench.
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
    /// A frame size: mostly full HD, otherwise that of other cameras and orientations.
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
