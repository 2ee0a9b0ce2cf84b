//! Traces in AWS X-Ray: each call to AWS of a sampled request is a subsegment, which is sent to the X-Ray daemon by
//! UDP.
//!
//! The format: <https://docs.aws.amazon.com/xray/latest/devguide/xray-api-segmentdocuments.html>. A subsegment contains
//! the service, the operation and the table names, but no item key, URL or message.

use std::{
    collections::BTreeMap,
    net::{Ipv4Addr, SocketAddrV4, UdpSocket},
    sync::{Arc, Mutex, OnceLock, PoisonError},
    time::{SystemTime, UNIX_EPOCH},
};

use aws_smithy_runtime_api::client::{
    interceptors::context::FinalizerInterceptorContextRef,
    orchestrator::{HttpRequest, HttpResponse, Metadata},
};
use aws_smithy_types::config_bag::{Storable, StoreReplace};
use serde::{Deserialize, de::IgnoredAny};
use serde_json::{Value, json};

use crate::{RequestIds, entropy};

/// The header that the daemon expects before each document.
const HEADER: &str = "{\"format\":\"json\",\"version\":1}\n";

/// A sampled trace, and the id of the invocation's segment in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace {
    id: String,
    segment: String,
}

impl Trace {
    /// Parses the trace header of an invocation, such as
    /// `Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=1`. `None` if the trace is not
    /// sampled.
    #[must_use]
    pub fn sampled(header: &str) -> Option<Self> {
        let fields = || header.split(';').filter_map(|field| field.trim().split_once('='));
        let of = |name: &str| fields().find(|(known, _)| *known == name).map(|(_, value)| value.to_owned());
        if of("Sampled")? != "1" {
            return None;
        }
        Some(Self { id: of("Root")?, segment: of("Parent")? })
    }

    /// The id of the trace.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }
}

/// The X-Ray daemon, which Lambda runs beside each function. The socket is created on first use.
#[derive(Debug)]
pub(crate) struct Daemon {
    address: Option<SocketAddrV4>,
    socket: OnceLock<Option<UdpSocket>>,
}

impl Daemon {
    /// The daemon at an address. Nothing is sent if there is no address, or if it is a host name, which would need a
    /// DNS lookup.
    pub(crate) fn at(address: Option<&str>) -> Self {
        Self { address: address.and_then(|address| address.parse().ok()), socket: OnceLock::new() }
    }

    /// Sends a document without waiting; drops it if that is not possible.
    fn send(&self, document: &Value) {
        let Some(address) = self.address else { return };
        let bind = || {
            let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0)).ok()?;
            socket.set_nonblocking(true).ok()?;
            Some(socket)
        };
        if let Some(socket) = self.socket.get_or_init(bind) {
            let _ = socket.send_to(format!("{HEADER}{document}").as_bytes(), address);
        }
    }
}

/// A call that is being traced. It is sent when it is dropped; a call that was cancelled counts as a fault.
#[derive(Debug)]
pub(crate) struct TracedCall {
    daemon: Arc<Daemon>,
    subsegment: Mutex<Value>,
}

impl Storable for TracedCall {
    type Storer = StoreReplace<Self>;
}

impl TracedCall {
    /// Starts tracing a call, if its request is sampled.
    pub(crate) fn begin(
        daemon: &Arc<Daemon>,
        region: &str,
        ids: &RequestIds,
        called: &Metadata,
        request: &HttpRequest,
    ) -> Option<Self> {
        let trace = ids.trace.as_ref()?;
        let mut subsegment = json!({
            "type": "subsegment", "namespace": "aws", "name": called.service(),
            "id": new_id(), "trace_id": trace.id, "parent_id": trace.segment,
            "start_time": now(), "aws": { "operation": called.name(), "region": region },
            // Overwritten when the call ends.
            "fault": true,
        });
        match &tables(called, request)[..] {
            [] => {}
            [table] => subsegment["aws"]["table_name"] = table.as_str().into(),
            tables => subsegment["aws"]["table_names"] = tables.into(),
        }
        if let Some(id) = &ids.request {
            subsegment["annotations"] = json!({ "request_id": id });
        }
        Some(Self { daemon: Arc::clone(daemon), subsegment: Mutex::new(subsegment) })
    }

