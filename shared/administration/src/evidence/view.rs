//! The view of a capture's evidence for the custodian.

use lacre_domain::{Custody, CustodyAct, EvidenceRecord, PersonalItem, Position, clock::rfc3339};
use serde::Serialize;
use serde_json::{Map, Value, json};

/// The fields of the record, those of the personal item if it exists, and the custody acts. Times are in RFC 3339.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(transparent)]
pub struct EvidenceView(Map<String, Value>);

impl EvidenceView {
    pub(crate) fn of(record: &EvidenceRecord, personal: Option<&PersonalItem>, custody: &Custody) -> Self {
        let mut view = fields(record);
        view.insert("ingested_at".into(), rfc3339(record.ingested_at).into());
        if let Some(item) = personal {
            view.extend(fields(item));
            let claims = &item.data.claims;
            // In the item these numbers are text, because DynamoDB's numbers have a smaller range.
            let Position { latitude, longitude, accuracy } = claims.position;
            let position = json!({ "latitude": latitude, "longitude": longitude, "accuracy": accuracy });
            view.insert("position".into(), position);
            if let Some(heading) = claims.heading {
                view.insert("heading".into(), heading.into());
            }
            // The hash of the token finds the session, and operators have no use for it.
            view.remove("session");
        }
        view.insert("state".into(), custody.state().name().into());
        if !custody.acts.is_empty() {
            view.insert("acts".into(), custody.acts.iter().map(act).collect());
        }
        Self(view)
    }

    /// The fields, in the order of the record.
    #[must_use]
    pub fn fields(&self) -> &Map<String, Value> {
        &self.0
    }
}

fn act(act: &CustodyAct) -> Value {
    json!({
        "state": act.state.name(),
        "at": rfc3339(act.at),
        "reason": act.reason.as_str(),
        "principal": act.principal,
    })
}

/// The fields of a record as JSON.
fn fields(record: &impl Serialize) -> Map<String, Value> {
    match serde_json::to_value(record) {
        Ok(Value::Object(fields)) => fields,
        _ => Map::new(),
    }
}
