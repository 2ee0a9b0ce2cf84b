//! Lists, a page at a time.
//!
//! A page ends with a cursor: the key of its last item. A cursor that was not given is refused, or starts elsewhere in the same
//! list: which list it is, the request says and never the cursor.

use std::collections::BTreeMap;

use aws_sdk_dynamodb::Client;
use lacre_api::admin::limits::CURSOR_CHARS;

use crate::{
    Error,
    budgets::InTime,
    error::unavailable,
    item::{Item, text},
};

/// Which page of a list is asked for.
#[derive(Clone, Debug)]
pub struct PageRequest {
    /// The most entries of the page, at least 1.
    pub limit: usize,
    /// Where it starts; `None` for the first page.
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
    /// The cursor of the next page; `None` on the last.
    pub next: Option<String>,
}

impl<T> Listed<T> {
    /// The same page with other entries.
    pub fn with<U>(self, entries: Vec<U>) -> Listed<U> {
        Listed { entries, next: self.next }
    }

    /// The same page with each entry read.
    pub(crate) fn read<U>(self, read: impl FnMut(T) -> Result<U, Error>) -> Result<Listed<U>, Error> {
        let entries = self.entries.into_iter().map(read).collect::<Result<_, _>>()?;
        Ok(Listed { entries, next: self.next })
    }
}

/// The items under one partition key of a table or of an index, in the order of their sort keys.
pub(crate) struct List<'a> {
    pub(crate) table: &'a str,
    /// `None` is the table itself, which is read strongly consistent; an index cannot be.
    pub(crate) index: Option<&'a str>,
    /// The partition key's attribute and value.
    pub(crate) partition: (&'a str, &'a str),
    /// The sort key's attribute, where there is one, and what it begins with.
    pub(crate) sort: Option<(&'a str, &'a str)>,
    /// The other attributes of the table's key, for an index.
    pub(crate) key: &'a [&'a str],
    /// Whether the last comes first.
    pub(crate) descending: bool,
}

impl<'a> List<'a> {
    /// The items under a key of a table whose key is `pk` and `sk`, by what their sort keys begin with.
    pub(crate) fn of_accounts(table: &'a str, partition: &'a str, prefix: &'a str) -> Self {
        let (partition, sort) = (("pk", partition), Some(("sk", prefix)));
        Self { table, index: None, partition, sort, key: &[], descending: false }
    }

    /// The same, the last first.
    pub(crate) fn descending(self) -> Self {
        Self { descending: true, ..self }
    }

    /// One page.
    ///
    /// # Errors
    /// [`Error::InvalidCursor`], [`Error::Unavailable`].
    pub(crate) async fn page(&self, client: &Client, page: &PageRequest) -> Result<Listed<Item>, Error> {
        let start = page.after.as_deref().map(|cursor| self.start(cursor)).transpose()?;
        // One more than asked for shows whether there is another page.
        let query = self.query(client).limit(i32::try_from(page.limit).unwrap_or(i32::MAX).saturating_add(1));
        let answer = query.set_exclusive_start_key(start).send().in_time().await;
        let answer = answer.map_err(|error| unavailable("Query", &error))?;
        let mut entries = answer.items.unwrap_or_default();
        let is_longer = entries.len() > page.limit;
        entries.truncate(page.limit);
        let next = match entries.last() {
            Some(last) if is_longer => Some(self.cursor(last)),
            // A page of DynamoDB ends at a megabyte.
            _ => answer.last_evaluated_key.as_ref().map(|key| self.cursor(key)),
        };
        Ok(Listed { entries, next })
    }

    /// The number of items, as far as `most`; with whether there are more.
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

    /// The attributes of an item that say where it lies, but for the partition.
    fn place(&self) -> impl Iterator<Item = &str> {
        self.sort.map(|(attribute, _)| attribute).into_iter().chain(self.key.iter().copied())
    }

    fn cursor(&self, item: &Item) -> String {
        let value = |name: &str| Some((name.to_owned(), item.get(name)?.as_s().ok()?.clone()));
        let place: BTreeMap<String, String> = self.place().filter_map(value).collect();
        hex::encode(serde_json::to_vec(&place).unwrap_or_default())
    }

    fn start(&self, cursor: &str) -> Result<Item, Error> {
        let read = (cursor.len() <= CURSOR_CHARS).then(|| hex::decode(cursor).ok()).flatten();
        let place: Option<BTreeMap<String, String>> = read.and_then(|bytes| serde_json::from_slice(&bytes).ok());
        let place = place.ok_or(Error::InvalidCursor)?;
        let begins = |name: &str, value: &String| match self.sort {
            Some((attribute, prefix)) if attribute == name => value.starts_with(prefix),
            _ => !value.is_empty(),
        };
        let mut start = Item::from([(self.partition.0.to_owned(), text(self.partition.1))]);
        for name in self.place() {
            let value = place.get(name).filter(|value| begins(name, value)).ok_or(Error::InvalidCursor)?;
            start.insert(name.to_owned(), text(value));
        }
        match place.len() + 1 == start.len() {
            true => Ok(start),
            false => Err(Error::InvalidCursor),
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
    fn a_cursor_names_a_place_in_its_own_list_and_nothing_else() {
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
            assert!(matches!(list().start(&other), Err(Error::InvalidCursor)), "{other}");
        }
    }
}
