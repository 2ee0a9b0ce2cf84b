//! Paginated lists.
//!
//! A page ends with a cursor: the key of its last item. The request alone determines the list, never the cursor: a
//! forged cursor is refused, or starts at another place of the same list.

use std::collections::BTreeMap;

use aws_sdk_dynamodb::Client;
use lacre_api::admin::limits::CURSOR_CHARS;

use crate::{
    Error,
    budgets::InTime,
    error::unavailable,
    item::{Item, text},
};

/// Why a page of a list was not read.
#[derive(Debug, thiserror::Error)]
pub enum PageError {
    /// The cursor is not one that this list returned.
    #[error("the cursor is not valid for this list: start from its first page")]
    InvalidCursor,
    /// A call to AWS failed, or an entry cannot be parsed.
    #[error(transparent)]
    Aws(#[from] Error),
}

/// The requested page of a list.
#[derive(Clone, Debug)]
pub struct PageRequest {
    /// The maximum number of entries, at least 1.
    pub limit: usize,
    /// The cursor after which the page starts; `None` for the first page.
    pub after: Option<String>,
}

impl PageRequest {
    /// The first page.
    #[must_use]
    pub fn first(limit: usize) -> Self {
        Self { limit, after: None }
    }
}

/// A page of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed<T> {
    /// The entries.
    pub entries: Vec<T>,
    /// The cursor of the next page; `None` on the last page.
    pub next: Option<String>,
}

impl<T> Listed<T> {
    /// The page with its entries replaced.
    pub fn with<U>(self, entries: Vec<U>) -> Listed<U> {
        Listed { entries, next: self.next }
    }

    /// The page with each entry parsed.
    pub(crate) fn read<U>(self, read: impl FnMut(T) -> Result<U, Error>) -> Result<Listed<U>, PageError> {
        let entries = self.entries.into_iter().map(read).collect::<Result<_, Error>>()?;
        Ok(Listed { entries, next: self.next })
    }
}

/// The items of one partition of a table or index, ordered by sort key.
pub(crate) struct List<'a> {
    pub(crate) table: &'a str,
    /// The index; `None` for the table itself, which is read with strong consistency. An index cannot be.
    pub(crate) index: Option<&'a str>,
    /// The name and value of the partition key.
    pub(crate) partition: (&'a str, &'a str),
    /// The name of the sort key, if there is one, and the prefix of the wanted values.
    pub(crate) sort: Option<(&'a str, &'a str)>,
    /// The other attributes of the table's primary key, for an index.
    pub(crate) key: &'a [&'a str],
    /// Whether the items are returned in descending order.
    pub(crate) descending: bool,
}

impl<'a> List<'a> {
    /// The items of a partition in a table with the primary key `pk` and `sk`, restricted to a prefix of the sort key.
    pub(crate) fn of_accounts(table: &'a str, partition: &'a str, prefix: &'a str) -> Self {
        let (partition, sort) = (("pk", partition), Some(("sk", prefix)));
        Self { table, index: None, partition, sort, key: &[], descending: false }
    }

    /// The list in descending order.
    pub(crate) fn descending(self) -> Self {
        Self { descending: true, ..self }
    }

    /// Reads one page.
    ///
    /// # Errors
    /// [`PageError`].
    pub(crate) async fn page(&self, client: &Client, page: &PageRequest) -> Result<Listed<Item>, PageError> {
        let start = page.after.as_deref().map(|cursor| self.start(cursor)).transpose()?;
        // Requests one item more than the limit, to learn whether there is another page.
        let query = self.query(client).limit(i32::try_from(page.limit).unwrap_or(i32::MAX).saturating_add(1));
        let answer = query.set_exclusive_start_key(start).send().in_time().await;
        let answer = answer.map_err(|error| unavailable("Query", &error))?;
        let mut entries = answer.items.unwrap_or_default();
        let is_longer = entries.len() > page.limit;
        entries.truncate(page.limit);
        let next = match entries.last() {
            Some(last) if is_longer => Some(self.cursor(last)),
            // A page of DynamoDB ends at 1 MB, so it may contain fewer items than requested.
            _ => answer.last_evaluated_key.as_ref().map(|key| self.cursor(key)),
        };
        Ok(Listed { entries, next })
    }

