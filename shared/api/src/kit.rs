//! Capture kits: which photos a customer is asked for, and what the page says about each.

pub mod limits;

use serde::{Deserialize, Serialize};

use crate::{
    Framing,
    values::{texts, words},
};

/// A capture kit: the photos that a customer is asked for.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema), schemars(deny_unknown_fields))]
pub struct Kit {
    /// The name by which a session asks for the kit. The names of the profiles are reserved.
    pub name: KitName,
    /// The photos, in the order in which they are asked for.
    #[cfg_attr(feature = "openapi", schemars(length(min = 1, max = limits::STEPS)))]
    pub steps: Vec<KitStep>,
}

/// A step of a kit: one photo.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema), schemars(deny_unknown_fields))]
pub struct KitStep {
    /// The step's id, which no other step of the kit has.
    pub id: StepId,
    /// What the photo shows, in a word or two. It is the photo's label.
    pub title: Translations<StepTitle>,
    /// What the customer is to do.
    pub instruction: Translations<StepInstruction>,
    /// What makes the photo a good one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tip: Option<Translations<StepTip>>,
    /// The aspect ratio to which the photo is cropped.
    pub framing: Framing,
    /// The kind of picture. Default: `object`.
    #[serde(skip_serializing_if = "is_default")]
    pub subject: Subject,
    /// Whether the customer may skip the photo. The last step of a kit cannot be skipped. Default: `false`.
    #[serde(skip_serializing_if = "is_default")]
    pub optional: bool,
    /// The sharpness below which the page warns: the smaller it is, the more blurred a photo may be. It never prevents a
    /// photo.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(
        feature = "openapi",
        schemars(range(min = *limits::SHARPNESS_FLOORS.start(), max = *limits::SHARPNESS_FLOORS.end()))
    )]
    pub sharpness_floor: Option<f64>,
    /// The length of the photo's shorter side, in pixels, below which the page warns. It never prevents a photo.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(
        feature = "openapi",
        schemars(range(min = *limits::SHORT_SIDES.start() as u32, max = *limits::SHORT_SIDES.end() as u32))
    )]
    pub min_short_side: Option<u32>,
    /// Whether the page recommends the phone's light. Default: `off`.
    #[serde(skip_serializing_if = "is_default")]
    pub torch: Torch,
    /// Whether the photo shows a display, such as a digital odometer. Default: `false`.
    #[serde(skip_serializing_if = "is_default")]
    pub display_expected: bool,
    /// The lines that the page draws over the picture. Default: none.
    #[serde(skip_serializing_if = "is_default")]
    #[cfg_attr(feature = "openapi", schemars(length(max = limits::OUTLINE_PATHS)))]
    pub outline: Vec<OutlinePath>,
}

/// A text in the languages of the page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(
    feature = "openapi",
    derive(schemars::JsonSchema),
    schemars(deny_unknown_fields, rename = "TranslationsOf{T}")
)]
pub struct Translations<T> {
    /// In Brazilian Portuguese. It is shown, too, where the text in the page's language is missing.
    #[serde(rename = "pt-BR")]
    pub portuguese: T,
    /// In English.
    #[serde(rename = "en", skip_serializing_if = "Option::is_none")]
    pub english: Option<T>,
    /// In Spanish.
    #[serde(rename = "es", skip_serializing_if = "Option::is_none")]
    pub spanish: Option<T>,
}

/// A line of an outline.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema), schemars(deny_unknown_fields))]
pub struct OutlinePath {
    /// The line.
    pub d: PathData,
}

