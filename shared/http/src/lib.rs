//! Reading a request, writing a response: the one place where a refusal becomes a status and JSON.
//!
//! Also the edge of a function: the system's clock, the log, and the loop that takes events from Lambda.

mod answer;
mod edge;
mod later;
mod read;

pub use answer::{OrRefuse, OrRefuseAs, Rejection, concerns, json, respond, response};
pub use edge::{SystemClock, run, start_log};
pub use lambda_http::{Body, Request, Response, http::StatusCode};
pub use read::{browser, header, json_object, named_origin, page_origin, path_parameter};

/// One endpoint of the service: what a Lambda function does with a request. It always answers.
pub trait Endpoint: Send + Sync + 'static {
    /// Answers a request.
    fn handle(&self, request: Request) -> impl Future<Output = Response<Body>> + Send;
}
