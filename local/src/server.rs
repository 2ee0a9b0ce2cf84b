//! An HTTP server that lives as long as its handle, with or without TLS.

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

/// How long a client has for its part of the TLS handshake.
const HANDSHAKE: Duration = Duration::from_secs(10);

/// A running server. Dropping it stops it: no further connection is accepted, and idle ones are closed.
#[derive(Debug)]
pub(crate) struct Server {
    address: SocketAddr,
    _stop: oneshot::Sender<()>,
}

impl Server {
    /// `http://ADDRESS:PORT`, without a slash at the end.
    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Serves a router.
    pub(crate) fn start(listener: TcpListener, router: Router) -> std::io::Result<Self> {
        Self::spawn(listener, |listener, stopped| {
            let listener = listener.tap_io(|stream| {
                let _ = stream.set_nodelay(true);
            });
            serve(listener, router, stopped)
        })
    }

    /// Serves a router with TLS.
    pub(crate) fn start_tls(listener: TcpListener, router: Router, tls: ServerConfig) -> std::io::Result<Self> {
        Self::spawn(listener, |listener, stopped| async move {
            let Ok(listener) = TlsListener::over(listener, Arc::new(tls).into()) else { return };
            let listener = listener.tap_io(|stream| {
                let _ = stream.get_ref().0.set_nodelay(true);
            });
            serve(listener, router, stopped).await;
        })
    }

    /// Runs any server that stops when the future that it is given ends.
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

/// Connections are without delay: small answers on kept-alive ones must not wait for an acknowledgement.
async fn serve<L, F>(listener: axum::serve::TapIo<L, F>, router: Router, stopped: Stopped)
where
    L: Listener<Addr = SocketAddr>,
    F: FnMut(&mut L::Io) + Send + 'static,
{
    let service = router.into_make_service_with_connect_info::<SocketAddr>();
    let _ = axum::serve(listener, service).with_graceful_shutdown(stopped).await;
}

/// The connections whose TLS handshake is done. A slow one keeps no other waiting.
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
            // The runtime is shutting down: the task above ends with nothing else.
            None => std::future::pending().await,
        }
    }

    fn local_addr(&self) -> std::io::Result<Self::Addr> {
        Ok(self.address)
    }
}

/// Ends when the server's handle is dropped.
pub(crate) type Stopped = std::pin::Pin<Box<dyn Future<Output = ()> + Send>>;

/// Listens on a port; 0 takes a free one.
pub(crate) async fn listen(address: IpAddr, port: u16) -> std::io::Result<TcpListener> {
    let taken = |error: std::io::Error| std::io::Error::new(error.kind(), format!("{address}, port {port}: {error}"));
    TcpListener::bind((address, port)).await.map_err(taken)
}
