//! Checks before the measurements that all services produce the same result. A photo of each is verified with the
//! peer's libraries and OpenSSL, Lacre's also with `verify`, and each service reads the results of another.

use std::{fs, path::Path, process::Command};

use base64::{Engine, engine::general_purpose::STANDARD};
use lacre_verify::{Anchors, check};
use serde_json::Value;
use time::OffsetDateTime;

use crate::{Arguments, Failure, capture::fresh, contenders::Contenders};

/// Captures a photo with each service, and fails if any check fails.
pub(crate) async fn judge(contenders: &Contenders, photo: &[u8], arguments: &Arguments) -> Result<(), Failure> {
    let anchors = contenders.stand_ins.variable("TRUST_ANCHORS")?;
    let api_keys = contenders.accounts.api_keys(1).await?;
    let read_by_another = contenders.all().zip(contenders.all().cycle().skip(1));
    let folder = tempfile::tempdir()?;
    for ((_, captures), (_, reads)) in read_by_another {
        let (client, reader) =
            (contenders.client(captures, &contenders.accounts.without_terms)?, contenders.client(reads, "")?);
        let frame = fresh(photo);
        let captured = client.capture(&api_keys[0], frame.clone()).await?;
        let (written, read) = (client.results(&captured.token).await?, reader.results(&captured.token).await?);
        if without_signatures(&written) != without_signatures(&read) {
            return Err(format!("one returns {written}, the other {read}").into());
        }
        let jpeg = STANDARD.decode(&captured.jpeg)?;
        by_others(&jpeg, &frame, anchors, folder.path(), arguments)?;
        if std::ptr::eq(captures, &contenders.lacre) {
            by_verify(&jpeg, anchors)?;
        }
    }
    Ok(())
}

/// Verifies a photo with the C2PA library and OpenSSL.
fn by_others(jpeg: &[u8], frame: &[u8], anchors: &str, folder: &Path, arguments: &Arguments) -> Result<(), Failure> {
    let (photo, original) = (folder.join("photo.jpg"), folder.join("frame.jpg"));
    fs::write(&photo, jpeg)?;
    fs::write(&original, frame)?;
    let mut judge = Command::new(arguments.python.join("bin/python"));
    judge.arg(arguments.peer.join("judge.py")).args([&photo, &original]).arg(anchors);
    if judge.status()?.success() { Ok(()) } else { Err("a photo does not pass".into()) }
}

fn by_verify(jpeg: &[u8], anchors: &str) -> Result<(), Failure> {
    let anchors = Anchors::from_pem(&fs::read_to_string(anchors)?)?;
    let report = check(jpeg, &anchors, OffsetDateTime::now_utc()).report;
    if report.valid { Ok(()) } else { Err(format!("verify: {:?}", report.checks).into()) }
}

/// Results without the parts of URLs that depend on the time and key of the signature, and without the log's proof, which
/// the peer does not make.
fn without_signatures(results: &Value) -> Value {
    let mut results = results.clone();
    for photo in results["photos"].as_array_mut().into_iter().flatten() {
        let path = photo["manifest_url"].as_str().and_then(|url| url.split('?').next()).map(str::to_owned);
        photo["manifest_url"] = path.into();
        if let Some(photo) = photo.as_object_mut() {
            photo.remove("transparency_proof");
        }
    }
    results
}
