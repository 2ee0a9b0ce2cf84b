//! The terms of a license. A row of the table below is the only definition of a term: the body of the admin API, the
//! record, the options of `lacre-admin`, the field of the console and the table of the documentation are made from it.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize};
use time::OffsetDateTime;

use crate::{CaptureResolution, Environment, limits, values::words};

words! {
    /// Whether the service stores the signed JPEG.
    StoreAssetPolicy {
        /// The signed JPEG is stored, and its URL can be renewed.
        Always = "ALWAYS",
        /// The signed JPEG is not stored: the response of the ingest carries the only copy.
        Never = "NEVER",
        /// Treated as `NEVER`.
        PerSession = "PER_SESSION",
    }

    /// How positions are checked.
    GpsMode {
        /// The position is recorded, but not checked.
        Off = "OFF",
        /// The result of the check is recorded in the manifest; a missing position is not refused.
        Observe = "OBSERVE",
        /// A capture without a position of sufficient accuracy is refused.
        Require = "REQUIRE",
    }

    /// What happens to a photo that probably shows a screen.
    RecaptureGate {
        /// The capture is refused.
        Block = "BLOCK",
        /// The photo is signed, with the result in the manifest.
        Record = "RECORD",
        /// Photos are not analysed.
        Off = "OFF",
    }

    /// Whether the service keeps a fingerprint of each photo, by which a copy leads back to it.
    FingerprintMode {
        /// No fingerprint is computed.
        Off = "OFF",
        /// The photo's ISCC Image-Code is kept, and copies of the photo can be looked up.
        Code = "CODE",
    }
}

impl StoreAssetPolicy {
    /// Whether the signed JPEG is stored.
    #[must_use]
    pub fn retains(self) -> bool {
        self == Self::Always
    }
}

/// A time of an agreement, in RFC 3339.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Moment(#[serde(with = "time::serde::rfc3339")] pub OffsetDateTime);

#[cfg(feature = "openapi")]
impl schemars::JsonSchema for Moment {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Moment".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "string", "format": "date-time" })
    }
}

/// A maximum number of photos; `None`, in JSON `null`, means unlimited.
pub type MostPhotos = Option<u32>;

/// The type of a term's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A time in RFC 3339.
    Time,
    /// An integer.
    Count,
    /// An integer, or `null` for unlimited.
    CountOrNull,
    /// A number.
    Number,
    /// True or false.
    Flag,
    /// A list of origins.
    Origins,
    /// One of the given words.
    Word(&'static [&'static str]),
}

/// The numbers that a term may have.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bounds {
    /// Every number of the term's type.
    Any,
    /// Numbers greater than this one.
    Above(f64),
    /// Numbers greater than or equal to this one.
    AtLeast(f64),
    /// Numbers less than or equal to this one.
    AtMost(f64),
    /// Numbers from the first to the second, both included.
    Within(f64, f64),
}

impl Bounds {
    /// Whether a number is within the bounds.
    #[must_use]
    pub fn admit(self, number: f64) -> bool {
        number.is_finite()
            && match self {
                Self::Any => true,
                Self::Above(least) => number > least,
                Self::AtLeast(least) => number >= least,
                Self::AtMost(most) => number <= most,
                Self::Within(least, most) => (least..=most).contains(&number),
            }
    }
}

/// The definition of a term, for code that shows, parses or documents terms.
#[derive(Clone, Copy, Debug)]
pub struct Term {
    /// The name in the API.
    pub name: &'static str,
    /// The type of the value.
    pub kind: Kind,
    /// The numbers that the term may have.
    pub bounds: Bounds,
    /// The meaning in English: one paragraph of plain text with code in backticks.
    pub documentation: &'static str,
    /// The meaning in Portuguese, for the console.
    pub documentation_pt: &'static str,
    /// The name for people in English.
    pub title: &'static str,
    /// The name for people in Portuguese.
    pub title_pt: &'static str,
    /// The option of `lacre-admin` that sets the term, without dashes. For a list, the option adds one origin.
    pub option: &'static str,
    /// The option that empties the term, if it is a list.
    pub no_option: &'static str,
    default: fn(Environment) -> Option<String>,
}

impl Term {
    /// The value that a new license of an environment gets if the term is absent, as JSON text; words are without
    /// quotes. `None` for a term that is required.
    #[must_use]
    pub fn default(&self, environment: Environment) -> Option<String> {
        (self.default)(environment)
    }

