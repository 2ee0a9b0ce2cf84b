//! What goes with the calls to AWS of a request: they are counted, which is a metric, each has the request's id, and each is part of
//! the request's trace.

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

/// The ids by which a request is followed.
#[derive(Clone, Debug, Default)]
pub struct RequestIds {
    /// Its own.
    pub request: Option<String>,
    /// Its trace, where that is sampled.
    pub trace: Option<Trace>,
}

tokio::task_local! {
    static IDS: RequestIds;
}

/// Runs the work of a request: its calls to AWS have `md/request#ID` in their `User-Agent`, which CloudTrail and the access
/// logs of S3 record, and are part of its trace.
pub async fn for_request<T>(ids: RequestIds, work: impl Future<Output = T>) -> T {
    IDS.scope(ids, work).await
}

/// The ids of the request that runs, for the work that it starts in tasks of their own.
#[must_use]
pub fn request_ids() -> RequestIds {
    IDS.try_with(Clone::clone).unwrap_or_default()
}

/// Counts each call when it is first sent, and each time it is sent again; names the request that it is for; and traces it.
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

    /// After the signing, which does not cover this header.
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
        // A call is made also for an id that is no text of a header.
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
