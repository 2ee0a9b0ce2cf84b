//! Parses requests and writes responses; the only place where a refusal becomes an HTTP status and JSON.
//!
//! Also contains the runtime environment of a function: the system clock, the log, and the event loop of Lambda.

mod answer;
mod api_key;
mod backend;
mod defer;
mod edge;
mod function;
mod read;
mod request;
mod session;

pub use answer::{OrRefuse, OrRefuseAs, Rejection, compressed, json, record_log_subject, respond, response};
pub use api_key::{check_api_key, parse_api_key, seconds_to_next_hour};
pub use backend::Backend;
use edge::run;
pub use edge::{SystemClock, start_log};
pub use function::{Context, begin, make, start};

pub use lambda_http::{Body, Request, Response, http::StatusCode};
pub use read::{
    Flow, accepts_gzip, browser, check_page, flow, header, json_object, named_origin, operator, path_parameter,
    route_key,
};
pub use request::{answer, in_invocation};
pub use session::{next_photo, read_session};

/// An endpoint of the service: the request handler of a Lambda function.
pub trait Endpoint: Send + Sync + 'static {
    /// Prepares during initialization what requests need, such as connections. A failure is reported by the first
    /// request.
    fn warm_up(&self) -> impl Future<Output = ()> + Send {
        async {}
    }

    /// Handles a request. Every failure becomes a response.
    fn handle(&self, request: Request) -> impl Future<Output = Response<Body>> + Send;
}
