//! User agents: the part that is signed, and whether the browser is supported.

use std::collections::HashSet;
use std::sync::LazyLock;

use lacre_domain::{UserAgent, browser::check_browser};
use serde_json::Value;

use crate::text::is_unseen;

/// Product names that only refused browsers of the table have: browsers built on Safari or Chrome add their own.
static STRANGERS: LazyLock<HashSet<String>> = LazyLock::new(|| {
    let table: Vec<Value> =
        serde_json::from_str(include_str!("../../../shared/domain/tests/user-agents.json")).unwrap();
    let products = |supported: bool| -> HashSet<String> {
        let rows = table.iter().filter(|row| row["supported"] == supported);
        let agents = rows.filter_map(|row| row["user_agent"].as_str()?.split_once(" (KHTML, like Gecko) "));
        agents.flat_map(|(_, products)| products.split(' ').filter_map(name).map(str::to_owned)).collect()
    };
    &products(false) - &products(true)
});

/// `CriOS/124.0` → `CriOS`.
fn name(product: &str) -> Option<&str> {
    product.split_once('/').map(|(name, _)| name)
}

/// The signed part consists of the visible characters in order, up to 512 bytes, and omits no character that fits. An
/// accepted browser presents itself as Safari or Chrome, and more touch points do not change that.
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
        assert!(!name(product).is_some_and(|name| STRANGERS.contains(name)), "{text:?}");
    }
}
