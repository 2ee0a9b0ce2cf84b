//! Clients: the companies that integrate the service.

use domain::{Client, ClientId, ClientStatus};

use crate::{Administration, Error, check_id, new_id};

/// Names are for people, and are shown in tables.
const NAME_CHARS: usize = 100;

impl Administration {
    /// Creates a client.
    ///
    /// # Errors
    /// [`Error::Invalid`] for an invalid name.
    pub async fn create_client(&self, name: &str) -> Result<Client, Error> {
        let client = Client { id: ClientId(new_id()), name: name_for_people(name)?, status: ClientStatus::Active };
        match self.register.add_client(&client).await? {
            true => Ok(client),
            false => Err(Error::changed_meanwhile("client")),
        }
    }

    /// All clients, by name.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn clients(&self) -> Result<Vec<Client>, Error> {
        Ok(self.register.clients().await?)
    }

    /// A client.
    ///
    /// # Errors
    /// [`Error::Invalid`] for a malformed id, [`Error::NotFound`].
    pub async fn client(&self, id: &ClientId) -> Result<Client, Error> {
        check_id("client", &id.0)?;
        self.register.client(id).await?.ok_or_else(|| Error::not_found("client", id))
    }

    /// Suspends a client: its API keys and licenses are refused until it is resumed. To suspend a suspended client repairs
    /// what an interrupted call left.
    ///
    /// # Errors
    /// [`Error::NotFound`], [`Error::Refused`] when another operator resumed it meanwhile; [`Error::Unavailable`] may leave some of
    /// its keys as they were: the same call again repairs that.
    pub async fn suspend_client(&self, id: &ClientId) -> Result<Client, Error> {
        self.set_client_status(id, ClientStatus::Suspended).await
    }

    /// Resumes a client: what was refused because of the suspension works again.
    ///
    /// # Errors
    /// As [`Self::suspend_client`].
    pub async fn resume_client(&self, id: &ClientId) -> Result<Client, Error> {
        self.set_client_status(id, ClientStatus::Active).await
    }

    async fn set_client_status(&self, id: &ClientId, status: ClientStatus) -> Result<Client, Error> {
        let client = self.client(id).await?;
        match self.register.set_client_status(id, status).await? {
            true => Ok(Client { status, ..client }),
            false => Err(Error::changed_meanwhile("client")),
        }
    }
}

/// A name that fits a line, without what could break one.
pub(crate) fn name_for_people(name: &str) -> Result<String, Error> {
    let name = name.trim();
    let fits = !name.is_empty() && name.chars().count() <= NAME_CHARS && !name.chars().any(char::is_control);
    match fits {
        true => Ok(name.to_owned()),
        false => Err(Error::Invalid(format!("a name has 1 to {NAME_CHARS} characters and no line breaks"))),
    }
}
