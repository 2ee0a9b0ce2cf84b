//! Witness policies (C2SP `tlog-policy`): files that say which logs are accepted, and which witnesses must have cosigned
//! a checkpoint.

use std::collections::{HashMap, HashSet};

use crate::{LogKey, SignedNote, WitnessKey};

/// Maximum size of a policy in bytes. One with 32 logs, witnesses and groups has about 10 KB.
const MAX_POLICY: usize = 64 * 1024;

/// A policy. Its quorum decides whether the witnesses that cosigned a checkpoint suffice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WitnessPolicy {
    logs: Vec<LogKey>,
    /// Witnesses and groups; members of a group come before it.
    parties: Vec<Party>,
    /// The place of the party that must have witnessed a checkpoint; `None` if none has to.
    quorum: Option<usize>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Party {
    Witness(WitnessKey),
    /// At least `threshold` of the parties at these places must have witnessed.
    Group {
        threshold: usize,
        members: Vec<usize>,
    },
}

/// Why a file is not a policy: the line, from 1 on, and what is wrong in it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {fault}")]
pub struct PolicyError {
    /// The number of the line, from 1 on; the last line's if something is missing.
    pub line: usize,
    /// What is wrong.
    pub fault: &'static str,
}

/// What was read of a policy so far. Names are bytes, as the format has them.
#[derive(Default)]
struct Reader<'a> {
    logs: Vec<LogKey>,
    parties: Vec<Party>,
    names: HashMap<&'a [u8], usize>,
    /// The parties that are members of a group.
    members: HashSet<usize>,
    quorum: Option<Option<usize>>,
}

impl WitnessPolicy {
    /// Parses a policy.
    ///
    /// # Errors
    /// [`PolicyError`] with the first fault.
    pub fn parse(file: &[u8]) -> Result<Self, PolicyError> {
        if file.len() > MAX_POLICY {
            return Err(PolicyError { line: 1, fault: "a policy has at most 65,536 bytes" });
        }
        let mut reader = Reader::default();
        let mut last = 1;
        for (line, number) in file.split(|byte| *byte == b'\n').zip(1..) {
            reader.read(line).map_err(|fault| PolicyError { line: number, fault })?;
            last = number;
        }
        let quorum = reader.quorum.ok_or(PolicyError { line: last, fault: "there is no quorum line" })?;
        Ok(Self { logs: reader.logs, parties: reader.parties, quorum })
    }

    /// Whether a log is accepted. A policy without logs accepts all.
    #[must_use]
    pub fn accepts(&self, log: &LogKey) -> bool {
        self.logs.is_empty() || self.logs.contains(log)
    }

    /// Whether the witnesses that cosigned the checkpoint in a note suffice.
    #[must_use]
    pub fn is_met_by(&self, note: &SignedNote) -> bool {
        let mut have_witnessed: Vec<bool> = Vec::with_capacity(self.parties.len());
        for party in &self.parties {
            let has_witnessed = match party {
                Party::Witness(key) => key.cosigned_at(note).is_some(),
                Party::Group { threshold, members } => {
                    members.iter().filter(|member| have_witnessed[**member]).count() >= *threshold
                }
            };
            have_witnessed.push(has_witnessed);
        }
        self.quorum.is_none_or(|quorum| have_witnessed[quorum])
    }
}

impl<'a> Reader<'a> {
    fn read(&mut self, line: &'a [u8]) -> Result<(), &'static str> {
        if line.iter().any(|byte| byte.is_ascii_control() && *byte != b'\t') {
            return Err("a control character");
        }
        let words: Vec<&[u8]> =
            line.split(|byte| matches!(byte, b' ' | b'\t')).filter(|word| !word.is_empty()).collect();
        match words[..] {
            [] => Ok(()),
            [first, ..] if first.starts_with(b"#") => Ok(()),
            [b"log", key] | [b"log", key, _] => self.log(key),
            [b"witness", name, key] | [b"witness", name, key, _] => self.witness(name, key),
            [b"group", name, threshold, ref members @ ..] if !members.is_empty() => {
                self.group(name, threshold, members)
            }
            [b"quorum", name] => self.set_quorum(name),
            _ => Err("neither a log, a witness, a group nor a quorum"),
        }
    }

    fn log(&mut self, key: &[u8]) -> Result<(), &'static str> {
        let key: LogKey = parsed(key).ok_or("not the key of a log (NAME+ID+KEY, Ed25519)")?;
        if self.logs.iter().any(|other| other.public_key() == key.public_key()) {
            return Err("another log has the same key");
        }
        self.logs.push(key);
        Ok(())
    }

