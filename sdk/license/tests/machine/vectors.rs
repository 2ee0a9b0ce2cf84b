//! Tests the vectors of `sdk/vectors`, which other implementations have to fulfil, too.

use std::{collections::BTreeMap, fs, path::Path};

use lacre_license::{Decision, Denial, DeviceIntegrity, RULES_ANDROID, RULES_IOS};
use serde_json::Value;

use crate::device::{APP, Device, Outcome};

fn files() -> BTreeMap<String, Value> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../vectors");
    fs::read_dir(folder)
        .unwrap()
        .map(|entry| {
            let entry = entry.unwrap();
            let text = fs::read_to_string(entry.path()).unwrap();
            (entry.file_name().into_string().unwrap(), serde_json::from_str(&text).unwrap())
        })
        .collect()
}

#[test]
fn each_vector_ends_as_it_says() {
    let mut played = 0;
    for (file, content) in files() {
        for vector in content["vectors"].as_array().unwrap() {
            let name = vector["name"].as_str().unwrap();
            let rules = match vector["platform"].as_str().unwrap() {
                "android" => &RULES_ANDROID,
                "ios" => &RULES_IOS,
                other => panic!("{file}: no platform {other}"),
            };
            let mut device = Device::new(rules);
            for (number, step) in vector["steps"].as_array().unwrap().iter().enumerate() {
                play(&mut device, step, &format!("{file}: {name}: step {number}, {step}"));
            }
            played += 1;
        }
    }
    assert!(played > 100, "{played}");
}

fn play(device: &mut Device, step: &Value, place: &str) {
    let text = |field: &str, default| step.get(field).map_or(default, |value| value.as_str().unwrap()).to_owned();
    let integrity = match text("integrity", "intact").as_str() {
        "intact" => DeviceIntegrity::Intact,
        "compromised" => DeviceIntegrity::Compromised,
        other => panic!("{place}: no integrity {other}"),
    };
    let outcome = match step["do"].as_str().unwrap() {
        "configure" => device.configure(&text("license", "first"), &text("app", APP)),
        "begin" => device.begin(integrity),
        "finish" => device.finish(integrity),
        "reset" => return device.reset(),
        "network_available" => return device.network_available(),
        "restart" => return device.restart(),
        "tamper" => return device.tamper(),
        "wait" => return device.wait(step["seconds"].as_u64().unwrap() * 1000),
        "set_clock" => return device.set_clock(step["seconds"].as_i64().unwrap() * 1000),
        "network" => return device.network = text("state", ""),
        "store" => return device.store_is_broken = text("state", "") == "broken",
        "license" => return device.service.change(&text("change", "")),
        other => panic!("{place}: no step {other}"),
    };
    let Outcome { decision, asked } = outcome;
    assert_eq!(step["asked"], Value::Bool(asked), "{place}");
    match decision {
        Decision::Permit(permit) => {
            assert_eq!(step["expect"], "permit", "{place}");
            if let Some(resolution) = step.get("capture_resolution") {
                assert_eq!(*resolution, serde_json::to_value(permit.policy.capture_resolution).unwrap(), "{place}");
            }
            assert_eq!(step["risk"], serde_json::to_value(permit.risk).unwrap(), "{place}");
        }
        Decision::Refuse(refusal) => {
            assert_eq!(step["expect"], refusal.code(), "{place}");
            if let Denial::Invalid(reason) = refusal {
                assert_eq!(step["reason"], reason.as_str(), "{place}");
            }
        }
    }
}
