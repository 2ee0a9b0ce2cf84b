//! Counts the calls to AWS of a request, which is a metric.

use aws_smithy_runtime_api::{
    box_error::BoxError,
    client::{
        interceptors::{Intercept, context::BeforeTransmitInterceptorContextRef},
        retries::RequestAttempts,
        runtime_components::RuntimeComponents,
    },
};
use aws_smithy_types::config_bag::ConfigBag;

/// Counts each call when it is first sent, and each time it is sent again.
#[derive(Debug)]
pub(crate) struct CountCalls;

impl Intercept for CountCalls {
    fn name(&self) -> &'static str {
        "CountCalls"
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