    /// The value that a new license gets if the term is absent, for people: `NEVER`, or `true in PRODUCTION, false in
    /// STAGING and SANDBOX`.
    #[must_use]
    pub fn at_issue(&self) -> String {
        let unlimited = limits::UNLIMITED_VOLUME.to_string();
        let shown = |environment| match self.default(environment).as_deref() {
            None => "required".to_owned(),
            Some("[]") => "none".to_owned(),
            Some(default) if default == "null" || default == unlimited => "unlimited".to_owned(),
            Some(default) => default.to_owned(),
        };
        let mut groups: Vec<(String, Vec<&str>)> = Vec::new();
        for environment in Environment::ALL {
            let default = shown(environment);
            match groups.iter_mut().find(|(shared, _)| *shared == default) {
                Some((_, environments)) => environments.push(environment.name()),
                None => groups.push((default, vec![environment.name()])),
            }
        }
        match groups.as_slice() {
            [(default, _)] => default.clone(),
            _ => {
                let part = |(default, environments): &(String, Vec<&str>)| {
                    format!("{default} in {}", environments.join(" and "))
                };
                groups.iter().map(part).collect::<Vec<_>>().join(", ")
            }
        }
    }

    /// What the value must be, for people: `a number from 1 to 4`.
    #[must_use]
    pub fn requirement(&self) -> String {
        let kind = match self.kind {
            Kind::Time => "a time in RFC 3339".to_owned(),
            Kind::Count | Kind::CountOrNull => "a whole number".to_owned(),
            Kind::Number => "a number".to_owned(),
            Kind::Flag => "true or false".to_owned(),
            Kind::Origins => "a list of origins".to_owned(),
            Kind::Word(words) => format!("one of {}", words.join(", ")),
        };
        let bounds = match self.bounds {
            Bounds::Any => String::new(),
            Bounds::Above(least) => format!(" above {least}"),
            Bounds::AtLeast(least) => format!(" from {least}"),
            Bounds::AtMost(most) => format!(" up to {most}"),
            Bounds::Within(least, most) => format!(" from {least} to {most}"),
        };
        let or_null = if self.kind == Kind::CountOrNull { ", or null for no limit" } else { "" };
        format!("{kind}{bounds}{or_null}")
    }
}

/// Why a single term is missing or has an invalid value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TermFault {
    /// A required term is missing.
    Missing(&'static str),
    /// A number is out of its bounds: the name of the term, and what it must be.
    OutOfBounds(&'static str, String),
}

impl fmt::Display for TermFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing(name) => write!(f, "{name} must be named"),
            Self::OutOfBounds(name, requirement) => write!(f, "{name} must be {requirement}"),
        }
    }
}

impl std::error::Error for TermFault {}

/// A type of values for which JSON `null` may have a meaning.
pub trait Nullable: Sized {
    /// The value that `null` stands for. If it is `None`, `null` counts as an absent term.
    #[must_use]
    fn of_null() -> Option<Self> {
        None
    }
}

/// A value of a term in its JSON form.
trait TermValue: Nullable {
    /// The type of the value.
    const KIND: Kind;

    /// The value as [`Term::default`] shows it.
    fn text(&self) -> String;

    /// The value as a number, if it is one.
    fn number(&self) -> Option<f64> {
        None
    }
}

/// Implements [`TermValue`] for types whose text is their `Display` form.
macro_rules! values {
    ($($name:ty: $kind:expr, $number:expr;)*) => {$(
        impl Nullable for $name {}

        impl TermValue for $name {
            const KIND: Kind = $kind;

            fn text(&self) -> String {
                self.to_string()
            }

            fn number(&self) -> Option<f64> {
                $number(*self)
            }
        }
    )*};
}

values! {
    u64: Kind::Count, exact;
    f64: Kind::Number, Some;
    bool: Kind::Flag, |_| None;
    StoreAssetPolicy: Kind::Word(Self::WORDS), |_| None;
    GpsMode: Kind::Word(Self::WORDS), |_| None;
    RecaptureGate: Kind::Word(Self::WORDS), |_| None;
    FingerprintMode: Kind::Word(Self::WORDS), |_| None;
    CaptureResolution: Kind::Word(Self::WORDS), |_| None;
}

/// A count as a floating-point number. Counts that are too large to be exact exceed every bound anyway.
#[allow(clippy::cast_precision_loss, clippy::unnecessary_wraps)]
fn exact(count: u64) -> Option<f64> {
    Some(count as f64)
}

