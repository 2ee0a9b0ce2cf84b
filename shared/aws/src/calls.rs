//! What goes with the calls to AWS of a request: they are counted, which is a metric, and each has the request's id.

use aws_smithy_runtime_api::{
    box_error::BoxError,
    client::{
        interceptors::{
            Intercept,
            context::{BeforeTransmitInterceptorContextMut, BeforeTransmitInterceptorContextRef},
        },
        retries::RequestAttempts,
        runtime_components::RuntimeComponents,
    },
};
use aws_smithy_types::config_bag::ConfigBag;

tokio::task_local! {
    static REQUEST_ID: Option<String>;
}

/// Runs the work of a request: its calls to AWS have `md/request#ID` in their `User-Agent`, which CloudTrail and the access
/// logs of S3 record.
pub async fn for_request<T>(id: Option<String>, work: impl Future<Output = T>) -> T {
    REQUEST_ID.scope(id, work).await
}

/// The id of the request that runs, for the work that it starts in tasks of their own.
#[must_use]
pub fn request_id() -> Option<String> {
    REQUEST_ID.try_with(Clone::clone).unwrap_or_default()
}

/// Counts each call when it is first sent, and each time it is sent again; and names the request that it is for.
#[derive(Debug)]
pub(crate) struct OfRequest;

impl Intercept for OfRequest {
    fn name(&self) -> &'static str {
        "OfRequest"
    }

    /// After the signing, which does not cover this header.
    fn modify_before_transmit(
        &self,
        call: &mut BeforeTransmitInterceptorContextMut<'_>,
        _: &RuntimeComponents,
        _: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        let Some(id) = request_id() else { return Ok(()) };
        let headers = call.request_mut().headers_mut();
        let agent = headers.get("user-agent").unwrap_or_default();
        let named = format!("{agent} md/request#{id}");
        // A call is made also for an id that is no text of a header.
        let _ = headers.try_insert("user-agent", named);
        Ok(())
    }

    fn read_before_transmit(
        &self,
        _: &BeforeTransmitInterceptorContextRef<'_>,
        _: &RuntimeComponents,
        attempts: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        let again = attempts.load::<RequestAttempts>().is_some_and(|attempts| attempts.attempts() > 1);
        lacre_metrics::add(if again { lacre_metrics::AWS_RETRIES } else { lacre_metrics::AWS_CALLS }, 1.0);
        Ok(())
    }
}
