//! The phases of an ingest, from the metrics that the function emits.

use lacre_ingest::phases;
use lacre_metrics::DURATION;
use serde_json::Value;

/// Mean duration of each phase in milliseconds, in order, followed by that of the whole ingest.
pub(crate) struct Phases(pub(crate) Vec<(String, f64)>);

impl Phases {
    /// Computes the means from lines with metrics. Lines of other functions are ignored.
    pub(crate) fn of(lines: &[String]) -> Self {
        let read = lines.iter().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        let ingests: Vec<Value> =
            read.filter(|line| line["Function"] == "ingest" && line[phases::COMMIT.name].is_number()).collect();
        let metrics = phases::ALL.into_iter().chain([DURATION]);
        Self(metrics.map(|metric| (metric.name.to_owned(), mean(&ingests, metric.name))).collect())
    }
}

fn mean(ingests: &[Value], name: &str) -> f64 {
    let values: Vec<f64> = ingests.iter().filter_map(|line| line[name].as_f64()).collect();
    values.iter().sum::<f64>() / values.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_only_completed_ingests() {
        let line = |function, sign: f64, commit: Value| {
            serde_json::json!({ "Function": function, "PhaseSign": sign, "PhaseCommit": commit }).to_string()
        };
        let lines = [
            line("ingest", 4.0, 1.into()),
            line("ingest", 1.0, 1.into()),
            line("ingest", 1.0, 1.into()),
            line("ingest", 90.0, Value::Null),
            line("load-session", 90.0, 1.into()),
            "{".to_owned(),
        ];
        let Phases(means) = Phases::of(&lines);
        let named: Vec<&str> = means.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(
            named,
            ["PhaseSubmission", "PhaseImage", "PhaseChecks", "PhaseSign", "PhaseStore", "PhaseCommit", "Duration"]
        );
        assert_eq!(means[3].1, 2.0);
    }
}
