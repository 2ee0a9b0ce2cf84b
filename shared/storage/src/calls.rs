//! An interceptor for the calls to AWS of a request: it counts them for a metric, adds the request's id to each, and
//! records each in the request's trace.

use std::sync::Arc;

use aws_smithy_runtime_api::{
    box_error::BoxError,
    client::{
        interceptors::{
            Intercept,
            context::{
                BeforeTransmitInterceptorContextMut, BeforeTransmitInterceptorContextRef,
                FinalizerInterceptorContextRef,
            },
        },
        orchestrator::Metadata,
        retries::RequestAttempts,
        runtime_components::RuntimeComponents,
    },
};
use aws_smithy_types::config_bag::ConfigBag;

use crate::{
    Config, Trace,
    trace::{Daemon, TracedCall},
};

/// The ids that identify a request in logs and traces.
#[derive(Clone, Debug, Default)]
pub struct RequestIds {
    /// The id of the request.
    pub request: Option<String>,
    /// The X-Ray trace of the request, if it is sampled.
    pub trace: Option<Trace>,
}

tokio::task_local! {
    static IDS: RequestIds;
}

/// Runs the work of a request. Its calls to AWS carry `md/request#ID` in their `User-Agent`, which CloudTrail and S3's
/// access logs record, and are part of its trace.
pub async fn for_request<T>(ids: RequestIds, work: impl Future<Output = T>) -> T {
    IDS.scope(ids, work).await
}

/// The ids of the current request, for work that it starts in other tasks.
#[must_use]
pub fn request_ids() -> RequestIds {
    IDS.try_with(Clone::clone).unwrap_or_default()
}

/// Counts each attempt of a call, adds the id of its request, and traces the call.
#[derive(Clone, Debug)]
pub(crate) struct OfRequest {
    region: String,
    daemon: Arc<Daemon>,
}

impl OfRequest {
    pub(crate) fn new(config: &Config) -> Self {
        Self { region: config.region.clone(), daemon: Arc::new(Daemon::at(config.xray_daemon.as_deref())) }
    }
}

impl Intercept for OfRequest {
    fn name(&self) -> &'static str {
        "OfRequest"
    }

    fn read_after_serialization(
        &self,
        call: &BeforeTransmitInterceptorContextRef<'_>,
        _: &RuntimeComponents,
        bag: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        let begun = bag.load::<Metadata>().and_then(|called| {
            let begin = |ids: &RequestIds| TracedCall::begin(&self.daemon, &self.region, ids, called, call.request());
            IDS.try_with(begin).ok()?
        });
        if let Some(begun) = begun {
            bag.interceptor_state().store_put(begun);
        }
        Ok(())
    }

    /// Adds the id after signing, because the signature does not cover the `User-Agent` header.
    fn modify_before_transmit(
        &self,
        call: &mut BeforeTransmitInterceptorContextMut<'_>,
        _: &RuntimeComponents,
        _: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        let Some(id) = request_ids().request else { return Ok(()) };
        let headers = call.request_mut().headers_mut();
        let agent = headers.get("user-agent").unwrap_or_default();
        let named = format!("{agent} md/request#{id}");
        // If the id is not a valid header value, the call is made without it.
        let _ = headers.try_insert("user-agent", named);
        Ok(())
    }

    fn read_before_transmit(
        &self,
        _: &BeforeTransmitInterceptorContextRef<'_>,
        _: &RuntimeComponents,
        bag: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        let metric = if attempts(bag) > 1 { lacre_metrics::AWS_RETRIES } else { lacre_metrics::AWS_CALLS };
        lacre_metrics::add(metric, 1.0);
        Ok(())
    }

    fn read_after_execution(
        &self,
        outcome: &FinalizerInterceptorContextRef<'_>,
        _: &RuntimeComponents,
        bag: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        if let Some(call) = bag.load::<TracedCall>() {
            call.ended(outcome, attempts(bag));
        }
        Ok(())
    }
}

fn attempts(bag: &ConfigBag) -> u32 {
    bag.load::<RequestAttempts>().map_or(0, RequestAttempts::attempts)
}