impl Nullable for Moment {}

impl TermValue for Moment {
    const KIND: Kind = Kind::Time;

    fn text(&self) -> String {
        self.0.to_string()
    }
}

impl Nullable for MostPhotos {
    fn of_null() -> Option<Self> {
        Some(None)
    }
}

impl TermValue for MostPhotos {
    const KIND: Kind = Kind::CountOrNull;

    fn text(&self) -> String {
        self.map_or_else(|| "null".to_owned(), |most| most.to_string())
    }

    fn number(&self) -> Option<f64> {
        self.map(f64::from)
    }
}

impl<O> Nullable for Vec<O> {}

impl TermValue for Vec<String> {
    const KIND: Kind = Kind::Origins;

    fn text(&self) -> String {
        format!("[{}]", self.join(", "))
    }
}

/// The same default for every license.
fn always<T>(value: T) -> impl FnOnce(Option<Environment>) -> Option<T> {
    |_| Some(value)
}

/// A default that depends on the environment, which may have none.
fn by<T>(default: impl FnOnce(Environment) -> Option<T>) -> impl FnOnce(Option<Environment>) -> Option<T> {
    |environment| environment.and_then(default)
}

/// No default: the term is required.
fn required<T>() -> impl FnOnce(Option<Environment>) -> Option<T> {
    |_| None
}

/// Deserializes a term that is present. `null` stands for a value of the type, or for an absent term.
fn named<'de, D: Deserializer<'de>, T: Nullable + Deserialize<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    Ok(Option::deserialize(deserializer)?.or_else(T::of_null))
}

/// Converts a value of a term to another form.
macro_rules! convert {
    ([moment], $name:expr, $value:expr, $moment:ident, $origin:ident) => {
        $moment($value)?
    };
    ([origins], $name:expr, $value:expr, $moment:ident, $origin:ident) => {
        $value.into_iter().map(|origin| $origin($name, origin)).collect::<Result<Vec<_>, _>>()?
    };
    ([], $name:expr, $value:expr, $moment:ident, $origin:ident) => {
        $value
    };
}

