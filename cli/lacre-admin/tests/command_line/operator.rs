//! Runs the binary like an operator at a shell, with a deployment's variables in a file and an empty environment.

use std::{
    collections::BTreeMap,
    io::Write,
    process::{Command, Stdio},
    sync::Mutex,
};

use lacre_tests::{Service, journal};
use serde_json::Value;
use tempfile::NamedTempFile;

/// A valid id that no client and no license has.
pub(crate) const UNKNOWN: &str = "00000000-0000-4000-8000-000000000000";

/// Runs the binary with an `--env-file`. It remembers the keys that were printed, and fails if a key is printed again.
pub(crate) struct Operator {
    env_file: NamedTempFile,
    shown: Mutex<Vec<String>>,
}

/// The result of a command.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Ran {
    /// Standard output of a command that must succeed without a warning.
    #[track_caller]
    pub(crate) fn ok(self) -> String {
        assert_eq!((self.code, self.err.as_str()), (0, ""), "{}", self.out);
        self.out
    }

    /// Standard output and the warning of a command that must succeed with one.
    #[track_caller]
    pub(crate) fn warned(self) -> (String, String) {
        assert_eq!(self.code, 0, "{}", self.err);
        let warning = self.err.strip_prefix("lacre-admin: warning: ").unwrap_or_else(|| panic!("{:?}", self.err));
        (self.out, warning.to_owned())
    }

    /// Exit code and message of a command that must fail without other output.
    #[track_caller]
    pub(crate) fn refused(self) -> (i32, String) {
        assert_eq!(self.out, "");
        let message = self.err.strip_prefix("lacre-admin: ").unwrap_or_else(|| panic!("{}", self.err));
        (self.code, message.trim_end().to_owned())
    }
}

/// The binary with an empty environment.
pub(crate) fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lacre-admin"));
    command.args(arguments).env_clear().stdin(Stdio::null());
    command
}

/// Runs a command in a blocking task, while the service's tasks continue.
pub(crate) async fn run(mut command: Command) -> Ran {
    let output = tokio::task::spawn_blocking(move || command.output().unwrap()).await.unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Ran { code: output.status.code().unwrap(), out: text(output.stdout), err: text(output.stderr) }
}

/// Writes a file of variables, quoted for a shell. If a variable occurs twice, the later line takes effect.
pub(crate) fn env_file<'a>(variables: impl IntoIterator<Item = (&'a str, &'a str)>) -> NamedTempFile {
    let mut file = NamedTempFile::new().unwrap();
    for (name, value) in variables {
        writeln!(file, "{name}='{}'", value.replace('\'', r"'\''")).unwrap();
    }
    file
}

impl Operator {
    /// An operator of this service.
    pub(crate) fn of(service: &Service) -> Self {
        Self::with_variables(service, &BTreeMap::new())
    }

    /// An operator whose file overrides some variables.
    pub(crate) fn with_variables(service: &Service, otherwise: &BTreeMap<String, String>) -> Self {
        let variables = service.variables().iter().chain(otherwise);
        let variables = variables.map(|(name, value)| (name.as_str(), value.as_str()));
        Self { env_file: env_file(variables), shown: Mutex::default() }
    }

    /// The command with the operator's file.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = command(arguments);
        command.arg("--env-file").arg(self.env_file.path());
        command
    }

    /// Runs a command, and checks that its output repeats no key that was shown before.
    pub(crate) async fn run(&self, arguments: &[&str]) -> Ran {
        let ran = run(self.command(arguments)).await;
        for key in self.shown.lock().unwrap().iter() {
            assert!(!ran.out.contains(key) && !ran.err.contains(key), "{arguments:?} shows a key again");
        }
        ran
    }

    /// The JSON document of a command that must succeed.
    pub(crate) async fn json(&self, arguments: &[&str]) -> Value {
        let output = self.run(&[arguments, &["--json"]].concat()).await.ok();
        serde_json::from_str(&output).unwrap_or_else(|error| panic!("{arguments:?}: {error} in {output}"))
    }

    /// Records a key that was shown.
    pub(crate) fn shown(&self, key: &str) -> String {
        journal::remember(key);
        self.shown.lock().unwrap().push(key.to_owned());
        key.to_owned()
    }

    /// Creates a client and returns its id.
    pub(crate) async fn new_client(&self, name: &str) -> String {
        text(&self.json(&["client", "create", name]).await, "id")
    }
}

/// A text field of a JSON document.
#[track_caller]
pub(crate) fn text(document: &Value, field: &str) -> String {
    document[field].as_str().unwrap_or_else(|| panic!("no {field} in {document}")).to_owned()
}

/// The value of a field in output for people.
#[track_caller]
pub(crate) fn printed<'a>(out: &'a str, field: &str) -> &'a str {
    let value = |line: &'a str| line.strip_prefix(field)?.strip_prefix("  ").map(str::trim);
    out.lines().find_map(value).unwrap_or_else(|| panic!("no {field} in {out}"))
}
