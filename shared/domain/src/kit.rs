//! Capture kits: which photos a customer is asked for. A kit is JSON that an operator wrote; here it is judged, with all its
//! faults at once, and brought into the one form that is hashed.

mod outline;
mod step;
mod text;
mod version;

use std::collections::BTreeSet;

use lacre_api::{
    Profile,
    kit::{self, KitFault, KitName, KitRule, KitStep, limits},
};

use self::step::{check_name, step};
pub(crate) use self::text::is_note;
pub use self::version::{AskedFor, KitVersion, SessionKit, WantedKit};
use crate::{
    Sha256Digest,
    document::{self, Faults, Place},
};

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
        check_size(bytes.len())?;
        let content = document::read(bytes, |place, faults| kit(place, profile, faults))?;
        let canonical_json = document::canonical_json(&content)?;
        check_size(canonical_json.len())?;
        Ok(Self { content, canonical_json })
    }
}

fn check_size(bytes: usize) -> Result<(), Vec<KitFault>> {
    let advice = "Shorten its texts or simplify its outlines.";
    document::check_size(bytes, limits::KIT_BYTES, KitRule::KitSize, advice)
}

fn kit(place: &Place<'_>, profile: Option<Profile>, faults: &mut Faults) -> Option<kit::Kit> {
    let mut kit = place.members(faults)?;
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