macro_rules! terms {
    ($(
        $(#[doc = $documentation:literal])+
        $name:ident: $value:ty $(as $form:ident)? = $default:expr, $bounds:expr, --$option:literal,
        $title:literal, $title_pt:literal, $documentation_pt:literal;
    )*) => {
        /// All terms of a license. Times and origins have one form in records and another in the API.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[serde(
            try_from = "NamedTerms<M, O>",
            bound(serialize = "M: Serialize, O: Serialize", deserialize = "M: Nullable + Deserialize<'de>, O: Deserialize<'de>")
        )]
        pub struct LicenseTerms<M = Moment, O = String> {
            $( $(#[doc = $documentation])+ pub $name: $value, )*
        }

        /// The terms that an operator sets. Absent terms get their defaults at issue, and stay as they are in later
        /// changes.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[serde(
            deny_unknown_fields,
            bound(serialize = "M: Serialize, O: Serialize", deserialize = "M: Nullable + Deserialize<'de>, O: Deserialize<'de>")
        )]
        pub struct NamedTerms<M = Moment, O = String> {
            $(
                $(#[doc = $documentation])+
                #[serde(default, deserialize_with = "named", skip_serializing_if = "Option::is_none")]
                pub $name: Option<$value>,
            )*
        }

        impl<M, O> Default for NamedTerms<M, O> {
            fn default() -> Self {
                Self { $( $name: None, )* }
            }
        }

        impl<M, O> LicenseTerms<M, O> {
            /// A copy with the given terms changed.
            #[must_use]
            pub fn changed(self, named: NamedTerms<M, O>) -> Self {
                Self { $( $name: named.$name.unwrap_or(self.$name), )* }
            }

            /// Converts times and origins to another form.
            ///
            /// # Errors
            /// The first error of a conversion.
            pub fn convert<M2, O2, E>(
                self,
                mut moment: impl FnMut(M) -> Result<M2, E>,
                mut origin: impl FnMut(&'static str, O) -> Result<O2, E>,
            ) -> Result<LicenseTerms<M2, O2>, E> {
                Ok(LicenseTerms { $( $name: convert!([$($form)?], stringify!($name), self.$name, moment, origin), )* })
            }
        }

        impl<M, O> NamedTerms<M, O> {
            /// The terms of a new license, with the environment's defaults for absent terms. Without an environment,
            /// only defaults that are equal in all environments are used: this completes a record that predates a term.
            ///
            /// # Errors
            /// [`TermFault::Missing`].
            pub fn complete(self, environment: Option<Environment>) -> Result<LicenseTerms<M, O>, TermFault> {
                Ok(LicenseTerms {
                    $( $name: self.$name.or_else(|| $default(environment)).ok_or(TermFault::Missing(stringify!($name)))?, )*
                })
            }

            /// Converts times and origins to another form.
            ///
            /// # Errors
            /// The first error of a conversion.
            pub fn convert<M2, O2, E>(
                self,
                mut moment: impl FnMut(M) -> Result<M2, E>,
                mut origin: impl FnMut(&'static str, O) -> Result<O2, E>,
            ) -> Result<NamedTerms<M2, O2>, E> {
                Ok(NamedTerms {
                    $( $name: match self.$name {
                        Some(value) => Some(convert!([$($form)?], stringify!($name), value, moment, origin)),
                        None => None,
                    }, )*
                })
            }
        }

        impl NamedTerms {
            /// Checks that each number is within its bounds.
            ///
            /// # Errors
            /// [`TermFault::OutOfBounds`] for the first that is not.
            pub fn check(&self) -> Result<(), TermFault> {
                let numbers = [$( self.$name.as_ref().and_then(TermValue::number), )*];
                let fault = |(term, number): (Term, Option<f64>)| {
                    number.is_some_and(|number| !term.bounds.admit(number)).then_some(term)
                };
                match Term::all().into_iter().zip(numbers).find_map(fault) {
                    Some(term) => Err(TermFault::OutOfBounds(term.name, term.requirement())),
                    None => Ok(()),
                }
            }
        }

        impl Term {
            /// All terms, in the order of forms, tables and help texts.
            #[must_use]
            pub fn all() -> Vec<Self> {
                type M = Moment;
                type O = String;
                vec![$(
                    Self {
                        name: stringify!($name),
                        kind: <$value as TermValue>::KIND,
                        bounds: $bounds,
                        documentation: concat!($($documentation),+).trim_ascii(),
                        documentation_pt: $documentation_pt,
                        title: $title,
                        title_pt: $title_pt,
                        option: $option,
                        no_option: concat!("no-", $option, "s"),
                        default: |environment| {
                            let value: Option<$value> = $default(Some(environment));
                            value.map(|value| value.text())
                        },
                    },
                )*]
            }
        }

        #[cfg(feature = "openapi")]
        mod schema {
            use super::*;
            use schemars::{JsonSchema, Schema, SchemaGenerator};

            type O = String;

            /// The JSON schema properties of an object with all terms.
            fn properties<const N: usize>(schemas: [Schema; N]) -> serde_json::Map<String, serde_json::Value> {
                let property = |(term, schema): (Term, Schema)| (term.name.to_owned(), term.schema(schema).to_value());
                Term::all().into_iter().zip(schemas).map(property).collect()
            }

            impl JsonSchema for LicenseTerms {
                fn inline_schema() -> bool {
                    true
                }

                fn schema_name() -> std::borrow::Cow<'static, str> {
                    "LicenseTerms".into()
                }

                fn json_schema(generator: &mut SchemaGenerator) -> Schema {
                    // The service writes times in UTC, so responses have a stricter schema.
                    type M = crate::Time;
                    schemars::json_schema!({
                        "type": "object",
                        "properties": properties([$( generator.subschema_for::<$value>(), )*]),
                        "required": [ $( stringify!($name), )* ],
                    })
                }
            }

            impl JsonSchema for NamedTerms {
                fn schema_name() -> std::borrow::Cow<'static, str> {
                    "Terms".into()
                }

                fn json_schema(generator: &mut SchemaGenerator) -> Schema {
                    type M = Moment;
                    schemars::json_schema!({
                        "type": "object",
                        "description": "The terms that are named: at issue the others get their defaults, later they stay.",
                        "additionalProperties": false,
                        "properties": properties([$( generator.subschema_for::<Option<$value>>(), )*]),
                    })
                }
            }
        }
    };
}