    /// The number of items, up to `most`, and whether there are more.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub(crate) async fn count(&self, client: &Client, most: usize) -> Result<(usize, bool), Error> {
        let limit = i32::try_from(most).unwrap_or(i32::MAX).saturating_add(1);
        let query = self.query(client).select(aws_sdk_dynamodb::types::Select::Count).limit(limit);
        let answer = query.send().in_time().await.map_err(|error| unavailable("Query", &error))?;
        let count = usize::try_from(answer.count).unwrap_or_default();
        Ok((count.min(most), count > most))
    }

    fn query(&self, client: &Client) -> aws_sdk_dynamodb::operation::query::builders::QueryFluentBuilder {
        let query = client
            .query()
            .table_name(self.table)
            .set_index_name(self.index.map(str::to_owned))
            .consistent_read(self.index.is_none())
            .scan_index_forward(!self.descending)
            .expression_attribute_names("#partition", self.partition.0)
            .expression_attribute_values(":partition", text(self.partition.1));
        match self.sort {
            Some((attribute, prefix)) if !prefix.is_empty() => query
                .key_condition_expression("#partition = :partition AND begins_with(#sort, :prefix)")
                .expression_attribute_names("#sort", attribute)
                .expression_attribute_values(":prefix", text(prefix)),
            _ => query.key_condition_expression("#partition = :partition"),
        }
    }

    /// The attributes besides the partition key that identify an item's position in the list.
    fn place(&self) -> impl Iterator<Item = &str> {
        self.sort.map(|(attribute, _)| attribute).into_iter().chain(self.key.iter().copied())
    }

    fn cursor(&self, item: &Item) -> String {
        let value = |name: &str| Some((name.to_owned(), item.get(name)?.as_s().ok()?.clone()));
        let place: BTreeMap<String, String> = self.place().filter_map(value).collect();
        hex::encode(serde_json::to_vec(&place).unwrap_or_default())
    }

    fn start(&self, cursor: &str) -> Result<Item, PageError> {
        let read = (cursor.len() <= CURSOR_CHARS).then(|| hex::decode(cursor).ok()).flatten();
        let place: Option<BTreeMap<String, String>> = read.and_then(|bytes| serde_json::from_slice(&bytes).ok());
        let place = place.ok_or(PageError::InvalidCursor)?;
        let begins = |name: &str, value: &String| match self.sort {
            Some((attribute, prefix)) if attribute == name => value.starts_with(prefix),
            _ => !value.is_empty(),
        };
        let mut start = Item::from([(self.partition.0.to_owned(), text(self.partition.1))]);
        for name in self.place() {
            let value = place.get(name).filter(|value| begins(name, value)).ok_or(PageError::InvalidCursor)?;
            start.insert(name.to_owned(), text(value));
        }
        match place.len() + 1 == start.len() {
            true => Ok(start),
            false => Err(PageError::InvalidCursor),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn list() -> List<'static> {
        List::of_accounts("table", "clients", "b")
    }

    #[test]
    fn a_cursor_fits_only_its_list() {
        let item = Item::from([("pk".to_owned(), text("clients")), ("sk".to_owned(), text("banco#1"))]);
        let cursor = list().cursor(&item);
        assert_eq!(list().start(&cursor).unwrap(), item);

        let written = |json: &str| hex::encode(json);
        for other in [
            String::new(),
            "7".repeat(CURSOR_CHARS + 2),
            "é".to_owned(),
            written("[]"),
            written("{}"),
            written(r#"{"sk":1}"#),
            written(r#"{"sk":"antes#1"}"#),
            written(r#"{"sk":"banco#1","pk":"signer#PRODUCTION"}"#),
        ] {
            assert!(matches!(list().start(&other), Err(PageError::InvalidCursor)), "{other}");
        }
    }
}
