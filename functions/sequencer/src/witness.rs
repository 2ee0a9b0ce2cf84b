//! Witnesses, which cosign a checkpoint if it is consistent with all that they have seen of the log (C2SP
//! `tlog-witness`).

use std::time::Duration;

use base64::{Engine, prelude::BASE64_STANDARD};
use lacre_storage::EnvironmentLog;
use lacre_transparency::{NoteSignature, SignedNote, WitnessKey, read_consistency_proof};
use reqwest::{Client, Response, StatusCode, Url, header, redirect};

use super::Error;

/// Maximum size of a response in bytes; a valid one has a few lines.
const MAX_ANSWER: usize = 16 * 1024;
/// Time limit of one request to a witness.
const TIMEOUT: Duration = Duration::from_secs(5);

/// A witness: its public key, and the URL of its API.
pub(crate) struct Witness {
    pub(crate) key: WitnessKey,
    address: Url,
}

impl Witness {
    /// Parses a list of witnesses; returns them and the errors. Each entry is the key and the submission prefix,
    /// separated by a space; entries are separated by commas.
    pub(crate) fn list(text: &str) -> (Vec<Self>, Vec<String>) {
        let one = |text: &str| {
            let (key, address) =
                text.split_once(' ').ok_or("an entry must be the witness's key, a space and its URL")?;
            let key = key.parse().map_err(|fault| format!("{key}: {fault}"))?;
            let address: Url = address.trim().parse().map_err(|fault| format!("{address}: {fault}"))?;
            match (address.scheme(), address.host_str()) {
                ("https", _) | ("http", Some("localhost" | "127.0.0.1")) => Ok(Self { key, address }),
                _ => Err(format!("{address}: the URL must use https")),
            }
        };
        let (mut witnesses, mut malformed) = (Vec::new(), Vec::new());
        for text in text.split(',').map(str::trim).filter(|text| !text.is_empty()) {
            match one(text) {
                Ok(witness) => witnesses.push(witness),
                Err(fault) => malformed.push(fault),
            }
        }
        (witnesses, malformed)
    }

    /// Requests the witness's cosignature of a checkpoint, which is a signed note of a tree with `size` leaves.
    pub(crate) async fn cosign(
        &self,
        log: &EnvironmentLog<'_>,
        note: &SignedNote,
        size: u64,
    ) -> Result<NoteSignature, Error> {
        // The request must state the tree size that the witness saw last. The first request assumes 0; if that is
        // wrong, the witness returns its size.
        let known = match self.ask(log, note, size, 0).await? {
            Answer::Cosigned(signatures) => return self.last_valid(note, signatures),
            Answer::Knows(known) => known,
        };
        match self.ask(log, note, size, known).await? {
            Answer::Cosigned(signatures) => self.last_valid(note, signatures),
            Answer::Knows(other) => {
                Err(self.refuses(format!("it reported a tree of {known} leaves, and then one of {other}")))
            }
        }
    }

    /// The last valid cosignature. Only one is kept, because a note has room for 64 signatures.
    fn last_valid(&self, note: &SignedNote, signatures: Vec<NoteSignature>) -> Result<NoteSignature, Error> {
        let valid = self.key.last_valid(&note.text, signatures);
        valid.ok_or_else(|| self.refuses("no cosignature verifies with its key".into()))
    }

    fn refuses(&self, cause: String) -> Error {
        Error::Uncosigned(self.key.name().to_owned(), cause)
    }

    async fn ask(&self, log: &EnvironmentLog<'_>, note: &SignedNote, size: u64, known: u64) -> Result<Answer, Error> {
        if known > size {
            return Err(self.refuses(format!("it reported a tree of {known} leaves, but the checkpoint has {size}")));
        }
        let proof = read_consistency_proof(log, known, size).await?;
        let proof: String = proof.iter().map(|hash| BASE64_STANDARD.encode(hash.as_bytes()) + "\n").collect();
        let body = format!("old {known}\n{proof}\n{note}");
        let lost = |error: reqwest::Error| self.refuses(error.without_url().to_string());
        // Requests go to the configured address only: no proxy from environment variables, and no redirects.
        let client = Client::builder().no_proxy().redirect(redirect::Policy::none()).timeout(TIMEOUT).build();
        let address = format!("{}/add-checkpoint", self.address.as_str().trim_end_matches('/'));
        let asked = client.map_err(lost)?.post(address).header(header::CONTENT_TYPE, "text/plain; charset=utf-8");
        let response = asked.body(body).send().await.map_err(lost)?;
        let status = response.status();
        let kind = response.headers().get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
        let is_size = kind.split(';').next().is_some_and(|kind| kind.trim().eq_ignore_ascii_case("text/x.tlog.size"));
        match status {
            StatusCode::OK => {
                let text = bounded(response).await.map_err(|cause| self.refuses(cause))?;
                let lines = text.lines().map(str::parse).collect::<Result<Vec<NoteSignature>, _>>();
                lines
                    .map(Answer::Cosigned)
                    .map_err(|_| self.refuses("its response has a malformed signature line".into()))
            }
            StatusCode::CONFLICT if is_size => {
                let text = bounded(response).await.map_err(|cause| self.refuses(cause))?;
                let known = text.trim_end().parse().ok().filter(|other| *other != known);
                known.map(Answer::Knows).ok_or_else(|| self.refuses("its response has no other tree size".into()))
            }
            // The witness has another root for this size, or our consistency proof does not start from its tree.
            StatusCode::CONFLICT | StatusCode::UNPROCESSABLE_ENTITY if known > 0 => {
                Err(Error::Witness(self.key.name().to_owned(), format!("HTTP status {}", status.as_u16())))
            }
            status => Err(self.refuses(format!("HTTP status {}", status.as_u16()))),
        }
    }
}

enum Answer {
    Cosigned(Vec<NoteSignature>),
    /// The witness has seen a tree of another size than the request assumed: of this size.
    Knows(u64),
}

async fn bounded(mut response: Response) -> Result<String, String> {
    let mut answer = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(|error| error.without_url().to_string())? {
        if answer.len() + chunk.len() > MAX_ANSWER {
            return Err(format!("its response has more than {MAX_ANSWER} bytes"));
        }
        answer.extend_from_slice(&chunk);
    }
    String::from_utf8(answer).map_err(|_| "its response is not UTF-8".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: &str = "witness.example+4ac50073+BAcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcH";

    #[test]
    fn refuses_a_malformed_list() {
        assert!(matches!(Witness::list(""), (none, faults) if none.is_empty() && faults.is_empty()));
        for other in ["key", "key https://witness.example", "https://witness.example"] {
            let (read, faults) = Witness::list(&format!("{other}, {KEY} https://witness.example"));
            assert_eq!((read.len(), faults.len()), (1, 1), "the others are asked: {other}");
        }
    }
}
