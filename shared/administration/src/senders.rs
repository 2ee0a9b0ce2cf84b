//! Senders: who asks a client's customers for photos, and what they are told about the use of the photos.

use std::sync::Arc;

use lacre_api::admin::SenderView;
use lacre_domain::{ClientId, Clock, Environment, Operation, Sender, SenderRecord, Sha256Digest, clock::rfc3339};
use lacre_storage::{Connection, Register};
use serde_json::value::RawValue;

use crate::{
    Error,
    caller::Auditor,
    clients::existing_client,
    kits::{document, invalid},
};

/// The operations on senders.
pub struct Senders {
    register: Register,
    auditor: Auditor,
    clock: Arc<dyn Clock>,
}

/// A sender as canonical JSON, with the client and the environment that it belongs to.
pub type StoredSender = SenderView<Box<RawValue>>;

impl Senders {
    pub(crate) fn new(connection: &Connection, auditor: Auditor, clock: Arc<dyn Clock>) -> Self {
        Self { register: Register::new(connection), auditor, clock }
    }

    /// Sets the sender of a client's hosted sessions in an environment, replacing the previous one.
    ///
    /// # Errors
    /// [`Error::Invalid`] with all faults of the sender, [`Error::NotFound`].
    pub async fn set(
        &self,
        client_id: &ClientId,
        environment: Environment,
        json: &[u8],
    ) -> Result<StoredSender, Error> {
        let sender = Sender::parse(json).map_err(|faults| invalid("sender", &faults))?;
        let entry = self.auditor.entry(Operation::SetSender).for_client(client_id).about(environment.name());
        let set = async {
            existing_client(&self.register, client_id).await?;
            let record = SenderRecord { json: sender.canonical_json().to_owned(), set_at: self.clock.now() };
            let entry = entry.clone().with_detail(sender.content().name.as_str());
            self.register.set_sender(client_id, environment, &record, &entry).await?;
            view(client_id, environment, record)
        };
        let set = set.await;
        self.auditor.keep(&entry, set).await
    }

    /// The sender of a client's hosted sessions in an environment.
    ///
    /// # Errors
    /// [`Error::NotFound`].
    pub async fn read(&self, client_id: &ClientId, environment: Environment) -> Result<StoredSender, Error> {
        existing_client(&self.register, client_id).await?;
        let found = self.register.sender(client_id, environment).await?;
        let found = found.ok_or_else(|| Error::NotFound(no_sender(client_id, environment)))?;
        view(client_id, environment, found)
    }
}

/// Says that no sender was set, and which command sets it.
pub(crate) fn no_sender(client_id: &ClientId, environment: Environment) -> String {
    format!(
        "client {client_id} has no sender in {}; set it with lacre-admin sender set --client {client_id} \
         --environment {} FILE",
        environment.name(),
        environment.key_infix()
    )
}

fn view(client_id: &ClientId, environment: Environment, record: SenderRecord) -> Result<StoredSender, Error> {
    let SenderRecord { json, set_at } = record;
    Ok(SenderView {
        client_id: client_id.clone(),
        environment,
        sha256: Sha256Digest::of(json.as_bytes()).hex().into(),
        set_at: rfc3339(set_at).into(),
        sender: document("sender", json)?,
    })
}
