//! Evidence: a capture looked up, a month exported, counts rebuilt, and objects that no record names.

use aws::{Next, Page};
use domain::{Capture, CaptureId, ClientId, LicenseId, Position, SessionId, capture::month_of, verdict::rfc3339};
use serde::Serialize;
use serde_json::{Map, Value, json};
use time::Duration;

use crate::{Administration, Error, alerts::check_month};

/// An object is stored before its record is written, within seconds. What is younger than this may still get its record.
const YOUNGEST: Duration = Duration::hours(1);
/// How often a count is tried that captures came between.
const ROUNDS: u32 = 5;

/// The evidence of a capture as operators see it: the record's own fields, with its times in RFC 3339.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(transparent)]
pub struct CaptureView(Map<String, Value>);

/// A count that was compared with the evidence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Recount {
    /// The license.
    pub license_id: LicenseId,
    /// The calendar month, UTC.
    pub month: String,
    /// What was counted before.
    pub counted: u64,
    /// What the evidence has, and what is counted now.
    pub evidence: u64,
}

/// The objects that no record names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Unnamed {
    /// Their keys in the proofs bucket.
    pub keys: Vec<String>,
    /// Whether they were removed.
    pub removed: bool,
    /// How many objects were looked at.
    pub examined: usize,
}

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

    /// The evidence of a client's captures in a month, handed over one by one, in no order.
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

    /// Makes a license's count of a month what the evidence says, and raises the alerts that it calls for; of this month where
    /// none is named.
    ///
    /// # Errors
    /// [`Error::NotFound`], [`Error::Invalid`]; [`Error::Refused`] when captures kept coming between.
    pub async fn recount(&self, license: &LicenseId, month: Option<&str>) -> Result<Recount, Error> {
        let month = month.map_or_else(|| month_of(self.clock.now()), str::to_owned);
        check_month(&month)?;
        let issued = self.issued_license(license).await?;
        for _ in 0..ROUNDS {
            let shards = self.volume.read(license, &month).await?;
            let evidence = self.evidence.count(license, &month).await?;
            if self.volume.replace(&shards, evidence).await? {
                self.alerts.raise_reached(&issued.license, &month, evidence, self.clock.now()).await?;
                return Ok(Recount { license_id: license.clone(), month, counted: shards.total(), evidence });
            }
        }
        Err(Error::Refused("captures kept coming while they were counted; try again when it is quieter".into()))
    }

    /// Finds the objects in the proofs bucket that no record names, and removes them if asked to. Only objects older than
    /// `age` count, and none younger than an hour.
    ///
    /// # Errors
    /// [`Error::Unavailable`]: some may have been removed.
    pub async fn reconcile(&self, age: Duration, remove: bool) -> Result<Unnamed, Error> {
        let before = self.clock.now() - age.max(YOUNGEST);
        // The objects first: what is listed here was stored long ago, so its record is there when the evidence is read.
        let stored = self.proofs.keys_before(before).await?;
        let examined = stored.len();
        let named = self.evidence.object_keys().await?;
        let keys: Vec<String> = stored.into_iter().filter(|key| !named.contains(key)).collect();
        if remove {
            for key in &keys {
                self.proofs.remove(key).await?;
            }
        }
        Ok(Unnamed { keys, removed: remove, examined })
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
        let Position { latitude, longitude, accuracy } = capture.position;
        let position = json!({ "latitude": latitude, "longitude": longitude, "accuracy": accuracy });
        fields.insert("position".into(), position);
        if let Some(heading) = capture.heading {
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
