//! Tests failures of AWS during an import: what was in force stays in force, and a created key is reported.

use lacre_administration::{Error, signer::SealMaterial};
use lacre_domain::{Environment, SignerProfile};
use lacre_storage::SignerProfiles;
use lacre_tests::{
    Fault, Storage,
    openssl::{PASSWORD, icp_brasil_like},
};

use super::{Desk, import};

fn material() -> SealMaterial {
    let pfx = icp_brasil_like().pfx("company", &["issuing", "root"], "");
    SealMaterial::from_pfx(&pfx, PASSWORD, &[]).unwrap()
}

/// The key ARN in an error message.
fn named_key(error: &Error) -> String {
    let text = error.to_string();
    let arn = text.split_whitespace().find(|word| word.starts_with("arn:aws:kms:"));
    arn.unwrap_or_else(|| panic!("no key in {text}")).to_owned()
}

#[tokio::test]
async fn deletes_keys_of_failed_imports() {
    let desk = Desk::open().await;
    let (material, before) = (material(), desk.signers().await);
    for call in ["GetParametersForImport", "ImportKeyMaterial", "GetPublicKey", "Sign seal"] {
        desk.faults.always(call, Fault::Refuse);
        let error = desk.signer.import_seal(&material, &import(Environment::Sandbox)).await.unwrap_err();
        desk.faults.clear();
        assert!(matches!(error, Error::NothingChanged(_)), "{call}: {error}");
        assert!(error.to_string().ends_with("was made and is not used; KMS deletes it in 7 days"), "{call}: {error}");
        let key = Storage::of(&desk.service).kms.describe_key().key_id(named_key(&error)).send().await.unwrap();
        assert_eq!(key.key_metadata.unwrap().key_state.unwrap().as_str(), "PendingDeletion", "{call}");
        assert_eq!(desk.signers().await, before, "{call}");
    }
}

/// KMS is eventually consistent: for a moment it may not know a key that was just created.
#[tokio::test]
async fn retries_until_kms_knows_the_key() {
    let desk = Desk::open().await;
    let material = material();
    for (call, code) in [
        ("GetParametersForImport", "NotFoundException"),
        ("ImportKeyMaterial", "NotFoundException"),
        ("GetPublicKey", "NotFoundException"),
        ("GetPublicKey", "KMSInvalidStateException"),
    ] {
        desk.faults.strike(call, 1, 2, Fault::Code(code));
        let imported = desk.signer.import_seal(&material, &import(Environment::Sandbox)).await.unwrap();
        assert_eq!(desk.faults.clear(), 2, "{call} {code}");
        let draft = SignerProfiles::new(desk.service.connection()).state(Environment::Sandbox).await.unwrap().draft;
        assert_eq!(draft.seal.unwrap().key_arn, imported.key_arn);
    }
}

#[tokio::test]
async fn a_wrong_signature_installs_nothing() {
    let desk = Desk::open().await;
    let (material, before) = (material(), desk.signers().await);
    desk.faults.always("Sign seal", Fault::WrongSignature);
    let error = desk.signer.import_seal(&material, &import(Environment::Sandbox)).await.unwrap_err();
    assert!(error.to_string().contains("does not verify under its certificate"), "{error}");
    assert_eq!(desk.signers().await, before);
}

#[tokio::test]
async fn deletes_keys_certainly_not_installed() {
    let desk = Desk::open().await;
    desk.faults.always("TransactWriteItems", Fault::ServerError);
    let error = desk.signer.import_seal(&material(), &import(Environment::Sandbox)).await.unwrap_err();
    desk.faults.clear();
    assert!(error.to_string().contains("nothing was changed"), "{error}");
    let key = Storage::of(&desk.service).kms.describe_key().key_id(named_key(&error)).send().await.unwrap();
    assert!(!key.key_metadata.unwrap().enabled());
}

#[tokio::test]
async fn keeps_keys_that_may_be_installed() {
    let desk = Desk::open().await;
    let material = material();
    // The write fails, and it cannot be determined whether it took effect.
    desk.faults.always("TransactWriteItems", Fault::ServerError);
    desk.faults.always("PutItem audit", Fault::ServerError);
    let error = desk.signer.import_seal(&material, &import(Environment::Sandbox)).await.unwrap_err();
    desk.faults.clear();
    assert!(error.to_string().contains("may be in the draft: check it before retrying"), "{error}");
    let key = Storage::of(&desk.service).kms.describe_key().key_id(named_key(&error)).send().await.unwrap();
    assert!(key.key_metadata.unwrap().enabled());
}

#[tokio::test]
async fn a_lost_response_keeps_the_import() {
    let desk = Desk::open().await;
    desk.faults.always("TransactWriteItems", Fault::LoseAnswer);
    let imported = desk.signer.import_seal(&material(), &import(Environment::Sandbox)).await.unwrap();
    desk.faults.clear();
    let draft = SignerProfiles::new(desk.service.connection()).state(Environment::Sandbox).await.unwrap().draft;
    assert_eq!(draft.seal.unwrap().key_arn, imported.key_arn);
}

#[tokio::test]
async fn one_new_version_comes_into_force() {
    let desk = Desk::open().await;
    let profiles = SignerProfiles::new(desk.service.connection());
    let before = profiles.state(Environment::Sandbox).await.unwrap();
    let sound = before.profile.clone().unwrap();
    let mut second = SignerProfile { version: sound.version + 1, ..sound };
    assert!(profiles.put_in_force(&before, &second, &lacre_tests::operator::entry()).await.unwrap());
    let first = second.clone();
    second.seal.icp_brasil = true;
    assert!(!profiles.put_in_force(&before, &second, &lacre_tests::operator::entry()).await.unwrap());
    assert_eq!(profiles.state(Environment::Sandbox).await.unwrap().profile, Some(first));
}
