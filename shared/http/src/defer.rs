//! Work that is deferred until the response has been sent.

use std::cell::RefCell;

use tracing::Span;

type Work = Box<dyn FnOnce() + Send>;

tokio::task_local! {
    static LEFT: RefCell<Vec<Work>>;
}

/// Runs an invocation, then the work that was deferred during it.
pub(crate) async fn run_deferred<T>(invocation: impl Future<Output = T>) -> T {
    let invoked = async {
        let outcome = invocation.await;
        (outcome, LEFT.with(RefCell::take))
    };
    let (outcome, left) = LEFT.scope(RefCell::default(), invoked).await;
    left.into_iter().for_each(|work| work());
    outcome
}

/// Defers work until the invocation has ended; it then runs in the caller's tracing span. Outside an invocation it runs
/// at once.
pub(crate) fn defer(work: impl FnOnce() + Send + 'static) {
    if LEFT.try_with(|_| ()).is_err() {
        return work();
    }
    let span = Span::current();
    LEFT.with(|left| left.borrow_mut().push(Box::new(move || span.in_scope(work))));
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::sync::{Arc, Mutex};

    use tracing::{Instrument, info_span};

    use super::*;

    #[tokio::test]
    async fn runs_deferred_work_after_the_invocation() {
        let _log = tracing::subscriber::set_default(tracing_subscriber::registry());
        let done = Arc::new(Mutex::new(Vec::new()));
        let note = |what: &'static str| {
            let done = Arc::clone(&done);
            let span = || Span::current().metadata().map(|span| span.name());
            move || done.lock().unwrap().push((what, span()))
        };
        let invocation = async {
            defer(note("log"));
            tokio::task::yield_now().await;
            note("answer")();
        };
        run_deferred(invocation.instrument(info_span!("request"))).await;
        note("next")();
        assert_eq!(*done.lock().unwrap(), [("answer", Some("request")), ("log", Some("request")), ("next", None)]);
    }

    #[test]
    fn runs_at_once_outside_of_invocations() {
        let (sender, receiver) = std::sync::mpsc::channel();
        defer(move || sender.send("log").unwrap());
        assert_eq!(receiver.try_recv(), Ok("log"));
    }
}
