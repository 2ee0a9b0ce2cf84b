//! What a frame's tiles have in common: a display's lattice is the same everywhere, except for perspective.

use crate::half_plane::{HalfPlane, larger, smaller};
use crate::peaks::Peak;
use crate::spectrum::{Pair, Transform};
use crate::tiles::{CHROMA_SIDE, LUMA_SIDE, SUMMED, Samples, tiles};
use crate::whiten::Whitener;
use lacre_photo::Planes;

/// The number of tiles that must agree, of those in which a frequency is strongest. Parts of a display show no lattice
/// where its picture is black or out of focus.
pub(crate) const AGREEING: usize = 3;
/// Minimum number of tiles. Among fewer, three would agree by chance.
const FEWEST: usize = 6;
/// The number of JPEG blocks along a tile.
const LUMA_BLOCKS: usize = LUMA_SIDE / 8;
const CHROMA_BLOCKS: usize = CHROMA_SIDE / 8;
/// The width of a frequency's surroundings, in bins.
const LUMA_SPAN: usize = 15;
const CHROMA_SPAN: usize = 11;
/// How far a peak may move from tile to tile, in bins. The near side of a tilted display appears larger than its far
/// side.
pub(crate) const STILL: usize = 2;
pub(crate) const TILTED: usize = 3 * STILL + 1;
/// The square that contains all positions of a peak that has not moved. Three by three such squares contain those of
/// one that has.
const STILL_SPAN: usize = 2 * STILL + 1;
const _: () = assert!(3 * STILL_SPAN == 2 * TILTED + 1);

/// The scene's own colors lie within this distance of frequency 0, in bins of the color planes.
const SCENE_REACH: usize = 6;

/// The measurements of one tile.
pub(crate) struct View {
    /// The samples of the tile.
    pub(crate) samples: Samples,
    /// The logarithms of luma's power.
    pub(crate) luma: HalfPlane,
    /// The prominence of luma.
    pub(crate) prominence: HalfPlane,
    /// The color measurements; `None` for a grey photo.
    pub(crate) color: Option<Color>,
}

/// The color measurements of a tile.
pub(crate) struct Color {
    /// The spectra of Cb and Cr.
    pub(crate) spectra: Pair,
    /// The prominence of Cb or Cr, whichever is larger.
    pub(crate) prominence: HalfPlane,
    /// The natural logarithm of the mean power of the scene's own colors, at low frequencies; 0 is the power of
    /// rounding.
    pub(crate) scene: f32,
}

/// The prominence of each frequency over the whole frame, and the measurements of the tiles.
pub(crate) struct Lattice {
    /// The prominence in the tiles that agree closely, as for an object seen frontally.
    pub(crate) still: HalfPlane,
    /// The prominence in the tiles that agree within the tolerance for tilt.
    pub(crate) tilted: HalfPlane,
    pub(crate) views: Vec<View>,
}

/// Measures a frame; `None` if it is too small.
pub(crate) fn measure(planes: Planes) -> Option<Lattice> {
    let tiles = tiles(&planes);
    if tiles.len() < FEWEST {
        return None;
    }
    let samples = tiles.iter().map(|tile| Samples::of(&planes, *tile)).collect();
    drop(planes);
    let views = views(samples);
    let (mut still, mut tilted) = (Ranking::new(), Ranking::new());
    for view in &views {
        let largest = view.prominence.over_squares::<STILL_SPAN>(larger);
        still.add(&largest);
        tilted.add(&largest.over_nine_squares(STILL_SPAN, larger));
    }
    Some(Lattice { still: still.last(), tilted: tilted.last(), views })
}

/// Computes [`Color::scene`].
fn scene(spectra: &Pair) -> f32 {
    let (mut sum, mut count) = (0.0, 0.0);
    for (u, v) in square(0, 0, SCENE_REACH).filter(|(u, v)| u.abs().max(v.abs()) > 1) {
        sum += spectra.at(u, v).iter().map(|value| value.norm_sqr()).sum::<f32>();
        count += 2.0;
    }
    (1.0 + sum / count).ln()
}

fn views(samples: Vec<Samples>) -> Vec<View> {
    let mut luma_transform = Transform::new(LUMA_SIDE, 1);
    let mut chroma_transform = Transform::new(CHROMA_SIDE, SUMMED);
    let luma_whitener = Whitener::<LUMA_SPAN>::new(LUMA_SIDE, LUMA_BLOCKS);
    let chroma_whitener = Whitener::<CHROMA_SPAN>::new(CHROMA_SIDE, CHROMA_BLOCKS);
    let mut color = |[blue, red]: &[Vec<u16>; 2]| {
        let spectra = chroma_transform.pair(blue, red);
        let [blue, red] = spectra.log_powers().map(|power| chroma_whitener.prominence(&power));
        Color { scene: scene(&spectra), prominence: blue.zip(&red, larger), spectra }
    };
    let mut views = Vec::with_capacity(samples.len());
    let mut samples = samples.into_iter();
    while let Some(first) = samples.next() {
        let second = samples.next();
        // If the number of tiles is odd, the last one is paired with itself, and counts once.
        let powers = luma_transform.pair(&first.luma, &second.as_ref().unwrap_or(&first).luma).log_powers();
        views.extend([Some(first), second].into_iter().flatten().zip(powers).map(|(samples, luma)| View {
            prominence: luma_whitener.prominence(&luma),
            color: samples.color.as_ref().map(&mut color),
            samples,
            luma,
        }));
    }
    views
}

impl View {
    /// The position of a frame's peak in this tile, in bins across and down: the most prominent one within `reach`.
    pub(crate) fn own(&self, peak: &Peak, reach: usize) -> (isize, isize) {
        let bin = |cycles: f32| (cycles * LUMA_SIDE as f32).round() as isize;
        let prominence = |(u, v): (isize, isize)| self.prominence.at(u, v);
        let (u, v) = (bin(peak.across), bin(peak.down));
        let own = square(u, v, reach).max_by(|one, other| prominence(*one).total_cmp(&prominence(*other)));
        own.unwrap_or((u, v))
    }
}

/// The bins within `reach` of a bin, to each side.
pub(crate) fn square(u: isize, v: isize, reach: usize) -> impl Iterator<Item = (isize, isize)> {
    let reach = reach.cast_signed();
    (u - reach..=u + reach).flat_map(move |u| (v - reach..=v + reach).map(move |v| (u, v)))
}

/// The largest values at each frequency over all planes so far, in descending order.
struct Ranking([HalfPlane; AGREEING]);

impl Ranking {
    fn new() -> Self {
        Self(std::array::from_fn(|_| HalfPlane::from_fn(LUMA_SIDE, |_, _| f32::NEG_INFINITY)))
    }

    /// Inserts each value at its rank, and moves the smaller ones down.
    fn add(&mut self, plane: &HalfPlane) {
        let [first, second, third] = &mut self.0;
        let held = first.values.iter_mut().zip(&mut second.values).zip(&mut third.values);
        for (((first, second), third), value) in held.zip(&plane.values) {
            *third = larger(*third, smaller(*second, *value));
            *second = larger(*second, smaller(*first, *value));
            *first = larger(*first, *value);
        }
    }

    fn last(self) -> HalfPlane {
        let [.., last] = self.0;
        last
    }
}
