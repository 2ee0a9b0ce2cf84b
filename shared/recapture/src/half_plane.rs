//! A function of frequency on half of the plane, since the spectrum of a real image is symmetric.

/// `side / 2 + 1` rows of `side` values. Row `u` is the horizontal frequency `u / side`, column `v` the vertical
/// frequency `v / side`. Both wrap around: column `side - 1` is also column −1, and row −1 is row 1 with its columns
/// negated.
pub(crate) struct HalfPlane {
    pub(crate) side: usize,
    pub(crate) values: Vec<f32>,
}

impl HalfPlane {
    pub(crate) fn from_fn(side: usize, mut value: impl FnMut(usize, usize) -> f32) -> Self {
        let mut values = Vec::with_capacity((side / 2 + 1) * side);
        for u in 0..=side / 2 {
            values.extend((0..side).map(|v| value(u, v)));
        }
        Self { side, values }
    }

    /// The value at any integer frequency, wrapped around as often as necessary.
    pub(crate) fn at(&self, u: isize, v: isize) -> f32 {
        self.values[Self::index(self.side, u, v)]
    }

    /// The index of this value in a plane of the given side.
    pub(crate) fn index(side: usize, u: isize, v: isize) -> usize {
        // The sides are powers of two, so masking computes the remainder.
        let around = |bin: isize| bin.cast_unsigned() & (side - 1);
        let (u, v) = if around(u) > side / 2 { (-u, -v) } else { (u, v) };
        around(u) * side + around(v)
    }

    /// Combines each value with that of another plane of the same side.
    pub(crate) fn zip(&self, other: &Self, join: impl Fn(f32, f32) -> f32) -> Self {
        let values = self.values.iter().zip(&other.values).map(|(a, b)| join(*a, *b)).collect();
        Self { side: self.side, values }
    }

    /// Combines, at each frequency, all values of the surrounding square of `SPAN` by `SPAN` frequencies (`SPAN` is
    /// odd), for example to their sum or maximum.
    pub(crate) fn over_squares<const SPAN: usize>(&self, join: impl Fn(f32, f32) -> f32) -> Self {
        self.over_grid::<SPAN>(1, join)
    }

    /// Combines the results of [`over_squares`](Self::over_squares) for squares of `span` by `span` to those for
    /// squares of three times the side.
    pub(crate) fn over_nine_squares(&self, span: usize, join: impl Fn(f32, f32) -> f32) -> Self {
        self.over_grid::<3>(span, join)
    }

    /// Combines, at each frequency, the values of the surrounding grid of `COUNT` by `COUNT` frequencies (`COUNT` is
    /// odd) with a distance of `step`.
    fn over_grid<const COUNT: usize>(&self, step: usize, join: impl Fn(f32, f32) -> f32) -> Self {
        const { assert!(COUNT % 2 == 1 && COUNT > 1, "a square has a middle, and surroundings") };
        let side = self.side;
        let reach = COUNT / 2 * step;
        // Along the columns first, over rows that extend beyond the half plane.
        let rows = side / 2 + 1 + 2 * reach;
        let mut along = Vec::with_capacity(rows * side);
        let mut padded = Vec::with_capacity(side + 2 * reach);
        for u in 0..rows {
            padded.clear();
            self.extend_with_row(u.cast_signed() - reach.cast_signed(), reach, &mut padded);
            let shifted: [_; COUNT] = std::array::from_fn(|i| &padded[i * step..][..side]);
            along.extend((0..side).map(|v| joined(shifted.map(|row| row[v]), &join)));
        }
        let mut values = Vec::with_capacity((side / 2 + 1) * side);
        for u in 0..=side / 2 {
            let down: [_; COUNT] = std::array::from_fn(|i| &along[(u + i * step) * side..][..side]);
            values.extend((0..side).map(|v| joined(down.map(|row| row[v]), &join)));
        }
        Self { side, values }
    }

    /// Appends row `u` from column `-reach` to `side + reach`.
    fn extend_with_row(&self, u: isize, reach: usize, padded: &mut Vec<f32>) {
        let half = (self.side / 2).cast_signed();
        let mirrored = u < 0 || u > half;
        let stored = if u < 0 {
            -u
        } else if mirrored {
            2 * half - u
        } else {
            u
        }
        .cast_unsigned();
        let row = &self.values[stored * self.side..(stored + 1) * self.side];
        if mirrored {
            // Column v is the stored column −v.
            padded.extend(row[..=reach].iter().rev());
            padded.extend(row[1..].iter().rev());
            // Wraps around to column 0.
            padded.push(row[0]);
            padded.extend(row[self.side + 1 - reach..].iter().rev());
        } else {
            padded.extend_from_slice(&row[self.side - reach..]);
            padded.extend_from_slice(row);
            padded.extend_from_slice(&row[..reach]);
        }
    }
}

fn joined<const COUNT: usize>(values: [f32; COUNT], join: impl Fn(f32, f32) -> f32) -> f32 {
    values[1..].iter().fold(values[0], |joined, value| join(joined, *value))
}

/// The larger of two numbers. Unlike [`f32::max`] it does not handle NaN, which does not occur here.
pub(crate) fn larger(one: f32, other: f32) -> f32 {
    if one > other { one } else { other }
}

/// The smaller of two numbers, without handling of NaN like [`larger`].
pub(crate) fn smaller(one: f32, other: f32) -> f32 {
    if one < other { one } else { other }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    const SIDE: usize = 64;

    /// Small integers, whose sums are exact, with the symmetry of a real image: rows 0 and 32 are their own negatives.
    fn plane() -> HalfPlane {
        HalfPlane::from_fn(SIDE, |u, v| {
            let v = if u % (SIDE / 2) == 0 { v.min(SIDE - v) } else { v };
            ((u * 37 + v * 101) % 997) as f32
        })
    }

    fn one_by_one(plane: &HalfPlane, span: usize, join: impl Fn(f32, f32) -> f32) -> Vec<f32> {
        let reach = (span / 2).cast_signed();
        let square = |u: usize, v: usize| {
            let (u, v) = (u.cast_signed(), v.cast_signed());
            let values = (u - reach..=u + reach).flat_map(|u| (v - reach..=v + reach).map(move |v| plane.at(u, v)));
            values.reduce(&join).unwrap()
        };
        HalfPlane::from_fn(SIDE, square).values
    }

    #[test]
    fn squares_go_around_in_all_directions() {
        let add = |one, other| one + other;
        let plane = plane();
        assert_eq!(plane.over_squares::<5>(add).values, one_by_one(&plane, 5, add));
        assert_eq!(plane.over_squares::<11>(add).values, one_by_one(&plane, 11, add));
        assert_eq!(plane.over_squares::<9>(larger).values, one_by_one(&plane, 9, larger));
    }

    #[test]
    fn nine_squares_are_a_larger_one() {
        let add = |one, other| one + other;
        let plane = plane();
        assert_eq!(plane.over_squares::<5>(add).over_nine_squares(5, add).values, one_by_one(&plane, 15, add));
        assert_eq!(plane.over_squares::<5>(larger).over_nine_squares(5, larger).values, one_by_one(&plane, 15, larger));
    }
}
