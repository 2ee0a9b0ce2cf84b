//! The operations of the KMS stand-in.

use std::collections::BTreeMap;

use base64::{Engine, prelude::BASE64_STANDARD};
use rsa::pkcs8::EncodePublicKey;
use serde_json::{Value, json};

use super::{
    Exception, envelope,
    import::PendingImport,
    input::{blob, key_id, one_of, text},
    keys::{Key, KeyOrigin, KeySpec, KeyState, KeyStore, key_arn},
};

/// How long a prepared import stays valid, in seconds, as on AWS.
const IMPORT_VALIDITY_SECONDS: i64 = 24 * 60 * 60;

/// Minimum and maximum waiting period before a key is deleted, in days, as on AWS.
const DELETION_DAYS: (i64, i64) = (7, 30);

/// Executes one call.
pub(crate) fn call(keys: &mut KeyStore, operation: &str, input: &Value) -> Result<Value, Exception> {
    match operation {
        "CreateKey" => create_key(keys, input),
        "DescribeKey" => describe_key(keys, input),
        "GetPublicKey" => get_public_key(keys, input),
        "Sign" => sign(keys, input),
        "CreateAlias" => set_alias(keys, input, false),
        "UpdateAlias" => set_alias(keys, input, true),
        "ListAliases" => list_aliases(keys, input),
        "EnableKey" => set_enabled(keys, input, true),
        "DisableKey" => set_enabled(keys, input, false),
        "ListResourceTags" => list_tags(keys, input),
        "GetKeyPolicy" => get_policy(keys, input),
        "PutKeyPolicy" => put_policy(keys, input),
        "ScheduleKeyDeletion" => schedule_deletion(keys, input),
        "CancelKeyDeletion" => cancel_deletion(keys, input),
        "ImportKeyMaterial" => import_key_material(keys, input),
        "GenerateDataKey" => envelope::generate_data_key(keys, input),
        "Decrypt" => envelope::decrypt(keys, input),
        _ => Err(Exception::new("UnknownOperationException", format!("{operation} is not served here"))),
    }
}

fn create_key(keys: &mut KeyStore, input: &Value) -> Result<Value, Exception> {
    let spec: KeySpec = one_of(input, "KeySpec")?;
    if text(input, "KeyUsage")? != spec.usage() {
        return Err(Exception::validation(format!("this stand-in makes such keys with usage {} only", spec.usage())));
    }
    let origin = match input.get("Origin") {
        Some(_) => one_of(input, "Origin")?,
        None => KeyOrigin::AwsKms,
    };
    let description = input.get("Description").and_then(Value::as_str).unwrap_or_default();
    let key = Key::create(spec, origin, description.to_owned(), tags(input)?)?;
    let id = keys.add(key)?;
    Ok(json!({ "KeyMetadata": metadata(keys.key(&id)?, &id) }))
}

fn describe_key(keys: &KeyStore, input: &Value) -> Result<Value, Exception> {
    let id = key_id(keys, input)?;
    Ok(json!({ "KeyMetadata": metadata(keys.key(&id)?, &id) }))
}

fn get_public_key(keys: &KeyStore, input: &Value) -> Result<Value, Exception> {
    let id = key_id(keys, input)?;
    let (key, arn) = (keys.key(&id)?, key_arn(&id));
    Ok(json!({
        "KeyId": arn,
        "PublicKey": BASE64_STANDARD.encode(key.public_key(&arn)?),
        "KeySpec": key.spec, "CustomerMasterKeySpec": key.spec,
        "KeyUsage": "SIGN_VERIFY",
        "SigningAlgorithms": [key.spec.algorithm()],
    }))
}

fn sign(keys: &KeyStore, input: &Value) -> Result<Value, Exception> {
    let id = key_id(keys, input)?;
    let (arn, algorithm, message) = (key_arn(&id), text(input, "SigningAlgorithm")?, blob(input, "Message")?);
    let is_digest = match input.get("MessageType").and_then(Value::as_str) {
        None | Some("RAW") => false,
        Some("DIGEST") => true,
        Some(other) => return Err(Exception::validation(format!("MessageType {other} is invalid."))),
    };
    let signature = keys.key(&id)?.sign(&arn, algorithm, &message, is_digest)?;
    Ok(json!({ "KeyId": arn, "Signature": BASE64_STANDARD.encode(signature), "SigningAlgorithm": algorithm }))
}

fn set_alias(keys: &mut KeyStore, input: &Value, moves: bool) -> Result<Value, Exception> {
    let id = keys.resolve(text(input, "TargetKeyId")?)?;
    keys.set_alias(text(input, "AliasName")?, &id, moves)?;
    Ok(json!({}))
}

fn list_aliases(keys: &KeyStore, input: &Value) -> Result<Value, Exception> {
    let of = input.get("KeyId").and_then(Value::as_str).map(|reference| keys.resolve(reference)).transpose()?;
    Ok(json!({ "Aliases": keys.aliases(of.as_deref()), "Truncated": false }))
}

fn set_enabled(keys: &mut KeyStore, input: &Value, enabled: bool) -> Result<Value, Exception> {
    let id = key_id(keys, input)?;
    keys.change(&id, |key| key.set_enabled(&key_arn(&id), enabled))?;
    Ok(json!({}))
}

