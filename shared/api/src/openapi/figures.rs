//! The values of limits, formatted for people and for other languages.

use std::{fmt, ops::RangeInclusive};

use serde_json::Value;
use time::Duration;

/// The value of a limit.
#[derive(Clone, Copy, Debug)]
pub enum Figure {
    /// An integer.
    Count(u64),
    /// A number.
    Number(f64),
    /// A range, both ends included.
    Range(f64, f64),
    /// A duration.
    Time(Duration),
}

impl From<u32> for Figure {
    fn from(count: u32) -> Self {
        Self::Count(count.into())
    }
}

impl From<u64> for Figure {
    fn from(count: u64) -> Self {
        Self::Count(count)
    }
}

impl From<usize> for Figure {
    fn from(count: usize) -> Self {
        Self::Count(count as u64)
    }
}

impl From<f64> for Figure {
    fn from(number: f64) -> Self {
        Self::Number(number)
    }
}

impl From<RangeInclusive<f64>> for Figure {
    fn from(range: RangeInclusive<f64>) -> Self {
        Self::Range(*range.start(), *range.end())
    }
}

impl From<Duration> for Figure {
    fn from(time: Duration) -> Self {
        Self::Time(time)
    }
}

impl fmt::Display for Figure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Count(count) => f.write_str(&grouped(*count)),
            Self::Number(number) => write!(f, "{number}"),
            Self::Range(least, most) => write!(f, "{least} to {most}"),
            Self::Time(time) => match time.whole_seconds() {
                seconds if seconds % 86_400 == 0 && seconds > 86_400 => write!(f, "{} days", seconds / 86_400),
                seconds if seconds % 3_600 == 0 => write!(f, "{} hours", seconds / 3_600),
                seconds if seconds % 60 == 0 && seconds > 120 => write!(f, "{} minutes", seconds / 60),
                seconds => write!(f, "{seconds} seconds"),
            },
        }
    }
}

impl From<Figure> for Value {
    /// Durations are converted to seconds.
    fn from(figure: Figure) -> Self {
        match figure {
            Figure::Count(count) => count.into(),
            Figure::Number(number) => number.into(),
            Figure::Range(least, most) => vec![least, most].into(),
            Figure::Time(time) => time.whole_seconds().into(),
        }
    }
}

/// An integer with thousands separators: `4,194,304`.
fn grouped(count: u64) -> String {
    let digits = count.to_string();
    let with_comma = |(place, digit): (usize, char)| {
        let is_group = place > 0 && (digits.len() - place).is_multiple_of(3);
        is_group.then_some(',').into_iter().chain([digit])
    };
    digits.chars().enumerate().flat_map(with_comma).collect()
}
