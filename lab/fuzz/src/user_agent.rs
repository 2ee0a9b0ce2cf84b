//! A browser's word on itself: what is signed of it, and whether it is a supported browser.

use domain::{UserAgent, browser::check_browser};

use crate::text::is_unseen;

/// What browsers that are built on Safari or Chrome put into their user agents.
const STRANGERS: [&str; 9] = ["CriOS", "FxiOS", "EdgiOS", "OPiOS", "OPT", "SamsungBrowser", "EdgA", "OPR", "Instagram"];

/// What is kept is what can be seen, in its order, up to 512 bytes and no character less than fits.
/// A browser that is accepted presents itself as Safari or Chrome, and no more touch points lose it that.
pub fn hold(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    sanitized(text);
    supported(text);
}

fn sanitized(text: &str) {
    let seen: String = text.chars().filter(|c| !is_unseen(*c)).collect();
    match UserAgent::sanitize(text) {
        None => assert!(seen.is_empty(), "{text:?} is lost"),
        Some(kept) => {
            let kept = kept.as_str();
            let rest = seen.strip_prefix(kept).unwrap_or_else(|| panic!("{text:?} becomes {kept:?}"));
            let next = rest.chars().next().map_or(usize::MAX, char::len_utf8);
            assert!(kept.len() <= 512 && kept.len().saturating_add(next) > 512, "{text:?} is cut to {kept:?}");
        }
    }
}

fn supported(text: &str) {
    let accepted = |touch_points| check_browser(Some(text), touch_points).is_ok();
    assert_eq!(accepted(None), accepted(Some(1)), "{text:?}: one touch point is a mouse");
    assert!(!accepted(None) || accepted(Some(5)), "{text:?}: touch points lose");
    if !accepted(Some(5)) {
        return;
    }
    assert_eq!(accepted(None), !text.starts_with("Mozilla/5.0 (Macintosh"), "{text:?}");
    let platforms = ["iPhone", "iPad", "Macintosh", "Linux; Android "];
    assert!(platforms.iter().any(|platform| text.starts_with(&format!("Mozilla/5.0 ({platform}"))), "{text:?}");
    let products = text.rsplit_once(" (KHTML, like Gecko) ").map(|(_, products)| products).unwrap_or_default();
    for product in products.split(' ') {
        assert!(!STRANGERS.iter().any(|name| product.starts_with(&format!("{name}/"))), "{text:?}");
    }
}
