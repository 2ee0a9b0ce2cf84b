//! An operator at a shell: runs the binary with a deployment's variables in a file, and nothing in the environment.

use std::{
    collections::BTreeMap,
    io::Write,
    process::{Command, Stdio},
    sync::Mutex,
};

use lacre_tests::{Service, journal};
use serde_json::Value;
use tempfile::NamedTempFile;

/// The id of no client, no license.
pub(crate) const UNKNOWN: &str = "00000000-0000-4000-8000-000000000000";

/// The binary and its `--env-file`; and the keys that it was shown, which it must never be shown again.
pub(crate) struct Operator {
    env_file: NamedTempFile,
    shown: Mutex<Vec<String>>,
}

/// The outcome of a command.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Ran {
    /// Standard output of a success.
    #[track_caller]
    pub(crate) fn ok(self) -> String {
        assert_eq!((self.code, self.err.as_str()), (0, ""), "{}", self.out);
        self.out
    }

    /// Standard output of a success that comes with a warning, and the warning.
    #[track_caller]
    pub(crate) fn warned(self) -> (String, String) {
        assert_eq!(self.code, 0, "{}", self.err);
        let warning = self.err.strip_prefix("lacre-admin: warning: ").unwrap_or_else(|| panic!("{:?}", self.err));
        (self.out, warning.to_owned())
    }

    /// Exit code and message of a failure, which prints nothing else.
    #[track_caller]
    pub(crate) fn refused(self) -> (i32, String) {
        assert_eq!(self.out, "");
        let message = self.err.strip_prefix("lacre-admin: ").unwrap_or_else(|| panic!("{}", self.err));
        (self.code, message.trim_end().to_owned())
    }
}

/// The binary, in an environment that holds nothing of this process's.
pub(crate) fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lacre-admin"));
    command.args(arguments).env_clear().stdin(Stdio::null());
    command
}

/// Runs a command beside the service, whose tasks go on meanwhile.
pub(crate) async fn run(mut command: Command) -> Ran {
    let output = tokio::task::spawn_blocking(move || command.output().unwrap()).await.unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Ran { code: output.status.code().unwrap(), out: text(output.stdout), err: text(output.stderr) }
}

/// A file of variables, quoted for a shell. Of two lines for one variable the later one counts.
pub(crate) fn env_file<'a>(variables: impl IntoIterator<Item = (&'a str, &'a str)>) -> NamedTempFile {
    let mut file = NamedTempFile::new().unwrap();
    for (name, value) in variables {
        writeln!(file, "{name}='{}'", value.replace('\'', r"'\''")).unwrap();
    }
    file
}

impl Operator {
    /// An operator of a service.
    pub(crate) fn of(service: &Service) -> Self {
        Self::with_variables(service, &BTreeMap::new())
    }

    /// An operator whose file sets some variables to other values.
    pub(crate) fn with_variables(service: &Service, otherwise: &BTreeMap<String, String>) -> Self {
        let variables = service.variables().iter().chain(otherwise);
        let variables = variables.map(|(name, value)| (name.as_str(), value.as_str()));
        Self { env_file: env_file(variables), shown: Mutex::default() }
    }

    /// The command line with the operator's file.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = command(arguments);
        command.arg("--env-file").arg(self.env_file.path());
        command
    }

    /// Runs a command. No key that was shown before is in what it prints.
    pub(crate) async fn run(&self, arguments: &[&str]) -> Ran {
        let ran = run(self.command(arguments)).await;
        for key in self.shown.lock().unwrap().iter() {
            assert!(!ran.out.contains(key) && !ran.err.contains(key), "{arguments:?} shows a key again");
        }
        ran
    }

    /// The document of a command that succeeds.
    pub(crate) async fn json(&self, arguments: &[&str]) -> Value {
        let output = self.run(&[arguments, &["--json"]].concat()).await.ok();
        serde_json::from_str(&output).unwrap_or_else(|error| panic!("{arguments:?}: {error} in {output}"))
    }

    /// A key that was shown.
    pub(crate) fn shown(&self, key: &str) -> String {
        journal::remember(key);
        self.shown.lock().unwrap().push(key.to_owned());
        key.to_owned()
    }

    /// A new client's id.
    pub(crate) async fn new_client(&self, name: &str) -> String {
        text(&self.json(&["client", "create", name]).await, "id")
    }
}

/// A text of a document.
#[track_caller]
pub(crate) fn text(document: &Value, field: &str) -> String {
    document[field].as_str().unwrap_or_else(|| panic!("no {field} in {document}")).to_owned()
}

/// The value of a field that is printed for people.
#[track_caller]
pub(crate) fn printed<'a>(out: &'a str, field: &str) -> &'a str {
    let value = |line: &'a str| line.strip_prefix(field)?.strip_prefix("  ").map(str::trim);
    out.lines().find_map(value).unwrap_or_else(|| panic!("no {field} in {out}"))
}
