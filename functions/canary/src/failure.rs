//! The failure of a run, as it is logged.

use serde::Serialize;

/// A step of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Step {
    /// Reading the keys.
    Keys,
    /// `POST /web/sessions`.
    Create,
    /// `POST /validate`.
    Validate,
    /// `GET /web/sessions/:token`.
    Load,
    /// The upload of the frame.
    Upload,
    /// `POST /web/ingest`.
    Ingest,
    /// `GET /web/session-results/:token`.
    Results,
    /// Fetching the manifest.
    Manifest,
    /// Verifying the photo.
    Verify,
}

impl Step {
    /// The step's name in the log.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Keys => "keys",
            Self::Create => "create",
            Self::Validate => "validate",
            Self::Load => "load",
            Self::Upload => "upload",
            Self::Ingest => "ingest",
            Self::Results => "results",
            Self::Manifest => "manifest",
            Self::Verify => "verify",
        }
    }
}

/// Why a run failed. It is logged, so the only text that it takes from a response's body is the block reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Failure {
    /// The step that failed.
    pub step: Step,
    /// The cause.
    pub cause: String,
    /// The status of the response, if one was received.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// The id of the failed request, from the service or from S3.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request_id: Option<String>,
}

impl Failure {
    /// A failure that no response caused.
    pub(crate) fn of(step: Step, cause: impl Into<String>) -> Self {
        Self { step, cause: cause.into(), status: None, request_id: None }
    }
}
