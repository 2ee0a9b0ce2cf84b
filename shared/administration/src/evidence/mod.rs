//! Evidence: a capture looked up, a month exported; counts rebuilt from it, and objects that it does not name.

mod reconcile;
mod recount;

use aws::{Next, Page};
use domain::{Capture, CaptureId, ClientId, Position, SessionId, clock::rfc3339};
use serde::Serialize;
use serde_json::{Map, Value, json};

pub use self::{reconcile::OrphanedObjects, recount::Recount};
use crate::{Administration, Error, alerts::check_month};

/// The evidence of a capture as operators see it: the record's own fields, with its times in RFC 3339.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(transparent)]
pub struct CaptureView(Map<String, Value>);

impl Administration {
    /// The evidence of a capture, by its `session_id` or its capture id.
    ///
    /// # Errors
    /// [`Error::Invalid`] for a text that is neither; [`Error::NotFound`].
    pub async fn capture(&self, id: &str) -> Result<CaptureView, Error> {
        let capture_id = SessionId::parse(id).map(|id| id.capture_id()).or_else(|| CaptureId::from_hex(id));
        let capture_id = capture_id.ok_or_else(|| {
            Error::Invalid("neither a session_id (a UUID) nor a capture id (64 hexadecimal characters)".into())
        })?;
        let found = self.captures.read(&capture_id).await?;
        // Not by the text that was given: a session_id opens the image.
        found.as_ref().map(CaptureView::of).ok_or_else(|| Error::not_found("capture", &capture_id.as_str()))
    }

    /// The evidence of a client's captures in a month, one by one, in no order.
    ///
    /// # Errors
    /// [`Error::NotFound`], [`Error::Invalid`], and what `each` answers.
    pub async fn export<E: From<Error>>(
        &self,
        client: &ClientId,
        month: &str,
        mut each: impl FnMut(CaptureView) -> Result<(), E>,
    ) -> Result<(), E> {
        check_month(month)?;
        self.client(client).await?;
        let mut from: Option<Next> = None;
        loop {
            let page = self.evidence.of_client(client, month, from).await.map_err(Error::from)?;
            let Page { captures, next } = page;
            captures.iter().map(CaptureView::of).try_for_each(&mut each)?;
            let Some(next) = next else { return Ok(()) };
            from = Some(next);
        }
    }
}

impl CaptureView {
    fn of(capture: &Capture) -> Self {
        // A record of strings, numbers and maps has a JSON form.
        let mut fields = match serde_json::to_value(capture) {
            Ok(Value::Object(fields)) => fields,
            _ => Map::new(),
        };
        fields.insert("ingested_at".into(), rfc3339(capture.ingested_at).into());
        // Stored as text, because the database's numbers have a smaller range.
        let Position { latitude, longitude, accuracy } = capture.claims.position;
        let position = json!({ "latitude": latitude, "longitude": longitude, "accuracy": accuracy });
        fields.insert("position".into(), position);
        if let Some(heading) = capture.claims.heading {
            fields.insert("heading".into(), heading.into());
        }
        Self(fields)
    }

    /// The fields, in the order of the record.
    #[must_use]
    pub fn fields(&self) -> &Map<String, Value> {
        &self.0
    }
}