    fn witness(&mut self, name: &'a [u8], key: &[u8]) -> Result<(), &'static str> {
        let key: WitnessKey = parsed(key).ok_or("not the key of a witness (NAME+ID+KEY, Ed25519 cosignatures)")?;
        let is_same = |party: &Party| matches!(party, Party::Witness(other) if other.public_key() == key.public_key());
        if self.parties.iter().any(is_same) {
            return Err("another witness has the same key");
        }
        self.define(name, Party::Witness(key))
    }

    fn group(&mut self, name: &'a [u8], threshold: &[u8], names: &[&'a [u8]]) -> Result<(), &'static str> {
        let members = names.iter().map(|name| self.names.get(name).copied()).collect::<Option<Vec<_>>>();
        let members = members.ok_or("a member of the group is not defined above")?;
        if !members.iter().all(|member| self.members.insert(*member)) {
            return Err("a member of the group is a member already");
        }
        let threshold = match threshold {
            b"any" => 1,
            b"all" => members.len(),
            number => {
                let digits = Some(number).filter(|number| number.iter().all(u8::is_ascii_digit));
                digits.and_then(parsed).ok_or("the threshold of the group is no number, any or all")?
            }
        };
        if !(1..=members.len()).contains(&threshold) {
            return Err("the threshold of the group is not between 1 and the number of its members");
        }
        self.define(name, Party::Group { threshold, members })
    }

    fn define(&mut self, name: &'a [u8], party: Party) -> Result<(), &'static str> {
        if name == b"none" || self.names.insert(name, self.parties.len()).is_some() {
            return Err("the name is taken");
        }
        self.parties.push(party);
        Ok(())
    }

    fn set_quorum(&mut self, name: &[u8]) -> Result<(), &'static str> {
        let quorum = match name {
            b"none" => None,
            name => Some(*self.names.get(name).ok_or("the quorum is not defined above")?),
        };
        match self.quorum.replace(quorum) {
            None => Ok(()),
            Some(_) => Err("a second quorum"),
        }
    }
}

