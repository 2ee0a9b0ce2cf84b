//! Writes the metric lines of one function: one for its cold start, and one for each request.

use std::{
    io::{Write, stdout},
    sync::{Mutex, PoisonError},
    time::{Instant, SystemTime},
};

use crate::{
    AWS_CALLS, AWS_RETRIES, DURATION, INIT_CONNECT, INIT_DURATION, Measures, Metric, REFUSALS, Record, SERVER_ERRORS,
    collect, collector::milliseconds,
};

const OF_A_FUNCTION: [&str; 2] = ["Stack", "Function"];
/// The dimension under which an alarm watches all functions together.
const OF_A_STACK: [&str; 1] = ["Stack"];
const OF_A_REFUSAL: [&str; 3] = ["Stack", "Function", "BlockReason"];

/// A cold start in progress.
#[derive(Debug)]
pub struct Initialization {
    function: &'static str,
    begun: Instant,
    connect: f64,
}

/// A function of a stack, which writes its metrics to standard output.
#[derive(Debug)]
pub struct Program {
    stack: String,
    function: &'static str,
    /// The metrics of the cold start, until they are written.
    start: Mutex<Option<Start>>,
}

/// The metrics of a completed cold start.
#[derive(Debug)]
struct Start {
    ended: SystemTime,
    measured: [(Metric, f64); 2],
}

impl Initialization {
    /// Starts measuring under the function's name. Call it in the first line of `main`.
    #[must_use]
    pub fn of(function: &'static str) -> Self {
        Self { function, begun: Instant::now(), connect: 0.0 }
    }

    /// Measures the warm-up, which connects and fetches what requests need.
    pub async fn connect<T>(&mut self, warm_up: impl Future<Output = T>) -> T {
        let begun = Instant::now();
        let outcome = warm_up.await;
        self.connect += milliseconds(begun);
        outcome
    }

    /// Ends the cold start: the function, in the stack with the given name, is ready for requests. The metrics are
    /// written together with the first request's, because that request is waiting for the cold start.
    #[must_use]
    pub fn done(self, stack: &str) -> Program {
        let measured = [(INIT_DURATION, milliseconds(self.begun)), (INIT_CONNECT, self.connect)];
        let start = Start { ended: SystemTime::now(), measured };
        Program { stack: stack.to_owned(), function: self.function, start: Mutex::new(Some(start)) }
    }
}

impl Program {
    /// Runs a request, and writes its metrics.
    pub async fn measured<T>(&self, request: impl Future<Output = T>) -> T {
        let (answer, records) = self.measure(request).await;
        records.into_iter().for_each(write);
        answer
    }

    /// Runs a request, and returns its result with the records to write.
    pub async fn measure<T>(&self, request: impl Future<Output = T>) -> (T, Vec<Record>) {
        let begun = Instant::now();
        let (answer, measures) = collect(request).await;
        let duration = milliseconds(begun);
        let start = self.start.lock().unwrap_or_else(PoisonError::into_inner).take();
        let start = start.map(|Start { ended, measured }| self.record(ended).metrics(&OF_A_FUNCTION, &measured));
        (answer, start.into_iter().chain([self.request(duration, measures)]).collect())
    }

    fn request(&self, duration: f64, Measures { mut sums, refusal, subjects }: Measures) -> Record {
        sums.insert(0, (DURATION, duration));
        // A metric without a value would be missing from averages, instead of counting as 0.
        for metric in [AWS_CALLS, AWS_RETRIES] {
            if !sums.iter().any(|(known, _)| *known == metric) {
                sums.push((metric, 0.0));
            }
        }
        let errors: Vec<_> = sums.iter().copied().filter(|(metric, _)| *metric == SERVER_ERRORS).collect();
        let mut record = self.record(SystemTime::now()).metrics(&OF_A_FUNCTION, &sums).metrics(&OF_A_STACK, &errors);
        for (name, value) in subjects {
            record = record.property(name, value);
        }
        match refusal {
            Some(reason) => record.property("BlockReason", reason).metrics(&OF_A_REFUSAL, &[(REFUSALS, 1.0)]),
            None => record,
        }
    }

    fn record(&self, at: SystemTime) -> Record {
        Record::at(at).property("Stack", self.stack.as_str()).property("Function", self.function)
    }
}

fn write(record: Record) {
    // If the log cannot be written, that cannot be logged either.
    let _ = writeln!(stdout(), "{}", record.line());
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use serde_json::{Value, json};

    use super::*;

    fn emitted(refusal: Option<&'static str>) -> Value {
        let program = Initialization::of("validate").done("lacre");
        let measures =
            Measures { sums: vec![(AWS_CALLS, 2.0)], refusal, subjects: vec![("request_id", "id".to_owned())] };
        let mut emitted: Value = serde_json::from_str(&program.request(7.25, measures).line()).unwrap();
        emitted.as_object_mut().unwrap().remove("_aws");
        emitted
    }

    #[test]
    fn requests_log_metrics_and_refusal() {
        let answered = json!({
            "Stack": "lacre", "Function": "validate", "Duration": 7.25, "AwsCalls": 2, "AwsRetries": 0, "request_id": "id",
        });
        assert_eq!(emitted(None), answered);
        let mut refused = answered;
        refused["BlockReason"] = "web_license_invalid".into();
        refused["Refusals"] = 1.into();
        assert_eq!(emitted(Some("web_license_invalid")), refused);
    }

    #[test]
    fn errors_count_for_function_and_stack() {
        let dimensions = |sums| {
            let measures = Measures { sums, ..Measures::default() };
            let program = Initialization::of("validate").done("lacre");
            let emitted: Value = serde_json::from_str(&program.request(7.25, measures).line()).unwrap();
            let directives = emitted["_aws"]["CloudWatchMetrics"].as_array().unwrap().iter();
            let counted = directives.filter(|directive| directive["Metrics"].to_string().contains("ServerErrors"));
            counted.map(|directive| directive["Dimensions"].clone()).collect::<Vec<_>>()
        };
        assert_eq!(dimensions(vec![(SERVER_ERRORS, 1.0)]), [json!([["Stack", "Function"]]), json!([["Stack"]])]);
        assert_eq!(dimensions(Vec::new()), Vec::<Value>::new());
    }
}