terms! {
    /// When the agreement ends. It may be changed later; a time in the past ends the agreement at once.
    expires_at: M as moment = required(), Bounds::Any, --"expires-at",
    "End of the agreement", "Fim do contrato", "O fim do contrato. Pode ser mudado depois, também para o passado, o que o encerra na hora.";

    /// Maximum captures per calendar month, in UTC. The sandbox has no limit.
    volume_limit: u64 = by(|environment| (environment == Environment::Sandbox).then_some(limits::UNLIMITED_VOLUME)),
    Bounds::AtMost(9_007_199_254_740_991.0), --"volume-limit",
    "Captures per month, at most", "Limite de capturas por mês", "Capturas por mês do calendário, em UTC. O ambiente de testes não tem limite.";

    /// The origins of pages that may capture: `https://app.example.com`, `https://*.example.com`; in the sandbox also
    /// `http://localhost:*`.
    authorized_origins: Vec<O> as origins = always(Vec::new()), Bounds::Any, --"origin",
    "Pages that may capture", "Páginas que podem capturar",
    "As páginas que podem capturar: `https://app.exemplo.com`, `https://*.exemplo.com`; em testes também `http://localhost:*`.";

    /// The origins of pages to which hosted sessions may redirect, without wildcards. Any of them makes the license a
    /// hosted one, which must store photos.
    redirect_origins: Vec<O> as origins = always(Vec::new()), Bounds::Any, --"redirect-origin",
    "Redirects of the hosted flow", "Destinos do fluxo hospedado",
    "As páginas para onde uma sessão hospedada pode redirecionar: origens exatas. Qualquer uma torna a licença hospedada, o que exige guardar as fotos.";

    /// Whether the signed photo is stored; only `ALWAYS` stores it. Manifests are always stored.
    store_asset_policy: StoreAssetPolicy = always(StoreAssetPolicy::Never), Bounds::Any, --"storage",
    "Storage of the signed photo", "Guarda da foto assinada", "Se a foto assinada é guardada; só `ALWAYS` a guarda. Os manifestos são guardados sempre.";

    /// The resolution that the component requests from the camera.
    capture_resolution: CaptureResolution = always(CaptureResolution::Fhd), Bounds::Any, --"resolution",
    "Resolution requested from the camera", "Resolução pedida à câmera", "A resolução que o componente pede à câmera.";

    /// How the position is checked.
    gps_mode: GpsMode = always(GpsMode::Observe), Bounds::Any, --"gps-mode",
    "Position", "Posição", "Como a posição é conferida.";

    /// The maximum accuracy radius in metres. Used only if the position is required.
    gps_max_accuracy_m: f64 = always(150.0), Bounds::Above(0.0), --"gps-max-accuracy-m",
    "Largest radius of accuracy, in metres", "Raio máximo de precisão, em metros", "O maior raio de precisão, em metros. Vale onde a posição é exigida.";

    /// What happens to a photo that seems to show a screen.
    recapture_gate: RecaptureGate = always(RecaptureGate::Block), Bounds::Any, --"recapture-gate",
    "Photo of a screen", "Foto de uma tela", "O que acontece com uma foto que parece ser de uma tela.";

    /// The evidence from which on a photo counts as one of a screen: the natural logarithm of a likelihood ratio.
    recapture_threshold: f64 = always(limits::RECAPTURE_THRESHOLD),
    Bounds::Within(*limits::RECAPTURE_THRESHOLDS.start(), *limits::RECAPTURE_THRESHOLDS.end()), --"recapture-threshold",
    "Evidence of a screen", "Evidência de tela", "A evidência a partir da qual uma foto conta como foto de uma tela: o logaritmo natural de uma razão de verossimilhança.";

    /// Whether the service keeps a fingerprint of each photo, by which a copy that lost its proof leads back to it. A
    /// fingerprint is personal data.
    fingerprint: FingerprintMode = always(FingerprintMode::Off), Bounds::Any, --"fingerprint",
    "Fingerprint for finding copies", "Impressão da foto para achar cópias", "Se o serviço guarda uma impressão (código perceptual) de cada foto, pela qual uma cópia que perdeu a prova leva de volta ao original. É um dado pessoal.";

    /// Whether a trusted timestamp is required: if so, a capture without one is refused.
    tsa_required: bool = by(|environment| Some(environment == Environment::Production)), Bounds::Any, --"tsa-required",
    "Timestamp required", "Carimbo do tempo exigido", "Se uma prova exige carimbo do tempo: se sim, nenhuma foto é feita sem ele.";

    /// Maximum number of photos in one session.
    max_captures_per_session: MostPhotos = always(None), Bounds::AtLeast(1.0), --"max-captures-per-session",
    "Photos per session", "Fotos por sessão", "O máximo de fotos de uma sessão.";
}

impl<M, O> TryFrom<NamedTerms<M, O>> for LicenseTerms<M, O> {
    type Error = TermFault;

