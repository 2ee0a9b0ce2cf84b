//! Scales pictures exactly as Pillow's `resize` with `BICUBIC` on x86_64 (its `src/libImaging/Resample.c`): a cubic
//! convolution with a = −0.5 that is widened when it reduces, along rows and then along columns, in fixed point, with the
//! rows in between rounded to 8 bits. Pillow 13 changed the order for tall pictures, which changes some samples by one.

/// The bits after the point of a weight.
const PRECISION: u32 = 32 - 8 - 2;

/// A picture that is read row by row.
pub(crate) trait Rows {
    /// The number of columns and of rows.
    fn size(&self) -> (usize, usize);

    /// A row, for which `buffer` may be used.
    fn row<'a>(&'a self, y: usize, buffer: &'a mut Vec<u8>) -> &'a [u8];
}

/// A picture in brightness.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Grey {
    pub(crate) width: usize,
    pub(crate) samples: Vec<u8>,
}

impl Rows for Grey {
    fn size(&self) -> (usize, usize) {
        (self.width, self.samples.len().checked_div(self.width).unwrap_or_default())
    }

    fn row<'a>(&'a self, y: usize, _: &'a mut Vec<u8>) -> &'a [u8] {
        &self.samples[y * self.width..][..self.width]
    }
}

/// Scales a picture to a number of columns and rows.
pub(crate) fn resize(picture: &impl Rows, (width, height): (usize, usize)) -> Grey {
    let narrow = narrow(picture, width);
    let mut samples = Vec::with_capacity(width * height);
    for Weights { first, weights } in weights(picture.size().1, height) {
        let mut sums = vec![0; width];
        for (row, weight) in narrow.chunks(width.max(1)).skip(first).zip(weights) {
            sums.iter_mut().zip(row).for_each(|(sum, sample)| *sum += i32::from(*sample) * weight);
        }
        samples.extend(sums.into_iter().map(sample));
    }
    Grey { width, samples }
}

/// Scales the rows of a picture to a number of columns. Two rows are weighted at once, in the halves of 64 bits, which
/// takes half as many multiplications. Each half holds its sum, because a sum has at most 31 bits and a sign.
fn narrow(picture: &impl Rows, width: usize) -> Vec<u8> {
    let (columns, rows) = picture.size();
    let across = weights(columns, width);
    let mut narrow = vec![0; width * rows];
    let (mut buffer, mut pairs) = (Vec::new(), Vec::new());
    for (index, rows) in narrow.chunks_mut(2 * width.max(1)).enumerate() {
        let (upper, lower) = rows.split_at_mut(width);
        pairs.clear();
        pairs.extend(picture.row(2 * index, &mut buffer).iter().map(|sample| i64::from(*sample)));
        if !lower.is_empty() {
            let row = picture.row(2 * index + 1, &mut buffer);
            pairs.iter_mut().zip(row).for_each(|(pair, sample)| *pair |= i64::from(*sample) << 32);
        }
        for (x, Weights { first, weights }) in across.iter().enumerate() {
            let pairs = pairs.get(*first..).unwrap_or_default();
            let sums: i64 = pairs.iter().zip(weights).map(|(pair, weight)| pair * i64::from(*weight)).sum();
            let sum = sums as i32;
            upper[x] = sample(sum);
            if let Some(to) = lower.get_mut(x) {
                // A negative sum in the lower half has taken one from the upper half.
                *to = sample(((sums - i64::from(sum)) >> 32) as i32);
            }
        }
    }
    narrow
}

/// The samples that make up one sample of a scaled row or column: the first of them, and the weight of each.
struct Weights {
    first: usize,
    weights: Vec<i32>,
}

/// The weights for each of `to` samples that are made of `from` samples.
fn weights(from: usize, to: usize) -> Vec<Weights> {
    let scale = from as f64 / to as f64;
    let stretch = scale.max(1.0);
    let reach = 2.0 * stretch;
    let of = |index| {
        let center = (index as f64 + 0.5) * scale;
        // A cast to `usize` makes negative numbers zero.
        let first = (center - reach + 0.5) as usize;
        let end = ((center + reach + 0.5) as usize).min(from);
        let weights: Vec<_> = (first..end).map(|at| cubic((at as f64 - center + 0.5) * (1.0 / stretch))).collect();
        let sum = weights.iter().sum::<f64>();
        let fixed = |weight: f64| {
            let scaled = weight / sum * f64::from(1 << PRECISION);
            (scaled + 0.5_f64.copysign(scaled)) as i32
        };
        Weights { first, weights: weights.into_iter().map(fixed).collect() }
    };
    (0..to).map(of).collect()
}

/// Keys' cubic convolution with a = −0.5.
fn cubic(distance: f64) -> f64 {
    const A: f64 = -0.5;
    let x = distance.abs();
    if x < 1.0 {
        ((A + 2.0) * x - (A + 3.0)) * x * x + 1.0
    } else if x < 2.0 {
        (((x - 5.0) * x + 8.0) * x - 4.0) * A
    } else {
        0.0
    }
}

/// Rounds a weighted sum to a sample.
fn sample(sum: i32) -> u8 {
    ((sum + (1 << (PRECISION - 1))) >> PRECISION).clamp(0, 255) as u8
}
