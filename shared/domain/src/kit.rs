//! Capture kits: which photos a customer is asked for. A kit is JSON that an operator wrote; here it is judged, with all its
//! faults at once, and brought into the one form that is hashed.

mod canonical;
mod json;
mod outline;
mod place;
mod step;
mod text;
mod version;

use std::collections::BTreeSet;

use lacre_api::{
    Profile,
    kit::{self, KitFault, KitName, KitRule, KitStep, limits},
};

pub(crate) use self::text::is_note;
pub use self::version::{AskedFor, KitVersion, SessionKit, WantedKit};
use self::{
    json::Json,
    place::{Faults, Place},
    step::{check_name, step},
};
use crate::Sha256Digest;

/// A valid kit.
#[derive(Clone, Debug, PartialEq)]
pub struct Kit {
    content: kit::Kit,
    canonical_json: String,
}

impl Kit {
    /// Parses the kit of a client.
    ///
    /// # Errors
    /// All faults. A document that is too large, or is not JSON, has this one fault.
    pub fn parse(bytes: &[u8]) -> Result<Self, Vec<KitFault>> {
        Self::read(bytes, None)
    }

    /// The kit of a profile, which the service brings along.
    ///
    /// # Errors
    /// All faults; the files have none, as a test shows.
    pub fn of_profile(profile: Profile) -> Result<Self, Vec<KitFault>> {
        let json = match profile {
            Profile::VehicleInspection => include_str!("../kits/vehicle_inspection.json"),
            Profile::RealEstate => include_str!("../kits/real_estate.json"),
            Profile::HighValueItem => include_str!("../kits/high_value_item.json"),
            Profile::Demo => include_str!("../kits/demo.json"),
        };
        Self::read(json.as_bytes(), Some(profile))
    }

    /// The kit with its steps.
    #[must_use]
    pub fn content(&self) -> &kit::Kit {
        &self.content
    }

    /// The kit as canonical JSON (RFC 8785): without fields that have their default, and with outlines in canonical
    /// form. Two kits that mean the same have the same canonical JSON.
    #[must_use]
    pub fn canonical_json(&self) -> &str {
        &self.canonical_json
    }

    /// The SHA-256 of the canonical JSON.
    #[must_use]
    pub fn hash(&self) -> Sha256Digest {
        Sha256Digest::of(self.canonical_json.as_bytes())
    }

    /// Reads a kit: one with the name of this profile, or else one with a name of its own.
    fn read(bytes: &[u8], profile: Option<Profile>) -> Result<Self, Vec<KitFault>> {
        let mut faults = Faults::default();
        let content = value(bytes, &mut faults).and_then(|value| kit(&value, profile, &mut faults));
        let content = faults.or(content)?;
        let mut faults = Faults::default();
        let canonical_json = serde_json::to_value(&content).map(|value| canonical::canonical(&value));
        let canonical_json = canonical_json.ok().filter(|json| fits(json.len(), &mut faults));
        faults.or(canonical_json).map(|canonical_json| Self { content, canonical_json })
    }
}

/// The JSON value in a document.
fn value(bytes: &[u8], faults: &mut Faults) -> Option<Json> {
    if !fits(bytes.len(), faults) {
        return None;
    }
    let fault = |error: serde_json::Error| {
        faults.add("", KitRule::NotJson, format!("This is not a JSON document in UTF-8: {error}."))
    };
    serde_json::from_slice(bytes).map_err(fault).ok()
}

fn fits(bytes: usize, faults: &mut Faults) -> bool {
    let fits = bytes <= limits::KIT_BYTES;
    if !fits {
        let most = limits::KIT_BYTES;
        let message =
            format!("The kit has {bytes} bytes, more than {most}. Shorten its texts or simplify its outlines.");
        faults.add("", KitRule::KitSize, message);
    }
    fits
}

fn kit(value: &Json, profile: Option<Profile>, faults: &mut Faults) -> Option<kit::Kit> {
    let mut kit = Place { path: String::new(), value }.members(faults)?;
    let name = kit.required("name", faults, |place, faults| kit_name(place, profile, faults));
    let steps = kit.required("steps", faults, steps);
    kit.end(faults);
    Some(kit::Kit { name: name?, steps: steps? })
}

fn kit_name(place: &Place<'_>, profile: Option<Profile>, faults: &mut Faults) -> Option<KitName> {
    let name = place.text(faults)?;
    match Profile::parse(name) {
        Ok(known) if profile == Some(known) => {}
        Ok(_) => {
            let message = "This is the name of a profile, which is reserved. Choose another name.";
            faults.add(&place.path, KitRule::NameReserved, message);
        }
        Err(_) => check_name(place, name, faults),
    }
    Some(KitName::from(name))
}

fn steps<'a>(place: &Place<'a>, faults: &mut Faults) -> Option<Vec<KitStep>> {
    let steps = place.list(faults)?;
    let count = steps.len();
    if !(1..=limits::STEPS).contains(&count) {
        let message = format!("A kit has 1 to {} steps, and this one has {count}.", limits::STEPS);
        faults.add(&place.path, KitRule::Count, message);
    }
    let mut ids = BTreeSet::new();
    let read = |(index, place): (usize, &Place<'a>)| step(place, index + 1 == count, &mut ids, faults);
    // Steps beyond the limit are not read, so that the number of faults is bounded.
    let steps: Vec<_> = steps.iter().take(limits::STEPS).enumerate().map(read).collect();
    steps.into_iter().collect()
}

#[cfg(test)]
mod tests;
