//! An HTTP server that lives as long as its handle.

use std::net::{IpAddr, SocketAddr};

use axum::{Router, serve::ListenerExt};
use tokio::{net::TcpListener, sync::oneshot};

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
        Self::spawn(listener, move |listener, stopped| async move {
            // Small answers on kept-alive connections must not wait for an acknowledgement.
            let listener = listener.tap_io(|stream| {
                let _ = stream.set_nodelay(true);
            });
            let _ = axum::serve(listener, router.into_make_service_with_connect_info::<SocketAddr>())
                .with_graceful_shutdown(stopped)
                .await;
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

/// Ends when the server's handle is dropped.
pub(crate) type Stopped = std::pin::Pin<Box<dyn Future<Output = ()> + Send>>;

/// Listens on a port; 0 takes a free one.
pub(crate) async fn listen(address: IpAddr, port: u16) -> std::io::Result<TcpListener> {
    let taken = |error: std::io::Error| std::io::Error::new(error.kind(), format!("{address}, port {port}: {error}"));
    TcpListener::bind((address, port)).await.map_err(taken)
}
