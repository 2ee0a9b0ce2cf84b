//! The page's files, compiled into the binary, and the security headers of every response.

use axum::{
    extract::Request,
    http::{HeaderValue, Method, Uri, header},
    middleware::Next,
    response::{IntoResponse, Response},
};

use crate::answer::RequestError;

/// A file of the page, with its content and media type.
struct File {
    name: &'static str,
    content: &'static [u8],
}

/// Embeds files of a folder of `web/` by name.
macro_rules! files {
    ($folder:literal: $($name:literal),+ $(,)?) => {
        &[$(File { name: $name, content: include_bytes!(concat!("../../../web/", $folder, "/", $name)) }),+]
    };
}

/// The files of `web/shared/` that the console needs, served below [`SHARED_PATH`].
static SHARED: &[File] = files!["shared": "elements.js"];

const SHARED_PATH: &str = "shared/";

/// The files of the component in `web/src/` that the console needs to draw kits, served below [`COMPONENT_PATH`].
static COMPONENT: &[File] = files!["src": "kit-limits.js", "limits.js", "outline.js", "translations.js"];

const COMPONENT_PATH: &str = "src/";

/// Every file of `web/console/`. A test compares this list with the folder.
static FILES: &[File] = files!["console":
    "action.js",
    "api.js",
    "client-actions.js",
    "console.css",
    "copy-search.js",
    "copy.js",
    "dialog.js",
    "document-field.js",
    "failures.js",
    "fields.js",
    "focus.js",
    "formats.js",
    "index.html",
    "key-actions.js",
    "kit-actions.js",
    "kit-preview.js",
    "language.js",
    "license-actions.js",
    "license-forms.js",
    "license-terms.js",
    "listing.js",
    "main.js",
    "marks.js",
    "names.js",
    "notice.js",
    "page-alerts.js",
    "page-audit.js",
    "page-client.js",
    "page-clients.js",
    "page-evidence.js",
    "page-kits.js",
    "page-license.js",
    "page-licenses.js",
    "page-overview.js",
    "page-signers.js",
    "page-webhook-secrets.js",
    "page-webhooks.js",
    "parts.css",
    "records.js",
    "region.js",
    "router.js",
    "seal.svg",
    "searching.js",
    "secret.js",
    "session.js",
    "stack.js",
    "tables.js",
    "terms.js",
    "texts-of-values.js",
    "texts.js",
    "typed.js",
    "values.js",
    "volume.js",
    "webhook-secret-actions.js",
];

const PAGE: &str = "index.html";

const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
                                       connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// Headers of every response, including errors.
const HEADERS: [(&str, &str); 6] = [
    ("content-security-policy", CONTENT_SECURITY_POLICY),
    ("x-content-type-options", "nosniff"),
    ("referrer-policy", "no-referrer"),
    ("cross-origin-resource-policy", "same-origin"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cache-control", "no-store"),
];

/// Middleware that adds [`HEADERS`] to a response.
pub(crate) async fn protect(request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    for (name, value) in HEADERS {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}

/// Serves a file of the page.
pub(crate) async fn file(method: Method, uri: Uri) -> Response {
    let name = match uri.path() {
        "/" => PAGE,
        path => path.strip_prefix('/').unwrap_or_default(),
    };
    let below = |path, files| name.strip_prefix(path).map(|name| (files, name));
    let (files, name) =
        below(SHARED_PATH, SHARED).or_else(|| below(COMPONENT_PATH, COMPONENT)).unwrap_or((FILES, name));
    let Some(file) = files.iter().find(|file| file.name == name) else { return RequestError::NotFound.into_response() };
    if method != Method::GET && method != Method::HEAD {
        return RequestError::Method.into_response();
    }
    ([(header::CONTENT_TYPE, file.content_type())], file.content).into_response()
}

impl File {
    fn content_type(&self) -> &'static str {
        match self.name.rsplit_once('.').map(|(_, extension)| extension) {
            Some("html") => "text/html; charset=utf-8",
            Some("css") => "text/css; charset=utf-8",
            Some("js") => "text/javascript; charset=utf-8",
            Some("svg") => "image/svg+xml",
            _ => "application/octet-stream",
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use std::{collections::BTreeSet, fs, path::Path};

    fn names_below(folder: &Path, root: &Path, names: &mut BTreeSet<String>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                names_below(&path, root, names);
            } else {
                let name = path.strip_prefix(root).unwrap().to_str().unwrap();
                names.insert(name.replace('\\', "/"));
            }
        }
    }

    #[test]
    fn lists_every_file_of_the_folder() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../web/console");
        let mut folder = BTreeSet::new();
        names_below(&root, &root, &mut folder);
        let listed: BTreeSet<String> = FILES.iter().map(|file| file.name.to_owned()).collect();
        assert_eq!(listed, folder);
        assert_eq!(listed.len(), FILES.len(), "a name is there twice");
        assert!(listed.contains(PAGE));
    }

    #[test]
    fn each_file_has_type_and_content() {
        for file in FILES.iter().chain(SHARED).chain(COMPONENT) {
            assert_ne!(file.content_type(), "application/octet-stream", "{}", file.name);
            assert!(!file.content.is_empty(), "{}", file.name);
        }
    }
}
