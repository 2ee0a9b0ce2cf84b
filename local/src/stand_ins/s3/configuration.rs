//! Versioning and Object Lock of a bucket, in the form of requests and responses.

use s3s::dto::{
    BucketVersioningStatus, DefaultRetention, GetBucketVersioningOutput, ObjectLockConfiguration, ObjectLockEnabled,
    ObjectLockRetentionMode, ObjectLockRule, VersioningConfiguration,
};

use super::{
    refusal::ObjectStoreError,
    settings::{ObjectLock, Settings},
};

/// Enables versioning if the request asks for it.
pub(crate) fn set_versioning(
    settings: &mut Settings,
    wanted: &VersioningConfiguration,
) -> Result<(), ObjectStoreError> {
    match wanted.status.as_ref().map(BucketVersioningStatus::as_str) {
        None => {}
        Some(BucketVersioningStatus::ENABLED) => settings.is_versioned = true,
        Some(_) => return Err(ObjectStoreError::NotServed("versions are not suspended here")),
    }
    Ok(())
}

/// Whether versioning is enabled.
pub(crate) fn versioning(settings: &Settings) -> GetBucketVersioningOutput {
    let enabled = || BucketVersioningStatus::from_static(BucketVersioningStatus::ENABLED);
    GetBucketVersioningOutput { status: settings.is_versioned.then(enabled), ..Default::default() }
}

/// Enables Object Lock and sets the default retention.
pub(crate) fn set_object_lock(
    settings: &mut Settings,
    wanted: Option<&ObjectLockConfiguration>,
) -> Result<(), ObjectStoreError> {
    if !settings.is_versioned {
        return Err(ObjectStoreError::NotVersioned);
    }
    let wanted = wanted.filter(|wanted| wanted.object_lock_enabled.is_some()).ok_or(ObjectStoreError::Malformed)?;
    let retention_days = match &wanted.rule {
        None => None,
        Some(rule) => Some(days(rule.default_retention.as_ref().ok_or(ObjectStoreError::Malformed)?)?),
    };
    settings.object_lock = Some(ObjectLock { retention_days });
    Ok(())
}

/// The Object Lock configuration with the default retention; `None` if the bucket has none.
pub(crate) fn object_lock(settings: &Settings) -> Option<ObjectLockConfiguration> {
    let lock = settings.object_lock?;
    let rule = lock.retention_days.map(|days| {
        let mode = ObjectLockRetentionMode::from_static(ObjectLockRetentionMode::GOVERNANCE);
        ObjectLockRule { default_retention: Some(DefaultRetention { days: Some(days), mode: Some(mode), years: None }) }
    });
    let enabled = ObjectLockEnabled::from_static(ObjectLockEnabled::ENABLED);
    Some(ObjectLockConfiguration { object_lock_enabled: Some(enabled), rule })
}

fn days(retention: &DefaultRetention) -> Result<i32, ObjectStoreError> {
    let mode = retention.mode.as_ref().map(ObjectLockRetentionMode::as_str);
    match (mode, retention.days, retention.years) {
        (Some(ObjectLockRetentionMode::GOVERNANCE), Some(days), None) if days > 0 => Ok(days),
        _ => Err(ObjectStoreError::NotServed("a default retention has the mode GOVERNANCE and a number of days here")),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn locked_for(days: Option<i32>, mode: &'static str) -> ObjectLockConfiguration {
        let retention = DefaultRetention { days, mode: Some(ObjectLockRetentionMode::from_static(mode)), years: None };
        ObjectLockConfiguration {
            object_lock_enabled: Some(ObjectLockEnabled::from_static(ObjectLockEnabled::ENABLED)),
            rule: Some(ObjectLockRule { default_retention: Some(retention) }),
        }
    }

    #[test]
    fn returns_object_lock_as_set() {
        let mut settings = Settings::default();
        let wanted = locked_for(Some(30), ObjectLockRetentionMode::GOVERNANCE);
        assert!(matches!(set_object_lock(&mut settings, Some(&wanted)), Err(ObjectStoreError::NotVersioned)));
        assert_eq!(object_lock(&settings), None);

        settings.is_versioned = true;
        set_object_lock(&mut settings, Some(&wanted)).unwrap();
        assert_eq!(object_lock(&settings), Some(wanted.clone()));
        set_object_lock(&mut settings, Some(&ObjectLockConfiguration { rule: None, ..wanted })).unwrap();
        assert_eq!(settings, Settings::locked());
    }

    #[test]
    fn unsupported_settings_change_nothing() {
        let mut settings = Settings::locked();
        for wanted in [locked_for(Some(30), ObjectLockRetentionMode::COMPLIANCE), locked_for(None, "GOVERNANCE")] {
            assert!(matches!(set_object_lock(&mut settings, Some(&wanted)), Err(ObjectStoreError::NotServed(_))));
        }
        assert!(matches!(set_object_lock(&mut settings, None), Err(ObjectStoreError::Malformed)));
        let suspended = BucketVersioningStatus::from_static(BucketVersioningStatus::SUSPENDED);
        let suspended = VersioningConfiguration { status: Some(suspended), ..Default::default() };
        assert!(matches!(set_versioning(&mut settings, &suspended), Err(ObjectStoreError::NotServed(_))));
        assert_eq!(settings, Settings::locked());
    }
}
