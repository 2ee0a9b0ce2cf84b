//! The codes by which a cropped copy or a screenshot is searched.

use lacre_domain::Fingerprint;

use crate::{
    code::{code_of, code_of_pixels},
    luma::{Luma, SIDE},
    resize::{Grey, Rows, resize},
};

/// The longer side of the picture that is padded, at most.
const MAX_SIDE: usize = 256;

/// What is added on the left and the right, or on the top and the bottom, in twentieths of the side.
type Padding = (usize, usize);

/// The codes by which the original of a copy is searched: the code of the copy first, and then those of what it may have
/// been cropped from. For these it is padded by its edge pixels: by 5 % of the side on each combination of sides, and by
/// 10 % on all sides. So there are 17 codes, and an 18th if the copy is a screenshot: that of the picture within the bars.
/// There are fewer where a picture is too uniform (see [`code_of`]), and none if the copy itself is.
#[must_use]
pub fn hypotheses(copy: &Luma) -> Vec<Fingerprint> {
    let Some(code) = code_of(copy) else { return Vec::new() };
    let (width, height) = copy.size();
    let longer = width.max(height).max(MAX_SIDE);
    let small = resize(copy, ((width * MAX_SIDE / longer).max(1), (height * MAX_SIDE / longer).max(1)));

    let either = [(0, 0), (0, 1), (1, 0), (1, 1)];
    let combinations = either.iter().flat_map(|across| either.iter().map(move |down| (*across, *down)));
    let padded = combinations.skip(1).chain([((2, 2), (2, 2))]);
    let codes = padded.filter_map(|(across, down)| {
        let Grey { samples, .. } = resize(&small.padded(across, down), (SIDE, SIDE));
        code_of_pixels(&samples)
    });
    let in_bars = copy.without_bars().and_then(|picture| code_of(&picture));
    [code].into_iter().chain(codes).chain(in_bars).collect()
}

impl Grey {
    /// The picture with more of its edge pixels.
    fn padded(&self, across: Padding, down: Padding) -> Self {
        let (width, height) = self.size();
        let indices = |(before, after): Padding, length: usize| {
            let [before, after] = [before, after].map(|twentieths| (length * twentieths + 10) / 20);
            (0..before + length + after).map(move |index| index.saturating_sub(before).min(length - 1))
        };
        let columns: Vec<_> = indices(across, width).collect();
        let rows = indices(down, height).map(|y| &self.samples[y * width..][..width]);
        Self { width: columns.len(), samples: rows.flat_map(|row| columns.iter().map(|x| row[*x])).collect() }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    /// A picture of random blocks.
    fn blocks(width: usize, height: usize) -> Vec<u8> {
        let mut random = fastrand::Rng::with_seed(1);
        let colors: Vec<[u8; 3]> = (0..12 * 9).map(|_| [random.u8(..), random.u8(..), random.u8(..)]).collect();
        let pixels = (0..height).flat_map(|y| (0..width).map(move |x| (x * 12 / width, y * 9 / height)));
        pixels.flat_map(|(x, y)| colors[y * 12 + x]).collect()
    }

    /// A part of a picture.
    fn cropped(rgb: &[u8], width: usize, columns: std::ops::Range<usize>, rows: std::ops::Range<usize>) -> Vec<u8> {
        rows.flat_map(|y| &rgb[(y * width + columns.start) * 3..(y * width + columns.end) * 3]).copied().collect()
    }

    #[test]
    fn begins_with_the_code_of_the_copy() {
        let rgb = blocks(240, 160);
        let luma = Luma::of_rgb(240, &rgb);
        let hypotheses = hypotheses(&luma);
        assert_eq!(hypotheses.len(), 17);
        assert_eq!(hypotheses.first(), code_of(&luma).as_ref());
    }

    #[test]
    fn brings_a_cropped_copy_nearer() {
        let rgb = blocks(240, 160);
        let original = code_of(&Luma::of_rgb(240, &rgb)).unwrap();
        let (all_columns, all_rows) = (0..240, 0..160);
        for (columns, rows) in [
            (12..240, all_rows.clone()),
            (0..228, all_rows),
            (all_columns.clone(), 8..160),
            (all_columns, 0..152),
            (12..228, 8..152),
            (24..216, 16..144),
        ] {
            let copy = cropped(&rgb, 240, columns.clone(), rows.clone());
            let codes = hypotheses(&Luma::of_rgb(columns.len(), &copy));
            let distances: Vec<_> = codes.iter().map(|code| code.distance(&original)).collect();
            let nearest = distances.iter().min().unwrap();
            assert!(2 * nearest < distances[0], "{columns:?} {rows:?}: {distances:?}");
        }
    }

    #[test]
    fn looks_within_the_bars_of_a_screenshot() {
        let rgb = blocks(240, 160);
        let rows = rgb.chunks(240 * 3).flat_map(|row| [&[20; 30 * 3][..], row, &[20; 10 * 3]].concat());
        let bar =
            |rows: usize| (0..rows * 280).map(|index| [20, 20, 20 + (index % 2) as u8]).collect::<Vec<_>>().concat();
        let screenshot: Vec<u8> = bar(150).into_iter().chain(rows).chain(bar(90)).collect();
        let codes = hypotheses(&Luma::of_rgb(280, &screenshot));
        assert_eq!(codes.len(), 18);
        assert_eq!(codes.last(), code_of(&Luma::of_rgb(240, &rgb)).as_ref());
    }

    #[test]
    fn a_uniform_copy_has_none() {
        assert_eq!(hypotheses(&Luma::of_rgb(1, &[1, 2, 3])), []);
        assert_eq!(hypotheses(&Luma::of_rgb(300, &[200; 300 * 300 * 3])), []);
        assert_eq!(hypotheses(&Luma::of_rgb(0, &[])), []);
    }

    #[test]
    fn pads_with_edge_pixels() {
        let small = Grey { width: 20, samples: (0..40).collect() };
        let padded = small.padded((1, 2), (0, 0));
        assert_eq!(padded.size(), (23, 2));
        assert_eq!(padded.samples[..3], [0, 0, 1]);
        assert_eq!(padded.samples[20..26], [19, 19, 19, 20, 20, 21]);
        let tall = Grey { width: 1, samples: (0..20).collect() };
        assert_eq!(tall.padded((0, 0), (2, 1)).samples[..4], [0, 0, 0, 1]);
    }
}
