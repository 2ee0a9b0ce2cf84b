//! Clients: the companies that integrate the service.

use std::sync::Arc;

use lacre_api::admin::limits::NAME_CHARS;
use lacre_domain::{Client, ClientId, ClientStatus, Clock, Operation};
use lacre_storage::{Connection, Listed, PageRequest, Register};

use crate::{Error, caller::Auditor, new_id};

/// The operations on clients.
pub struct Clients {
    register: Register,
    auditor: Auditor,
    clock: Arc<dyn Clock>,
}

impl Clients {
    pub(crate) fn new(connection: &Connection, auditor: Auditor, clock: Arc<dyn Clock>) -> Self {
        Self { register: Register::new(connection), auditor, clock }
    }

    /// Creates a client.
    ///
    /// # Errors
    /// [`Error::Invalid`] if the name is invalid.
    pub async fn create(&self, name: &str) -> Result<Client, Error> {
        let id = ClientId::from_u128(new_id(self.clock.now()));
        let entry = self.auditor.entry(Operation::CreateClient).for_client(&id);
        let created = async {
            let client = Client { id, name: name_for_people(name)?, status: ClientStatus::Active };
            let entry = entry.clone().with_detail(client.name.as_str());
            match self.register.add_client(&client, &entry).await? {
                true => Ok(client),
                false => Err(Error::changed_meanwhile("client")),
            }
        };
        let created = created.await;
        self.auditor.keep(&entry, created).await
    }

    /// The clients whose names begin with `search`, ignoring case and accents, ordered by name; or the client with that
    /// id.
    ///
    /// # Errors
    /// [`Error::Invalid`] for an invalid cursor; [`Error::Unavailable`].
    pub async fn list(&self, search: &str, page: &PageRequest) -> Result<Listed<Client>, Error> {
        if let Ok(id) = ClientId::parse(search) {
            let found = self.register.client(&id).await?;
            return Ok(Listed { entries: found.into_iter().collect(), next: None });
        }
        Ok(self.register.clients(search, page).await?)
    }

    /// A client.
    ///
    /// # Errors
    /// [`Error::NotFound`].
    pub async fn read(&self, id: &ClientId) -> Result<Client, Error> {
        existing_client(&self.register, id).await
    }

    /// Suspends a client: its API keys and licenses are refused until it is resumed. Suspending a suspended client
    /// again completes an interrupted call.
    ///
    /// # Errors
    /// [`Error::NotFound`]; [`Error::Refused`] if another operator resumed it in the meantime. After
    /// [`Error::Unavailable`], some of its keys may be unchanged; repeating the call repairs that.
    pub async fn suspend(&self, id: &ClientId) -> Result<Client, Error> {
        self.set_status(id, ClientStatus::Suspended).await
    }

    /// Resumes a client: its API keys and licenses work again.
    ///
    /// # Errors
    /// The same as [`Self::suspend`].
    pub async fn resume(&self, id: &ClientId) -> Result<Client, Error> {
        self.set_status(id, ClientStatus::Active).await
    }

    async fn set_status(&self, id: &ClientId, status: ClientStatus) -> Result<Client, Error> {
        let operation = match status {
            ClientStatus::Suspended => Operation::SuspendClient,
            ClientStatus::Active => Operation::ResumeClient,
        };
        let entry = self.auditor.entry(operation).for_client(id);
        let set = async {
            let client = existing_client(&self.register, id).await?;
            match self.register.set_client_status(id, status, &entry).await? {
                true => Ok(Client { status, ..client }),
                false => Err(Error::changed_meanwhile("client")),
            }
        };
        let set = set.await;
        self.auditor.keep(&entry, set).await
    }
}

/// Reads a client, which must exist.
pub(crate) async fn existing_client(register: &Register, id: &ClientId) -> Result<Client, Error> {
    register.client(id).await?.ok_or_else(|| Error::not_found("client", id))
}

/// Reads a client, which must exist and not be suspended.
pub(crate) async fn active_client(register: &Register, id: &ClientId) -> Result<Client, Error> {
    let client = existing_client(register, id).await?;
    match client.status {
        ClientStatus::Active => Ok(client),
        ClientStatus::Suspended => Err(Error::Refused(format!("client {id} is suspended; resume it first"))),
    }
}

/// Checks and trims a name: 1 to [`NAME_CHARS`] characters without control characters.
pub(crate) fn name_for_people(name: &str) -> Result<String, Error> {
    let name = name.trim();
    let fits = !name.is_empty() && name.chars().count() <= NAME_CHARS && !name.chars().any(char::is_control);
    match fits {
        true => Ok(name.to_owned()),
        false => Err(Error::Invalid(format!("a name has 1 to {NAME_CHARS} characters and no line breaks"))),
    }
}
