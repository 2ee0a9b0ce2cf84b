//! Documents that operators write: JSON that is judged with all its faults at once, and written again in canonical form.

mod canonical;
mod json;
mod place;
mod text;

use lacre_api::kit::{KitFault, KitRule};
use serde::Serialize;

use self::json::Json;
pub(crate) use self::{
    place::{Faults, Place},
    text::{DocumentText, check_not_empty, check_sentence, is_sentence, text, translations},
};

/// Reads the content of a document.
///
/// # Errors
/// All faults. A document that is not JSON has this one fault.
pub(crate) fn read<T>(
    bytes: &[u8],
    content: impl FnOnce(&Place<'_>, &mut Faults) -> Option<T>,
) -> Result<T, Vec<KitFault>> {
    let mut faults = Faults::default();
    let value: Option<Json> = match serde_json::from_slice(bytes) {
        Ok(value) => Some(value),
        Err(error) => {
            faults.add("", KitRule::NotJson, format!("This is not a JSON document in UTF-8: {error}."));
            None
        }
    };
    let content = value.and_then(|value| content(&Place { path: String::new(), value: &value }, &mut faults));
    faults.or(content)
}

/// Refuses a document that is too large.
///
/// # Errors
/// The one fault. `advice` says what to shorten.
pub(crate) fn check_size(bytes: usize, most: usize, rule: KitRule, advice: &str) -> Result<(), Vec<KitFault>> {
    let mut faults = Faults::default();
    if bytes > most {
        faults.add("", rule, format!("The document has {bytes} bytes, more than {most}. {advice}"));
    }
    faults.or(Some(()))
}

/// The canonical JSON (RFC 8785) of a valid document.
///
/// # Errors
/// The fault of a document that cannot be written, which no valid one is.
pub(crate) fn canonical_json(content: &impl Serialize) -> Result<String, Vec<KitFault>> {
    let mut faults = Faults::default();
    let written = serde_json::to_value(content).map(|value| canonical::canonical(&value));
    let written =
        written.map_err(|error| faults.add("", KitRule::NotJson, format!("This cannot be written: {error}.")));
    faults.or(written.ok())
}
