//! The clients and licenses of one sequence, as operators see them. Each sequence has its own, so that sequences are
//! independent.

use futures_util::future::join_all;
use lacre_domain::{
    ApiKey, ApiKeyRecord, CaptureResolution, Client, ClientId, ClientStatus, Environment, ExactTime, KeyStatus,
    License, LicenseId, LicenseKey, LicenseKeyRecord, LicenseStatus, NamedTerms, OriginPattern, StoreAssetPolicy,
};
use lacre_tests::records::{Records, new_id};
use time::{Duration, OffsetDateTime};

use crate::{
    call::{Call, Page},
    model::{OWNERS, RETAINS, VOLUME_LIMIT},
};

/// Two clients and their licenses in their current state.
#[derive(Clone)]
pub(crate) struct Accounts {
    pub(crate) environment: Environment,
    pub(crate) agreement_end: OffsetDateTime,
    api_keys: [ApiKey; 2],
    client_ids: [ClientId; 2],
    suspended: [bool; 2],
    license_ids: [LicenseId; 3],
    revoked: [bool; 3],
    /// All keys that each license has had.
    license_keys: [Vec<LicenseKey>; 3],
}

impl Accounts {
    pub(crate) fn new(environment: Environment, start: OffsetDateTime) -> Self {
        Self {
            environment,
            agreement_end: start + Duration::days(3650),
            api_keys: std::array::from_fn(|_| ApiKey::from_entropy(lacre_storage::entropy())),
            client_ids: std::array::from_fn(|_| ClientId::from_u128(new_id())),
            suspended: [false; 2],
            license_ids: std::array::from_fn(|_| LicenseId::from_u128(new_id())),
            revoked: [false; 3],
            license_keys: std::array::from_fn(|_| vec![new_key(environment)]),
        }
    }

    pub(crate) fn api_key(&self, client: usize) -> &str {
        self.api_keys[client].expose()
    }

    pub(crate) fn license_key(&self, license: usize, key: usize) -> &str {
        self.license_keys[license][key].expose()
    }

    pub(crate) fn license_id(&self, license: usize) -> &LicenseId {
        &self.license_ids[license]
    }

    pub(crate) fn client_id(&self, license: usize) -> &ClientId {
        &self.client_ids[OWNERS[license]]
    }

    pub(crate) fn last_key(&self, license: usize) -> usize {
        self.license_keys[license].len() - 1
    }

    /// The accounts after an operator's call.
    pub(crate) fn after(&self, call: &Call) -> Self {
        let mut after = self.clone();
        match *call {
            Call::Revoke { license } => after.revoked[license] = true,
            Call::Suspend { client, suspended } => after.suspended[client] = suspended,
            Call::Rotate { license } => after.license_keys[license].push(new_key(self.environment)),
            _ => {}
        }
        after
    }

    /// Stores all accounts unchanged.
    pub(crate) async fn store(&self, records: &Records) {
        join_all((0..2).map(|client| self.store_client(records, client))).await;
        join_all((0..OWNERS.len()).map(|license| self.store_license(records, license))).await;
    }

    async fn store_client(&self, records: &Records, client: usize) {
        let (client_id, client_status) = (self.client_ids[client].clone(), self.client_status(client));
        let record = Client { id: client_id.clone(), name: "Model".into(), status: client_status };
        records.put_client(&record).await;
        let (environment, status) = (self.environment, KeyStatus::Active);
        let record = ApiKeyRecord { client_id, environment, status, client_status };
        records.put_api_key(&self.api_keys[client].hash(), &record).await;
    }

    async fn store_license(&self, records: &Records, number: usize) {
        let license = self.license(number);
        records.put_license(&license).await;
        for (age, key) in self.license_keys[number].iter().rev().enumerate() {
            let record = LicenseKeyRecord {
                license_id: license.id.clone(),
                client_id: license.client_id.clone(),
                environment: license.environment,
                status: if age == 0 { KeyStatus::Active } else { KeyStatus::Revoked },
                license_status: license.status,
                client_status: self.client_status(OWNERS[number]),
                expires_at: license.terms.expires_at.0,
                max_captures_per_session: license.terms.max_captures_per_session,
            };
            records.put_license_key(&key.hash(), &record).await;
        }
    }

    fn license(&self, license: usize) -> License {
        let policy = if RETAINS[license] { StoreAssetPolicy::Always } else { StoreAssetPolicy::Never };
        let pages = [Page::First, Page::Second].map(|page| OriginPattern::parse(origin(page)).unwrap());
        License {
            id: self.license_ids[license].clone(),
            client_id: self.client_id(license).clone(),
            environment: self.environment,
            status: if self.revoked[license] { LicenseStatus::Revoked } else { LicenseStatus::Active },
            terms: NamedTerms {
                expires_at: Some(ExactTime(self.agreement_end)),
                volume_limit: Some(VOLUME_LIMIT),
                capture_resolution: Some(CaptureResolution::Hd),
                tsa_required: Some(false),
                store_asset_policy: Some(policy),
                authorized_origins: Some(pages.into()),
                ..NamedTerms::default()
            }
            .complete(Some(self.environment))
            .unwrap(),
        }
    }

    fn client_status(&self, client: usize) -> ClientStatus {
        if self.suspended[client] { ClientStatus::Suspended } else { ClientStatus::Active }
    }
}

/// The origin of a page.
pub(crate) fn origin(page: Page) -> &'static str {
    match page {
        Page::First => "https://app.example.com",
        Page::Second => "https://www.example.com",
        Page::Stranger => "https://app.example.org",
    }
}

fn new_key(environment: Environment) -> LicenseKey {
    LicenseKey::from_entropy(environment, lacre_storage::entropy())
}
