//! KMS for operators: signing keys are created, described and scheduled for deletion. Signing itself is in
//! `signing_keys`.

use aws_sdk_kms::{
    error::ProvideErrorMetadata,
    types::{KeySpec, KeyState, KeyUsageType, OriginType, Tag},
};

use crate::{
    Connection, Error,
    budgets::InTime,
    error::{incomplete, unavailable},
};

/// The tag that identifies a seal key as belonging to a stack; the ingest function's role may use only keys with its
/// stack's tag.
pub const SEAL_TAG: &str = "lacre-seal";

/// The waiting period before KMS deletes a key, in days: the shortest that it allows.
const DELETION_DELAY_DAYS: i32 = 7;

/// Manages KMS keys.
#[derive(Clone, Debug)]
pub struct OperatorKeys {
    pub(crate) client: aws_sdk_kms::Client,
}

/// The size of an RSA key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RsaSize {
    /// 2048 bits.
    Bits2048,
    /// 3072 bits.
    Bits3072,
    /// 4096 bits.
    Bits4096,
}

impl RsaSize {
    /// The size with this number of bits; `None` if KMS has no such RSA keys.
    #[must_use]
    pub fn of_bits(bits: usize) -> Option<Self> {
        match bits {
            2048 => Some(Self::Bits2048),
            3072 => Some(Self::Bits3072),
            4096 => Some(Self::Bits4096),
            _ => None,
        }
    }

    fn spec(self) -> KeySpec {
        match self {
            Self::Bits2048 => KeySpec::Rsa2048,
            Self::Bits3072 => KeySpec::Rsa3072,
            Self::Bits4096 => KeySpec::Rsa4096,
        }
    }
}

/// The metadata of a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyDescription {
    /// The key's ARN.
    pub arn: String,
    /// The key spec in KMS's notation, such as `RSA_2048` or `ECC_NIST_P256`.
    pub spec: String,
    /// Whether the key's usage is signing.
    pub signs: bool,
    /// The key state in KMS's notation, such as `Enabled` or `PendingDeletion`.
    pub state: String,
}

impl KeyDescription {
    /// Whether the key can be used now.
    #[must_use]
    pub fn is_enabled(&self) -> bool {
        self.state == KeyState::Enabled.as_str()
    }
}

impl OperatorKeys {
    /// Creates the port from a connection.
    #[must_use]
    pub fn new(connection: &Connection) -> Self {
        Self { client: connection.kms() }
    }

    /// Creates a key for imported RSA material, tagged with the stack whose function may sign with it. Returns its ARN.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn create_seal_key(&self, size: RsaSize, stack: &str, description: &str) -> Result<String, Error> {
        let tag = Tag::builder().tag_key(SEAL_TAG).tag_value(stack).build().map_err(incomplete)?;
        self.create(size.spec(), OriginType::External, description, vec![tag]).await
    }

    /// Creates a P-256 key in KMS. Returns its ARN.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn create_claim_key(&self, description: &str) -> Result<String, Error> {
        self.create(KeySpec::EccNistP256, OriginType::AwsKms, description, Vec::new()).await
    }

    async fn create(
        &self,
        spec: KeySpec,
        origin: OriginType,
        description: &str,
        tags: Vec<Tag>,
    ) -> Result<String, Error> {
        let create = self.client.create_key().key_spec(spec).key_usage(KeyUsageType::SignVerify).origin(origin);
        let create = create.description(description).set_tags((!tags.is_empty()).then_some(tags));
        let made = create.send().in_time().await.map_err(|error| unavailable("CreateKey", &error))?;
        let arn = made.key_metadata.and_then(|metadata| metadata.arn);
        arn.ok_or_else(|| Error::Unavailable("CreateKey returned no ARN".into()))
    }

    /// Describes a key; `None` if it does not exist.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn describe(&self, key_arn: &str) -> Result<Option<KeyDescription>, Error> {
        let answer = match self.client.describe_key().key_id(key_arn).send().in_time().await {
            Ok(answer) => answer,
            Err(error) if error.code() == Some("NotFoundException") => return Ok(None),
            Err(error) => return Err(unavailable("DescribeKey", &error)),
        };
        let metadata =
            answer.key_metadata.ok_or_else(|| Error::Unavailable("DescribeKey returned no metadata".into()))?;
        Ok(Some(KeyDescription {
            arn: metadata.arn.unwrap_or_else(|| key_arn.to_owned()),
            spec: metadata.key_spec.map(|spec| spec.as_str().to_owned()).unwrap_or_default(),
            signs: metadata.key_usage == Some(KeyUsageType::SignVerify),
            state: metadata.key_state.map(|state| state.as_str().to_owned()).unwrap_or_default(),
        }))
    }

    /// The key policy as JSON text.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn policy(&self, key_arn: &str) -> Result<String, Error> {
        let answer = self.client.get_key_policy().key_id(key_arn).send().in_time().await;
        let answer = answer.map_err(|error| unavailable("GetKeyPolicy", &error))?;
        answer.policy.ok_or_else(|| Error::Unavailable("GetKeyPolicy returned no policy".into()))
    }

    /// Replaces the key policy.
    ///
    /// # Errors
    /// [`Error::Unavailable`], also if the policy would lock the caller out.
    pub async fn set_policy(&self, key_arn: &str, policy: &str) -> Result<(), Error> {
        let put = self.client.put_key_policy().key_id(key_arn).policy(policy);
        put.send().in_time().await.map(|_| ()).map_err(|error| unavailable("PutKeyPolicy", &error))
    }

    /// The stack that a seal key is tagged with; `None` if it has no such tag.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn stack_of(&self, key_arn: &str) -> Result<Option<String>, Error> {
        let answer = self.client.list_resource_tags().key_id(key_arn).send().in_time().await;
        let answer = answer.map_err(|error| unavailable("ListResourceTags", &error))?;
        let tag = answer.tags.unwrap_or_default().into_iter().find(|tag| tag.tag_key() == SEAL_TAG);
        Ok(tag.map(|tag| tag.tag_value))
    }

    /// Schedules a key's deletion: it cannot be used from now on, and is deleted after a week, during which this can be
    /// cancelled.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn give_up(&self, key_arn: &str) -> Result<(), Error> {
        let delete = self.client.schedule_key_deletion().key_id(key_arn).pending_window_in_days(DELETION_DELAY_DAYS);
        delete.send().in_time().await.map(|_| ()).map_err(|error| unavailable("ScheduleKeyDeletion", &error))
    }
}
