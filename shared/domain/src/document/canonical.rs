//! Canonical JSON by RFC 8785 (JCS), as far as documents need it: their names are ASCII, and their numbers are neither so large
//! nor so small that JavaScript would write them with an exponent.

use serde_json::Value;

/// Writes a value in canonical form.
pub(crate) fn canonical(value: &Value) -> String {
    match value {
        Value::Object(members) => {
            let mut members: Vec<_> = members.iter().collect();
            // For ASCII the order of bytes is that of UTF-16 code units.
            members.sort_by_key(|(name, _)| *name);
            let member = |(name, value): (&String, &Value)| format!("{}:{}", string(name), canonical(value));
            format!("{{{}}}", members.into_iter().map(member).collect::<Vec<_>>().join(","))
        }
        Value::Array(items) => format!("[{}]", items.iter().map(canonical).collect::<Vec<_>>().join(",")),
        Value::String(text) => string(text),
        // Rust writes the shortest decimal that is read as the same number, like JavaScript, and `1` for 1.0.
        Value::Number(number) => number.as_f64().map_or_else(|| number.to_string(), |number| number.to_string()),
        Value::Bool(_) | Value::Null => value.to_string(),
    }
}

/// `serde_json` escapes what section 3.2.2.2 demands, and nothing else.
fn string(text: &str) -> String {
    Value::from(text).to_string()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn writes_the_examples_of_the_standard() {
        // Sections 3.2.2 and 3.2.3, without the numbers that have an exponent.
        let value = r#"{
            "numbers": [4.50, 2e-3, 333333333.33333329, 1.0, -0.5],
            "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
            "literals": [null, true, false]
        }"#;
        let expected = "{\"literals\":[null,true,false],\"numbers\":[4.5,0.002,333333333.3333333,1,-0.5],\
                        \"string\":\"€$\\u000f\\nA'B\\\"\\\\\\\\\\\"/\"}";
        assert_eq!(canonical(&serde_json::from_str(value).unwrap()), expected);
    }
}
