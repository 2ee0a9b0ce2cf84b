//! The fields of a body for people: type with bounds, and meaning.

use schemars::{JsonSchema, generate::Contract};
use serde_json::{Map, Value};

use super::{absent_instead_of_null, generator};
use crate::limits;

/// A field of a body.
pub(super) struct Field {
    pub(super) name: String,
    is_optional: bool,
    schema: Typed,
}

impl Field {
    /// The fields of a type, in its order.
    pub(super) fn all<T: JsonSchema>() -> Vec<Self> {
        let mut generator = generator(Contract::Serialize);
        let mut schema = T::json_schema(&mut generator).to_value();
        absent_instead_of_null(&mut schema);
        let definitions = generator.take_definitions(true);
        let required = schema["required"].as_array().map_or(&[][..], Vec::as_slice);
        let field = |(name, schema): (&String, &Value)| Self {
            name: name.clone(),
            is_optional: !required.iter().any(|required| required == name),
            schema: Typed::new(schema, &definitions),
        };
        schema["properties"].as_object().into_iter().flatten().map(field).collect()
    }

    /// The field's type as text: `number, 0 to 360, optional`.
    pub(super) fn kind(&self) -> String {
        format!("{}{}", self.schema.kind(), if self.is_optional { ", optional" } else { "" })
    }

    /// The field's meaning: its doc comment, and that of its type, which is the format of a string or the meaning of
    /// each value of an enumeration.
    pub(super) fn meaning(&self) -> String {
        let Typed { own, named, items, .. } = &self.schema;
        let named = items.as_ref().map_or(named, |items| &items.named);
        // A field may allow only some values of its enumeration.
        let is_its = |word: &&Value| own["enum"].as_array().is_none_or(|words| words.contains(&word["const"]));
        let words = named["oneOf"].as_array().into_iter().flatten().filter(is_its);
        let words: Vec<_> = words.filter_map(word).collect();
        let of_type = match words.as_slice() {
            [] if named["type"] == "string" => named["description"].as_str().unwrap_or_default().to_owned(),
            words => words.join(" "),
        };
        format!("{} {of_type}", own["description"].as_str().unwrap_or_default()).trim_end().to_owned()
    }
}

/// A value of an enumeration, with its meaning.
fn word(schema: &Value) -> Option<String> {
    Some(format!("`{}`: {}", schema["const"].as_str()?, schema["description"].as_str()?))
}

/// A field's own schema, and the named schema that it refers to, if any.
struct Typed {
    own: Value,
    named: Value,
    items: Option<Box<Self>>,
    is_nullable: bool,
}

impl Typed {
    fn new(schema: &Value, definitions: &Map<String, Value>) -> Self {
        let variants = schema["anyOf"].as_array().map_or(&[][..], Vec::as_slice);
        let reference = variants.iter().chain([schema]).find_map(|schema| schema["$ref"].as_str());
        let named = reference.and_then(|path| definitions.get(path.rsplit('/').next()?));
        Self {
            own: schema.clone(),
            named: named.cloned().unwrap_or_default(),
            items: schema.get("items").map(|items| Self::new(items, definitions).into()),
            is_nullable: variants.iter().any(|variant| variant["type"] == "null"),
        }
    }

    /// A keyword of the field's own schema or, if it is absent there, of the named one.
    fn keyword(&self, name: &str) -> &Value {
        self.own.get(name).unwrap_or(&self.named[name])
    }

    fn kind(&self) -> String {
        let mut kind = match (self.keyword("type"), &self.items) {
            (_, Some(items)) => format!("array of {}", items.kind()),
            (Value::String(name), None) => name.clone(),
            (Value::Array(names), None) => names.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" or "),
            // An enumeration, where each value has the type; or any type.
            _ => self.named["oneOf"][0]["type"].as_str().unwrap_or("any").to_owned(),
        };
        if self.is_nullable {
            kind += " or null";
        }
        let bound = |names: [&str; 3]| names.map(|name| self.keyword(name).as_number()).into_iter().flatten().next();
        let least = bound(["minimum", "minLength", "minItems"]);
        let most =
            bound(["maximum", "maxLength", "maxItems"]).filter(|most| most.as_u64() != Some(limits::MAX_SAFE_INTEGER));
        let is_text = ["minLength", "maxLength"].into_iter().any(|name| self.keyword(name).is_number());
        // Texts with other characters than those of ASCII say in which unit their length is.
        let is_in_characters = self.named["description"].as_str().is_some_and(|text| text.contains(" characters, "));
        let unit = match (is_text, is_in_characters) {
            (true, true) => " characters",
            (true, false) => " bytes",
            (false, _) => "",
        };
        match (least, most) {
            (Some(least), Some(most)) => format!("{kind}, {least} to {most}{unit}"),
            (Some(least), None) => format!("{kind}, {least} or more{unit}"),
            (None, Some(most)) => format!("{kind}, up to {most}{unit}"),
            (None, None) => kind,
        }
    }
}
