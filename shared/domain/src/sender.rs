//! The sender of hosted sessions: who asks a customer for photos, as an operator wrote it. Like a kit it is judged with all
//! its faults at once, and brought into one form.

mod logo;

use base64::{Engine, engine::general_purpose::STANDARD};
use lacre_api::{
    Url,
    kit::{KitFault, KitRule},
    sender::{self, SENDER_BYTES, SenderName, SenderText},
};

use crate::{
    Sha256Digest, WebUrl,
    document::{self, DocumentText, Faults, Place, check_sentence, text, translations},
};

/// A valid sender.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sender {
    content: sender::Sender,
    canonical_json: String,
}

impl Sender {
    /// Parses a sender.
    ///
    /// # Errors
    /// All faults. A document that is too large, or is not JSON, has this one fault.
    pub fn parse(bytes: &[u8]) -> Result<Self, Vec<KitFault>> {
        let advice = "Shorten its texts or use a smaller logo.";
        document::check_size(bytes.len(), SENDER_BYTES, KitRule::SenderSize, advice)?;
        let content = document::read(bytes, sender)?;
        let canonical_json = document::canonical_json(&content)?;
        Ok(Self { content, canonical_json })
    }

    /// The sender as pages show it. Its logo has been written again.
    #[must_use]
    pub fn content(&self) -> &sender::Sender {
        &self.content
    }

    /// The sender as canonical JSON (RFC 8785).
    #[must_use]
    pub fn canonical_json(&self) -> &str {
        &self.canonical_json
    }

    /// The SHA-256 of the canonical JSON.
    #[must_use]
    pub fn hash(&self) -> Sha256Digest {
        Sha256Digest::of(self.canonical_json.as_bytes())
    }
}

fn sender(place: &Place<'_>, faults: &mut Faults) -> Option<sender::Sender> {
    let mut sender = place.members(faults)?;
    let name = sender.required("name", faults, text);
    let logo = sender.optional("logo", faults, logo);
    let purpose = sender.required("purpose", faults, translations);
    let duration = sender.required("duration", faults, translations);
    let controller = sender.required("controller", faults, text);
    let contact = sender.required("contact", faults, text);
    let sharing = sender.required("sharing", faults, translations);
    let responsibilities = sender.required("responsibilities", faults, translations);
    let condition = sender.optional("condition", faults, translations);
    let notice_url = sender.optional("notice_url", faults, notice_url);
    sender.end(faults);
    Some(sender::Sender {
        name: name?,
        logo,
        purpose: purpose?,
        duration: duration?,
        controller: controller?,
        contact: contact?,
        sharing: sharing?,
        responsibilities: responsibilities?,
        condition,
        notice_url,
    })
}

impl DocumentText for SenderName {
    fn check(text: &str, place: &Place<'_>, faults: &mut Faults) {
        check_sentence(text, sender::NAME_CHARS, place, faults);
    }
}

impl DocumentText for SenderText {
    fn check(text: &str, place: &Place<'_>, faults: &mut Faults) {
        check_sentence(text, sender::TEXT_CHARS, place, faults);
    }
}

/// Reads a logo, and writes it again without what pages do not draw.
fn logo(place: &Place<'_>, faults: &mut Faults) -> Option<String> {
    let Ok(png) = STANDARD.decode(place.text(faults)?) else {
        let message = "A logo is a PNG in base64, with its padding, and without line breaks and `data:`.";
        faults.add(&place.path, KitRule::LogoForm, message);
        return None;
    };
    match logo::canonical(&png) {
        Ok(png) => Some(STANDARD.encode(png)),
        Err((rule, message)) => {
            faults.add(&place.path, rule, message);
            None
        }
    }
}

fn notice_url(place: &Place<'_>, faults: &mut Faults) -> Option<Url> {
    let url = WebUrl::parse(place.text(faults)?).filter(WebUrl::is_https);
    if url.is_none() {
        let message = "This must be an absolute https URL of at most 2,048 bytes, without credentials and without `#`.";
        faults.add(&place.path, KitRule::UrlForm, message);
    }
    url.map(|url| url.as_str().into())
}

#[cfg(test)]
mod tests;