    fn try_from(record: NamedTerms<M, O>) -> Result<Self, TermFault> {
        record.complete(None)
    }
}

#[cfg(feature = "openapi")]
impl Term {
    /// The JSON schema of the term, with its description and bounds.
    fn schema(&self, mut schema: schemars::Schema) -> schemars::Schema {
        let bounds = match self.bounds {
            Bounds::Any => [None, None, None],
            Bounds::Above(least) => [None, None, Some(least)],
            Bounds::AtLeast(least) => [Some(least), None, None],
            Bounds::AtMost(most) => [Some(0.0), Some(most), None],
            Bounds::Within(least, most) => [Some(least), Some(most), None],
        };
        for (keyword, bound) in ["minimum", "maximum", "exclusiveMinimum"].into_iter().zip(bounds) {
            schema.remove(keyword);
            if let Some(bound) = bound {
                schema.insert(keyword.to_owned(), exact_json(bound));
            }
        }
        schema.insert("description".to_owned(), self.documentation.into());
        schema
    }
}

/// A bound as a JSON number, written as an integer if it is one.
#[cfg(feature = "openapi")]
#[allow(clippy::cast_possible_truncation)]
pub(crate) fn exact_json(bound: f64) -> serde_json::Value {
    if bound.fract() == 0.0 { (bound as i64).into() } else { bound.into() }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use serde_json::{Value, json};

    fn named(terms: Value) -> NamedTerms {
        serde_json::from_value(terms).unwrap()
    }

    #[test]
    fn a_number_is_within_its_bounds() {
        let faults = [
            (
                json!({ "volume_limit": 9_007_199_254_740_992_u64 }),
                "volume_limit must be a whole number up to 9007199254740991",
            ),
            (json!({ "gps_max_accuracy_m": 0 }), "gps_max_accuracy_m must be a number above 0"),
            (json!({ "recapture_threshold": 0.99 }), "recapture_threshold must be a number from 1 to 4"),
            (json!({ "recapture_threshold": 4.01 }), "recapture_threshold must be a number from 1 to 4"),
            (
                json!({ "max_captures_per_session": 0 }),
                "max_captures_per_session must be a whole number from 1, or null for no limit",
            ),
        ];
        for (terms, fault) in faults {
            assert_eq!(named(terms).check().unwrap_err().to_string(), fault);
        }
        for number in [f64::NAN, f64::INFINITY] {
            let terms = NamedTerms { gps_max_accuracy_m: Some(number), ..NamedTerms::default() };
            assert!(terms.check().is_err(), "{number}");
        }
        let edges = json!({ "volume_limit": 9_007_199_254_740_991_u64, "recapture_threshold": 4, "max_captures_per_session": 1 });
        assert_eq!(named(edges).check(), Ok(()));
    }

    #[test]
    fn only_the_session_limit_takes_null() {
        let terms = named(json!({ "max_captures_per_session": null, "gps_mode": null }));
        assert_eq!(terms, NamedTerms { max_captures_per_session: Some(None), ..NamedTerms::default() });
        assert_eq!(serde_json::to_value(terms).unwrap(), json!({ "max_captures_per_session": null }));
    }

    #[test]
    fn defaults_are_shown_to_people() {
        let shown = |name| Term::all().into_iter().find(|term| term.name == name).unwrap().at_issue();
        assert_eq!(shown("store_asset_policy"), "NEVER");
        assert_eq!(shown("volume_limit"), "required in PRODUCTION and STAGING, unlimited in SANDBOX");
        assert_eq!((shown("authorized_origins"), shown("expires_at")), ("none".into(), "required".into()));
    }

    #[test]
    fn shown_defaults_are_those_applied() {
        for environment in Environment::ALL {
            let least = json!({ "expires_at": "2027-12-31T12:00:00-03:00", "volume_limit": 5 });
            let terms = serde_json::to_value(named(least.clone()).complete(Some(environment)).unwrap()).unwrap();
            for term in Term::all() {
                let shown = term.default(environment);
                let named = least.get(term.name).is_some();
                assert!(named || shown.is_some(), "{} has a default", term.name);
                let given = terms[term.name].as_str().map_or_else(|| terms[term.name].to_string(), str::to_owned);
                let given = if term.kind == Kind::Number { given.trim_end_matches(".0").to_owned() } else { given };
                assert!(named || shown == Some(given), "{}: {shown:?}", term.name);
            }
        }
    }
}