    /// Records the outcome of the call and the number of attempts.
    pub(crate) fn ended(&self, outcome: &FinalizerInterceptorContextRef<'_>, attempts: u32) {
        let mut subsegment = self.subsegment.lock().unwrap_or_else(PoisonError::into_inner);
        subsegment["aws"]["retries"] = attempts.saturating_sub(1).into();
        let Some(response) = outcome.response() else { return };
        let status = response.status().as_u16();
        subsegment["http"] = json!({ "response": { "status": status } });
        let headers = response.headers();
        if let Some(id) = headers.get("x-amzn-requestid").or_else(|| headers.get("x-amz-request-id")) {
            subsegment["aws"]["request_id"] = id.into();
        }
        let succeeded = outcome.output_or_error().is_some_and(|output| output.is_ok());
        subsegment["fault"] = (!succeeded && !(400..500).contains(&status)).into();
        subsegment["error"] = (400..500).contains(&status).into();
        let code = error_code(response);
        subsegment["throttle"] = (status == 429 || code.as_deref().is_some_and(is_throttle)).into();
        if let Some(code) = code {
            let exception = json!({ "id": new_id(), "type": code, "remote": true });
            subsegment["cause"] = json!({ "exceptions": [exception] });
        }
    }
}

impl Drop for TracedCall {
    fn drop(&mut self) {
        let subsegment = self.subsegment.get_mut().unwrap_or_else(PoisonError::into_inner);
        subsegment["end_time"] = now();
        self.daemon.send(subsegment);
    }
}

/// A new id of a subsegment or exception.
fn new_id() -> String {
    hex::encode(entropy::<8>())
}

/// The current time in seconds, with the precision that X-Ray keeps.
fn now() -> Value {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    (since.as_micros() as f64 / 1e6).into()
}

/// The tables that a DynamoDB request addresses.
fn tables(called: &Metadata, request: &HttpRequest) -> Vec<String> {
    #[derive(Default, Deserialize)]
    #[serde(default, rename_all = "PascalCase")]
    struct Tables {
        table_name: Option<String>,
        request_items: BTreeMap<String, IgnoredAny>,
        transact_items: Vec<BTreeMap<String, Tables>>,
    }

    impl Tables {
        fn names(self) -> Box<dyn Iterator<Item = String>> {
            let of_parts = self.transact_items.into_iter().flatten().flat_map(|(_, part)| part.names());
            Box::new(self.table_name.into_iter().chain(self.request_items.into_keys()).chain(of_parts))
        }
    }

    if called.service() != "DynamoDB" {
        return Vec::new();
    }
    let body = request.body().bytes().unwrap_or_default();
    let mut names: Vec<_> = serde_json::from_slice::<Tables>(body).unwrap_or_default().names().collect();
    names.sort();
    names.dedup();
    names
}

/// The error code of a service that responds with JSON.
fn error_code(response: &HttpResponse) -> Option<String> {
    #[derive(Deserialize)]
    struct Error {
        #[serde(rename = "__type")]
        kind: String,
    }

    if response.status().is_success() {
        return None;
    }
    let Error { kind } = serde_json::from_slice(response.body().bytes()?).ok()?;
    // For example `com.amazonaws.dynamodb.v20120810#ThrottlingException`.
    kind.rsplit('#').next().map(str::to_owned)
}

