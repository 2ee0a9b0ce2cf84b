//! A function of frequency over half the plane: a real image's spectrum is the same at a frequency and its negative.

/// `side / 2 + 1` rows of `side` values. Row `u` is the frequency `u / side` across, column `v` is `v / side` down, and both
/// go around: column `side - 1` is also column −1, and row −1 is row 1 with its columns negated.
#[derive(Clone)]
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

    /// The value at any whole frequency, around as often as it takes.
    pub(crate) fn at(&self, u: isize, v: isize) -> f32 {
        // The sides are powers of two.
        let around = |bin: isize| bin.cast_unsigned() & (self.side - 1);
        let (u, v) = if around(u) > self.side / 2 { (-u, -v) } else { (u, v) };
        self.values[around(u) * self.side + around(v)]
    }

    /// Value by value, with another of the same side.
    pub(crate) fn zip(&self, other: &Self, join: impl Fn(f32, f32) -> f32) -> Self {
        let values = self.values.iter().zip(&other.values).map(|(a, b)| join(*a, *b)).collect();
        Self { side: self.side, values }
    }

    /// At each frequency, all values of the square that reaches `reach` to each side, joined: their sum, their largest.
    pub(crate) fn over_squares(&self, reach: usize, join: impl Fn(f32, f32) -> f32) -> Self {
        self.over_grid(1, reach, join)
    }

    /// Of what [`over_squares`](Self::over_squares) gave for a `reach`, the same for squares of three by three such squares: they
    /// reach `3 * reach + 1` to each side.
    pub(crate) fn over_nine_squares(&self, reach: usize, join: impl Fn(f32, f32) -> f32) -> Self {
        let span = 2 * reach + 1;
        self.over_grid(span, span, join)
    }

    /// At each frequency, the values joined that are as far away in each direction as a multiple of `step` up to `reach`, itself one.
    fn over_grid(&self, step: usize, reach: usize, join: impl Fn(f32, f32) -> f32) -> Self {
        let side = self.side;
        let (rows, columns) = (side / 2 + 1 + 2 * reach, side + 2 * reach);
        // Along the columns first, over rows that reach beyond the half.
        let mut along = Vec::with_capacity(rows * side);
        let mut padded = Vec::with_capacity(columns);
        for u in 0..rows {
            padded.clear();
            self.extend_with_row(u.cast_signed() - reach.cast_signed(), reach, &mut padded);
            along.extend_from_slice(&padded[..side]);
            let row = &mut along[u * side..];
            for shift in (step..=2 * reach).step_by(step) {
                row.iter_mut().zip(&padded[shift..]).for_each(|(sum, value)| *sum = join(*sum, *value));
            }
        }
        let mut values = along[..(side / 2 + 1) * side].to_vec();
        for shift in (step..=2 * reach).step_by(step) {
            values.iter_mut().zip(&along[shift * side..]).for_each(|(sum, value)| *sum = join(*sum, *value));
        }
        Self { side, values }
    }

    /// Row `u` from column `-reach` to `side + reach`.
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
            padded.extend(row[self.side - reach..].iter().rev());
        } else {
            padded.extend_from_slice(&row[self.side - reach..]);
            padded.extend_from_slice(row);
            padded.extend_from_slice(&row[..reach]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nine_squares_are_a_larger_one() {
        // As of a real image: rows 0 and 32 are their own negatives.
        let plane = HalfPlane::from_fn(64, |u, v| {
            let v = if u % 32 == 0 { v.min(64 - v) } else { v };
            ((u * 37 + v * 101) % 997) as f32
        });
        for reach in [1, 2, 4] {
            let largest = plane.over_squares(reach, f32::max).over_nine_squares(reach, f32::max);
            assert_eq!(largest.values, plane.over_squares(3 * reach + 1, f32::max).values, "{reach}");
        }
    }
}
