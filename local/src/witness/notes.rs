//! The file that a process notes calls in.

use std::{
    collections::BTreeSet,
    fs::{self, File},
    io::{self, Write},
    path::Path,
    sync::{LazyLock, Mutex, PoisonError},
};

use axum::http::request::Parts;

use super::call::{Call, KeyNames};

static NOTES: LazyLock<Option<Notes>> = LazyLock::new(|| {
    let directory = std::env::var_os("LACRE_CALLS").filter(|directory| !directory.is_empty())?;
    Notes::open(Path::new(&directory))
        // The judge misses what is not noted, so nothing is lost by going on.
        .inspect_err(|cause| tracing::error!(%cause, "calls are not noted"))
        .ok()
});

/// The notes of this process; `None` where calls are not noted.
pub(super) fn of_this_process() -> Option<&'static Notes> {
    NOTES.as_ref()
}

/// What was noted, and where to.
pub(super) struct Notes(Mutex<State>);

struct State {
    file: File,
    known: BTreeSet<Call>,
    keys: KeyNames,
}

impl Notes {
    fn open(directory: &Path) -> io::Result<Self> {
        fs::create_dir_all(directory)?;
        // Side by side run only processes of different numbers; one that comes later with the same adds to the file.
        let path = directory.join(format!("{}.jsonl", std::process::id()));
        let file = File::options().create(true).append(true).open(path)?;
        Ok(Self(Mutex::new(State { file, known: BTreeSet::new(), keys: KeyNames::default() })))
    }

    /// Notes what is new in a request.
    pub(super) fn take(&self, head: &Parts, body: &[u8]) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let calls = Call::read(head, body, &mut state.keys);
        state.note_all(calls);
    }

    /// Notes what is new in the use of a presigned URL.
    pub(super) fn take_link(&self, head: &Parts) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).note_all(Call::of_link(head));
    }
}

impl State {
    fn note_all(&mut self, calls: impl IntoIterator<Item = Call>) {
        for call in calls {
            if let Err(cause) = self.note(call) {
                tracing::error!(%cause, "a call is not noted");
            }
        }
    }

    fn note(&mut self, call: Call) -> io::Result<()> {
        if !self.known.contains(&call) {
            // One write each, so that no line is torn when the process is ended.
            self.file.write_all(format!("{}\n", serde_json::to_string(&call)?).as_bytes())?;
            self.known.insert(call);
        }
        Ok(())
    }
}
