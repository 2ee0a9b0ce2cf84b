//! The envelope of an authority's response (RFC 3161, 2.4.2).
//!
//! The types of `x509-tsp` are not used, because they lack some failure bits and therefore cannot parse every refusal.

use cms::content_info::ContentInfo;
use der::{Decode, Encode, Sequence, asn1::BitString};

use super::TokenFault;

/// `TimeStampResp`.
#[derive(Clone, Debug, PartialEq, Eq, Sequence)]
pub(super) struct Response {
    status: StatusInfo,
    #[asn1(optional = "true")]
    token: Option<ContentInfo>,
}

/// `PKIStatusInfo` (RFC 4210, 5.2.3).
#[derive(Clone, Debug, PartialEq, Eq, Sequence)]
struct StatusInfo {
    status: u32,
    #[asn1(optional = "true")]
    text: Option<Vec<String>>,
    #[asn1(optional = "true")]
    failure: Option<BitString>,
}

/// The statuses `granted` and `grantedWithMods`.
const GRANTED: [u32; 2] = [0, 1];

impl Response {
    /// A response that grants a token (in DER).
    pub(super) fn granting(token: &[u8]) -> der::Result<Vec<u8>> {
        let status = StatusInfo { status: GRANTED[0], text: None, failure: None };
        Self { status, token: Some(ContentInfo::from_der(token)?) }.to_der()
    }

    /// The token, if the status states that it was granted.
    pub(super) fn token(self) -> Result<ContentInfo, TokenFault> {
        let status = self.status;
        if !GRANTED.contains(&status.status) {
            let text: String = status.text.unwrap_or_default().join("; ").chars().take(200).collect();
            let bits = status.failure.iter().flat_map(|bits| bits.bits().enumerate());
            let bits: Vec<usize> = bits.filter(|(_, set)| *set).map(|(bit, _)| bit).collect();
            let (code, text) = (status.status, text.escape_debug());
            return Err(TokenFault::Refused(format!("status {code}, failure bits {bits:?}, \"{text}\"")));
        }
        self.token.ok_or_else(|| TokenFault::Unreadable("granted without a token".into()))
    }
}
