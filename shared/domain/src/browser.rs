//! Which browsers may capture: Safari on iPhone and iPad, Chrome on Android.
//!
//! A user agent is accepted when it is made of exactly the products that these two browsers name, in their order.
//! Everything that is built on them (other iOS browsers, Samsung Internet, in-app web views) adds a product of its own,
//! drops one, or marks itself as a web view, and is refused without being listed.

use lacre_api::Refusal;

/// Checks a request's `User-Agent`. An iPad that presents itself as a Macintosh is known by its `touch_points`.
///
/// # Errors
/// [`Refusal::AccessNotValidated`].
pub fn check_browser(user_agent: Option<&str>, touch_points: Option<u32>) -> Result<(), Refusal> {
    let supported = user_agent.and_then(|text| is_supported(text, touch_points));
    if supported == Some(true) { Ok(()) } else { Err(Refusal::AccessNotValidated) }
}

/// `None` for what does not have the shape of either browser's user agent.
fn is_supported(user_agent: &str, touch_points: Option<u32>) -> Option<bool> {
    let (platform, products) = user_agent.strip_prefix("Mozilla/5.0 (")?.split_once(") AppleWebKit/")?;
    let (_, products) = products.split_once(" (KHTML, like Gecko) ")?;
    let names = products.split(' ').map(product_name).collect::<Option<Vec<_>>>()?;
    let mut platform = platform.split("; ");
    Some(match (platform.next()?, names.as_slice()) {
        // Safari on an iPhone or iPad.
        ("iPhone" | "iPad", ["Version", "Mobile", "Safari"]) => true,
        // Safari on an iPad that presents itself as a Macintosh: those have no touch screens.
        ("Macintosh", ["Version", "Safari"]) => touch_points > Some(1),
        // Chrome on an Android phone or tablet.
        ("Linux", ["Chrome", "Mobile", "Safari"] | ["Chrome", "Safari"]) => {
            platform.next()?.starts_with("Android ") && platform.all(|part| part != "wv")
        }
        _ => false,
    })
}

/// `Version/17.4` → `Version`. Chrome's `Mobile` has no version.
fn product_name(product: &str) -> Option<&str> {
    match product.split_once('/') {
        Some((name, version)) => (!version.is_empty() && !version.contains('/')).then_some(name),
        None => (product == "Mobile").then_some(product),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use serde::Deserialize;

    #[derive(Deserialize)]
    struct Row {
        name: String,
        user_agent: Option<String>,
        touch_points: Option<u32>,
        supported: bool,
    }

    /// The same table tests the browser component.
    const TABLE: &str = include_str!("../tests/user-agents.json");

    #[test]
    fn the_table_of_user_agents() {
        let rows: Vec<Row> = serde_json::from_str(TABLE).unwrap();
        assert!(rows.iter().any(|row| row.supported) && rows.iter().any(|row| !row.supported));
        for row in rows {
            let verdict = check_browser(row.user_agent.as_deref(), row.touch_points);
            assert_eq!(verdict.is_ok(), row.supported, "{}", row.name);
        }
    }
}