fn is_throttle(code: &str) -> bool {
    ["Throttl", "ProvisionedThroughputExceeded", "RequestLimitExceeded"].iter().any(|sign| code.contains(sign))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::{
        collections::BTreeSet,
        io::{Read, Write},
        net::TcpListener,
        time::Duration,
    };

    use aws_sdk_dynamodb::types::{AttributeValue, KeysAndAttributes, Put, TransactWriteItem};

    use super::*;
    use crate::{Config, Connection, for_request};

    const ROOT: &str = "1-5759e988-bd862e3fe1be46a994272793";
    const PARENT: &str = "53995c3f42cd8ad8";
    /// A value that must not appear in any trace.
    const HIDDEN: &str = "a-token-of-a-session";

    fn header(sampled: char) -> String {
        format!("Root={ROOT};Parent={PARENT};Sampled={sampled};Lineage=1:a87bd80c:0")
    }

    /// A DynamoDB stand-in that returns the given responses in order: a status with a body, or a closed connection for
    /// `None`.
    fn dynamodb(answers: Vec<Option<(u16, &'static str)>>) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        std::thread::spawn(move || {
            for answer in answers {
                let (mut stream, _) = listener.accept().unwrap();
                let mut request = [0; 65536];
                let read = stream.read(&mut request).unwrap();
                assert!(String::from_utf8_lossy(&request[..read]).contains(HIDDEN));
                let Some((status, body)) = answer else { continue };
                let head = format!("HTTP/1.1 {status} Any\r\nconnection: close\r\ncontent-length: {}", body.len());
                write!(stream, "{head}\r\nx-amzn-requestid: OF-AWS\r\n\r\n{body}").unwrap();
            }
            // Later connections get no response.
            let _waiting = listener.accept();
            std::thread::sleep(Duration::from_secs(60));
        });
        address
    }

    fn connection(dynamodb: &str, daemon: Option<&str>) -> Connection {
        let config = Config::from_lookup(|name| {
            let value = match name {
                "AWS_REGION" => "sa-east-1",
                "AWS_ENDPOINT_URL_DYNAMODB" => dynamodb,
                "AWS_XRAY_DAEMON_ADDRESS" => daemon?,
                _ => "any",
            };
            (name != "AWS_CA_BUNDLE").then(|| value.to_owned())
        });
        Connection::new(config.unwrap()).unwrap()
    }

    /// Runs the work of a request, and returns the subsegments that its daemon received.
    async fn traced(sampled: char, dynamodb: &str, work: impl AsyncFnOnce(aws_sdk_dynamodb::Client)) -> Vec<Value> {
        let daemon = UdpSocket::bind("127.0.0.1:0").unwrap();
        daemon.set_nonblocking(true).unwrap();
        let address = daemon.local_addr().unwrap().to_string();
        let client = connection(dynamodb, Some(&address)).dynamodb();
        let ids = RequestIds { request: Some("JKJaXmPLvHcESHA=".to_owned()), trace: Trace::sampled(&header(sampled)) };
        for_request(ids, work(client)).await;
        let mut datagram = [0; 65536];
        let received = || daemon.recv(&mut datagram).ok().map(|length| datagram[..length].to_vec());
        let documents: Vec<_> = std::iter::from_fn(received).collect();
        documents
            .iter()
            .map(|document| {
                let document = std::str::from_utf8(document).unwrap();
                assert!(!document.contains(HIDDEN), "{document}");
                serde_json::from_str(document.strip_prefix(HEADER).unwrap()).unwrap()
            })
            .collect()
    }

    fn hidden() -> AttributeValue {
        AttributeValue::S(HIDDEN.to_owned())
    }

    async fn get(client: &aws_sdk_dynamodb::Client) -> bool {
        client.get_item().table_name("sessions").key("pk", hidden()).send().await.is_ok()
    }

    #[test]
    fn reads_only_sampled_traces() {
        let trace = Trace::sampled(&header('1')).unwrap();
        assert_eq!((trace.id(), trace.segment.as_str()), (ROOT, PARENT));
        for header in
            ["", "Sampled=1", &header('0'), &format!("Root={ROOT};Parent={PARENT}"), &format!("Root={ROOT};Sampled=1")]
        {
            assert_eq!(Trace::sampled(header), None, "{header}");
        }
    }

    #[tokio::test]
    async fn each_call_becomes_a_subsegment() {
        let throttled =
            r#"{"__type":"com.amazonaws.dynamodb.v20120810#ThrottlingException","message":"a-token-of-a-session"}"#;
        let refused = r#"{"__type":"x#ConditionalCheckFailedException"}"#;
        let answers = vec![
            Some((200, "{}")),
            Some((400, throttled)),
            Some((200, "{}")),
            Some((400, refused)),
            None,
            None,
            None,
            Some((200, "{}")),
            Some((200, "{}")),
        ];
        let subsegments = traced('1', &dynamodb(answers), async |client| {
            for succeeds in [true, true, false, false] {
                assert_eq!(get(&client).await, succeeds);
            }
            let keys = KeysAndAttributes::builder().keys([("pk".to_owned(), hidden())].into()).build().unwrap();
            let read = client.batch_get_item().request_items("frames", keys.clone()).request_items("accounts", keys);
            read.send().await.unwrap();
            let put = |table| Put::builder().table_name(table).item("pk", hidden()).build().unwrap();
            let items =
                ["evidence", "sessions", "evidence"].map(|table| TransactWriteItem::builder().put(put(table)).build());
            client.transact_write_items().set_transact_items(Some(items.into())).send().await.unwrap();
            // There is no response.
            tokio::time::timeout(Duration::from_millis(100), get(&client)).await.unwrap_err();
        })
        .await;

        let ids: BTreeSet<_> = subsegments.iter().map(|subsegment| subsegment["id"].as_str().unwrap()).collect();
        assert_eq!(ids.len(), 7);
        for subsegment in &subsegments {
            assert_eq!(subsegment["id"].as_str().unwrap().len(), 16);
            assert_eq!((&subsegment["trace_id"], &subsegment["parent_id"]), (&json!(ROOT), &json!(PARENT)));
            let common = ["type", "namespace", "name"].map(|field| subsegment[field].as_str().unwrap());
            assert_eq!(common, ["subsegment", "aws", "DynamoDB"]);
            assert_eq!(subsegment["annotations"], json!({ "request_id": "JKJaXmPLvHcESHA=" }));
            assert_eq!(subsegment["aws"]["region"], "sa-east-1");
            assert!(subsegment["end_time"].as_f64().unwrap() >= subsegment["start_time"].as_f64().unwrap());
            assert!(subsegment["start_time"].as_f64().unwrap() > 1.7e9);
        }
        let of = |part: &str, field: &str| -> Vec<_> {
            subsegments
                .iter()
                .map(|subsegment| subsegment.pointer(part).and_then(|part| part.get(field)).cloned())
                .collect()
        };
        let [yes, no] = [true, false].map(|flag| Some(json!(flag)));
        let id = Some(json!("OF-AWS"));
        let table = Some(json!("sessions"));
        let [once, again, twice] = [0, 1, 2].map(|retries| Some(json!(retries)));
        let [ok, bad] = [200, 400].map(|status| Some(json!(status)));
        let get = || Some(json!("GetItem"));
        assert_eq!(
            of("/aws", "operation"),
            [get(), get(), get(), get(), Some(json!("BatchGetItem")), Some(json!("TransactWriteItems")), get()]
        );
        let of_tables = [table.clone(), table.clone(), table.clone(), table.clone(), None, None, table];
        assert_eq!(of("/aws", "table_name"), of_tables);
        let of_more =
            [None, None, None, None, Some(json!(["accounts", "frames"])), Some(json!(["evidence", "sessions"])), None];
        assert_eq!(of("/aws", "table_names"), of_more);
        assert_eq!(of("/aws", "request_id"), [id.clone(), id.clone(), id.clone(), None, id.clone(), id, None]);
        let retries = [once.clone(), again, once.clone(), twice, once.clone(), once, None];
        assert_eq!(of("/aws", "retries"), retries);
        assert_eq!(of("/http/response", "status"), [ok.clone(), ok.clone(), bad, None, ok.clone(), ok, None]);
        assert_eq!(of("", "fault"), [&no, &no, &no, &yes, &no, &no, &yes].map(Clone::clone));
        assert_eq!(of("", "error"), [&no, &no, &yes, &None, &no, &no, &None].map(Clone::clone));
        assert_eq!(subsegments[2]["cause"]["exceptions"][0]["type"], "ConditionalCheckFailedException");
    }

    #[tokio::test]
    async fn marks_calls_that_stay_throttled() {
        let throttled = Some((400, r#"{"__type":"x#ProvisionedThroughputExceededException"}"#));
        let subsegments = traced('1', &dynamodb(vec![throttled; 3]), async |client| assert!(!get(&client).await)).await;
        let [subsegment] = &subsegments[..] else { unreachable!("{subsegments:?}") };
        let flags = ["throttle", "error", "fault"].map(|flag| subsegment[flag].as_bool());
        assert_eq!((flags, &subsegment["aws"]["retries"]), ([Some(true), Some(true), Some(false)], &json!(2)));
    }

    #[tokio::test]
    async fn does_not_send_unsampled_traces() {
        let subsegments =
            traced('0', &dynamodb(vec![Some((200, "{}"))]), async |client| assert!(get(&client).await)).await;
        assert_eq!(subsegments, Vec::<Value>::new());
    }

    #[tokio::test]
    async fn calls_succeed_without_a_daemon() {
        let closed = UdpSocket::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string();
        for daemon in [None, Some("xray.invalid:2000"), Some(closed.as_str())] {
            let client = connection(&dynamodb(vec![Some((200, "{}")); 2]), daemon).dynamodb();
            let ids = RequestIds { request: None, trace: Trace::sampled(&header('1')) };
            for_request(ids, async { assert!(get(&client).await && get(&client).await) }).await;
        }
    }
}
