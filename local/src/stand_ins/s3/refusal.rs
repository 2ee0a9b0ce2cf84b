//! Errors of the store and their S3 error codes.

use s3s::{S3Error, s3_error};

/// An error of the store.
#[derive(Debug)]
pub(crate) enum ObjectStoreError {
    NoSuchBucket,
    NoSuchKey,
    NoSuchVersion,
    /// The requested version is a delete marker.
    IsDeleteMarker,
    BucketExists,
    /// The precondition does not hold.
    NotAsExpected,
    /// The version is under retention.
    Retained,
    /// The request bypasses retention in a bucket without Object Lock.
    NoObjectLock,
    /// Object Lock requires versioning.
    NotVersioned,
    /// A setting is incomplete.
    Malformed,
    /// S3 supports this, but the stand-in does not.
    NotServed(&'static str),
    Io(std::io::Error),
}

impl From<std::io::Error> for ObjectStoreError {
    fn from(error: std::io::Error) -> Self {
        Self::Io(error)
    }
}

impl From<ObjectStoreError> for S3Error {
    fn from(refusal: ObjectStoreError) -> Self {
        match refusal {
            ObjectStoreError::NoSuchBucket => s3_error!(NoSuchBucket, "The specified bucket does not exist"),
            ObjectStoreError::NoSuchKey => s3_error!(NoSuchKey, "The specified key does not exist."),
            ObjectStoreError::NoSuchVersion => s3_error!(NoSuchVersion, "The specified version does not exist."),
            ObjectStoreError::IsDeleteMarker => {
                s3_error!(MethodNotAllowed, "The specified method is not allowed against this resource.")
            }
            ObjectStoreError::BucketExists => {
                s3_error!(BucketAlreadyOwnedByYou, "The bucket already exists, and you own it.")
            }
            ObjectStoreError::NotAsExpected => {
                s3_error!(PreconditionFailed, "At least one of the pre-conditions you specified did not hold")
            }
            ObjectStoreError::Retained => {
                s3_error!(AccessDenied, "Access Denied because object protected by object lock.")
            }
            ObjectStoreError::NoObjectLock => s3_error!(
                InvalidArgument,
                "x-amz-bypass-governance-retention is only applicable to Object Lock enabled buckets"
            ),
            ObjectStoreError::NotVersioned => s3_error!(
                InvalidBucketState,
                "Versioning must be 'Enabled' on the bucket to apply a Object Lock configuration"
            ),
            ObjectStoreError::Malformed => s3_error!(MalformedXML, "The XML you provided was not well-formed"),
            ObjectStoreError::NotServed(what) => s3_error!(NotImplemented, "{what}"),
            ObjectStoreError::Io(error) => S3Error::internal_error(error),
        }
    }
}
