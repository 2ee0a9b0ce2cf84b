//! The manifest's assertions, decoded.

use super::decode;
use crate::{
    assertions::{ACTIONS, Actions, BROWSER, Browser, CAPTURE, Capture, HARD_BINDING, HardBinding, SEAL, Seal},
    claim::ASSERTIONS,
    jumbf::Boxes,
};

/// The five assertions that every proof has.
pub(super) struct Statements {
    pub(super) actions: Actions,
    pub(super) capture: Capture,
    pub(super) seal: Seal,
    pub(super) browser: Browser,
    pub(super) hard_binding: HardBinding,
}

impl Statements {
    pub(super) fn read(boxes: &Boxes<'_>) -> Result<Self, String> {
        let labels = boxes.assertions.iter().map(|assertion| assertion.label);
        if !labels.eq(ASSERTIONS.map(|(label, _)| label)) {
            return Err("the manifest has other assertions than a proof".into());
        }
        let content = |label| {
            let found = boxes.assertions.iter().find(|assertion| assertion.label == label);
            found.map(|assertion| assertion.content).unwrap_or_default()
        };
        Ok(Self {
            actions: decode(ACTIONS, content(ACTIONS))?,
            capture: decode(CAPTURE, content(CAPTURE))?,
            seal: decode(SEAL, content(SEAL))?,
            browser: decode(BROWSER, content(BROWSER))?,
            hard_binding: decode(HARD_BINDING, content(HARD_BINDING))?,
        })
    }
}
