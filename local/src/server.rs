//! An HTTP server, with or without TLS, that runs as long as its handle exists.

use std::{
    net::{IpAddr, SocketAddr},
    sync::Arc,
    time::Duration,
};

use axum::{
    Router,
    serve::{Listener, ListenerExt},
};
use tokio::{
    net::{TcpListener, TcpStream},
    sync::{mpsc, oneshot},
};
use tokio_rustls::{TlsAcceptor, rustls::ServerConfig, server::TlsStream};

/// Timeout of the TLS handshake.
const HANDSHAKE: Duration = Duration::from_secs(10);

/// A running server. Dropping it stops the server: it accepts no new connections and closes idle ones.
#[derive(Debug)]
pub(crate) struct Server {
    address: SocketAddr,
    _stop: oneshot::Sender<()>,
}

impl Server {
    /// `http://ADDRESS:PORT`, without a trailing slash.
    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Serves a router over HTTP.
    pub(crate) fn start(listener: TcpListener, router: Router) -> std::io::Result<Self> {
        Self::spawn(listener, |listener, stopped| {
            let listener = listener.tap_io(|stream| {
                let _ = stream.set_nodelay(true);
            });
            serve(listener, router, stopped)
        })
    }

    /// Serves a router over HTTPS.
    pub(crate) fn start_tls(listener: TcpListener, router: Router, tls: ServerConfig) -> std::io::Result<Self> {
        Self::spawn(listener, |listener, stopped| async move {
            let Ok(listener) = TlsListener::over(listener, Arc::new(tls).into()) else { return };
            let listener = listener.tap_io(|stream| {
                let _ = stream.get_ref().0.set_nodelay(true);
            });
            serve(listener, router, stopped).await;
        })
    }

    /// Spawns any server. It must stop when the future that it receives completes.
    pub(crate) fn spawn<F>(
        listener: TcpListener,
        serve: impl FnOnce(TcpListener, Stopped) -> F,
    ) -> std::io::Result<Self>
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let address = listener.local_addr()?;
        let (stop, stopped) = oneshot::channel();
        let stopped: Stopped = Box::pin(async move {
            let _ = stopped.await;
        });
        tokio::spawn(serve(listener, stopped));
        Ok(Self { address, _stop: stop })
    }
}

/// Serves connections with `TCP_NODELAY`: otherwise small responses on keep-alive connections wait for the client's
/// acknowledgement.
async fn serve<L, F>(listener: axum::serve::TapIo<L, F>, router: Router, stopped: Stopped)
where
    L: Listener<Addr = SocketAddr>,
    F: FnMut(&mut L::Io) + Send + 'static,
{
    let service = router.into_make_service_with_connect_info::<SocketAddr>();
    let _ = axum::serve(listener, service).with_graceful_shutdown(stopped).await;
}

/// Yields connections whose TLS handshake has completed. Handshakes run concurrently, so a slow one delays no other
/// connection.
struct TlsListener {
    address: SocketAddr,
    shaken: mpsc::Receiver<(TlsStream<TcpStream>, SocketAddr)>,
}

impl TlsListener {
    /// Accepts connections until it is dropped.
    fn over(mut listener: TcpListener, acceptor: TlsAcceptor) -> std::io::Result<Self> {
        let address = TcpListener::local_addr(&listener)?;
        let (sender, shaken) = mpsc::channel(1);
        tokio::spawn(async move {
            loop {
                let (stream, client) = tokio::select! {
                    accepted = Listener::accept(&mut listener) => accepted,
                    () = sender.closed() => return,
                };
                let (acceptor, sender) = (acceptor.clone(), sender.clone());
                tokio::spawn(async move {
                    if let Ok(Ok(stream)) = tokio::time::timeout(HANDSHAKE, acceptor.accept(stream)).await {
                        let _ = sender.send((stream, client)).await;
                    }
                });
            }
        });
        Ok(Self { address, shaken })
    }
}

impl Listener for TlsListener {
    type Io = TlsStream<TcpStream>;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Self::Io, Self::Addr) {
        match self.shaken.recv().await {
            Some(accepted) => accepted,
            // The runtime is shutting down: the accepting task never ends otherwise.
            None => std::future::pending().await,
        }
    }

    fn local_addr(&self) -> std::io::Result<Self::Addr> {
        Ok(self.address)
    }
}

/// A future that completes when the server's handle is dropped.
pub(crate) type Stopped = std::pin::Pin<Box<dyn Future<Output = ()> + Send>>;

/// Binds a port; 0 selects a free one.
pub(crate) async fn listen(address: IpAddr, port: u16) -> std::io::Result<TcpListener> {
    let taken = |error: std::io::Error| std::io::Error::new(error.kind(), format!("{address}, port {port}: {error}"));
    TcpListener::bind((address, port)).await.map_err(taken)
}
