//! The settings that the app configures.

use std::fmt;

use sha2::{Digest, Sha256};

/// The license, the service that validates it, and the app. A stored result is bound to all three.
#[derive(Clone, PartialEq, Eq)]
pub struct Settings {
    /// The URL of the licensing service, without the path `/validate`.
    pub license_url: String,
    /// The license key, `svc_<env>_<base58>`. It is a secret and is not stored.
    pub license_key: String,
    /// The app's id: an Android application id, or an iOS bundle identifier.
    pub app: String,
}

impl Settings {
    /// The binding of a stored result: the SHA-256, in lower-case hexadecimal, over key, URL and app, each preceded by
    /// its length, so that different settings never have the same input.
    pub(crate) fn binding(&self) -> String {
        let mut hash = Sha256::new();
        for part in [&self.license_key, &self.license_url, &self.app] {
            hash.update((part.len() as u64).to_be_bytes());
            hash.update(part);
        }
        hex::encode(hash.finalize())
    }
}

impl fmt::Debug for Settings {
    /// Leaves out the key.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Settings")
            .field("license_url", &self.license_url)
            .field("app", &self.app)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(key: &str, url: &str, app: &str) -> Settings {
        Settings { license_url: url.into(), license_key: key.into(), app: app.into() }
    }

    #[test]
    fn the_binding_distinguishes_all_settings() {
        let all = [
            settings("key", "url", "app"),
            settings("key2", "url", "app"),
            settings("key", "2url", "app"),
            settings("key", "url2", "app"),
            settings("key", "url", "2app"),
            settings("url", "key", "app"),
        ];
        let bindings: std::collections::BTreeSet<_> = all.iter().map(Settings::binding).collect();
        assert_eq!(bindings.len(), all.len());
        assert_eq!(all[0].binding(), all[0].clone().binding());
    }

    #[test]
    fn debug_shows_no_key() {
        let shown = format!("{:?}", settings("svc_live_secret", "https://l.example", "com.example"));
        assert!(!shown.contains("secret"), "{shown}");
        assert!(shown.contains("https://l.example") && shown.contains("com.example"), "{shown}");
    }
}
