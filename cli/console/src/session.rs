//! The session: a one-time code opens it; every request then needs both its cookie and its token.
//!
//! Browsers send a host's cookies to all of its ports, so another server on this machine may receive the
//! cookie. It cannot receive the
//! token, which only the page has.

use std::{
    fmt,
    sync::{Mutex, PoisonError},
};

use axum::http::{HeaderMap, header};
use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use sha2::{Digest, Sha256};

/// After this many wrong codes the code becomes void.
const WRONG_CODES: u8 = 10;
/// Header that carries the session token.
const TOKEN: &str = "x-console-session";

/// 256 random bits, encoded as base64url.
struct Secret(String);

impl Secret {
    fn new() -> Self {
        Self(URL_SAFE_NO_PAD.encode(lacre_storage::entropy::<32>()))
    }

    /// Compares by SHA-256, so that timing reveals only something about the hashes.
    fn is(&self, offered: &str) -> bool {
        Sha256::digest(&self.0) == Sha256::digest(offered)
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(redacted)")
    }
}

/// State of the one-time code.
#[derive(Debug)]
enum Code {
    /// The code was not used yet; `wrong` counts the wrong codes that were offered.
    Unused { wrong: u8 },
    /// The code opened the session.
    Used,
    /// Too many wrong codes were offered, or the code was used twice. After a second use one of the two
    /// browsers is not the operator's, so the session ends for both.
    Void,
}

/// The only session of a console.
#[derive(Debug)]
pub(crate) struct Session {
    cookie_name: String,
    code: Secret,
    state: Mutex<Code>,
    cookie: Secret,
    token: Secret,
}

/// Headers of the response to a correct code.
pub(crate) struct Opened {
    /// The value of `Set-Cookie`.
    pub(crate) cookie: String,
    /// The value of `Location`. The token is in the fragment, which browsers do not send to servers.
    pub(crate) location: String,
}

impl Session {
    /// Creates a session that is not open yet. The cookie's name contains the port, so that two consoles do
    /// not overwrite each other's cookie.
    pub(crate) fn new(port: u16) -> Self {
        Self {
            cookie_name: format!("lacre_console_{port}"),
            code: Secret::new(),
            state: Mutex::new(Code::Unused { wrong: 0 }),
            cookie: Secret::new(),
            token: Secret::new(),
        }
    }

    /// The one-time code that opens the session.
    pub(crate) fn code(&self) -> &str {
        &self.code.0
    }

    /// Consumes the code and opens the session. Returns `None` if the code is wrong or was used before; a
    /// second use also ends the session.
    pub(crate) fn open(&self, offered: &str) -> Option<Opened> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        *state = match (&*state, self.code.is(offered)) {
            (Code::Unused { .. }, true) => Code::Used,
            (Code::Unused { wrong }, false) if wrong + 1 < WRONG_CODES => Code::Unused { wrong: wrong + 1 },
            (Code::Used, false) => return None,
            _ => Code::Void,
        };
        if !matches!(*state, Code::Used) {
            return None;
        }
        Some(Opened {
            cookie: format!("{}={}; HttpOnly; SameSite=Strict; Path=/", self.cookie_name, self.cookie.0),
            location: format!("/#session={}", self.token.0),
        })
    }

    /// Whether one of the request's cookies is the session's. Other servers on this machine may have set
    /// cookies of the same name.
    pub(crate) fn has_cookie(&self, headers: &HeaderMap) -> bool {
        let values = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
        let mut cookies = values.flat_map(|value| value.split(';')).filter_map(|pair| pair.trim().split_once('='));
        self.is_open() && cookies.any(|(name, value)| name == self.cookie_name && self.cookie.is(value))
    }

    fn is_open(&self) -> bool {
        matches!(*self.state.lock().unwrap_or_else(PoisonError::into_inner), Code::Used)
    }

    /// Whether the request carries the session token.
    pub(crate) fn has_token(&self, headers: &HeaderMap) -> bool {
        let token = headers.get(TOKEN).and_then(|token| token.to_str().ok());
        self.is_open() && token.is_some_and(|token| self.token.is(token))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::headers;

    #[test]
    fn the_code_works_once() {
        let session = Session::new(8750);
        let code = session.code().to_owned();
        assert_eq!(code.len(), 43);
        assert!(session.open("").is_none());
        assert!(session.open(&code[..42]).is_none());
        let opened = session.open(&code).unwrap();
        let (has_cookie, has_token) = (
            headers(&[("cookie", opened.cookie.split(';').next().unwrap())]),
            headers(&[(TOKEN, opened.location.strip_prefix("/#session=").unwrap())]),
        );
        assert!(session.open("wrong").is_none() && session.has_cookie(&has_cookie) && session.has_token(&has_token));
        // A second use of the code ends the session for both browsers.
        assert!(session.open(&code).is_none() && !session.has_cookie(&has_cookie) && !session.has_token(&has_token));
        assert!(session.open(&code).is_none());
        let (cookie, attributes) = opened.cookie.split_once("; ").unwrap();
        assert_eq!(attributes, "HttpOnly; SameSite=Strict; Path=/");
        let cookie = cookie.strip_prefix("lacre_console_8750=").unwrap();
        let token = opened.location.strip_prefix("/#session=").unwrap();
        assert!(cookie != token && cookie != code && token != code);
    }

    #[test]
    fn ten_wrong_codes_void_the_code() {
        let (nine, ten) = (Session::new(1), Session::new(1));
        (0..9).for_each(|_| assert!(nine.open("wrong").is_none()));
        (0..10).for_each(|_| assert!(ten.open("wrong").is_none()));
        let (of_nine, of_ten) = (nine.code().to_owned(), ten.code().to_owned());
        assert!(nine.open(&of_nine).is_some());
        assert!(ten.open(&of_ten).is_none());
    }

    #[test]
    fn finds_cookie_and_token_among_others() {
        let session = Session::new(8750);
        assert!(session.open(session.code()).is_some());
        let own = format!("lacre_console_8750={}", session.cookie.0);
        let among = format!("a=b; lacre_console_8750=tossed;{own}; c");
        for cookies in [own.as_str(), &among] {
            assert!(session.has_cookie(&headers(&[("cookie", "x=y"), ("cookie", cookies)])), "{cookies}");
        }
        let token = format!("lacre_console_8750={}", session.token.0);
        let elsewhere = format!("lacre_console_8751={}", session.cookie.0);
        for cookies in ["", "lacre_console_8750=", &token, &elsewhere] {
            assert!(!session.has_cookie(&headers(&[("cookie", cookies)])), "{cookies}");
        }
        assert!(session.has_token(&headers(&[(TOKEN, &session.token.0)])));
        assert!(!session.has_token(&headers(&[(TOKEN, &session.cookie.0)])));
        assert!(!session.has_token(&headers(&[])));
    }

    #[test]
    fn debug_output_has_no_secret() {
        let session = Session::new(1);
        let shown = format!("{session:?}");
        assert!(![&session.code, &session.cookie, &session.token].iter().any(|secret| shown.contains(&secret.0)));
    }
}
