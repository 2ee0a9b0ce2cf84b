//! Checks the invariants at the end of any sequence, by reading the stores directly.

use std::collections::{BTreeMap, BTreeSet};

use aws_sdk_dynamodb::types::AttributeValue;
use base64::{Engine, engine::general_purpose::STANDARD};
use lacre_domain::{EvidenceRecord, FrameHash, Origin, PersonalItem, Sha256Digest};
use lacre_storage::{Captures, Frames, Personal};
use lacre_tests::Storage;
use lacre_verify::{Anchors, check};
use serde_json::Value;
use time::Duration;

use crate::{
    accounts::origin,
    call::Id,
    model::{OWNERS, RETAINS},
    play::Play,
};

/// Checks all invariants.
///
/// # Errors
/// The first violated invariant.
pub(crate) async fn audit(play: &Play<'_>) -> Result<(), String> {
    let evidence = evidence(play).await?;
    agrees_with_every_world(play, &evidence)?;
    for (session, capture) in &evidence {
        was_sent_so(play, *session, capture, &personal(play, capture).await?)?;
        is_delivered_or_lost(play, *session, capture).await?;
        is_taken_for_good(play, capture).await?;
    }
    everything_works_once(play, &evidence)?;
    volume_is_evidence(play, &evidence).await?;
    no_proof_is_left_over(play, &evidence).await
}

/// The evidence of every session that the client knows.
async fn evidence(play: &Play<'_>) -> Result<BTreeMap<Id, EvidenceRecord>, String> {
    let captures = Captures::new(play.client.stage.service.connection());
    let mut evidence = BTreeMap::new();
    for (session, opened) in &play.client.sessions {
        let capture_id = opened.token.session_id(1).capture_id();
        if let Some(capture) = captures.read(&capture_id).await.map_err(|error| error.to_string())? {
            evidence.insert(*session, capture);
        }
    }
    Ok(evidence)
}

/// The personal item that a record commits to.
async fn personal(play: &Play<'_>, capture: &EvidenceRecord) -> Result<PersonalItem, String> {
    let table = Personal::new(play.client.stage.service.connection());
    let held = table.read(&[&capture.capture_id]).await.map_err(|error| error.to_string())?.remove(0);
    let item = held.personal.map_err(|error| error.to_string())?.ok_or("evidence without its personal item")?;
    holds(item.opens(&capture.commitments), || "other personal data than recorded".to_owned())?;
    Ok(item)
}

fn agrees_with_every_world(play: &Play<'_>, evidence: &BTreeMap<Id, EvidenceRecord>) -> Result<(), String> {
    for world in play.worlds.all() {
        for session in play.client.sessions.keys() {
            let (captured, recorded) = (world.photo(*session).is_some(), evidence.contains_key(session));
            holds(captured == recorded, || format!("session {session}: captured {captured}, evidence {recorded}"))?;
        }
    }
    Ok(())
}

/// The evidence contains what its ingest, its session and its license stated.
fn was_sent_so(play: &Play<'_>, session: Id, capture: &EvidenceRecord, personal: &PersonalItem) -> Result<(), String> {
    let Some(photo) = play.worlds.any().photo(session) else { return Err(format!("session {session}: no photo")) };
    let (client, sent) = (&play.client, &play.client.sent[&photo.ingest]);
    let license = client.sessions[&session].license;
    let said = (
        capture.frame_hash,
        Some(capture.origin.clone()),
        personal.data.claims.captured_at_ms,
        &capture.license_id,
        &capture.client_id,
        capture.environment,
        capture.jpeg_key.is_some(),
    );
    let expected = (
        FrameHash::of(client.frames.bytes(sent.ingest.frame)),
        Origin::parse(origin(sent.ingest.page)),
        sent.body["captured_at_ms"].as_i64().unwrap_or_default(),
        client.accounts.license_id(license),
        client.accounts.client_id(license),
        client.accounts.environment,
        RETAINS[license],
    );
    holds(said == expected, || format!("session {session}: the evidence says {said:?}, expected {expected:?}"))
}

/// The objects named by evidence exist and are those that were delivered; the photo verifies, and its frame has the
/// announced hash. Only the response of an ingest with a fault may be lost.
async fn is_delivered_or_lost(play: &Play<'_>, session: Id, capture: &EvidenceRecord) -> Result<(), String> {
    let stage = play.client.stage;
    let manifest = stage.proof(&capture.manifest_key).await;
    holds(Sha256Digest::of(&manifest) == capture.manifest_sha256, || format!("session {session}: another manifest"))?;
    let retained = match &capture.jpeg_key {
        Some(key) => Some(stage.proof(key).await),
        None => None,
    };
    let deliveries = play.client.delivered.iter().filter(|(ingest, _)| ingest.session == session);
    let deliveries: Vec<Vec<u8>> = deliveries.map(|(_, body)| image(body)).collect();
    let photo = play.worlds.any().photo(session);
    let lost = photo.is_some_and(|photo| play.faulty_ingests.contains(&photo.ingest));
    let delivered = deliveries.len();
    holds(delivered == 1 || delivered == 0 && lost, || format!("session {session}: delivered {delivered} times"))?;
    for jpeg in retained.iter().chain(&deliveries) {
        verifies(play, capture, jpeg, &manifest).map_err(|fault| format!("session {session}: {fault}"))?;
    }
    let same = retained.is_none_or(|retained| deliveries.iter().all(|jpeg| *jpeg == retained));
    holds(same, || format!("session {session}: another photo was retained than delivered"))
}

