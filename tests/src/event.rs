//! Requests in the form in which functions receive them, without a gateway.

use lambda_http::Request;
use serde_json::Value;

/// The origin of the hosted page in the sample events.
pub const HOSTED_PAGE: &str = "https://a1b2c3d4e5.execute-api.sa-east-1.amazonaws.com";

/// The sample event of a function, with the test's headers, body and path parameter.
pub fn event(name: &str, headers: &[(&str, &str)], body: Option<String>, parameter: Option<(&str, &str)>) -> Request {
    lambda_http::request::from_str(&changed(name, headers, body, parameter).to_string()).unwrap()
}

/// The same, as the hosted flow's API sends it.
pub fn hosted_event(
    name: &str,
    headers: &[(&str, &str)],
    body: Option<String>,
    parameter: Option<(&str, &str)>,
) -> Request {
    let mut event = changed(name, headers, body, parameter);
    event["stageVariables"]["flow"] = "hosted".into();
    lambda_http::request::from_str(&event.to_string()).unwrap()
}

fn changed(name: &str, headers: &[(&str, &str)], body: Option<String>, parameter: Option<(&str, &str)>) -> Value {
    let path = format!("{}/../events/{name}.json", env!("CARGO_MANIFEST_DIR"));
    let mut event: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    for (header, value) in headers {
        event["headers"][header] = (*value).into();
    }
    if let Some(body) = body {
        event["body"] = body.into();
    }
    if let Some((name, value)) = parameter {
        event["pathParameters"][name] = value.into();
    }
    event
}
