//! The notes that a client was moved from one cell to another.

use aws_sdk_dynamodb::types::AttributeValue;
use domain::{AuditEntry, ClientId, ClientMove};

use super::{IS_NEW, Register};
use crate::{
    Error,
    account_keys::{key_item, move_key},
    item::{decode, encode, text},
    transaction::put,
};

/// Whether a note is about the cell that a client goes to, or about the one that it comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MoveSide {
    /// It leaves this cell.
    To,
    /// It came into this cell.
    From,
}

/// What a cell notes about the moves of a client.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClientMoves {
    /// Where it goes to.
    pub to: Option<ClientMove>,
    /// Where it came from.
    pub from: Option<ClientMove>,
}

impl MoveSide {
    fn name(self) -> &'static str {
        match self {
            Self::To => "to",
            Self::From => "from",
        }
    }
}

impl Register {
    /// What is noted about the moves of a client.
    ///
    /// # Errors
    /// [`Error::Corrupt`], [`Error::Unavailable`].
    pub async fn moves(&self, client: &ClientId) -> Result<ClientMoves, Error> {
        let [to, from] = [MoveSide::To, MoveSide::From].map(|side| move_key(client, side.name()));
        let items = self.read(vec![to.clone(), from.clone()]).await?;
        let noted = |(pk, sk): &(String, String)| {
            let item = items.iter().find(|item| crate::item::holds(item, &key_item(pk, sk)));
            item.map(|item| decode("note of a move", item.clone())).transpose()
        };
        Ok(ClientMoves { to: noted(&to)?, from: noted(&from)? })
    }

    /// Notes a move where none was noted, or that a noted one is closed. `false` when it is noted otherwise.
    ///
    /// # Errors
    /// [`Error::Repeated`], [`Error::NothingChanged`], [`Error::Unavailable`].
    pub async fn note_move(
        &self,
        client: &ClientId,
        side: MoveSide,
        note: &ClientMove,
        entry: &AuditEntry,
    ) -> Result<bool, Error> {
        let (pk, sk) = move_key(client, side.name());
        let item = encode("note of a move", note, [("pk", text(pk)), ("sk", text(sk))])?;
        let put = match note.closed {
            false => put(&self.table, item, IS_NEW, &[]),
            true => {
                let open = [(":cell", text(note.cell.as_str())), (":open", AttributeValue::Bool(false))];
                put(&self.table, item, Some("cell = :cell AND closed = :open"), &open)
            }
        };
        self.audit.write(vec![put?], entry).await
    }
}
