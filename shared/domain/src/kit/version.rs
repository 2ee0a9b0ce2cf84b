//! How sessions, records and proofs name a kit: its name, its version and its hash.

use std::fmt;

use lacre_api::{
    KitVersionText, Profile, ProfileText,
    admin::AskedForView,
    kit::{KitName, StepId},
};
use serde::{Deserialize, Serialize};

use super::step::is_name;
use crate::Sha256Digest;

/// The highest version of a kit: it has nine digits.
const MAX_VERSION: u32 = 999_999_999;

/// A version of a client's kit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KitVersion {
    /// The name of the kit.
    pub name: KitName,
    /// The version, from 1. A version never changes.
    pub version: u32,
    /// The SHA-256 of the kit's canonical JSON.
    pub sha256: Sha256Digest,
}

impl fmt::Display for KitVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}@{}", self.name.as_str(), self.version)
    }
}

/// What a photo was asked for as: a step of a client's kit. It says what the customer was asked to photograph, never what
/// the photo shows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AskedFor {
    /// The name of the kit.
    pub kit: KitName,
    /// The version of the kit.
    pub version: u32,
    /// The SHA-256 of the kit's canonical JSON.
    pub sha256: Sha256Digest,
    /// The id of the step.
    pub step: StepId,
}

/// The same as operators and dossiers see it.
impl From<&AskedFor> for AskedForView {
    fn from(AskedFor { kit, version, sha256, step }: &AskedFor) -> Self {
        Self { kit: kit.clone(), version: *version, sha256: sha256.hex().into(), step: step.clone() }
    }
}

impl AskedFor {
    /// A step of a version of a kit.
    #[must_use]
    pub fn new(kit: &KitVersion, step: &StepId) -> Self {
        let KitVersion { name, version, sha256 } = kit.clone();
        Self { kit: name, version, sha256, step: step.clone() }
    }

    /// Whether the names and the version have the form that those of a kit have. A proof is made by whoever has the keys,
    /// so its values are judged before anyone is shown them.
    #[must_use]
    pub fn is_well_formed(&self) -> bool {
        is_name(self.kit.as_str()) && is_name(self.step.as_str()) && (1..=MAX_VERSION).contains(&self.version)
    }
}

/// The kit of a hosted session: that of a profile, which the service brings along, or a version of a client's own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum SessionKit {
    /// The kit of a profile.
    Profile(Profile),
    /// A version of a client's kit.
    Own(KitVersion),
}

impl SessionKit {
    /// The profile's name, or the kit's name without its version.
    #[must_use]
    pub fn profile(&self) -> ProfileText {
        match self {
            Self::Profile(profile) => profile.name().into(),
            Self::Own(kit) => kit.name.as_str().into(),
        }
    }

    /// The version of a client's kit; `None` for a profile.
    #[must_use]
    pub fn own(&self) -> Option<&KitVersion> {
        match self {
            Self::Profile(_) => None,
            Self::Own(kit) => Some(kit),
        }
    }

    /// The name and the version of a client's kit in the API's form; `None` for a profile.
    #[must_use]
    pub fn version_text(&self) -> Option<KitVersionText> {
        self.own().map(|kit| kit.to_string().into())
    }
}

/// What the creation of a hosted session names as its profile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WantedKit {
    /// A profile.
    Profile(Profile),
    /// A client's kit: a version, or the current one.
    Own {
        /// The name of the kit.
        name: KitName,
        /// The version; `None` for the current one.
        version: Option<u32>,
    },
}

impl WantedKit {
    /// Parses the name of a profile, or `NAME` or `NAME@VERSION` of a kit; `None` if the text has neither form.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        if let Ok(profile) = Profile::parse(text) {
            return Some(Self::Profile(profile));
        }
        let (name, version) = match text.split_once('@') {
            None => (text, None),
            Some((name, version)) => (name, Some(parse_version(version)?)),
        };
        let is_own = is_name(name) && Profile::parse(name).is_err();
        is_own.then(|| Self::Own { name: name.into(), version })
    }
}

/// A version as it is written: digits without leading zeros.
fn parse_version(text: &str) -> Option<u32> {
    let is_written = !text.starts_with('0') && text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|version| is_written && *version <= MAX_VERSION)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn parses_profiles_and_kits() {
        let own = |name: &str, version| Some(WantedKit::Own { name: name.into(), version });
        assert_eq!(WantedKit::parse("demo"), Some(WantedKit::Profile(Profile::Demo)));
        assert_eq!(WantedKit::parse("auto-previa"), own("auto-previa", None));
        assert_eq!(WantedKit::parse("auto-previa@30"), own("auto-previa", Some(30)));
        for other in [
            "",
            "@",
            "@1",
            "a@",
            "a@0",
            "a@01",
            "a@-1",
            "a@+1",
            "a@1@2",
            "a@1000000000",
            "A",
            "demo@1",
            "vehicle_inspection@1",
            "auto_previa",
            "á",
            " a",
            "a ",
            "-a",
        ] {
            assert_eq!(WantedKit::parse(other), None, "{other}");
        }
    }

    #[test]
    fn judges_the_form_of_names() {
        let asked = |kit: &str, version, step: &str| AskedFor {
            kit: kit.into(),
            version,
            sha256: Sha256Digest::of(b""),
            step: step.into(),
        };
        let longest = "a".repeat(32);
        for (kit, version, step) in [("auto-previa", 1, "chassi"), ("a", MAX_VERSION, "a-1"), (&longest, 2, &longest)] {
            assert!(asked(kit, version, step).is_well_formed(), "{kit} {version} {step}");
        }
        let too_long = "a".repeat(33);
        for other in ["", "A", "1a", "-a", "a_b", "a b", "á", "a\n", "a\0", "<b>", "a\u{202e}b", "a\x1b[2J", &too_long]
        {
            assert!(!asked(other, 1, "a").is_well_formed(), "{other:?}");
            assert!(!asked("a", 1, other).is_well_formed(), "{other:?}");
        }
        for version in [0, MAX_VERSION + 1, u32::MAX] {
            assert!(!asked("a", version, "a").is_well_formed(), "{version}");
        }
    }

    #[test]
    fn stored_profiles_remain_readable() {
        let own = SessionKit::Own(KitVersion { name: "a".into(), version: 2, sha256: Sha256Digest::of(b"") });
        for kit in [SessionKit::Profile(Profile::Demo), own] {
            let stored = serde_json::to_value(&kit).unwrap();
            assert_eq!(serde_json::from_value::<SessionKit>(stored).unwrap(), kit);
        }
        assert_eq!(serde_json::to_value(SessionKit::Profile(Profile::Demo)).unwrap(), "demo");
    }
}
