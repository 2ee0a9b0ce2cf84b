//! Tests which addresses webhooks may connect to. Nothing leaves the machine: a test resolver provides the addresses.

use std::{
    collections::VecDeque,
    net::{IpAddr, SocketAddr},
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
};

use lacre_domain::Environment::{Production, Sandbox};
use lacre_tests::{Service, receiver::Receiver};
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use serde_json::json;
use tokio::net::TcpListener;

use super::{add_secret, function, make, result};

/// A resolver that answers each lookup with the next list of addresses, and repeats the last.
#[derive(Default)]
struct Names {
    lists: Mutex<VecDeque<Vec<IpAddr>>>,
    lookups: AtomicUsize,
}

impl Names {
    fn of(lists: &[&[&str]]) -> Arc<Self> {
        let parsed = |list: &&[&str]| list.iter().map(|address| address.parse().unwrap()).collect();
        Arc::new(Self { lists: Mutex::new(lists.iter().map(parsed).collect()), ..Self::default() })
    }
}

impl Resolve for Names {
    fn resolve(&self, _: Name) -> Resolving {
        self.lookups.fetch_add(1, Ordering::Relaxed);
        let mut lists = self.lists.lock().unwrap();
        let list = if lists.len() > 1 { lists.pop_front() } else { lists.front().cloned() }.unwrap_or_default();
        let addresses: Addrs = Box::new(list.into_iter().map(|address| SocketAddr::new(address, 0)));
        Box::pin(async { Ok(addresses) })
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn connects_to_no_non_public_address() {
    let service = Service::start().await;
    add_secret(&service, Production).await;
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("https://hooks.example.com:{}/", listener.local_addr().unwrap().port());
    for address in [
        "127.0.0.1",
        "127.8.8.8",
        "0.0.0.0",
        "10.0.0.1",
        "172.31.0.1",
        "192.168.0.1",
        "100.64.0.1",
        "169.254.169.254",
        "169.254.170.2",
        "192.0.0.1",
        "198.18.0.1",
        "224.0.0.1",
        "255.255.255.255",
        "::",
        "::1",
        "::127.0.0.1",
        "::ffff:127.0.0.1",
        "::ffff:169.254.169.254",
        "64:ff9b::7f00:1",
        "64:ff9b:1::7f00:1",
        "2002:7f00:1::1",
        "2001:0:7f00:1::1",
        "fd00:ec2::254",
        "fe80::1",
        "ff02::1",
    ] {
        for environment in [Production, Sandbox] {
            let attempt = service.post_webhook(environment, &url).await;
            let function = function(&service).with_resolver(Names::of(&[&[address]]));
            assert_eq!(result(&make(&service, &function, &attempt).await), (json!("forbidden"), None), "{address}");
        }
    }
    assert_nothing_connected(listener).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn recognizes_addresses_in_every_notation() {
    let service = Service::start().await;
    add_secret(&service, Production).await;
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    for host in [
        "127.0.0.1",
        "127.1",
        "0x7f.1",
        "0177.0.0.1",
        "2130706433",
        "0x7f000001",
        "127.0.0.1.",
        "localhost",
        "LOCALHOST",
        "localhost.",
        "a.localhost",
        "169.254.169.254",
        "0xa9fea9fe",
        "10.1",
        "[::1]",
        "[::ffff:127.0.0.1]",
    ] {
        for scheme in ["https", "http"] {
            // A URL that cannot be stored cannot be sent to.
            let url = format!("{scheme}://{host}:{port}/2018-06-01/runtime/invocation/next");
            if lacre_domain::WebUrl::parse(&url).is_none() {
                continue;
            }
            let attempt = service.post_webhook(Production, &url).await;
            let function = function(&service).with_resolver(Names::of(&[&["127.0.0.1"]]));
            assert_eq!(result(&make(&service, &function, &attempt).await), (json!("forbidden"), None), "{url}");
        }
    }
    assert_nothing_connected(listener).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn connects_to_addresses_of_one_lookup() {
    let (service, receiver) = (Service::start().await, Receiver::start().await);
    // Loopback is allowed here, but the second lookup resolves the name to another address.
    let names = Names::of(&[&["10.0.0.1", "127.0.0.1"], &["10.0.0.1"]]);
    let attempt = service.post_webhook(Sandbox, &format!("http://localhost:{}/", receiver.port())).await;
    let function = function(&service).with_resolver(Arc::clone(&names) as Arc<dyn Resolve>);
    assert_eq!(result(&make(&service, &function, &attempt).await), (json!("delivered"), Some(204)));
    assert_eq!(names.lookups.load(Ordering::Relaxed), 1);
}

async fn assert_nothing_connected(listener: TcpListener) {
    let connected = tokio::time::timeout(std::time::Duration::from_millis(100), listener.accept()).await;
    assert!(connected.is_err(), "{connected:?}");
}
