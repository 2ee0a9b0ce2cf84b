//! The comparison of a copy with its original, as the command reports it.

use std::fmt::{self, Display, Formatter};

use lacre_compare::{Comparison, Picture, ReadError, Region, Verdict, compare};
use serde_json::{Value, json};

const DIFFERS: &str = "That they differ says neither why, nor what is true. Only the original has a proof.";

/// A copy, its original, and how they compare.
pub(crate) struct Copy {
    copy: Picture,
    original: Picture,
    comparison: Comparison,
}

impl Copy {
    pub(crate) fn new(copy: Picture, original: &[u8]) -> Result<Self, ReadError> {
        let original = Picture::read(original)?;
        let comparison = compare(&copy, &original);
        Ok(Self { copy, original, comparison })
    }

    pub(crate) fn is_same(&self) -> bool {
        self.comparison.verdict == Verdict::Same
    }

    /// Original and copy side by side, as a PNG.
    pub(crate) fn side_by_side(&self) -> Option<Vec<u8>> {
        self.comparison.side_by_side(&self.copy, &self.original)?.png().ok()
    }

    /// The comparison as the member `copy` of the report.
    pub(crate) fn json(&self) -> Value {
        let Comparison { verdict, regions, shown, agreement, similarity, .. } = &self.comparison;
        let region = |region: &Region| json!({ "left": region.left, "top": region.top, "width": region.width, "height": region.height });
        let confirmed = *verdict != Verdict::NotConfirmed;
        json!({
            "verdict": verdict.name(),
            "differs": regions.iter().map(region).collect::<Vec<_>>(),
            "shown": confirmed.then(|| region(shown)),
            "original": { "width": self.original.width, "height": self.original.height },
            "agreement": confirmed.then_some(agreement),
            "similarity": confirmed.then_some(similarity),
        })
    }
}

/// The comparison as lines of text.
impl Display for Copy {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Comparison { verdict, regions, shown, agreement, similarity, .. } = &self.comparison;
        let conclusion = match verdict {
            Verdict::Same => "The copy shows the original, and no region differs.",
            Verdict::SameWithDifferences => "The copy shows the original, and these regions differ.",
            Verdict::NotConfirmed => "It is not confirmed that the copy shows the original. Ask for the original file.",
        };
        writeln!(f, "Copy\n  {}: {conclusion}", verdict.name())?;
        if *verdict == Verdict::NotConfirmed {
            return Ok(());
        }
        let Picture { width, height, .. } = self.original;
        let (columns, rows) = (shown.width, shown.height);
        writeln!(f, "  Shown: {}; the original has {width} x {height}", place(shown))?;
        regions.iter().try_for_each(|region| writeln!(f, "  Differs: {}", place(region)))?;
        let hidden = 1.0 - f64::from(columns) * f64::from(rows) / (f64::from(width) * f64::from(height));
        if hidden > 0.0 {
            writeln!(f, "  Not shown, and so not compared: {:.0} % of the original", 100.0 * hidden)?;
        }
        writeln!(
            f,
            "  Agreement of details: {:.1} %; median structural similarity: {similarity:.3}",
            100.0 * agreement
        )?;
        if regions.is_empty() { Ok(()) } else { writeln!(f, "  {DIFFERS}") }
    }
}

fn place(region: &Region) -> String {
    let Region { left, top, width, height } = region;
    format!("{width} x {height} pixels, {left} from the left and {top} from the top")
}
