//! Values with the place where they stand, and the faults that are found there.

use std::collections::BTreeMap;

use lacre_api::kit::{KitFault, KitRule};

use super::json::Json;

/// The faults found so far. A reader that returns `None` has added at least one.
#[derive(Default)]
pub(crate) struct Faults(Vec<KitFault>);

impl Faults {
    /// Adds a fault at a place. The message is one or more complete sentences.
    pub(crate) fn add(&mut self, path: &str, rule: KitRule, message: impl Into<String>) {
        self.0.push(KitFault { path: path.to_owned(), rule, message: message.into() });
    }

    /// The value if nothing was found, otherwise the faults.
    pub(crate) fn or<T>(self, value: Option<T>) -> Result<T, Vec<KitFault>> {
        match value {
            Some(value) if self.0.is_empty() => Ok(value),
            _ => Err(self.0),
        }
    }
}

/// A value and the JSON Pointer to it.
pub(crate) struct Place<'a> {
    pub(crate) path: String,
    pub(crate) value: &'a Json,
}

impl<'a> Place<'a> {
    /// A string.
    pub(crate) fn text(&self, faults: &mut Faults) -> Option<&'a str> {
        match self.value {
            Json::Text(text) => Some(text),
            _ => self.wrong("a string", faults),
        }
    }

    /// A boolean.
    pub(crate) fn bool(&self, faults: &mut Faults) -> Option<bool> {
        match self.value {
            Json::Bool(value) => Some(*value),
            _ => self.wrong("true or false", faults),
        }
    }

    /// A number.
    pub(crate) fn number(&self, faults: &mut Faults) -> Option<f64> {
        match self.value {
            Json::Number(number) => Some(*number),
            _ => self.wrong("a number", faults),
        }
    }

    /// The items of a list.
    pub(crate) fn list(&self, faults: &mut Faults) -> Option<Vec<Place<'a>>> {
        let Json::List(items) = self.value else { return self.wrong("a list", faults) };
        let place = |(index, value)| Place { path: format!("{}/{index}", self.path), value };
        Some(items.iter().enumerate().map(place).collect())
    }

    /// The members of an object. Adds a fault for each that stands a second time.
    pub(crate) fn members(&self, faults: &mut Faults) -> Option<Members<'a>> {
        let Json::Object(members) = self.value else { return self.wrong("an object", faults) };
        let mut names = BTreeMap::new();
        for (name, value) in members {
            if names.contains_key(name.as_str()) {
                let message = "This field stands here more than once. Keep one of them.";
                faults.add(&member_of(&self.path, name), KitRule::DuplicateField, message);
            } else {
                names.insert(name.as_str(), value);
            }
        }
        Some(Members { path: self.path.clone(), members: names })
    }

    fn wrong<T>(&self, wanted: &str, faults: &mut Faults) -> Option<T> {
        let message = format!("This must be {wanted}, and it is {}.", self.value.kind());
        faults.add(&self.path, KitRule::WrongType, message);
        None
    }
}

/// The members of an object that were not read yet.
pub(crate) struct Members<'a> {
    path: String,
    members: BTreeMap<&'a str, &'a Json>,
}

impl<'a> Members<'a> {
    /// Reads a member that must be there.
    pub(crate) fn required<T>(
        &mut self,
        name: &str,
        faults: &mut Faults,
        read: impl FnOnce(&Place<'a>, &mut Faults) -> Option<T>,
    ) -> Option<T> {
        let Some(place) = self.take(name) else {
            let message = format!("The required field `{name}` is missing. Add it.");
            faults.add(&member_of(&self.path, name), KitRule::MissingField, message);
            return None;
        };
        read(&place, faults)
    }

    /// Reads a member that may be missing. `None` if it is missing or invalid.
    pub(crate) fn optional<T>(
        &mut self,
        name: &str,
        faults: &mut Faults,
        read: impl FnOnce(&Place<'a>, &mut Faults) -> Option<T>,
    ) -> Option<T> {
        self.take(name).and_then(|place| read(&place, faults))
    }

    /// Adds a fault for each member that nothing has read.
    pub(crate) fn end(self, faults: &mut Faults) {
        for name in self.members.keys() {
            let message = "There is no such field here. Remove it, or correct its name.";
            faults.add(&member_of(&self.path, name), KitRule::UnknownField, message);
        }
    }

    fn take(&mut self, name: &str) -> Option<Place<'a>> {
        let value = self.members.remove(name)?;
        Some(Place { path: member_of(&self.path, name), value })
    }
}

/// The JSON Pointer to a member (RFC 6901, section 3).
fn member_of(path: &str, name: &str) -> String {
    format!("{path}/{}", name.replace('~', "~0").replace('/', "~1"))
}
