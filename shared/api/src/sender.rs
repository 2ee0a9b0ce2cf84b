//! The sender of a hosted session: who asks a customer for photos, and what the customer is told about their use.

use serde::{Deserialize, Serialize};

use crate::{Url, kit::Translations, values::texts};

/// Who asks for the photos, with what the Brazilian data protection law (LGPD, Lei 13.709/2018, art. 9) has the customer
/// told before any data is collected.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema), schemars(deny_unknown_fields))]
pub struct Sender {
    /// The company's name, as its customers know it.
    pub name: SenderName,
    /// The company's logo: a PNG of at most 16 KiB and 512 by 512 pixels, in base64.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schemars(extend("contentEncoding" = "base64", "contentMediaType" = "image/png")))]
    pub logo: Option<String>,
    /// What the photos are for (art. 9, I).
    pub purpose: Translations<SenderText>,
    /// How the data is processed, and for how long it is kept (art. 9, II).
    pub duration: Translations<SenderText>,
    /// The controller: the name and the number of the company that decides about the data (art. 9, III).
    pub controller: SenderName,
    /// How to reach the controller: an e-mail address, a phone number or a web address (art. 9, IV).
    pub contact: SenderName,
    /// With whom the data is shared, and what for (art. 9, V).
    pub sharing: Translations<SenderText>,
    /// Who is responsible for what among those who process the data (art. 9, VI).
    pub responsibilities: Translations<SenderText>,
    /// What depends on the photos, if a product or a service does, and how to exercise one's rights nevertheless
    /// (art. 9, § 3).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub condition: Option<Translations<SenderText>>,
    /// The https address of the complete privacy notice.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notice_url: Option<Url>,
}

texts! {
    /// 1 to 100 characters, without control and format characters and without `<` and `>`.
    SenderName as "SenderName" { "minLength": 1, "maxLength": NAME_CHARS, "pattern": crate::kit::sentence("<>") }
    /// 1 to 400 characters, without control and format characters and without `<` and `>`.
    SenderText as "SenderText" { "minLength": 1, "maxLength": TEXT_CHARS, "pattern": crate::kit::sentence("<>") }
}

/// Maximum bytes of a sender, as it is given.
pub const SENDER_BYTES: usize = 64 * 1024;
/// Maximum characters of a name.
pub const NAME_CHARS: usize = 100;
/// Maximum characters of a text.
pub const TEXT_CHARS: usize = 400;
/// Maximum bytes of the logo, before base64.
pub const LOGO_BYTES: usize = 16 * 1024;
/// Maximum pixels of each side of the logo.
pub const LOGO_SIDE: u32 = 512;
