//! Timestamp authorities (RFC 3161): each is asked for a real timestamp over random bytes.

use std::time::Duration;

use cms::signed_data::SignedData;
use der::{
    Any, Decode, Encode,
    asn1::{Int, Null, OctetString},
};
use reqwest::{Client, Response, Url, header::CONTENT_TYPE};
use spki::{AlgorithmIdentifierOwned, ObjectIdentifier};
use x509_tsp::{MessageImprint, TimeStampReq, TimeStampResp, TspVersion, TstInfo};

use super::Finding;

const SHA_256: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.16.840.1.101.3.4.2.1");
const PATIENCE: Duration = Duration::from_secs(10);
/// An answer holds a signature and a few certificates.
const MAX_ANSWER: usize = 1024 * 1024;
/// `PKIStatus` values of an answer that holds a timestamp.
const GRANTED: u8 = 0;
const GRANTED_WITH_MODS: u8 = 1;

pub(super) async fn examine(urls: &[String]) -> Vec<Finding> {
    let mut findings = vec![Finding::warning(
        "timestamps",
        "timestamps are not built in yet: licenses with tsa_required are refused",
        "set it to false: license configure --tsa-required false",
    )];
    for url in urls {
        let check = format!("timestamp authority {}", address(url));
        findings.push(match ask(url).await {
            Ok(()) => Finding::ok(check, "answered with a timestamp; the service does not use it yet"),
            Err(fault) => Finding::broken(check, fault, "see its address, the network, and the contract with it"),
        });
    }
    findings
}

async fn ask(url: &str) -> Result<(), String> {
    let request = request().map_err(|error| error.to_string())?;
    let client = Client::builder().timeout(PATIENCE).build().map_err(|error| error.to_string())?;
    let body = request.to_der().map_err(|error| error.to_string())?;
    let sent = client.post(url).header(CONTENT_TYPE, "application/timestamp-query").body(body).send().await;
    // An error repeats the address, which may carry a password.
    let answer = sent.map_err(|error| format!("it did not answer: {}", error.without_url()))?;
    if !answer.status().is_success() {
        return Err(format!("it answered with HTTP status {}", answer.status().as_u16()));
    }
    check(&request, &read(answer).await?)
}

async fn read(mut answer: Response) -> Result<Vec<u8>, String> {
    let mut body = Vec::new();
    let broke_off = |error: reqwest::Error| format!("its answer broke off: {}", error.without_url());
    while let Some(chunk) = answer.chunk().await.map_err(broke_off)? {
        body.extend_from_slice(&chunk);
        if body.len() > MAX_ANSWER {
            return Err("its answer is too large".into());
        }
    }
    Ok(body)
}

/// An address without the parts in which contracts put their secrets: user, password, query.
fn address(url: &str) -> String {
    match Url::parse(url).ok().filter(|url| matches!(url.scheme(), "http" | "https")) {
        Some(url) => format!("{}{}", url.origin().ascii_serialization(), url.path()),
        None => "(no HTTP address)".into(),
    }
}

fn request() -> Result<TimeStampReq, der::Error> {
    // The first byte makes it a positive number in its shortest form.
    let nonce = [&[0x01][..], &aws::entropy::<15>()].concat();
    Ok(TimeStampReq {
        version: TspVersion::V1,
        message_imprint: MessageImprint {
            hash_algorithm: AlgorithmIdentifierOwned { oid: SHA_256, parameters: Some(Any::from(Null)) },
            hashed_message: OctetString::new(aws::entropy::<32>())?,
        },
        req_policy: None,
        nonce: Some(Int::new(&nonce)?),
        cert_req: true,
        extensions: None,
    })
}

/// Checks that the answer is a timestamp over what was sent.
fn check(request: &TimeStampReq, answer: &[u8]) -> Result<(), String> {
    let unreadable = |error: der::Error| format!("its answer is no timestamp response: {error}");
    let answer = TimeStampResp::from_der(answer).map_err(unreadable)?;
    let status = answer.status.status as u8;
    if !matches!(status, GRANTED | GRANTED_WITH_MODS) {
        return Err(format!("it refused, with PKI status {status}"));
    }
    let token = answer.time_stamp_token.ok_or("it granted no timestamp")?;
    let signed: SignedData = token.content.decode_as().map_err(unreadable)?;
    let content = signed.encap_content_info.econtent.ok_or("its timestamp is empty")?;
    let info = TstInfo::from_der(content.value()).map_err(unreadable)?;
    match (info.message_imprint == request.message_imprint, info.nonce == request.nonce) {
        (true, true) => Ok(()),
        (false, _) => Err("its timestamp is over something else".into()),
        (_, false) => Err("its timestamp answers another request".into()),
    }
}
