//! A proxy in front of AWS that counts sequential round trips.
//!
//! It holds requests back until none has arrived for a while, then lets all of them through. Concurrent requests
//! therefore pass in the same round, and sequential ones in separate rounds. The number of rounds is the latency of a
//! request in units of one AWS call.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    sync::{mpsc, oneshot},
};

/// A round ends when no request has arrived for this time. It must exceed any computation between two concurrent
/// calls of a function.
const QUIET: Duration = Duration::from_millis(400);

type Waiting = mpsc::UnboundedSender<oneshot::Sender<()>>;

/// Counts the rounds of all calls through its proxies.
#[derive(Clone)]
pub struct Gate {
    rounds: Arc<AtomicUsize>,
    waiting: Waiting,
}

impl Default for Gate {
    fn default() -> Self {
        let (waiting, mut arrivals) = mpsc::unbounded_channel::<oneshot::Sender<()>>();
        let rounds = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&rounds);
        tokio::spawn(async move {
            while let Some(first) = arrivals.recv().await {
                let mut round = vec![first];
                while let Ok(Some(next)) = tokio::time::timeout(QUIET, arrivals.recv()).await {
                    round.push(next);
                }
                counted.fetch_add(1, Ordering::SeqCst);
                round.into_iter().for_each(|request| request.send(()).unwrap_or_default());
            }
        });
        Self { rounds, waiting }
    }
}

impl Gate {
    /// Starts a proxy in front of a service, and returns its URL.
    pub async fn door(&self, endpoint: &str) -> String {
        let target = endpoint.strip_prefix("http://").unwrap().trim_end_matches('/').to_owned();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let waiting = self.waiting.clone();
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                tokio::spawn(pass(client, target.clone(), waiting.clone()));
            }
        });
        address
    }

    /// The number of rounds since the last call of this function.
    pub fn take_rounds(&self) -> usize {
        self.rounds.swap(0, Ordering::SeqCst)
    }
}

/// Forwards bytes in both directions. The first bytes from the client after a response are a new request, which waits
/// for the next round.
async fn pass(mut client: TcpStream, target: String, waiting: Waiting) {
    let Ok(mut service) = TcpStream::connect(&target).await else { return };
    let (mut from_client, mut from_service) = (vec![0; 65536], vec![0; 65536]);
    let mut answered = true;
    loop {
        tokio::select! {
            read = client.read(&mut from_client) => {
                let Ok(length @ 1..) = read else { return };
                if std::mem::take(&mut answered) {
                    let (go, gone) = oneshot::channel();
                    if waiting.send(go).is_err() || gone.await.is_err() { return }
                }
                if service.write_all(&from_client[..length]).await.is_err() { return }
            }
            read = service.read(&mut from_service) => {
                let Ok(length @ 1..) = read else { return };
                answered = true;
                if client.write_all(&from_service[..length]).await.is_err() { return }
            }
        }
    }
}
