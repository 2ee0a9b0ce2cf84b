//! Finds and shows captures without personal data: the record and the custody.

use lacre_api::admin::{ActView, CaptureView};
use lacre_domain::{CaptureId, CustodyAct, EvidenceRecord, FrameHash, ReferenceId, SessionId, clock::rfc3339};
use lacre_storage::{CaptureSearch, Connection, HeldCapture, Listed, PageRequest};

use crate::Error;

/// A search for captures.
#[derive(Clone, Debug)]
pub enum CaptureQuery {
    /// By the integrator's reference.
    Reference(ReferenceId),
    /// By the hash of the frame.
    Frame(FrameHash),
}

impl CaptureQuery {
    /// Parses an integrator's reference.
    ///
    /// # Errors
    /// [`Error::Invalid`].
    pub fn reference(text: &str) -> Result<Self, Error> {
        let known = ReferenceId::parse(text).map(Self::Reference);
        known.map_err(|_| Error::Invalid("reference_id has a length or a character that sessions do not accept".into()))
    }

    /// Parses the hash of a frame.
    ///
    /// # Errors
    /// [`Error::Invalid`].
    pub fn frame(text: &str) -> Result<Self, Error> {
        let known = FrameHash::parse(text);
        known.map(Self::Frame).ok_or_else(|| Error::Invalid("frame_hash must be 64 hexadecimal characters".into()))
    }
}

/// The records of captures, with their custody and without personal data.
pub struct CaptureRecords {
    search: CaptureSearch,
}

impl CaptureRecords {
    pub(crate) fn new(connection: &Connection) -> Self {
        Self { search: CaptureSearch::new(connection) }
    }

    /// The captures that match a query. Erased captures can no longer be found by their reference.
    ///
    /// # Errors
    /// [`Error::Invalid`] for an invalid cursor.
    pub async fn find(&self, query: &CaptureQuery, page: &PageRequest) -> Result<Listed<CaptureView>, Error> {
        let found = match query {
            CaptureQuery::Reference(reference) => self.search.by_reference(reference, page).await?,
            CaptureQuery::Frame(frame) => self.search.by_frame(frame, page).await?,
        };
        let held = self.search.read(&found.entries).await?;
        Ok(found.with(held.iter().map(view).collect()))
    }

    /// One capture, by its capture id or its `session_id`.
    ///
    /// # Errors
    /// [`Error::Invalid`], [`Error::NotFound`].
    pub async fn read(&self, id: &str) -> Result<CaptureView, Error> {
        let id = capture_id(id)?;
        let held = self.search.read(std::slice::from_ref(&id)).await?;
        held.first().map(view).ok_or_else(|| Error::not_found("capture", &id.as_str()))
    }
}

/// The view of a capture without object keys and references to other items, for operators who may not read those.
pub(crate) fn view(HeldCapture { record, custody }: &HeldCapture) -> CaptureView {
    let EvidenceRecord { client_id, license_id, month, origin, signature_policy, service_version, .. } = record;
    CaptureView {
        capture_id: record.capture_id.as_str().into(),
        state: custody.state(),
        environment: record.environment,
        client_id: client_id.clone(),
        license_id: license_id.clone(),
        month: month.as_str().into(),
        photo_order: record.photo_order,
        asked_for: record.asked_for.as_ref().map(Into::into),
        origin: origin.to_string(),
        frame_hash: record.frame_hash.hex().into(),
        frame_bytes: record.frame_bytes,
        gps_mode: record.gps_mode,
        gps_result: record.gps_result,
        ingested_at: rfc3339(record.ingested_at).into(),
        recapture_gate: record.recapture_gate,
        recapture_risk: record.recapture_risk,
        recapture_scores: record.recapture_scores.clone(),
        recapture_threshold: record.recapture_threshold,
        signer_version: record.signer_version,
        signature_policy: signature_policy.clone(),
        service_version: service_version.clone(),
        icp_brasil: record.icp_brasil,
        manifest_sha256: record.manifest_sha256.hex().into(),
        jpeg_sha256: record.jpeg_sha256.hex().into(),
        store_asset_policy: record.store_asset_policy,
        log_entry: record.log_entry.map(|entry| entry.hex().into()),
        acts: custody.acts.iter().map(act).collect(),
    }
}

fn act(CustodyAct { state, at, reason, principal }: &CustodyAct) -> ActView {
    let (at, reason) = (rfc3339(*at).into(), reason.as_str().to_owned());
    ActView { state: *state, at, reason, principal: principal.clone() }
}

/// Parses a capture id or a `session_id`.
pub(crate) fn capture_id(id: &str) -> Result<CaptureId, Error> {
    let id = SessionId::parse(id).map(|id| id.capture_id()).or_else(|| CaptureId::from_hex(id));
    id.ok_or_else(|| {
        Error::Invalid("the id must be a session_id (a UUID) or a capture id (64 hexadecimal characters)".into())
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use lacre_domain::Custody;
    use serde_json::{Value, json};

    use super::*;

    fn record() -> Value {
        let hash = "ab".repeat(32);
        let id = "018f4e3a-1c2b-7d4e-8f90-a1b2c3d4e5f6";
        json!({
            "capture_id": hash, "attempt": "a", "environment": "SANDBOX", "client_id": id, "license_id": id,
            "month": "2026-11", "photo_order": 1, "origin": "https://app.example.com", "frame_hash": hash,
            "frame_bytes": 1, "commitments": {}, "gps_mode": "OBSERVE", "gps_result": "OBSERVED", "ingested_at": 0,
            "recapture_gate": "RECORD", "recapture_risk": "NONE", "signer_version": 1,
            "signature_policy": "2.16.76.1.7.1.1.2.4", "service_version": "0.1.0", "icp_brasil": false,
            "manifest_sha256": hash, "jpeg_sha256": hash, "store_asset_policy": "NEVER", "manifest_key": "m",
        })
    }

    fn shown(record: Value) -> Value {
        let record = serde_json::from_value(record).unwrap();
        serde_json::to_value(view(&HeldCapture { record, custody: Custody::default() })).unwrap()
    }

    #[test]
    fn shows_what_was_asked_for() {
        let asked = json!({ "kit": "auto-previa", "version": 3, "sha256": "cd".repeat(32), "step": "chassi" });
        let mut of_a_kit = record();
        of_a_kit["asked_for"] = asked.clone();
        assert_eq!(shown(of_a_kit)["asked_for"], asked);
        assert_eq!(shown(record()).get("asked_for"), None);
    }
}
