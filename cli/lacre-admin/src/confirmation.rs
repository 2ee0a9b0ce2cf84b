//! Asks for confirmation before an operation that cannot be undone.

use std::io::{self, IsTerminal, Write};

use crate::failure::Failure;

/// Asks the question on the terminal and continues only after the answer `yes`. Without a terminal it fails with a
/// message about `what`, the operation. After any other answer it fails with `undone`, which states what was not done.
pub(crate) fn confirm(what: &str, question: &str, undone: &str) -> Result<(), Failure> {
    let stdin = io::stdin();
    if !stdin.is_terminal() {
        return Err(Failure::Usage(format!("{what} is permanent: confirm in a terminal or pass --yes")));
    }
    let mut terminal = io::stderr().lock();
    write!(terminal, "{question} Type yes: ")?;
    terminal.flush()?;
    let mut answer = String::new();
    stdin.read_line(&mut answer)?;
    match answer.trim() {
        "yes" => Ok(()),
        _ => Err(Failure::Stopped(undone.to_owned())),
    }
}
