//! The recorded consumption of a capture.

use std::{collections::BTreeMap, fs, path::Path};

use lacre_domain::limits;
use lacre_tests::faults::{Asked, Demand};
use serde_json::{Value, json};

/// The folder of the recordings. `RECORD=1` writes them.
const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/capacity");
/// The recording of a capture under a license with the default terms.
pub const CAPTURE: &str = "capture.json";
/// The recording of a capture whose photo gets a fingerprint.
pub const WITH_FINGERPRINT: &str = "fingerprint.json";

/// What a capture consumes of AWS, by function.
#[derive(Debug, PartialEq)]
pub struct Recorded(Value);

impl Recorded {
    /// Summarizes consumption without what distinguishes captures. Lambda itself reads the streams.
    pub fn of(demands: &[Demand]) -> Self {
        let mut functions = BTreeMap::<&str, BTreeMap<String, (Value, u32)>>::new();
        for demand in demands {
            let mut call = json!(demand);
            if let Asked::DynamoDb { partition, .. } = &demand.asked {
                call["partition"] = partition_of(partition).into();
            }
            call.as_object_mut().unwrap().remove("function");
            let calls = functions.entry(demand.function.as_deref().unwrap_or("browser")).or_default();
            let units = format!("{} {}", call["reads"], call["writes"]);
            calls.entry(name(&call) + &units).or_insert((call, 0)).1 += 1;
        }
        let counted = |(mut call, times): (Value, u32)| {
            call["times"] = times.into();
            call
        };
        let functions = functions
            .into_iter()
            .map(|(function, calls)| (function, calls.into_values().map(counted).collect::<Vec<_>>()));
        let functions: BTreeMap<_, _> = functions.collect();
        Self(json!({
            "replicas": limits::RECORD_REPLICAS,
            "shards": limits::VOLUME_SHARDS,
            "functions": functions,
        }))
    }

    /// Reads a recording.
    pub fn read(name: &str) -> Self {
        Self(serde_json::from_slice(&fs::read(Path::new(FOLDER).join(name)).unwrap()).unwrap())
    }

    /// Compares with a recording, or writes it.
    pub fn compare(&self, name: &str) {
        if std::env::var_os("RECORD").is_some() {
            fs::create_dir_all(FOLDER).unwrap();
            fs::write(Path::new(FOLDER).join(name), format!("{:#}\n", self.0)).unwrap();
        }
        let recorded = Self::read(name);
        assert_eq!(
            self, &recorded,
            "if a capture asks something else now, RECORD=1 cargo test -p lacre-tests --test capacity"
        );
    }

    /// Requests and units by resource.
    pub fn totals(&self, functions: &[&str]) -> BTreeMap<String, f64> {
        let mut totals = BTreeMap::new();
        for function in functions {
            for call in self.0["functions"][function].as_array().unwrap() {
                let [reads, writes, times] =
                    ["reads", "writes", "times"].map(|name| call[name].as_f64().unwrap_or_default());
                let what = name(call);
                *totals.entry(format!("{function} {what} requests")).or_default() += times;
                *totals.entry(format!("{function} {what} units")).or_default() += times * (reads + writes);
            }
        }
        totals
    }
}

/// The resource of a call, without the amount.
fn name(call: &Value) -> String {
    let said = ["service", "operation", "table", "partition", "key", "bucket"].map(|name| call[name].as_str());
    said.into_iter().flatten().collect::<Vec<_>>().join(" ")
}

/// A partition key with placeholders for identifiers: `license#{license}#{replica}`.
pub fn partition_of(key: &str) -> String {
    let kind = key.split('#').next().unwrap_or_default();
    let rest = match kind {
        "client" | "license" | "license_key" => format!("{{{kind}}}#{{replica}}"),
        "signer" | "staple" => "{environment}#{replica}".to_owned(),
        "volume" => "{license}#{shard}".to_owned(),
        "counted" | "alerts_of" => "{license}".to_owned(),
        "api_key" | "creations" => "{api_key}".to_owned(),
        "captures" => "{month}".to_owned(),
        "loads" => "{session}".to_owned(),
        "personal" | "custody" | "leaf" | "band" | "manifest" => "{capture}".to_owned(),
        "key" => "{client}#{environment}".to_owned(),
        "head" => "{environment}".to_owned(),
        "PRODUCTION" | "STAGING" | "SANDBOX" => return "{environment}#{frame}".to_owned(),
        _ if kind == key => return "{any}".to_owned(),
        _ => format!("{{{kind}}}"),
    };
    format!("{kind}#{rest}")
}
