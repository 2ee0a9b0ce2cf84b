//! What requests carry: bodies, parameters of the address, and conditions in headers.

use administration::{Caller, Error, PageRequest};
use domain::{AttemptState, ClientId, Environment, LicenseId, Operator, RequestId};
use lacre_http::Request;
use lambda_http::RequestExt;
use serde::{Deserialize, de::DeserializeOwned};

/// The entries of a page unless another number is asked for, and the most.
const LIMIT: (usize, usize) = (50, 100);
const MONTHS: usize = 12;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewClient {
    pub(crate) name: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ApiKeyRequest {
    pub(crate) environment: Environment,
    pub(crate) name: String,
}

#[derive(Deserialize)]
pub(crate) struct LicenseRequest {
    pub(crate) environment: Environment,
    #[serde(flatten)]
    pub(crate) terms: serde_json::Map<String, serde_json::Value>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct WebhookSecretRequest {
    pub(crate) environment: Environment,
}

/// A webhook secret's end.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RevocationRequest {
    /// Whether the caller knows that no other secret signs.
    #[serde(default)]
    pub(crate) last: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RotationRequest {
    pub(crate) environment: Environment,
    pub(crate) overlap_hours: Option<u16>,
}

/// Which page of a list. A parameter of an address is a text, also where it is a number.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Page {
    pub(crate) limit: Option<String>,
    pub(crate) cursor: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SearchParameters {
    #[serde(default)]
    pub(crate) search: String,
    pub(crate) limit: Option<String>,
    pub(crate) cursor: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct AttemptParameters {
    pub(crate) state: Option<AttemptState>,
    pub(crate) limit: Option<String>,
    pub(crate) cursor: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct UsageParameters {
    months: Option<String>,
}

/// The one state by which alerts are listed.
#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum AlertState {
    Open,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct AlertParameters {
    pub(crate) state: Option<AlertState>,
    pub(crate) license: Option<LicenseId>,
    pub(crate) client: Option<ClientId>,
    pub(crate) month: Option<String>,
    pub(crate) limit: Option<String>,
    pub(crate) cursor: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CaptureParameters {
    pub(crate) reference_id: Option<String>,
    pub(crate) frame_hash: Option<String>,
    pub(crate) limit: Option<String>,
    pub(crate) cursor: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct AuditParameters {
    pub(crate) client: Option<ClientId>,
    pub(crate) month: Option<String>,
    pub(crate) limit: Option<String>,
    pub(crate) cursor: Option<String>,
}

impl Page {
    pub(crate) fn request(self) -> Result<PageRequest, Error> {
        let (usual, most) = LIMIT;
        let limit = number("limit", self.limit)?.unwrap_or(usual);
        match (1..=most).contains(&limit) {
            true => Ok(PageRequest { limit, after: self.cursor }),
            false => Err(Error::Invalid(format!("limit is 1 to {most}"))),
        }
    }
}

impl UsageParameters {
    pub(crate) fn months(self) -> Result<usize, Error> {
        Ok(number("months", self.months)?.unwrap_or(MONTHS))
    }
}

/// The operator, with the id of the request (`idempotency-key`) and the revision that it is for (`if-match`).
pub(crate) fn caller(request: &Request, operator: Operator) -> Result<Caller, Error> {
    let header = |name: &str| {
        let value = request.headers().get(name).map(|value| value.to_str());
        value.transpose().map_err(|_| Error::Invalid(format!("the header {name} is not text")))
    };
    let id = header("idempotency-key")?.map(RequestId::parse);
    let id = id.map(|id| id.ok_or_else(|| Error::Invalid("idempotency-key is a UUID in lower case".into())));
    let revision = header("if-match")?.map(|tag| {
        let number = tag.strip_prefix('"').and_then(|tag| tag.strip_suffix('"')).and_then(|tag| tag.parse().ok());
        number.ok_or_else(|| Error::Invalid("if-match is a license's revision in quotes".into()))
    });
    Ok(Caller { request: id.transpose()?, revision: revision.transpose()?, ..Caller::of(operator) })
}

pub(crate) fn body<T: DeserializeOwned>(request: &Request) -> Result<T, Error> {
    read(serde_json::from_slice(request.body()))
}

/// The same where the body may be left out.
pub(crate) fn body_or_default<T: DeserializeOwned + Default>(request: &Request) -> Result<T, Error> {
    if request.body().is_empty() { Ok(T::default()) } else { body(request) }
}

pub(crate) fn terms<T: DeserializeOwned>(named: serde_json::Map<String, serde_json::Value>) -> Result<T, Error> {
    read(serde_json::from_value(named.into()))
}

/// The parameters of the address.
pub(crate) fn parameters<T: DeserializeOwned>(request: &Request) -> Result<T, Error> {
    let parameters = request.query_string_parameters();
    let fields = parameters.iter().map(|(name, value)| (name.to_owned(), value.into()));
    read(serde_json::from_value(serde_json::Value::Object(fields.collect())))
}

fn number(name: &str, text: Option<String>) -> Result<Option<usize>, Error> {
    let number = text.map(|text| text.parse()).transpose();
    number.map_err(|_| Error::Invalid(format!("the request cannot be used: {name} is not a number")))
}

fn read<T>(read: serde_json::Result<T>) -> Result<T, Error> {
    read.map_err(|error| Error::Invalid(format!("the request cannot be used: {error}")))
}
