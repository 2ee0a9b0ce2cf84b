//! The session: a one-time code that opens it, then a cookie and a token, both of which a request needs.
//!
//! Browsers send cookies to every port of a host, so another server on this machine may see this one's cookie. It does not see
//! the token, which only the page has.

use std::{
    fmt,
    sync::{Mutex, PoisonError},
};

use axum::http::{HeaderMap, header};
use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use sha2::{Digest, Sha256};

/// After so many wrong codes no code opens the session.
const WRONG_CODES: u8 = 10;
/// The header with the token.
const TOKEN: &str = "x-console-session";

/// 256 random bits as text (base64url).
struct Secret(String);

impl Secret {
    fn new() -> Self {
        Self(URL_SAFE_NO_PAD.encode(lacre_storage::entropy::<32>()))
    }

    /// The time that it takes says something of the hashes only.
    fn is(&self, offered: &str) -> bool {
        Sha256::digest(&self.0) == Sha256::digest(offered)
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(redacted)")
    }
}

/// What the code can still do.
#[derive(Debug)]
enum Code {
    /// Nobody used it; so many wrong ones came instead.
    Unused { wrong: u8 },
    /// It opened the session.
    Used,
    /// It was guessed at too often, or used twice. Then one of two browsers is not the operator's, and neither has the session.
    Void,
}

/// The one session of a console.
#[derive(Debug)]
pub(crate) struct Session {
    cookie_name: String,
    code: Secret,
    state: Mutex<Code>,
    cookie: Secret,
    token: Secret,
}

/// What a browser receives for the code.
pub(crate) struct Opened {
    /// The value of `Set-Cookie`.
    pub(crate) cookie: String,
    /// The value of `Location`. A fragment is sent to no server.
    pub(crate) location: String,
}

impl Session {
    /// A session that nobody has opened. The port is in the cookie's name, so that two consoles do not replace each other's.
    pub(crate) fn new(port: u16) -> Self {
        Self {
            cookie_name: format!("lacre_console_{port}"),
            code: Secret::new(),
            state: Mutex::new(Code::Unused { wrong: 0 }),
            cookie: Secret::new(),
            token: Secret::new(),
        }
    }

    /// The one-time code.
    pub(crate) fn code(&self) -> &str {
        &self.code.0
    }

    /// Uses the code up. `None` for a wrong one, and for any once it was used; used again, it ends the session.
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

    /// Whether one of a request's cookies is the session's. Another server on this machine may have set more of the name.
    pub(crate) fn has_cookie(&self, headers: &HeaderMap) -> bool {
        let values = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
        let mut cookies = values.flat_map(|value| value.split(';')).filter_map(|pair| pair.trim().split_once('='));
        self.is_open() && cookies.any(|(name, value)| name == self.cookie_name && self.cookie.is(value))
    }

    fn is_open(&self) -> bool {
        matches!(*self.state.lock().unwrap_or_else(PoisonError::into_inner), Code::Used)
    }

    /// Whether a request carries the token.
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
        // Whoever comes second, the session is over for both.
        assert!(session.open(&code).is_none() && !session.has_cookie(&has_cookie) && !session.has_token(&has_token));
        assert!(session.open(&code).is_none());
        let (cookie, attributes) = opened.cookie.split_once("; ").unwrap();
        assert_eq!(attributes, "HttpOnly; SameSite=Strict; Path=/");
        let cookie = cookie.strip_prefix("lacre_console_8750=").unwrap();
        let token = opened.location.strip_prefix("/#session=").unwrap();
        assert!(cookie != token && cookie != code && token != code);
    }

    #[test]
    fn ten_wrong_codes_end_it() {
        let (nine, ten) = (Session::new(1), Session::new(1));
        (0..9).for_each(|_| assert!(nine.open("wrong").is_none()));
        (0..10).for_each(|_| assert!(ten.open("wrong").is_none()));
        let (of_nine, of_ten) = (nine.code().to_owned(), ten.code().to_owned());
        assert!(nine.open(&of_nine).is_some());
        assert!(ten.open(&of_ten).is_none());
    }

    #[test]
    fn cookie_and_token_are_found_among_others() {
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
    fn secrets_do_not_show_themselves() {
        let session = Session::new(1);
        let shown = format!("{session:?}");
        assert!(![&session.code, &session.cookie, &session.token].iter().any(|secret| shown.contains(&secret.0)));
    }
}
