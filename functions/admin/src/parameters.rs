//! Parses requests: bodies, query parameters, and conditional headers.

use lacre_administration::{Caller, Error, PageRequest};
use lacre_api::{
    admin::{
        Page, UsageParameters,
        limits::{PAGE_ENTRIES, PAGE_ENTRIES_MAX, USAGE_MONTHS},
    },
    headers,
};
use lacre_domain::{Operator, RequestId};
use lacre_http::Request;
use lambda_http::RequestExt;
use serde::de::DeserializeOwned;

/// The requested page of a list.
pub(crate) fn page(page: Page) -> Result<PageRequest, Error> {
    let Page { limit, cursor } = page;
    let limit = number("limit", limit.map(|limit| limit.0))?.unwrap_or(PAGE_ENTRIES);
    match (1..=PAGE_ENTRIES_MAX).contains(&limit) {
        true => Ok(PageRequest { limit, after: cursor.map(|cursor| cursor.0) }),
        false => Err(Error::Invalid(format!("limit must be between 1 and {PAGE_ENTRIES_MAX}"))),
    }
}

/// The requested number of months.
pub(crate) fn months(asked: UsageParameters) -> Result<usize, Error> {
    Ok(number("months", asked.months.map(|months| months.0))?.unwrap_or(USAGE_MONTHS))
}

/// The operator, with the id of the request (`idempotency-key`) and the revision that the change expects (`if-match`).
pub(crate) fn caller(request: &Request, operator: Operator) -> Result<Caller, Error> {
    let header = |name: &str| {
        let value = request.headers().get(name).map(|value| value.to_str());
        value.transpose().map_err(|_| Error::Invalid(format!("the header {name} is not text")))
    };
    let id = header(headers::IDEMPOTENCY_KEY)?.map(RequestId::parse);
    let id = id.map(|id| id.ok_or_else(|| Error::Invalid("idempotency-key must be a UUID in lower case".into())));
    let revision = header(headers::IF_MATCH)?.map(|tag| {
        let number = tag.strip_prefix('"').and_then(|tag| tag.strip_suffix('"')).and_then(|tag| tag.parse().ok());
        number.ok_or_else(|| Error::Invalid("if-match must be the license's revision in quotes".into()))
    });
    Ok(Caller { request: id.transpose()?, revision: revision.transpose()?, ..Caller::of(operator) })
}

pub(crate) fn body<T: DeserializeOwned>(request: &Request) -> Result<T, Error> {
    read(serde_json::from_slice(request.body()))
}

/// Parses an optional body; an empty one gives the default.
pub(crate) fn body_or_default<T: DeserializeOwned + Default>(request: &Request) -> Result<T, Error> {
    if request.body().is_empty() { Ok(T::default()) } else { body(request) }
}

pub(crate) fn terms<T: DeserializeOwned>(named: serde_json::Map<String, serde_json::Value>) -> Result<T, Error> {
    read(serde_json::from_value(named.into()))
}

/// Parses the query parameters.
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
