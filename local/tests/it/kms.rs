//! Tests the KMS stand-in with the AWS SDK. Every signature is verified with the public key that KMS returns.

use aes_kw::KekAes256;
use aws_sdk_kms::{
    Client,
    error::ProvideErrorMetadata,
    primitives::Blob,
    types::{
        AlgorithmSpec, ExpirationModelType, KeySpec, KeyUsageType, MessageType, OriginType, SigningAlgorithmSpec, Tag,
        WrappingKeySpec,
    },
};
use local::Storage;
use p256::ecdsa::signature::hazmat::PrehashVerifier;
use rsa::{
    Oaep, Pkcs1v15Sign, RsaPrivateKey, RsaPublicKey,
    pkcs8::{DecodePublicKey, EncodePrivateKey},
    rand_core::OsRng,
};
use sha2::{Digest, Sha256};

use super::stack::{self, start};

const RSA: SigningAlgorithmSpec = SigningAlgorithmSpec::RsassaPkcs1V15Sha256;
const ECDSA: SigningAlgorithmSpec = SigningAlgorithmSpec::EcdsaSha256;

async fn create(kms: &Client, spec: KeySpec, origin: OriginType) -> String {
    let create = kms.create_key().key_spec(spec).key_usage(KeyUsageType::SignVerify).origin(origin);
    create.send().await.unwrap().key_metadata.unwrap().arn.unwrap()
}

async fn public_key(kms: &Client, key: &str) -> Vec<u8> {
    kms.get_public_key().key_id(key).send().await.unwrap().public_key.unwrap().into_inner()
}

fn sign(
    kms: &Client,
    key: &str,
    algorithm: SigningAlgorithmSpec,
    digest: &[u8],
) -> aws_sdk_kms::operation::sign::builders::SignFluentBuilder {
    kms.sign().key_id(key).signing_algorithm(algorithm).message_type(MessageType::Digest).message(Blob::new(digest))
}

/// Wraps key material for an import, as an operator does.
fn wrap(wrapping_key: &[u8], material: &[u8]) -> Vec<u8> {
    let aes = [7; 32];
    let wrapping_key = RsaPublicKey::from_public_key_der(wrapping_key).unwrap();
    let mut wrapped = wrapping_key.encrypt(&mut OsRng, Oaep::new::<Sha256>(), &aes).unwrap();
    wrapped.extend(KekAes256::from(aes).wrap_with_padding_vec(material).unwrap());
    wrapped
}

async fn parameters(kms: &Client, key: &str) -> (Vec<u8>, Blob) {
    let ask = kms.get_parameters_for_import().key_id(key).wrapping_algorithm(AlgorithmSpec::RsaAesKeyWrapSha256);
    let response = ask.wrapping_key_spec(WrappingKeySpec::Rsa2048).send().await.unwrap();
    (response.public_key.unwrap().into_inner(), response.import_token.unwrap())
}

fn import(
    kms: &Client,
    key: &str,
    token: Blob,
    wrapped: Vec<u8>,
) -> aws_sdk_kms::operation::import_key_material::builders::ImportKeyMaterialFluentBuilder {
    let import = kms.import_key_material().key_id(key).import_token(token).encrypted_key_material(Blob::new(wrapped));
    import.expiration_model(ExpirationModelType::KeyMaterialDoesNotExpire)
}

#[tokio::test]
async fn ecdsa_signatures_are_der_and_verify() {
    let stack = start(&Storage::Memory).await;
    let kms = stack::kms(&stack);
    let key = create(&kms, KeySpec::EccNistP256, OriginType::AwsKms).await;
    let public = p256::PublicKey::from_public_key_der(&public_key(&kms, &key).await).unwrap();
    let digest = Sha256::digest(b"claim");

    let signed = sign(&kms, &key, ECDSA, &digest).send().await.unwrap().signature.unwrap();
    let signature = p256::ecdsa::Signature::from_der(signed.as_ref()).unwrap();
    p256::ecdsa::VerifyingKey::from(public).verify_prehash(&digest, &signature).unwrap();

    let raw = kms.sign().key_id(&key).signing_algorithm(ECDSA).message(Blob::new(b"claim"));
    let signed = raw.send().await.unwrap().signature.unwrap();
    let signature = p256::ecdsa::Signature::from_der(signed.as_ref()).unwrap();
    p256::ecdsa::VerifyingKey::from(public).verify_prehash(&digest, &signature).unwrap();
}

