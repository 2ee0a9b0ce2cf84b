//! Evaluates the alarms of `template.yaml` and `infra/observability.yaml` as CloudWatch does.

use std::collections::BTreeMap;

use local::{CloudWatch, Dimensions};
use serde_json::Value;
use time::{Duration, OffsetDateTime};

use crate::expression;

/// The state of an alarm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// No breach.
    Ok,
    /// Operators are notified.
    Alarm,
    /// Data are missing, and the alarm treats that as relevant.
    InsufficientData,
}

/// A metric that an alarm reads.
struct Series {
    namespace: String,
    metric: String,
    dimensions: Dimensions,
    statistic: String,
    period: Duration,
}

/// An alarm.
pub struct Alarm {
    properties: Value,
    series: BTreeMap<String, Series>,
    /// The metric math expression over the ids of the series.
    expression: String,
}

/// The template, with the resources of its nested stack of alarms. YAML tags are left out, so that a reference is the name of the
/// resource or parameter that it refers to.
pub fn template() -> Value {
    let mut template: Value = serde_saphyr::from_str(include_str!("../../../template.yaml")).unwrap();
    // Without the parser's limits for strangers' documents: alarms share their actions by anchors with many aliases.
    let unlimited = serde_saphyr::options! { budget: None };
    let nested = include_str!("../../../infra/observability.yaml");
    let mut nested: Value = serde_saphyr::from_str_with_options(nested, unlimited).unwrap();
    template["Resources"].as_object_mut().unwrap().append(nested["Resources"].as_object_mut().unwrap());
    template["Mappings"] = nested["Mappings"].take();
    template
}

/// Names of all alarms in the template.
pub fn names(template: &Value) -> Vec<String> {
    let resources = template["Resources"].as_object().unwrap().iter();
    resources
        .filter(|(_, resource)| resource["Type"] == "AWS::CloudWatch::Alarm")
        .map(|(name, _)| name.clone())
        .collect()
}

impl Alarm {
    /// The alarm with this name.
    pub fn of(template: &Value, name: &str) -> Self {
        let properties = template["Resources"][name]["Properties"].clone();
        let mut series = BTreeMap::new();
        let mut expression = "value".to_owned();
        match properties["Metrics"].as_array() {
            None => {
                series.insert(expression.clone(), Series::read(template, &properties, &properties, "Statistic"));
            }
            Some(metrics) => {
                for metric in metrics {
                    match metric["Expression"].as_str() {
                        Some(text) => expression = with_parameters(template, text),
                        None => {
                            let read =
                                Series::read(template, &metric["MetricStat"]["Metric"], &metric["MetricStat"], "Stat");
                            series.insert(metric["Id"].as_str().unwrap().to_owned(), read);
                        }
                    }
                }
            }
        }
        Self { properties, series, expression }
    }

    /// Whether it notifies operators when data end.
    pub fn rings_without_data(&self) -> bool {
        !self.properties["InsufficientDataActions"].is_null()
    }

    /// Its state at a time. Periods end at that time; CloudWatch's end at full minutes.
    pub fn state(&self, watch: &CloudWatch, now: OffsetDateTime) -> State {
        let periods = self.properties["EvaluationPeriods"].as_i64().unwrap();
        let wanted = self.properties["DatapointsToAlarm"].as_i64().unwrap_or(periods);
        let period = self.series.values().next().unwrap().period;
        let points: Vec<Option<f64>> = (0..i32::try_from(periods).unwrap())
            .map(|back| {
                let until = now - period * back;
                expression::evaluate(&self.expression, &|id| self.series[id].value(watch, until))
            })
            .collect();
        let missing_is = self.properties["TreatMissingData"].as_str().unwrap_or("missing");
        if missing_is == "missing" && points.iter().all(Option::is_none) {
            return State::InsufficientData;
        }
        let breaching =
            points.iter().filter(|point| point.map_or(missing_is == "breaching", |value| self.breaches(value)));
        if i64::try_from(breaching.count()).unwrap() >= wanted { State::Alarm } else { State::Ok }
    }

    fn breaches(&self, value: f64) -> bool {
        let threshold = self.properties["Threshold"].as_f64().unwrap();
        match self.properties["ComparisonOperator"].as_str().unwrap() {
            "GreaterThanThreshold" => value > threshold,
            "GreaterThanOrEqualToThreshold" => value >= threshold,
            "LessThanThreshold" => value < threshold,
            "LessThanOrEqualToThreshold" => value <= threshold,
            other => panic!("the evaluator does not know {other}"),
        }
    }
}

impl Series {
    fn read(template: &Value, metric: &Value, statistics: &Value, statistic: &str) -> Self {
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let dimension = |dimension: &Value| (text(&dimension["Name"]), resolved(dimension["Value"].as_str().unwrap()));
        Self {
            namespace: text(&metric["Namespace"]),
            metric: text(&metric["MetricName"]),
            dimensions: metric["Dimensions"].as_array().unwrap().iter().map(dimension).collect(),
            statistic: text(&statistics[statistic]),
            period: Duration::seconds(period(template, &statistics["Period"])),
        }
    }

    /// The value of the series in the period that ends then.
    fn value(&self, watch: &CloudWatch, until: OffsetDateTime) -> Option<f64> {
        let metric = (self.namespace.as_str(), self.metric.as_str());
        let statistics = watch.statistics(metric, &self.dimensions, (until - self.period, until))?;
        Some(match self.statistic.as_str() {
            "Sum" => statistics.sum,
            "Maximum" => statistics.maximum,
            "Minimum" => statistics.minimum,
            other => panic!("the evaluator does not know {other}"),
        })
    }
}

/// A period in seconds, or the mapped value for a parameter's default.
fn period(template: &Value, period: &Value) -> i64 {
    let Some(found) = period.as_array() else { return period.as_i64().unwrap() };
    let [mapping, parameter, name] = [0, 1, 2].map(|place| found[place].as_str().unwrap());
    let default = template["Parameters"][parameter]["Default"].to_string();
    template["Mappings"][mapping][default][name].as_i64().unwrap()
}

/// What a reference stands for in the local service.
fn resolved(reference: &str) -> String {
    match reference {
        "AWS::StackName" | "ServiceStack" => "local".to_owned(),
        other => other.trim_end_matches(".QueueName").trim_end_matches(".TopicName").to_owned(),
    }
}

/// An expression with the defaults of its parameters.
fn with_parameters(template: &Value, text: &str) -> String {
    let parameters = template["Parameters"].as_object().unwrap().iter();
    parameters.fold(text.to_owned(), |text, (name, parameter)| {
        text.replace(&format!("${{{name}}}"), parameter["Default"].to_string().trim_matches('"'))
    })
}
