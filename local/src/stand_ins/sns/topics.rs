//! Topics and published messages, in memory and, if there is a data directory, in a file.

use std::{
    collections::{BTreeMap, BTreeSet},
    io,
    path::PathBuf,
};

use serde::{Deserialize, Serialize};

use crate::stand_ins::{Error, Storage, write_whole};

const FILE: &str = "sns.json";

/// A published message.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Message {
    pub(super) message_id: String,
    pub(super) topic_arn: String,
    pub(super) subject: Option<String>,
    pub(super) message: String,
    /// Attributes of type String.
    pub(super) attributes: BTreeMap<String, String>,
}

#[derive(Default, Serialize, Deserialize)]
struct Kept {
    arns: BTreeSet<String>,
    published: Vec<Message>,
}

/// All topics.
pub(super) struct Topics {
    file: Option<PathBuf>,
    kept: Kept,
}

impl Topics {
    pub(super) fn open(storage: &Storage) -> Result<Self, Error> {
        let file = storage.file(FILE);
        let kept = match &file {
            Some(path) if path.exists() => {
                serde_json::from_slice(&std::fs::read(path)?).map_err(|error| Error::unreadable(path, &error))?
            }
            _ => Kept::default(),
        };
        Ok(Self { file, kept })
    }

    /// Creates a topic; an existing one stays unchanged. Returns its ARN.
    pub(super) fn create(&mut self, name: &str) -> io::Result<String> {
        let arn = format!("arn:aws:sns:sa-east-1:000000000000:{name}");
        if self.kept.arns.insert(arn.clone()) {
            self.save()?;
        }
        Ok(arn)
    }

    pub(super) fn arns(&self) -> impl Iterator<Item = &String> {
        self.kept.arns.iter()
    }

    pub(super) fn keep(&mut self, message: Message) -> io::Result<()> {
        self.kept.published.push(message);
        self.save()
    }

    /// All published messages, oldest first.
    pub(super) fn published(&self) -> &[Message] {
        &self.kept.published
    }

    fn save(&self) -> io::Result<()> {
        let Some(path) = &self.file else { return Ok(()) };
        write_whole(path, &[&serde_json::to_vec(&self.kept)?])
    }
}
