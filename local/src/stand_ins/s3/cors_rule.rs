//! A CORS rule of a bucket, and its evaluation.

use serde::{Deserialize, Serialize};

/// A CORS rule of a bucket.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Rule {
    pub(crate) origins: Vec<String>,
    pub(crate) methods: Vec<String>,
    pub(crate) headers: Vec<String>,
    pub(crate) exposed: Vec<String>,
    pub(crate) max_age_seconds: Option<i32>,
}

impl Rule {
    /// Whether the rule allows a request with this origin, method and headers.
    pub(crate) fn admits(&self, origin: &str, method: &str, headers: &[&str]) -> bool {
        self.origins.iter().any(|pattern| matches(pattern, origin))
            && self.methods.iter().any(|known| known == method)
            && headers.iter().all(|name| {
                self.headers.iter().any(|pattern| matches(&pattern.to_ascii_lowercase(), &name.to_ascii_lowercase()))
            })
    }

    /// The value of `Access-Control-Allow-Origin`.
    pub(crate) fn allowed_origin<'a>(&self, origin: &'a str) -> &'a str {
        if self.origins.iter().any(|pattern| pattern == "*") { "*" } else { origin }
    }
}

/// Matches S3's patterns: at most one `*`, for any sequence of characters.
fn matches(pattern: &str, value: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == value,
        Some((start, end)) => {
            value.len() >= start.len() + end.len() && value.starts_with(start) && value.ends_with(end)
        }
    }
}
