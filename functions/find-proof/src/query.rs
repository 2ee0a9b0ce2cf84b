//! Parses the parameters and bodies of lookups.

use base64::{Engine, engine::general_purpose::STANDARD};
use lacre_api::{
    Refusal, limits,
    resolution::{ALGORITHM, DEFAULT_RESULTS, MAX_RESULTS, MEDIA_TYPES},
};
use lacre_domain::Fingerprint;
use lacre_http::{Request, header, json_object};
use lambda_http::RequestExt;
use time::{Date, macros::format_description};

/// A lookup of the value of a soft binding.
pub(crate) struct BindingQuery {
    pub(crate) code: Fingerprint,
    pub(crate) max_results: usize,
}

impl BindingQuery {
    /// Parses `alg` and `value` in the query.
    ///
    /// # Errors
    /// [`Refusal::FieldInvalid`].
    pub(crate) fn of_parameters(request: &Request) -> Result<Self, Refusal> {
        let parameters = request.query_string_parameters();
        Self::of(request, parameters.first("alg"), parameters.first("value"))
    }

    /// Parses `alg` and `value` in a JSON body.
    ///
    /// # Errors
    /// [`Refusal::FieldInvalid`].
    pub(crate) fn of_body(request: &Request) -> Result<Self, Refusal> {
        let body = json_object(request).unwrap_or_default();
        let text = |name: &str| body.get(name).and_then(|value| value.as_str());
        Self::of(request, text("alg"), text("value"))
    }

    fn of(request: &Request, algorithm: Option<&str>, value: Option<&str>) -> Result<Self, Refusal> {
        if algorithm != Some(ALGORITHM) {
            return Err(Refusal::FieldInvalid { field: "alg" });
        }
        let units = value.and_then(|value| STANDARD.decode(value).ok());
        let code = units.and_then(|units| Fingerprint::of_soft_binding_value(&units));
        let code = code.ok_or(Refusal::FieldInvalid { field: "value" })?;
        Ok(Self { code, max_results: max_results(request)? })
    }
}

/// A lookup of a copy, which is the body.
pub(crate) struct ContentQuery {
    pub(crate) max_results: usize,
}

impl ContentQuery {
    /// Parses the parameters of a lookup, and checks type and size of its body.
    ///
    /// # Errors
    /// In this order: [`Refusal::FieldInvalid`], [`Refusal::PictureTypeUnsupported`], [`Refusal::AssetTooLarge`].
    pub(crate) fn of(request: &Request) -> Result<Self, Refusal> {
        let parameters = request.query_string_parameters();
        if parameters.first("alg").is_some_and(|algorithm| algorithm != ALGORITHM) {
            return Err(Refusal::FieldInvalid { field: "alg" });
        }
        let max_results = max_results(request)?;
        if !is_picture(request) {
            return Err(Refusal::PictureTypeUnsupported);
        }
        let (bytes, max_asset_bytes) = (request.body().len() as u64, limits::MAX_ASSET_BYTES);
        if bytes > max_asset_bytes {
            return Err(Refusal::AssetTooLarge { bytes, max_asset_bytes });
        }
        Ok(Self { max_results })
    }
}

/// A question for the days whose evidence was renewed.
pub(crate) struct RenewalQuery {
    /// The first day (UTC) whose renewals count.
    pub(crate) since: Date,
}

impl RenewalQuery {
    /// Parses `since` in the query: `YYYY-MM-DD`.
    ///
    /// # Errors
    /// [`Refusal::FieldInvalid`].
    pub(crate) fn of(request: &Request) -> Result<Self, Refusal> {
        let since = request.query_string_parameters().first("since").and_then(day);
        Ok(Self { since: since.ok_or(Refusal::FieldInvalid { field: "since" })? })
    }
}

/// Parses a day in exactly the form in which it is written.
fn day(text: &str) -> Option<Date> {
    let day = Date::parse(text, format_description!("[year]-[month]-[day]")).ok()?;
    (day.to_string() == text).then_some(day)
}

/// Whether the body is sent as a picture of a known type.
pub(crate) fn is_picture(request: &Request) -> bool {
    let media_type = header(request, "content-type").and_then(|text| text.split(';').next()).unwrap_or_default();
    MEDIA_TYPES.iter().any(|known| known.eq_ignore_ascii_case(media_type.trim()))
}

fn max_results(request: &Request) -> Result<usize, Refusal> {
    match request.query_string_parameters().first("maxResults") {
        None => Ok(DEFAULT_RESULTS),
        Some(text) => {
            let number = text.parse().ok().filter(|number| (1..=MAX_RESULTS).contains(number));
            number.ok_or(Refusal::FieldInvalid { field: "maxResults" })
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn reads_days_in_one_form() {
        for text in ["2026-11-30", "2028-02-29", "0001-01-01"] {
            assert_eq!(day(text).unwrap().to_string(), text);
        }
        for other in
            ["", "2026-11-31", "2027-02-29", "2026-1-1", "+2026-11-30", "-001-01-01", "2026-11-30 ", "30/11/2026"]
        {
            assert_eq!(day(other), None, "{other}");
        }
    }
}
