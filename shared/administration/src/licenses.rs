//! Licenses: what a client may capture, from where and under which rules; and the key of each.

use aws::IssuedLicense;
use domain::{
    Alert, CaptureResolution, ClientId, ClientStatus, Environment, GpsMode, IntegrityEnforcement, License, LicenseId,
    LicenseIssue, LicenseKey, LicenseStatus, OriginPattern, RecaptureGate, StoreAssetPolicy, Terms, capture::month_of,
    clock::rfc3339,
};
use serde::Serialize;

use crate::{Administration, Error, check_id, new_id};

/// A license as operators see it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LicenseView {
    /// Its identity, which the rotation of its key does not change.
    pub id: LicenseId,
    /// The client that it belongs to.
    pub client_id: ClientId,
    /// The environment that it is for.
    pub environment: Environment,
    /// Whether it is in force.
    pub status: LicenseStatus,
    /// The end of the contract: RFC 3339, UTC.
    pub expires_at: String,
    /// Captures per calendar month, UTC.
    pub volume_limit: u64,
    /// The pages that may capture.
    pub authorized_origins: Vec<OriginPattern>,
    /// The pages to which hosted sessions may redirect. A license with any is a hosted one.
    pub redirect_origins: Vec<OriginPattern>,
    /// Whether the signed JPEG is kept.
    pub store_asset_policy: StoreAssetPolicy,
    /// How positions are checked.
    pub gps_mode: GpsMode,
    /// Under `REQUIRE`, the least accuracy, in metres.
    pub gps_max_accuracy_m: f64,
    /// What happens to a likely recapture.
    pub recapture_gate: RecaptureGate,
    /// The resolution that the component asks for.
    pub capture_resolution: CaptureResolution,
    /// Whether a proof without a trusted timestamp is refused.
    pub tsa_required: bool,
    /// The most photos of one session; `null` is unlimited.
    pub max_captures_per_session: Option<u32>,
    /// The behavior of the SDKs on a compromised device, which depends on the environment.
    pub integrity_enforcement: IntegrityEnforcement,
    /// When it was issued: RFC 3339, UTC.
    pub issued_at: String,
    /// The first 16 hexadecimal characters of its key's SHA-256. The first 8 of them are what logs name.
    pub key_id: String,
    /// The captures under it, if requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
}

/// The license that hosted sessions of a client use in an environment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct HostedLicenseView {
    /// The client.
    pub client_id: ClientId,
    /// The environment.
    pub environment: Environment,
    /// The license.
    pub license_id: LicenseId,
}

/// The captures of a license in a month.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Usage {
    /// The calendar month, UTC: `2026-11`.
    pub month: String,
    /// The exact count of captures.
    pub captures_used: u64,
}

/// A license with the key that was issued for it: the one time at which it is shown.
#[derive(Serialize)]
pub struct NewLicense {
    /// The key itself.
    pub license_key: String,
    /// The license.
    #[serde(flatten)]
    pub view: LicenseView,
}

impl Administration {
    /// Issues a license to a client that is not suspended, with its first key.
    ///
    /// # Errors
    /// [`Error::NotFound`], [`Error::Invalid`] for terms that cannot be, [`Error::Refused`].
    pub async fn issue_license(
        &self,
        client_id: &ClientId,
        environment: Environment,
        terms: &Terms,
    ) -> Result<NewLicense, Error> {
        let client = self.client(client_id).await?;
        if client.status == ClientStatus::Suspended {
            return Err(Error::Refused(format!("client {client_id} is suspended; resume it first")));
        }
        let now = self.clock.now();
        let license = License::issue(LicenseId(new_id()), client_id.clone(), environment, terms, now);
        let license = license.map_err(|fault| Error::Invalid(fault.to_string()))?;
        let key = LicenseKey::from_entropy(environment, aws::entropy());
        let issued = IssuedLicense { license, issue: LicenseIssue { key: key.hash(), issued_at: now, revision: 1 } };
        match self.register.add_license(&issued, client.status).await? {
            true => Ok(NewLicense::of(&key, &issued)),
            false => Err(Error::changed_meanwhile("client")),
        }
    }

    /// The licenses of a client, the oldest first, without their usage.
    ///
    /// # Errors
    /// [`Error::NotFound`].
    pub async fn licenses(&self, client_id: &ClientId) -> Result<Vec<LicenseView>, Error> {
        self.client(client_id).await?;
        Ok(self.register.licenses(client_id).await?.iter().map(LicenseView::of).collect())
    }

    /// A license, with what was captured under it in this month.
    ///
    /// # Errors
    /// [`Error::NotFound`].
    pub async fn license(&self, id: &LicenseId) -> Result<LicenseView, Error> {
        let issued = self.issued_license(id).await?;
        let month = month_of(self.clock.now());
        let captures_used = self.captures_used(&issued.license, &month).await?;
        Ok(LicenseView { usage: Some(Usage { month, captures_used }), ..LicenseView::of(&issued) })
    }

    /// Changes the terms that are named. A volume limit that this month's captures have already reached a threshold of raises
    /// that alert.
    ///
    /// # Errors
    /// [`Error::NotFound`], [`Error::Invalid`]; [`Error::Refused`] for a revoked license.
    pub async fn configure_license(&self, id: &LicenseId, terms: &Terms) -> Result<LicenseView, Error> {
        let issued = self.license_in_force(id).await?;
        let license = issued.license.under(terms).map_err(|fault| Error::Invalid(fault.to_string()))?;
        let changed = self.register.change_license(&issued, license, None).await?;
        let changed = changed.ok_or_else(|| Error::changed_meanwhile("license"))?;
        if terms.volume_limit.is_some() {
            let now = self.clock.now();
            let month = month_of(now);
            let captures_used = self.captures_used(&changed.license, &month).await?;
            self.alerts.raise_reached(&changed.license, &month, captures_used, now).await?;
        }
        Ok(LicenseView::of(&changed))
    }

