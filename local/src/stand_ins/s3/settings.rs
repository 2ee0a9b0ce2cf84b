//! Settings of a bucket, stored in a file beside its objects.

use std::{fs, io, path::Path};

use serde::{Deserialize, Serialize};

use super::cors_rule::Rule;
use crate::stand_ins::{Error, write_whole};

const FILE: &str = "bucket.json";
const SECONDS_OF_A_DAY: i64 = 86_400;

/// Settings of a bucket.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Settings {
    pub(crate) cors: Vec<Rule>,
    pub(crate) is_versioned: bool,
    /// Object Lock; `None` if the bucket has none.
    pub(crate) object_lock: Option<ObjectLock>,
}

/// Object Lock by default retention only. Retention of individual versions is not supported.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ObjectLock {
    /// Default retention in days; the mode is always `GOVERNANCE`.
    pub(crate) retention_days: Option<i32>,
}

/// The content of the file. Older files contain only a list of CORS rules.
#[derive(Deserialize)]
#[serde(untagged)]
enum Kept {
    Rules(Vec<Rule>),
    Settings(Settings),
}

impl Settings {
    /// Settings with Object Lock, which implies versioning.
    pub(crate) fn locked() -> Self {
        Self { is_versioned: true, object_lock: Some(ObjectLock::default()), ..Self::default() }
    }

    pub(crate) fn retention_days(&self) -> Option<i32> {
        self.object_lock.and_then(|lock| lock.retention_days)
    }

    /// End of the default retention for a version, in seconds since the Unix epoch.
    pub(crate) fn retained_until(&self, made_at: i64) -> Option<i64> {
        self.retention_days().map(|days| made_at.saturating_add(i64::from(days) * SECONDS_OF_A_DAY))
    }

    /// Whether a file is a bucket's settings file.
    pub(crate) fn are_in(path: &Path) -> bool {
        path.file_name().is_some_and(|name| name == FILE)
    }

    pub(crate) fn read(path: &Path) -> Result<Self, Error> {
        match serde_json::from_slice(&fs::read(path)?).map_err(|error| Error::unreadable(path, &error))? {
            Kept::Rules(cors) => Ok(Self { cors, ..Self::default() }),
            Kept::Settings(settings) => Ok(settings),
        }
    }

    pub(crate) fn write(&self, directory: &Path) -> io::Result<()> {
        write_whole(&directory.join(FILE), &[&serde_json::to_vec(self)?])
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn reads_files_with_only_cors_rules() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join(FILE);
        let rule = r#"{"origins":["*"],"methods":["GET"],"headers":[],"exposed":[],"max_age_seconds":7200}"#;
        fs::write(&path, format!("[{rule}]")).unwrap();
        let settings = Settings::read(&path).unwrap();
        assert_eq!(settings.cors[0].methods, ["GET"]);
        assert_eq!(settings, Settings { cors: settings.cors.clone(), ..Settings::default() });
        fs::write(&path, "[]").unwrap();
        assert_eq!(Settings::read(&path).unwrap(), Settings::default());
    }

    #[test]
    fn settings_survive_writing_and_reading() {
        let directory = tempfile::tempdir().unwrap();
        let settings = Settings { object_lock: Some(ObjectLock { retention_days: Some(2) }), ..Settings::locked() };
        settings.write(directory.path()).unwrap();
        assert_eq!(Settings::read(&directory.path().join(FILE)).unwrap(), settings);
        assert_eq!(settings.retained_until(10), Some(10 + 2 * SECONDS_OF_A_DAY));
        assert_eq!(Settings::locked().retained_until(10), None);
    }
}