fn verifies(play: &Play<'_>, capture: &EvidenceRecord, jpeg: &[u8], manifest: &[u8]) -> Result<(), String> {
    let anchors = Anchors::from_pem(play.client.stage.service.trust_anchors()).map_err(|error| error.to_string())?;
    let verdict = check(jpeg, &anchors, play.worlds.any().time() + Duration::minutes(1));
    holds(verdict.report.valid, || format!("{:?}", verdict.report.checks))?;
    let said = verdict.report.capture.as_ref().map(|said| said.capture_id.clone());
    holds(said.as_ref() == Some(&capture.capture_id), || format!("the photo is of capture {said:?}"))?;
    let Some(contents) = verdict.contents else { return Err("nothing is in it".to_owned()) };
    holds(FrameHash::of(&contents.frame) == capture.frame_hash, || "another frame".to_owned())?;
    holds(contents.manifest == manifest, || "another manifest".to_owned())
}

/// A captured frame stays reserved permanently.
async fn is_taken_for_good(play: &Play<'_>, capture: &EvidenceRecord) -> Result<(), String> {
    let (frame, attempt) = (&capture.frame_hash, lacre_storage::attempt_id());
    let reservation = Frames::reservation(capture.environment, &capture.client_id, frame, &attempt);
    let frames = Frames::new(play.client.stage.service.connection());
    let much_later = play.worlds.any().time() + Duration::days(3650);
    let free = frames.reserve(&reservation, much_later).await.map_err(|error| error.to_string())?;
    holds(!free, || format!("frame {frame:?} is free"))
}

/// A token yields one capture, a nonce works once, and a frame is captured once.
fn everything_works_once(play: &Play<'_>, evidence: &BTreeMap<Id, EvidenceRecord>) -> Result<(), String> {
    let deliveries = &play.client.delivered;
    let sessions = deliveries.iter().map(|(ingest, _)| ingest.session);
    holds(all_different(sessions), || "a token gave two captures".to_owned())?;
    let nonces = deliveries.iter().map(|(ingest, _)| ingest.load);
    holds(all_different(nonces), || "a nonce worked twice".to_owned())?;
    let registry = |session: &Id| play.worlds.any().registry(*session);
    let frames = evidence.iter().map(|(session, capture)| (registry(session), capture.frame_hash));
    holds(all_different(frames), || "a frame was captured twice".to_owned())?;
    let delivered_unrecorded = deliveries.iter().find(|(ingest, _)| !evidence.contains_key(&ingest.session));
    holds(delivered_unrecorded.is_none(), || format!("delivered without evidence: {:?}", delivered_unrecorded))
}

/// Each license's monthly count equals the number of its evidence records. All evidence in the table is counted,
/// including that of sessions whose token was lost.
async fn volume_is_evidence(play: &Play<'_>, evidence: &BTreeMap<Id, EvidenceRecord>) -> Result<(), String> {
    let stage = play.client.stage;
    let months: BTreeSet<&str> = evidence.values().map(|capture| capture.month.as_str()).collect();
    for license in 0..OWNERS.len() {
        let (id, client) = (play.client.accounts.license_id(license), play.client.accounts.client_id(license));
        let mut counted = 0;
        for month in &months {
            let used = stage.accounts.read_license(id, client, Some(month)).await.map_err(|error| error.to_string())?;
            let recorded = evidence.values().filter(|capture| capture.license_id == *id && capture.month == *month);
            let (used, recorded) = (used.captures_used, recorded.count() as u64);
            holds(used == recorded, || format!("license {license}, {month}: {used} counted, {recorded} recorded"))?;
            counted += used;
        }
        let scan = Storage::of(&stage.service).dynamodb.scan().table_name(stage.service.variable("EVIDENCE_TABLE"));
        let scan = scan.filter_expression("license_id = :license");
        let scan = scan.expression_attribute_values(":license", AttributeValue::S(id.to_string()));
        let all = scan.into_paginator().items().send().collect::<Result<Vec<_>, _>>().await;
        let all = all.map_err(|error| format!("{error:?}"))?.len() as u64;
        holds(all == counted, || format!("license {license}: {all} in the table, {counted} counted"))?;
    }
    Ok(())
}

/// A proof that no evidence names remains only if a fault or a lost race prevented its capture from being recorded.
async fn no_proof_is_left_over(play: &Play<'_>, evidence: &BTreeMap<Id, EvidenceRecord>) -> Result<(), String> {
    if !play.faulty_ingests.is_empty() {
        return Ok(());
    }
    let mut proofs = play.client.stage.proofs().await;
    for capture in evidence.values() {
        proofs.remove(&capture.manifest_key);
        capture.jpeg_key.as_ref().map(|key| proofs.remove(key));
    }
    let left: Vec<_> = proofs.difference(&play.proofs_before).collect();
    holds(left.is_empty(), || format!("named by no evidence: {left:?}"))
}

fn image(body: &Value) -> Vec<u8> {
    STANDARD.decode(body["signed_image_base64"].as_str().unwrap()).unwrap()
}

fn all_different<T: Ord>(values: impl Iterator<Item = T>) -> bool {
    let mut seen = BTreeSet::new();
    values.into_iter().all(|value| seen.insert(value))
}

fn holds(holds: bool, otherwise: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(otherwise()) }
}
