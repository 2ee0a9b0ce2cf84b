//! Matches the brightness and contrast of an original to those of its copy.

use crate::{Picture, align::median};

/// The original with the copy's brightness and contrast.
pub(crate) fn predict(original: &Picture, copy: &Picture) -> Picture {
    let mut predicted = original.clone();
    for channel in 0..3 {
        let pairs: Vec<(f64, f64)> = original.rgb[channel..]
            .iter()
            .zip(&copy.rgb[channel..])
            .step_by(3 * 3)
            .filter(|&(_, &copy)| (4..=251).contains(&copy))
            .map(|(&original, &copy)| (f64::from(original), f64::from(copy)))
            .collect();
        let (gain, offset) = fit(&pairs);
        for value in predicted.rgb[channel..].iter_mut().step_by(3) {
            *value = (gain * f64::from(*value) + offset).round().clamp(0.0, 255.0) as u8;
        }
    }
    predicted
}

/// Gain and offset from the first values of pairs to the second ones, without regard to outliers.
fn fit(pairs: &[(f64, f64)]) -> (f64, f64) {
    let spread = |values: Vec<f64>| {
        let mut values = values;
        let middle = median(&mut values)?;
        let mut deviations: Vec<f64> = values.iter().map(|value| (value - middle).abs()).collect();
        Some((middle, median(&mut deviations)?))
    };
    let (Some((x, x_spread)), Some((y, y_spread))) =
        (spread(pairs.iter().map(|pair| pair.0).collect()), spread(pairs.iter().map(|pair| pair.1).collect()))
    else {
        return (1.0, 0.0);
    };
    let mut gain = if x_spread > 2.0 { (y_spread / x_spread).clamp(0.25, 4.0) } else { 1.0 };
    let mut offset = y - gain * x;
    for _ in 0..5 {
        let mut errors: Vec<f64> = pairs.iter().map(|(x, y)| (y - gain * x - offset).abs()).collect();
        let limit = 3.0 * median(&mut errors).unwrap_or(0.0) + 4.0;
        let (mut n, mut sx, mut sy, mut sxx, mut sxy) = (0.0, 0.0, 0.0, 0.0, 0.0);
        for (x, y) in pairs.iter().filter(|(x, y)| (y - gain * x - offset).abs() <= limit) {
            (n, sx, sy, sxx, sxy) = (n + 1.0, sx + x, sy + y, sxx + x * x, sxy + x * y);
        }
        let variance = sxx - sx * sx / n;
        if n < 16.0 || variance < n {
            break;
        }
        gain = ((sxy - sx * sy / n) / variance).clamp(0.25, 4.0);
        offset = (sy - gain * sx) / n;
    }
    (gain, offset)
}
