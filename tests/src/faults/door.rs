//! A proxy that forwards requests byte for byte, including signatures, unless it is set to inject a fault.

use std::{
    convert::Infallible,
    io,
    sync::{Arc, Mutex},
};

use bytes::Bytes;
use futures_util::stream::{self, StreamExt};
use http_body_util::{BodyExt, Full, StreamBody, combinators::BoxBody};
use hyper::{
    Request, Response,
    body::{Frame, Incoming},
    header,
    service::service_fn,
};
use hyper_util::{
    client::legacy::{Client, connect::HttpConnector},
    rt::{TokioExecutor, TokioIo},
};
use tokio::{
    net::TcpListener,
    sync::Semaphore,
    task::{AbortHandle, JoinSet},
};

use super::{
    Fault, State,
    answers::{self, Answer},
    call::Call,
    conflicts, counted, demand,
};

type Passed = Response<BoxBody<Bytes, io::Error>>;

/// What a proxy forwards to.
pub(super) enum Behind {
    /// The endpoint of a service.
    Endpoint(String),
    /// Nothing: the proxy itself returns a secret with this value.
    Secret(String),
}

struct Door {
    behind: Behind,
    client: Client<HttpConnector, Full<Bytes>>,
    state: Arc<Mutex<State>>,
    entry: Arc<Semaphore>,
}

/// Starts a proxy and returns its URL. The proxy and its connections last until the task ends.
pub(super) async fn open(behind: Behind, state: Arc<Mutex<State>>, entry: Arc<Semaphore>) -> (String, AbortHandle) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let client = Client::builder(TokioExecutor::new()).build_http();
    let door = Arc::new(Door { behind, client, state, entry });
    let task = tokio::spawn(async move {
        let mut connections = JoinSet::new();
        while let Ok((stream, _)) = listener.accept().await {
            while connections.try_join_next().is_some() {}
            let _ = stream.set_nodelay(true);
            let door = Arc::clone(&door);
            let service = service_fn(move |request| {
                let door = Arc::clone(&door);
                async move { door.pass(request).await }
            });
            // An error closes the connection without a response, so that the response is lost.
            connections
                .spawn(hyper::server::conn::http1::Builder::new().serve_connection(TokioIo::new(stream), service));
        }
    });
    (address, task.abort_handle())
}

impl Door {
    async fn pass(self: Arc<Self>, request: Request<Incoming>) -> io::Result<Passed> {
        let (head, body) = request.into_parts();
        let body = body.collect().await.map_err(io::Error::other)?.to_bytes();
        lacre_permissions::record(&head, &body);
        let call = Call::read(&head.method, &head.uri, &head.headers, &body);
        let agent = head.headers.get(header::USER_AGENT).and_then(|agent| agent.to_str().ok()).unwrap_or_default();
        let fault = self.state.lock().unwrap().arrives(&call.name, agent.to_owned());
        let (watch, subscriber) = {
            let state = self.state.lock().unwrap();
            (state.watch.clone(), state.subscriber.clone())
        };
        if let Some(watch) = &watch {
            counted::arrived(watch, &call, fault);
        }
        if let (Some(watch), Some(subscriber), "Publish", None) = (&watch, &subscriber, call.operation.as_str(), fault)
        {
            counted::notify(watch, subscriber, &call).await;
        }
        let lost = || io::Error::other("injected fault");
        let is_measured = self.state.lock().unwrap().demands.is_some();
        let (head, body) = if is_measured { demand::metered(head, body, &call) } else { (head, body) };
        let forward = async || {
            let answer = self.forward(Request::from_parts(head.clone(), Full::new(body.clone())), &call).await?;
            if let Some(demands) = &mut self.state.lock().unwrap().demands {
                demands.extend(demand::of(&head, &call, &answer));
            }
            Ok::<_, io::Error>(answer)
        };
        let answer = match fault {
            None => forward().await?,
            Some(Fault::Refuse) => answers::refused(&call),
            Some(Fault::Throttle) => answers::throttled(&call),
            Some(Fault::Code(code)) => answers::error(&call, 400, code),
            Some(Fault::ServerError) => answers::failed(&call),
            Some(Fault::Cut) => return Err(lost()),
            Some(Fault::Hang) => std::future::pending().await,
            Some(Fault::Slow(delay)) => {
                let answer = forward().await?;
                tokio::time::sleep(delay).await;
                answer
            }
            Some(Fault::LoseAnswer) => {
                forward().await?;
                return Err(lost());
            }
            Some(Fault::HangAfter) => {
                forward().await?;
                std::future::pending().await
            }
            Some(Fault::Late) => {
                self.keep_for_later(Request::from_parts(head, Full::new(body)), call);
                std::future::pending().await
            }
            Some(Fault::Garble) => answers::garbled(forward().await?),
            Some(Fault::CutShort) => return Ok(cut_short(forward().await?)),
            Some(Fault::WrongSignature) => answers::wrong_signature(forward().await?),
            Some(Fault::LeaveUnread) => answers::with_a_key_unread(&call, forward().await?),
        };
        Ok(whole(answer))
    }

    /// Queues a call so that it still takes effect after the caller has given up and closed the connection.
    fn keep_for_later(self: &Arc<Self>, request: Request<Full<Bytes>>, call: Call) {
        let door = Arc::clone(self);
        self.state.lock().unwrap().late.spawn(async move {
            door.entry.acquire().await.unwrap().forget();
            // The call may fail, as any call; the failure is not reported.
            let _ = door.forward(request, &call).await;
        });
    }

    async fn forward(&self, mut request: Request<Full<Bytes>>, call: &Call) -> io::Result<Answer> {
        let aws = match &self.behind {
            Behind::Endpoint(aws) => aws,
            Behind::Secret(value) => return Ok(answers::secret(call, value)),
        };
        if call.may_be_stale() {
            return Ok(answers::stale(call));
        }
        let _under_way = match conflicts::begin(aws, call) {
            Ok(under_way) => under_way,
            Err(conflict) => return Ok(answers::conflict(call, &conflict)),
        };
        // `Host` stays unchanged because the signature covers it.
        let path = request.uri().path_and_query().map_or("/", |path| path.as_str());
        *request.uri_mut() = format!("{aws}{path}").parse().map_err(io::Error::other)?;
        let (head, body) = self.client.request(request).await.map_err(io::Error::other)?.into_parts();
        let body = body.collect().await.map_err(io::Error::other)?.to_bytes();
        Ok(Response::from_parts(head, body))
    }
}

fn whole(answer: Answer) -> Passed {
    let (mut head, body) = answer.into_parts();
    // Removes the length, which is set again, and checksums, which would reveal that the body was changed.
    head.headers.remove(header::CONTENT_LENGTH);
    head.headers.remove(header::TRANSFER_ENCODING);
    head.headers.remove("x-amz-crc32");
    Response::from_parts(head, Full::new(body).map_err(|never: Infallible| match never {}).boxed())
}

/// A response that declares its full length but ends in the middle.
fn cut_short(answer: Answer) -> Passed {
    let (mut head, body) = answer.into_parts();
    head.headers.insert(header::CONTENT_LENGTH, body.len().into());
    let start = stream::once(async move { Ok(Frame::data(body.slice(..body.len() / 2))) });
    let end = stream::once(async {
        // Yielding lets the first part be sent before the error.
        tokio::task::yield_now().await;
        Err(io::Error::other("injected fault"))
    });
    let frames = start.chain(end);
    Response::from_parts(head, BodyExt::boxed(StreamBody::new(frames)))
}
