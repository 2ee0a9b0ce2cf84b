//! Which browsers may capture: Safari on iPhone and iPad, Chrome on Android.
//!
//! A user agent is accepted if it consists of exactly the product tokens that these two browsers send, in their order.
//! Browsers built on the same engines (other iOS browsers, Samsung Internet, in-app web views) add a product, omit one,
//! or mark themselves as a web view, so they are refused without a list of them.

use lacre_api::Refusal;

/// Checks a request's `User-Agent`. An iPad that presents itself as a Macintosh is recognized by the page's
/// `touch_points`.
///
/// # Errors
/// [`Refusal::AccessNotValidated`].
pub fn check_browser(user_agent: Option<&str>, touch_points: Option<u32>) -> Result<(), Refusal> {
    let supported = user_agent.and_then(|text| is_supported(text, touch_points));
    if supported == Some(true) { Ok(()) } else { Err(Refusal::AccessNotValidated) }
}

/// Whether the user agent is a supported browser's; `None` if its structure is that of neither browser.
fn is_supported(user_agent: &str, touch_points: Option<u32>) -> Option<bool> {
    let (platform, products) = user_agent.strip_prefix("Mozilla/5.0 (")?.split_once(") AppleWebKit/")?;
    let (_, products) = products.split_once(" (KHTML, like Gecko) ")?;
    let names = products.split(' ').map(product_name).collect::<Option<Vec<_>>>()?;
    let mut platform = platform.split("; ");
    Some(match (platform.next()?, names.as_slice()) {
        // Safari on an iPhone or iPad.
        ("iPhone" | "iPad", ["Version", "Mobile", "Safari"]) => true,
        // Safari on an iPad that presents itself as a Macintosh. A real Macintosh has no touch screen.
        ("Macintosh", ["Version", "Safari"]) => touch_points > Some(1),
        // Chrome on an Android phone or tablet.
        ("Linux", ["Chrome", "Mobile", "Safari"] | ["Chrome", "Safari"]) => {
            platform.next()?.starts_with("Android ") && platform.all(|part| part != "wv")
        }
        _ => false,
    })
}

/// The name in a product token: `Version/17.4` → `Version`. Chrome's `Mobile` has no version.
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

    /// The table that the browser component's tests use too.
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