texts! {
    /// A lower-case letter, followed by at most 31 lower-case letters, digits and hyphens.
    KitName as "KitName" { "pattern": NAME, "not": reserved(), "examples": ["auto-previa"] }
    /// A lower-case letter, followed by at most 31 lower-case letters, digits and hyphens.
    StepId as "StepId" { "pattern": NAME, "examples": ["chassi"] }
    /// At most 64 bytes in UTF-8, without control and format characters and without `<>&"'` and backtick.
    StepTitle as "StepTitle" { "maxLength": crate::limits::LABEL_BYTES, "pattern": sentence(r#"<>&"'`"#) }
    /// At most 160 characters, without control and format characters and without `<` and `>`.
    StepInstruction as "StepInstruction" { "maxLength": limits::INSTRUCTION_CHARS, "pattern": sentence("<>") }
    /// At most 160 characters, without control and format characters and without `<` and `>`.
    StepNote as "StepNote" { "maxLength": limits::INSTRUCTION_CHARS, "pattern": sentence("<>") }
    /// At most 120 characters, without control and format characters and without `<` and `>`.
    StepTip as "StepTip" { "maxLength": limits::TIP_CHARS, "pattern": sentence("<>") }
    /// SVG path data of absolute commands: `M`, `L`, `H`, `V`, `C`, `S`, `Q`, `T`, `A` and `Z`.
    PathData as "PathData" {
        "pattern": r"^[ \t\n\f\r]*M[MLHVCSQTAZ0-9.,+eE \t\n\f\r-]*$",
        "examples": ["M100 380H900V520H100Z"],
    }
}

/// The form of the name of a kit and of the id of a step.
#[cfg(feature = "openapi")]
const NAME: &str = "^[a-z][a-z0-9-]{0,31}$";
/// The names that a kit cannot have.
#[cfg(feature = "openapi")]
fn reserved() -> serde_json::Value {
    serde_json::json!({ "enum": crate::Profile::ALL.map(crate::Profile::name) })
}

/// The form of a text: something visible, without control characters and without these characters of markup.
#[cfg(feature = "openapi")]
pub(crate) fn sentence(markup: &str) -> String {
    let refused = format!(r"{markup}\x00-\x1f\x7f-\x9f\u2028\u2029");
    format!(r"^[^{refused}]*[^\s{refused}][^{refused}]*$")
}

words! {
    /// The kind of picture that a step asks for.
    Subject {
        /// A whole object, such as a vehicle or a device.
        Object = "object",
        /// A part of an object, such as a tyre or a dent.
        Detail = "detail",
        /// Characters on an object, such as a plate or a serial number.
        Text = "text",
        /// A document on paper or plastic.
        Document = "document",
        /// A lit display, such as a digital odometer.
        Display = "display",
        /// The inside of a room.
        Room = "room",
        /// The outside of a building.
        Building = "building",
    }
    /// Whether the page recommends the phone's light.
    Torch {
        /// The page does not mention the light.
        Off = "off",
        /// The page recommends the light, where the phone has one.
        Suggest = "suggest",
    }
    /// A rule of a kit or of a sender. Programs distinguish faults by it.
    KitRule {
        /// A kit has at most 32 KiB, as it is given and in canonical form.
        KitSize = "kit_size",
        /// A kit is one JSON document in UTF-8, and so is a sender.
        NotJson = "not_json",
        /// Each value has the type of its field.
        WrongType = "wrong_type",
        /// Required fields are there.
        MissingField = "missing_field",
        /// There are no other fields than the documented ones.
        UnknownField = "unknown_field",
        /// An object has each field once.
        DuplicateField = "duplicate_field",
        /// Names and ids are a lower-case letter, followed by at most 31 lower-case letters, digits and hyphens.
        NameForm = "name_form",
        /// The names of the profiles are reserved.
        NameReserved = "name_reserved",
        /// The ids of a kit's steps differ.
        IdRepeated = "id_repeated",
        /// A kit has 1 to 20 steps, an outline at most 8 paths.
        Count = "count",
        /// A framing, a subject and a torch are words of their lists.
        UnknownWord = "unknown_word",
        /// A title is 1 to 64 bytes of a label's characters.
        TitleForm = "title_form",
        /// A text has more than spaces.
        TextEmpty = "text_empty",
        /// An instruction has at most 160 characters, a tip 120, a name of a sender 100, its other texts 400.
        TextLength = "text_length",
        /// A text has no control or format characters.
        TextInvisible = "text_invisible",
        /// A text has neither `<` nor `>`.
        TextMarkup = "text_markup",
        /// A number is within its range.
        OutOfRange = "out_of_range",
        /// The last step is not optional.
        LastOptional = "last_optional",
        /// A path has the grammar of SVG path data, and begins with `M`.
        PathSyntax = "path_syntax",
        /// A path has no other commands than the absolute ones.
        PathCommand = "path_command",
        /// The numbers of a path are within the canvas.
        PathCanvas = "path_canvas",
        /// The paths of an outline have at most 4,096 bytes together.
        OutlineSize = "outline_size",
        /// A sender has at most 64 KiB.
        SenderSize = "sender_size",
        /// A logo is a still PNG in base64, with at most 8 bits for each channel.
        LogoForm = "logo_form",
        /// A logo has at most 16 KiB, and 512 by 512 pixels.
        LogoSize = "logo_size",
        /// An address of a notice is an absolute https URL, without credentials and fragment.
        UrlForm = "url_form",
    }
}

#[expect(clippy::derivable_impls, reason = "`words!` defines the type")]
impl Default for Subject {
    fn default() -> Self {
        Self::Object
    }
}

#[expect(clippy::derivable_impls, reason = "`words!` defines the type")]
impl Default for Torch {
    fn default() -> Self {
        Self::Off
    }
}

/// Why a kit or a sender is invalid.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct KitFault {
    /// The value that breaks the rule, as a JSON Pointer (RFC 6901). A missing field is named by where it would be.
    pub path: String,
    /// The rule.
    pub rule: KitRule,
    /// What is wrong, and what to do.
    pub message: String,
}

/// Whether a field has the value that it also has where it is omitted.
fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}
