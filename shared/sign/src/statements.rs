//! The assertions that the seal covers, encoded before anything is signed.

use c2pa::{
    DigitalSourceType,
    assertions::{Action, Actions},
};
use c2pa_cbor::Value;
use lacre_domain::{FrameHash, clock::rfc3339_millis};
use lacre_proof::{
    assertions::{ACTIONS, ASSURANCE_LEVEL, BROWSER, BrowserAssertion, CAPTURE, CREATED, CaptureAssertion, VERSION},
    sealed::SEALED,
};
use serde::Serialize;

use crate::{Facts, ProofFailure, Signers};

/// An assertion: its value for the C2PA library, and the CBOR that the library will embed for it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Statement {
    pub(crate) label: &'static str,
    pub(crate) value: Value,
    pub(crate) cbor: Vec<u8>,
}

/// The assertions that the seal covers, in the order of [`SEALED`].
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Statements([Statement; SEALED.len()]);

impl Statements {
    /// Encodes the assertions about a capture whose frame has the given hash.
    ///
    /// # Errors
    /// [`ProofFailure::InvalidResponse`] if a time cannot be expressed in RFC 3339, or a value has no CBOR form.
    pub(crate) fn new(signers: &Signers, hash: &FrameHash, facts: &Facts) -> Result<Self, ProofFailure> {
        Self::encode(signers, hash, facts)
            .map_err(|cause| ProofFailure::InvalidResponse(format!("the assertions cannot be encoded: {cause}")))
    }

    fn encode(signers: &Signers, hash: &FrameHash, facts: &Facts) -> Result<Self, String> {
        let ingested_at = rfc3339_millis(facts.ingested_at).ok_or("the ingest time is out of range")?;
        let actions = Statement::actions(&ingested_at)?;
        let capture = CaptureAssertion {
            version: VERSION,
            assurance_level: ASSURANCE_LEVEL.into(),
            capture_id: facts.capture_id.clone(),
            environment: signers.environment,
            frame_hash: *hash,
            ingested_at,
            gps_result: facts.gps_result,
            recapture_risk: facts.recapture_risk,
            icp_brasil: signers.icp_brasil,
            asked_for: facts.asked_for.clone(),
        };
        Ok(Self([
            actions,
            Statement::new(CAPTURE, &capture)?,
            Statement::new(BROWSER, &BrowserAssertion::from(&facts.claims))?,
        ]))
    }

    /// The CBOR of each assertion, in the order of [`SEALED`].
    pub(crate) fn cbor(&self) -> [&[u8]; SEALED.len()] {
        self.0.each_ref().map(|statement| statement.cbor.as_slice())
    }

    /// All assertions with the seal's inserted before the last: the browser's claims follow the seal.
    pub(crate) fn with_seal<'a>(&'a self, seal: &'a Statement) -> [&'a Statement; SEALED.len() + 1] {
        let [actions, capture, browser] = &self.0;
        [actions, capture, seal, browser]
    }
}

impl Statement {
    /// The actions assertion: a single action, the creation of the photo at the given time.
    pub(crate) fn actions(ingested_at: &str) -> Result<Self, String> {
        let action = Action::new(CREATED).set_when(ingested_at).set_source_type(DigitalSourceType::DigitalCapture);
        let mut actions = Actions::new().add_action(action);
        actions.all_actions_included = Some(true);
        // The library parses the value into its own type and embeds that type's encoding, so the CBOR is made from that
        // type here too.
        let cbor = c2pa_cbor::to_vec(&actions).map_err(|error| error.to_string())?;
        Ok(Self { label: ACTIONS, value: value(&actions)?, cbor })
    }

    /// One of Lacre's own assertions, which the library embeds unchanged.
    pub(crate) fn new(label: &'static str, data: &impl Serialize) -> Result<Self, String> {
        let value = value(data)?;
        let cbor = c2pa_cbor::to_vec(&value).map_err(|error| error.to_string())?;
        Ok(Self { label, value, cbor })
    }
}

fn value(data: &impl Serialize) -> Result<Value, String> {
    c2pa_cbor::value::to_value(data).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use lacre_proof::jumbf::Boxes;

    use super::*;

    /// The manifest of a photo that no kit asked for, from before manifests could name one.
    const EARLIER: &[u8] = include_bytes!("../../../docs/vectors/48-valid-beside-its-frame.c2pa");

    #[test]
    fn statements_without_kit_keep_their_bytes() {
        let boxes = Boxes::parse(EARLIER).unwrap();
        let cbor = boxes.content(CAPTURE).unwrap();
        let capture: CaptureAssertion = c2pa_cbor::from_slice(cbor).unwrap();
        assert_eq!(capture.asked_for, None);
        assert_eq!(Statement::new(CAPTURE, &capture).unwrap().cbor, cbor);
    }
}