fn parsed<T: std::str::FromStr>(word: &[u8]) -> Option<T> {
    std::str::from_utf8(word).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use base64::{Engine, prelude::BASE64_STANDARD};
    use lacre_domain::Sha256Digest;
    use ring::signature::{Ed25519KeyPair, KeyPair};

    use super::*;
    use crate::{Checkpoint, NoteSignature};

    const COSIGNATURE: u8 = 4;

    fn pair(seed: u8) -> Ed25519KeyPair {
        Ed25519KeyPair::from_seed_unchecked(&[seed; 32]).unwrap()
    }

    /// The id and the public key of a key of this type.
    fn key(name: &str, kind: u8, seed: u8) -> ([u8; 4], String) {
        let public = [&[kind], pair(seed).public_key().as_ref()].concat();
        let hash = Sha256Digest::of(&[name.as_bytes(), b"\n", &public].concat());
        let id: [u8; 4] = hash.as_bytes()[..4].try_into().unwrap();
        (id, format!("{name}+{:08x}+{}", u32::from_be_bytes(id), BASE64_STANDARD.encode(public)))
    }

    fn witness(seed: u8) -> String {
        key(&format!("w{seed}.example"), COSIGNATURE, seed).1
    }

    /// A note that these witnesses cosigned.
    fn note(seeds: &[u8]) -> SignedNote {
        let text = Checkpoint { origin: "log.example".into(), size: 1, root: Sha256Digest::of(b"") }.to_string();
        let cosigned = seeds.iter().map(|seed| {
            let name = format!("w{seed}.example");
            let signed = pair(*seed).sign(format!("cosignature/v1\ntime 7\n{text}").as_bytes());
            let signature = [&7_u64.to_be_bytes(), signed.as_ref()].concat();
            NoteSignature { key_id: key(&name, COSIGNATURE, *seed).0, name, signature }
        });
        SignedNote { signatures: cosigned.collect(), text }
    }

    fn policy(lines: &str) -> Result<WitnessPolicy, PolicyError> {
        let witnesses = (1..=6).map(|seed| format!("witness W{seed} {}\n", witness(seed)));
        WitnessPolicy::parse([&witnesses.collect::<String>(), lines].concat().as_bytes())
    }

    #[test]
    fn groups_of_groups_decide() {
        let policy = policy(
            "group X 2 W1 W2 W3\n\n# Of another organization.\ngroup\tY any W4 W5 W6 \n group both all X Y\nquorum both",
        );
        let policy = policy.unwrap();
        for (seeds, is_met) in [
            (&[][..], false),
            (&[1, 2], false),
            (&[4], false),
            (&[1, 4], false),
            (&[1, 3, 6], true),
            (&[1, 2, 3, 4, 5, 6], true),
            (&[1, 1, 4], false),
        ] {
            assert_eq!(policy.is_met_by(&note(seeds)), is_met, "{seeds:?}");
        }
    }

    #[test]
    fn a_quorum_may_be_one_or_none() {
        assert!(policy("quorum none").unwrap().is_met_by(&note(&[])));
        let one = policy("quorum W3\n").unwrap();
        assert_eq!([&[3][..], &[1, 2]].map(|seeds| one.is_met_by(&note(seeds))), [true, false]);
        let mut forged = note(&[3]);
        forged.signatures[0].signature[20] ^= 1;
        assert!(!one.is_met_by(&forged));
    }

    #[test]
    fn logs_are_accepted_if_named() {
        let log = |seed| key("log.example", 1, seed).1;
        let named = policy(&format!("log {} https://log.example\nquorum none", log(7))).unwrap();
        assert_eq!([7, 8].map(|seed| named.accepts(&log(seed).parse().unwrap())), [true, false]);
        assert!(policy("quorum none").unwrap().accepts(&log(8).parse().unwrap()));
    }

    #[test]
    fn names_the_line_of_a_fault() {
        for (lines, line, fault) in [
            ("", 7, "there is no quorum line"),
            ("quorum none\nquorum W1", 8, "a second quorum"),
            ("quorum W7", 7, "the quorum is not defined above"),
            ("group G 2 W1\nquorum G", 7, "the threshold of the group is not between 1 and the number of its members"),
            ("group G 0 W1\nquorum G", 7, "the threshold of the group is not between 1 and the number of its members"),
            ("group G +1 W1\nquorum G", 7, "the threshold of the group is no number, any or all"),
            ("group G most W1\nquorum G", 7, "the threshold of the group is no number, any or all"),
            ("group G any\nquorum G", 7, "neither a log, a witness, a group nor a quorum"),
            ("group G any H\ngroup H any W1\nquorum G", 7, "a member of the group is not defined above"),
            ("group G any W1\ngroup H any W1\nquorum G", 8, "a member of the group is a member already"),
            ("group W1 any W2\nquorum W1", 7, "the name is taken"),
            ("group none any W2\nquorum none", 7, "the name is taken"),
            ("log W1\nquorum none", 7, "not the key of a log (NAME+ID+KEY, Ed25519)"),
            ("quorum none\r\n", 7, "a control character"),
        ] {
            assert_eq!(policy(lines), Err(PolicyError { line, fault }), "{lines}");
        }
        let twice = policy(&format!("witness again {}\nquorum none", witness(1)));
        assert_eq!(twice, Err(PolicyError { line: 7, fault: "another witness has the same key" }));
        let log = key("log.example", 1, 7).1;
        let twice = policy(&format!("log {log}\nlog {log}\nquorum none"));
        assert_eq!(twice, Err(PolicyError { line: 8, fault: "another log has the same key" }));
    }
}
