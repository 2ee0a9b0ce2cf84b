//! A row under test, and the check that a response equals it.

use std::{cell::Cell, collections::BTreeMap, mem::discriminant};

use lacre_api::{Refusal, Route};
use lacre_tests::Answer;

/// A row of a route's table of errors.
pub(crate) struct Row {
    route: Route,
    refusal: Refusal,
    produced: Cell<usize>,
}

impl Row {
    pub(crate) fn new(route: Route, refusal: Refusal) -> Self {
        Self { route, refusal, produced: Cell::new(0) }
    }

    /// Checks that the response to a page equals the row: status, body and all headers.
    #[track_caller]
    pub(crate) fn is(&self, cause: &str, answer: &Answer) {
        self.is_with(self.refusal, cause, answer);
    }

    /// The same for a row with figures.
    #[track_caller]
    pub(crate) fn is_with(&self, refusal: Refusal, cause: &str, answer: &Answer) {
        self.check(refusal, cause, answer, true);
    }

    /// The same without CORS headers: for a request without `Origin`, and on `{capture_url}`.
    #[track_caller]
    pub(crate) fn is_without_origin(&self, cause: &str, answer: &Answer) {
        self.check(self.refusal, cause, answer, false);
    }

    /// The same for a row with figures and a request without `Origin`.
    #[track_caller]
    pub(crate) fn is_with_without_origin(&self, refusal: Refusal, cause: &str, answer: &Answer) {
        self.check(refusal, cause, answer, false);
    }

    #[track_caller]
    fn check(&self, refusal: Refusal, cause: &str, answer: &Answer, from_a_page: bool) {
        let place = format!("{}, {:?}: {cause}", self.route.name(), self.refusal);
        assert_eq!(discriminant(&refusal), discriminant(&self.refusal), "{place}");
        assert_eq!(answer.outcome(), (refusal.status(), Answer::body_of(refusal, "Lacre")), "{place}");
        assert_eq!(headers_that_matter(answer), headers(refusal, from_a_page), "{place}");
        self.produced.set(self.produced.get() + 1);
    }

    /// Fails if the test never produced the row's response.
    pub(crate) fn finish(&self) {
        assert!(self.produced.get() > 0, "{}: nothing produced {:?}", self.route.name(), self.refusal);
    }
}

/// All headers. `Retry-After` is set for the creation's 429 and for every 503 only.
fn headers(refusal: Refusal, from_a_page: bool) -> BTreeMap<String, String> {
    let mut headers = vec![
        ("cache-control", "no-store".to_owned()),
        ("content-type", "application/json; charset=utf-8".to_owned()),
        ("x-content-type-options", "nosniff".to_owned()),
    ];
    if from_a_page {
        headers.push(("access-control-allow-origin", "*".to_owned()));
        headers.push(("access-control-expose-headers", "retry-after,x-request-id,apigw-requestid".to_owned()));
    }
    match refusal {
        Refusal::CreationLimitReached { retry_after } => headers.push(("retry-after", retry_after.to_string())),
        _ if refusal.status() == 503 => headers.push(("retry-after", "2".to_owned())),
        _ => {}
    }
    headers.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

/// The headers without those of the connection. The two request id headers are checked here: both contain the gateway's
/// id.
#[track_caller]
fn headers_that_matter(answer: &Answer) -> BTreeMap<String, String> {
    let mut headers = answer.headers.clone();
    headers.retain(|name, _| !["content-length", "date"].contains(&name.as_str()));
    let (id, gateway_id) = (headers.remove("x-request-id"), headers.remove("apigw-requestid"));
    assert_eq!(id, gateway_id);
    headers
}

/// Defines a test for each row of a route from the function that produces it, and the list `ROWS`.
macro_rules! rows {
    ($route:ident: $( $refusal:expr => $test:ident, )*) => {
        pub(in crate::rows) const ROWS: &[(lacre_api::Route, lacre_api::Refusal)] = {
            use lacre_api::Refusal::*;
            &[$( (lacre_api::Route::$route, $refusal), )*]
        };

        mod produced {
            use lacre_api::Refusal::*;
            $(
                #[tokio::test(flavor = "multi_thread")]
                async fn $test() {
                    let row = $crate::rows::Row::new(lacre_api::Route::$route, $refusal);
                    super::$test(&row).await;
                    row.finish();
                }
            )*
        }
    };
}
pub(crate) use rows;
