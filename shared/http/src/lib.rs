//! Reading a request, writing a response: the one place where a refusal becomes a status and JSON.
//!
//! Also the edge of a function: the system's clock, the log, and the loop that takes events from Lambda.

mod answer;
mod defer;
mod edge;
mod function;
mod read;
mod request;

pub use answer::{OrRefuse, OrRefuseAs, Rejection, json, record_log_subject, respond, response};
use edge::run;
pub use edge::{SystemClock, start_log};
pub use function::{Context, begin, make, start};

pub use lambda_http::{Body, Request, Response, http::StatusCode};
pub use read::{Flow, browser, check_page, flow, header, json_object, named_origin, path_parameter};
pub use request::{answer, in_invocation};

/// An endpoint of the service: the request handler of a Lambda function.
pub trait Endpoint: Send + Sync + 'static {
    /// Connects to what a request needs during initialization. The first request reports a failure.
    fn warm_up(&self) -> impl Future<Output = ()> + Send {
        async {}
    }

    /// Responds to a request, always.
    fn handle(&self, request: Request) -> impl Future<Output = Response<Body>> + Send;
}