    /// Gives a license a new key. The old one is unknown from then on; usage, alerts and open sessions stay.
    ///
    /// # Errors
    /// [`Error::NotFound`]; [`Error::Refused`] for a revoked license. When AWS's answer is lost, the key may have been replaced by
    /// one whose secret is lost: rotate again.
    pub async fn rotate_license_key(&self, id: &LicenseId) -> Result<NewLicense, Error> {
        let issued = self.license_in_force(id).await?;
        let client = self.client(&issued.license.client_id).await?;
        let key = LicenseKey::from_entropy(issued.license.environment, aws::entropy());
        let rotated = self.register.rotate_license_key(&issued, key.hash(), client.status).await?;
        let rotated = rotated.ok_or_else(|| Error::changed_meanwhile("license"))?;
        Ok(NewLicense::of(&key, &rotated))
    }

    /// Revokes a license permanently, and raises its alert.
    ///
    /// # Errors
    /// [`Error::NotFound`]; [`Error::Refused`] when it is revoked already.
    pub async fn revoke_license(&self, id: &LicenseId) -> Result<LicenseView, Error> {
        let issued = self.license_in_force(id).await?;
        let license = License { status: LicenseStatus::Revoked, ..issued.license.clone() };
        let alert = Alert::of_revocation(&license, self.clock.now());
        let revoked = self.register.change_license(&issued, license, Some(&alert)).await?;
        Ok(LicenseView::of(&revoked.ok_or_else(|| Error::changed_meanwhile("license"))?))
    }

    /// Names the license that new hosted sessions of its client and environment use, in place of the one before. Sessions that
    /// are open keep theirs.
    ///
    /// # Errors
    /// [`Error::NotFound`]; [`Error::Refused`] for a revoked license, one without redirect origins, or a client whose webhooks
    /// no secret signs.
    pub async fn name_hosted_license(&self, id: &LicenseId) -> Result<HostedLicenseView, Error> {
        let issued = self.license_in_force(id).await?;
        let License { client_id, environment, .. } = &issued.license;
        if !issued.license.is_hosted() {
            return Err(Error::Refused(format!("license {id} has no redirect_origins; set them first")));
        }
        self.check_webhook_secret(client_id, *environment).await?;
        match self.register.name_hosted_license(&issued).await? {
            true => Ok(HostedLicenseView {
                client_id: client_id.clone(),
                environment: *environment,
                license_id: id.clone(),
            }),
            false => Err(Error::changed_meanwhile("license")),
        }
    }

    /// The hosted license of each environment of a client that names one.
    ///
    /// # Errors
    /// [`Error::NotFound`].
    pub async fn hosted_licenses(&self, client_id: &ClientId) -> Result<Vec<HostedLicenseView>, Error> {
        self.client(client_id).await?;
        let named = self.register.hosted_licenses(client_id).await?.into_iter();
        let view =
            |(environment, license_id)| HostedLicenseView { client_id: client_id.clone(), environment, license_id };
        Ok(named.map(view).collect())
    }

    pub(crate) async fn issued_license(&self, id: &LicenseId) -> Result<IssuedLicense, Error> {
        check_id("license", &id.0)?;
        self.register.license(id).await?.ok_or_else(|| Error::not_found("license", id))
    }

    async fn license_in_force(&self, id: &LicenseId) -> Result<IssuedLicense, Error> {
        let issued = self.issued_license(id).await?;
        match issued.license.status {
            LicenseStatus::Active => Ok(issued),
            LicenseStatus::Revoked => {
                Err(Error::Refused(format!("license {id} is revoked, for good; issue a new license instead")))
            }
        }
    }

    async fn captures_used(&self, license: &License, month: &str) -> Result<u64, Error> {
        Ok(self.accounts.read_license(&license.id, &license.client_id, Some(month)).await?.captures_used)
    }
}

impl NewLicense {
    fn of(key: &LicenseKey, issued: &IssuedLicense) -> Self {
        Self { license_key: key.expose().to_owned(), view: LicenseView::of(issued) }
    }
}

impl LicenseView {
    fn of(IssuedLicense { license, issue }: &IssuedLicense) -> Self {
        Self {
            id: license.id.clone(),
            client_id: license.client_id.clone(),
            environment: license.environment,
            status: license.status,
            expires_at: rfc3339(license.expires_at),
            volume_limit: license.effective_volume_limit(),
            authorized_origins: license.authorized_origins.clone(),
            redirect_origins: license.redirect_origins.clone(),
            store_asset_policy: license.store_asset_policy,
            gps_mode: license.gps_mode,
            gps_max_accuracy_m: license.gps_max_accuracy_m,
            recapture_gate: license.recapture_gate,
            capture_resolution: license.capture_resolution,
            tsa_required: license.tsa_required,
            max_captures_per_session: license.max_captures_per_session,
            integrity_enforcement: license.integrity_enforcement(),
            issued_at: rfc3339(issue.issued_at),
            key_id: issue.key.as_str().chars().take(16).collect(),
            usage: None,
        }
    }
}