fn list_tags(keys: &KeyStore, input: &Value) -> Result<Value, Exception> {
    let tags = &keys.key(&key_id(keys, input)?)?.tags;
    let tags: Vec<Value> = tags.iter().map(|(key, value)| json!({ "TagKey": key, "TagValue": value })).collect();
    Ok(json!({ "Tags": tags, "Truncated": false }))
}

fn get_policy(keys: &KeyStore, input: &Value) -> Result<Value, Exception> {
    Ok(json!({ "Policy": keys.key(&key_id(keys, input)?)?.policy, "PolicyName": "default" }))
}

fn put_policy(keys: &mut KeyStore, input: &Value) -> Result<Value, Exception> {
    let (id, policy) = (key_id(keys, input)?, text(input, "Policy")?);
    if serde_json::from_str::<Value>(policy).is_err() {
        return Err(Exception::new("MalformedPolicyDocumentException", "the policy is not JSON"));
    }
    keys.change(&id, |key| {
        policy.clone_into(&mut key.policy);
        Ok(())
    })?;
    Ok(json!({}))
}

fn schedule_deletion(keys: &mut KeyStore, input: &Value) -> Result<Value, Exception> {
    let id = key_id(keys, input)?;
    let days = match input.get("PendingWindowInDays") {
        None => DELETION_DAYS.1,
        Some(days) => days.as_i64().unwrap_or_default(),
    };
    if !(DELETION_DAYS.0..=DELETION_DAYS.1).contains(&days) {
        return Err(Exception::validation("PendingWindowInDays must be between 7 and 30."));
    }
    keys.change(&id, |key| key.schedule_deletion(&key_arn(&id)))?;
    let date = time::OffsetDateTime::now_utc() + time::Duration::days(days);
    Ok(json!({
        "KeyId": key_arn(&id), "KeyState": KeyState::PendingDeletion,
        "PendingWindowInDays": days, "DeletionDate": date.unix_timestamp(),
    }))
}

fn cancel_deletion(keys: &mut KeyStore, input: &Value) -> Result<Value, Exception> {
    let id = key_id(keys, input)?;
    keys.change(&id, |key| key.cancel_deletion(&key_arn(&id)))?;
    Ok(json!({ "KeyId": key_arn(&id) }))
}

/// Generates what [`get_parameters_for_import`] returns. It takes long and does not need the key store.
pub(crate) fn prepare_import(input: &Value) -> Result<PendingImport, Exception> {
    PendingImport::prepare(text(input, "WrappingAlgorithm")?, text(input, "WrappingKeySpec")?)
}

pub(crate) fn get_parameters_for_import(
    keys: &mut KeyStore,
    input: &Value,
    import: PendingImport,
) -> Result<Value, Exception> {
    let id = importable(keys, input)?;
    let public_key = import.wrapping_key.to_public_key().to_public_key_der().map_err(Exception::internal)?;
    let until = time::OffsetDateTime::now_utc().unix_timestamp() + IMPORT_VALIDITY_SECONDS;
    let answer = json!({
        "KeyId": key_arn(&id),
        "ImportToken": BASE64_STANDARD.encode(&import.token),
        "PublicKey": BASE64_STANDARD.encode(public_key.as_bytes()),
        "ParametersValidTo": until,
    });
    keys.imports.insert(id, import);
    Ok(answer)
}

fn import_key_material(keys: &mut KeyStore, input: &Value) -> Result<Value, Exception> {
    let id = importable(keys, input)?;
    let token = blob(input, "ImportToken")?;
    let import = keys.imports.get(&id).filter(|import| import.token == token).cloned();
    let import = import
        .ok_or_else(|| Exception::new("InvalidImportTokenException", "the import token was not made for this key"))?;
    let material = import.unwrap(&blob(input, "EncryptedKeyMaterial")?)?;
    keys.change(&id, |key| key.set_material(&material))?;
    keys.imports.remove(&id);
    Ok(json!({ "KeyId": key_arn(&id) }))
}

fn metadata(key: &Key, id: &str) -> Value {
    json!({
        "KeyId": id, "Arn": key_arn(id),
        "CreationDate": key.created_at,
        "Description": key.description,
        "Enabled": key.state == KeyState::Enabled, "KeyState": key.state,
        "KeySpec": key.spec, "CustomerMasterKeySpec": key.spec, "KeyUsage": key.spec.usage(),
        "SigningAlgorithms": (key.spec != KeySpec::SymmetricDefault).then(|| [key.spec.algorithm()]),
        "Origin": key.origin, "KeyManager": "CUSTOMER", "MultiRegion": false,
    })
}

/// The tags of a new key.
fn tags(input: &Value) -> Result<BTreeMap<String, String>, Exception> {
    let tags = input.get("Tags").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    tags.iter().map(|tag| Ok((text(tag, "TagKey")?.to_owned(), text(tag, "TagValue")?.to_owned()))).collect()
}

fn importable(keys: &KeyStore, input: &Value) -> Result<String, Exception> {
    let id = key_id(keys, input)?;
    match keys.key(&id)?.origin {
        KeyOrigin::External => Ok(id),
        KeyOrigin::AwsKms => {
            let message = format!("{} origin is AWS_KMS which is not valid for this operation.", key_arn(&id));
            Err(Exception::new("UnsupportedOperationException", message))
        }
    }
}
