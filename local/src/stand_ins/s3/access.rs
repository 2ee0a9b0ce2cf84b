//! Permissions of access keys: the functions' role may do everything, the presigner may only read the objects of one
//! bucket.

use std::collections::BTreeMap;

use axum::http::Uri;
use s3s::{
    S3Result,
    access::{S3Access, S3AccessContext},
    auth::{S3Auth, SecretKey},
    s3_error,
};

/// An access key that S3 accepts.
#[derive(Clone, Debug)]
pub struct KeyPair {
    /// The access key id.
    pub access_key_id: String,
    /// The secret access key.
    pub secret_access_key: String,
    /// The owner of the key.
    pub identity: Identity,
}

/// The owner of an access key, which determines its permissions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Identity {
    /// The functions' role.
    Role,
    /// The user that signs 7-day URLs. It has `s3:GetObject` on one bucket and may not list it, so a missing object is
    /// "access denied", as on AWS.
    Reader {
        /// The bucket.
        bucket: String,
    },
}

/// The access keys by id.
#[derive(Clone)]
pub(crate) struct Policies {
    key_pairs: BTreeMap<String, KeyPair>,
}

impl Policies {
    pub(crate) fn new(key_pairs: Vec<KeyPair>) -> Self {
        Self { key_pairs: key_pairs.into_iter().map(|pair| (pair.access_key_id.clone(), pair)).collect() }
    }
}

#[async_trait::async_trait]
impl S3Auth for Policies {
    async fn get_secret_key(&self, access_key: &str) -> S3Result<SecretKey> {
        let unknown =
            || s3_error!(InvalidAccessKeyId, "The AWS Access Key Id you provided does not exist in our records.");
        self.key_pairs.get(access_key).map(|pair| pair.secret_access_key.as_str().into()).ok_or_else(unknown)
    }
}

#[async_trait::async_trait]
impl S3Access for Policies {
    async fn check(&self, request: &mut S3AccessContext<'_>) -> S3Result<()> {
        let pair = request.credentials().and_then(|known| self.key_pairs.get(&known.access_key));
        let Some(KeyPair { identity, .. }) = pair else { return Err(s3_error!(AccessDenied, "Access Denied")) };
        let allowed = match identity {
            Identity::Role => true,
            Identity::Reader { bucket } => {
                request.s3_op().name() == "GetObject"
                    && request.s3_path().get_bucket_name() == Some(bucket.as_str())
                    && !names_version(request.uri())
            }
        };
        if !allowed {
            return Err(s3_error!(AccessDenied, "Access Denied"));
        }
        request.extensions_mut().insert(identity.clone());
        Ok(())
    }
}

/// Whether the request names a version, which requires a different permission: `s3:GetObjectVersion`.
fn names_version(uri: &Uri) -> bool {
    let query = uri.query().unwrap_or_default();
    url::form_urlencoded::parse(query.as_bytes()).any(|(name, _)| name == "versionId")
}
