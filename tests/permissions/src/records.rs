//! The file in which a process records its calls.

use std::{
    collections::BTreeSet,
    fs::{self, File},
    io::{self, Write},
    path::Path,
    sync::{LazyLock, Mutex, PoisonError},
};

use http::request::Parts;

use crate::{call::Call, need::KeyNames};

static RECORDS: LazyLock<Option<Records>> = LazyLock::new(|| {
    let directory = std::env::var_os("LACRE_CALLS").filter(|directory| !directory.is_empty())?;
    Records::open(Path::new(&directory))
        // The test continues, because the comparison reports missing calls.
        .inspect_err(|cause| tracing::error!(%cause, "calls are not recorded"))
        .ok()
});

/// The records of this process; `None` if calls are not recorded.
pub(crate) fn of_this_process() -> Option<&'static Records> {
    RECORDS.as_ref()
}

/// The recorded calls and their file.
pub(crate) struct Records(Mutex<State>);

struct State {
    file: File,
    known: BTreeSet<Call>,
    keys: KeyNames,
}

impl Records {
    fn open(directory: &Path) -> io::Result<Self> {
        fs::create_dir_all(directory)?;
        // Concurrent processes have different ids; a later process with the same id appends to the file.
        let path = directory.join(format!("{}.jsonl", std::process::id()));
        let file = File::options().create(true).append(true).open(path)?;
        Ok(Self(Mutex::new(State { file, known: BTreeSet::new(), keys: KeyNames::default() })))
    }

    /// Records the calls of a request that were not recorded yet.
    pub(crate) fn add(&self, head: &Parts, body: &[u8]) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let calls = Call::read(head, body, &mut state.keys);
        state.record_all(calls);
    }

    /// Records the use of a presigned URL, if it was not recorded yet.
    pub(crate) fn add_presigned(&self, head: &Parts) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).record_all(Call::of_presigned(head));
    }
}

impl State {
    fn record_all(&mut self, calls: impl IntoIterator<Item = Call>) {
        for call in calls {
            if let Err(cause) = self.record(call) {
                tracing::error!(%cause, "a call is not recorded");
            }
        }
    }

    fn record(&mut self, call: Call) -> io::Result<()> {
        if !self.known.contains(&call) {
            // Each line is a single write, so that no line is incomplete if the process is killed.
            self.file.write_all(format!("{}\n", serde_json::to_string(&call)?).as_bytes())?;
            self.known.insert(call);
        }
        Ok(())
    }
}