#[tokio::test]
async fn an_imported_key_signs() {
    let stack = start(&Storage::Memory).await;
    let kms = stack::kms(&stack);
    let a1 = RsaPrivateKey::new(&mut OsRng, 2048).unwrap();
    let pkcs8 = a1.to_pkcs8_der().unwrap();
    let key = create(&kms, KeySpec::Rsa2048, OriginType::External).await;
    let digest = Sha256::digest(b"attributes");

    let early = sign(&kms, &key, RSA, &digest).send().await.unwrap_err();
    assert!(early.as_service_error().unwrap().is_kms_invalid_state_exception());
    let (wrapping_key, token) = parameters(&kms, &key).await;
    import(&kms, &key, token, wrap(&wrapping_key, pkcs8.as_bytes())).send().await.unwrap();

    let public = RsaPublicKey::from_public_key_der(&public_key(&kms, &key).await).unwrap();
    assert_eq!(public, a1.to_public_key());
    let signed = sign(&kms, &key, RSA, &digest).send().await.unwrap().signature.unwrap();
    public.verify(Pkcs1v15Sign::new::<Sha256>(), &digest, signed.as_ref()).unwrap();
}

#[tokio::test]
async fn imports_need_token_and_matching_material() {
    let stack = start(&Storage::Memory).await;
    let kms = stack::kms(&stack);
    let key = create(&kms, KeySpec::Rsa2048, OriginType::External).await;
    let rsa = RsaPrivateKey::new(&mut OsRng, 2048).unwrap().to_pkcs8_der().unwrap();
    let ec = p256::SecretKey::random(&mut OsRng).to_pkcs8_der().unwrap();

    let (wrapping_key, token) = parameters(&kms, &key).await;
    let other_token = Blob::new([0; 32]);
    let refused = import(&kms, &key, other_token, wrap(&wrapping_key, rsa.as_bytes())).send().await.unwrap_err();
    assert!(refused.as_service_error().unwrap().is_invalid_import_token_exception());
    let mut damaged = wrap(&wrapping_key, rsa.as_bytes());
    *damaged.last_mut().unwrap() ^= 1;
    for wrong in [damaged, wrap(&wrapping_key, ec.as_bytes()), vec![0; 10]] {
        let refused = import(&kms, &key, token.clone(), wrong).send().await.unwrap_err();
        assert!(refused.as_service_error().unwrap().is_invalid_ciphertext_exception());
    }
    import(&kms, &key, token, wrap(&wrapping_key, rsa.as_bytes())).send().await.unwrap();

    let (wrapping_key, token) = parameters(&kms, &key).await;
    let other = RsaPrivateKey::new(&mut OsRng, 2048).unwrap().to_pkcs8_der().unwrap();
    let refused = import(&kms, &key, token, wrap(&wrapping_key, other.as_bytes())).send().await.unwrap_err();
    assert!(refused.as_service_error().unwrap().is_incorrect_key_material_exception());
    let own = create(&kms, KeySpec::EccNistP256, OriginType::AwsKms).await;
    let ask = kms.get_parameters_for_import().key_id(own).wrapping_algorithm(AlgorithmSpec::RsaAesKeyWrapSha256);
    let refused = ask.wrapping_key_spec(WrappingKeySpec::Rsa2048).send().await.unwrap_err();
    assert!(refused.as_service_error().unwrap().is_unsupported_operation_exception());
}

#[tokio::test]
async fn a_disabled_key_does_not_sign() {
    let stack = start(&Storage::Memory).await;
    let kms = stack::kms(&stack);
    let key = create(&kms, KeySpec::EccNistP256, OriginType::AwsKms).await;
    let digest = Sha256::digest(b"claim");

    kms.disable_key().key_id(&key).send().await.unwrap();
    let refused = sign(&kms, &key, ECDSA, &digest).send().await.unwrap_err();
    assert!(refused.as_service_error().unwrap().is_disabled_exception());
    let refused = kms.get_public_key().key_id(&key).send().await.unwrap_err();
    assert!(refused.as_service_error().unwrap().is_disabled_exception());
    let response = kms.describe_key().key_id(&key).send().await.unwrap().key_metadata.unwrap();
    assert!(!response.enabled());
    kms.enable_key().key_id(&key).send().await.unwrap();
    sign(&kms, &key, ECDSA, &digest).send().await.unwrap();
}

#[tokio::test]
async fn refuses_with_the_error_of_kms() {
    let stack = start(&Storage::Memory).await;
    let kms = stack::kms(&stack);
    let key = create(&kms, KeySpec::EccNistP256, OriginType::AwsKms).await;
    let code = |error: &dyn ProvideErrorMetadata| error.code().map(str::to_owned);

    let absent = format!("{}0", &key[..key.len() - 1]);
    let absent = if absent == key { format!("{}1", &key[..key.len() - 1]) } else { absent };
    let refused = sign(&kms, &absent, ECDSA, &[0; 32]).send().await.unwrap_err();
    assert_eq!(code(&refused).as_deref(), Some("NotFoundException"));
    let refused = sign(&kms, &key, RSA, &[0; 32]).send().await.unwrap_err();
    assert_eq!(code(&refused).as_deref(), Some("InvalidKeyUsageException"));
    let refused = sign(&kms, &key, ECDSA, &[0; 31]).send().await.unwrap_err();
    assert_eq!(code(&refused).as_deref(), Some("ValidationException"));
    let refused = kms.list_grants().key_id(&key).send().await.unwrap_err();
    assert_eq!(code(&refused).as_deref(), Some("UnknownOperationException"));
}

