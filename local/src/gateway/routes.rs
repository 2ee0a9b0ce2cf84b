//! Routes: an HTTP method and a path template with variables in braces.

use std::collections::BTreeMap;

use axum::http::Method;
use percent_encoding::percent_decode_str;

use super::Function;

/// A route and the function that serves it.
#[derive(Clone)]
pub(crate) struct Route {
    method: Method,
    template: &'static str,
    pub(super) function: Function,
}

impl Route {
    pub(crate) fn new(method: Method, template: &'static str, function: Function) -> Self {
        Self { method, template, function }
    }

    /// The route with a `HEAD` route of the same path, for a `GET` without side effects.
    pub(crate) fn and_head(self) -> [Self; 2] {
        [Self { method: Method::HEAD, ..self.clone() }, self]
    }

    /// The route key, as API Gateway names the route.
    pub(super) fn key(&self) -> String {
        format!("{} {}", self.method, self.template)
    }

    /// The decoded path variables if this route matches the request, otherwise `None`.
    pub(super) fn matches(&self, method: &Method, path: &str) -> Option<BTreeMap<String, String>> {
        let (parts, segments): (Vec<_>, Vec<_>) = (self.template.split('/').collect(), path.split('/').collect());
        if *method != self.method || parts.len() != segments.len() {
            return None;
        }
        let mut parameters = BTreeMap::new();
        for (part, segment) in parts.into_iter().zip(segments) {
            match part.strip_prefix('{').and_then(|part| part.strip_suffix('}')) {
                Some(name) if !segment.is_empty() => {
                    let value = percent_decode_str(segment).decode_utf8_lossy().into_owned();
                    parameters.insert(name.to_owned(), value);
                }
                None if part == segment => {}
                _ => return None,
            }
        }
        Some(parameters)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_route_is_method_and_path() {
        let unknown = Function::new(|_| Box::pin(async { Err("not called".to_owned()) }));
        let route = Route::new(Method::GET, "/web/sessions/{token}", unknown);
        let token = |path| route.matches(&Method::GET, path).map(|parameters| parameters["token"].clone());

        assert_eq!(route.key(), "GET /web/sessions/{token}");
        assert_eq!(token("/web/sessions/abc").as_deref(), Some("abc"));
        assert_eq!(token("/web/sessions/a%20b%2Fc").as_deref(), Some("a b/c"));
        for other in ["/web/sessions", "/web/sessions/", "/web/sessions/a/b", "/web/session/a", "/"] {
            assert_eq!(token(other), None, "{other}");
        }
        assert!(route.matches(&Method::POST, "/web/sessions/abc").is_none());
    }
}