#[tokio::test]
async fn keys_pending_deletion_do_not_sign() {
    let stack = start(&Storage::Memory).await;
    let kms = stack::kms(&stack);
    let key = create(&kms, KeySpec::EccNistP256, OriginType::AwsKms).await;
    let code = |error: &dyn ProvideErrorMetadata| error.code().map(str::to_owned);
    let early = kms.schedule_key_deletion().key_id(&key).pending_window_in_days(6).send().await.unwrap_err();
    assert_eq!(code(&early).as_deref(), Some("ValidationException"));
    kms.schedule_key_deletion().key_id(&key).pending_window_in_days(7).send().await.unwrap();
    let response = kms.describe_key().key_id(&key).send().await.unwrap().key_metadata.unwrap();
    assert_eq!(response.key_state.unwrap().as_str(), "PendingDeletion");
    for refused in [
        code(&sign(&kms, &key, ECDSA, &[0; 32]).send().await.unwrap_err()),
        code(&kms.enable_key().key_id(&key).send().await.unwrap_err()),
        code(&kms.schedule_key_deletion().key_id(&key).send().await.unwrap_err()),
    ] {
        assert_eq!(refused.as_deref(), Some("KMSInvalidStateException"));
    }
    kms.cancel_key_deletion().key_id(&key).send().await.unwrap();
    assert_eq!(
        code(&sign(&kms, &key, ECDSA, &[0; 32]).send().await.unwrap_err()).as_deref(),
        Some("DisabledException")
    );
    kms.enable_key().key_id(&key).send().await.unwrap();
    sign(&kms, &key, ECDSA, &[0; 32]).send().await.unwrap();
}

/// The service cannot use a key on P-384; tests of its checks need one.
#[tokio::test]
async fn creates_tagged_keys_of_other_curves() {
    let stack = start(&Storage::Memory).await;
    let kms = stack::kms(&stack);
    let tag = Tag::builder().tag_key("lacre-seal").tag_value("stack").build().unwrap();
    let made = kms.create_key().key_spec(KeySpec::EccNistP384).key_usage(KeyUsageType::SignVerify).tags(tag.clone());
    let key = made.send().await.unwrap().key_metadata.unwrap().arn.unwrap();
    assert_eq!(kms.list_resource_tags().key_id(&key).send().await.unwrap().tags(), [tag]);
    let secp384r1 = [0x06, 0x05, 0x2B, 0x81, 0x04, 0x00, 0x22];
    assert!(public_key(&kms, &key).await.windows(7).any(|bytes| bytes == secp384r1));
}

#[tokio::test]
async fn aliases_name_keys_and_move() {
    let stack = start(&Storage::Memory).await;
    let kms = stack::kms(&stack);
    let first = create(&kms, KeySpec::EccNistP256, OriginType::AwsKms).await;
    let second = create(&kms, KeySpec::EccNistP256, OriginType::AwsKms).await;

    let update = kms.update_alias().alias_name("alias/claim").target_key_id(&first).send().await.unwrap_err();
    assert!(update.as_service_error().unwrap().is_not_found_exception());
    kms.create_alias().alias_name("alias/claim").target_key_id(&first).send().await.unwrap();
    assert_eq!(public_key(&kms, "alias/claim").await, public_key(&kms, &first).await);
    let again = kms.create_alias().alias_name("alias/claim").target_key_id(&second).send().await.unwrap_err();
    assert!(again.as_service_error().unwrap().is_already_exists_exception());
    kms.update_alias().alias_name("alias/claim").target_key_id(&second).send().await.unwrap();
    assert_eq!(public_key(&kms, "alias/claim").await, public_key(&kms, &second).await);
    let listed = kms.list_aliases().key_id(&second).send().await.unwrap();
    assert_eq!(listed.aliases().iter().filter_map(|alias| alias.alias_name()).collect::<Vec<_>>(), ["alias/claim"]);
    assert!(kms.list_aliases().key_id(&first).send().await.unwrap().aliases().is_empty());
}

#[tokio::test]
async fn keys_survive_a_restart() {
    let directory = tempfile::tempdir().unwrap();
    let storage = Storage::Directory(directory.path().to_owned());
    let stack = start(&storage).await;
    let kms = stack::kms(&stack);
    let key = create(&kms, KeySpec::EccNistP256, OriginType::AwsKms).await;
    kms.create_alias().alias_name("alias/claim").target_key_id(&key).send().await.unwrap();
    let public = public_key(&kms, &key).await;
    drop(stack);

    let stack = start(&storage).await;
    assert_eq!(public_key(&stack::kms(&stack), "alias/claim").await, public);
}
