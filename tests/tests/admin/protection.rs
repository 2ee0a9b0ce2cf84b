//! Tests that the policies of tables, buckets and keys are read back, and that each manipulation is found.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
};

use axum::{
    Router,
    body::Bytes,
    extract::State,
    http::{HeaderMap, StatusCode, Uri},
    response::{IntoResponse, Response},
};
use lacre_administration::{EvidenceAdministration, Protected};
use lacre_domain::Environment;
use lacre_storage::{ClaimKeys, Connection, SignerProfiles};
use lacre_tests::{Service, Storage, vault::CUSTODIAN};
use serde_json::{Value, json};
use tokio::net::TcpListener;

const EXPECTED: &str = include_str!("../../../shared/administration/src/evidence/protection.json");
const SIGNING_OPERATORS: &str = "arn:aws:iam::000000000000:role/signer";
const TABLES: &str = "arn:aws:dynamodb:sa-east-1:000000000000:table/";

/// An account: table policies by ARN, bucket policies by name, and deviating bucket settings.
#[derive(Default)]
struct Account {
    policies: BTreeMap<String, Value>,
    settings: BTreeMap<(String, &'static str), &'static str>,
}

/// A stand-in for the policy calls of S3 and DynamoDB. Other calls of DynamoDB go to the service's stand-in.
#[derive(Clone)]
struct Aws {
    account: Arc<Mutex<Account>>,
    dynamodb: String,
}

const SETTINGS: [(&str, &str); 3] = [
    (
        "publicAccessBlock",
        "<PublicAccessBlockConfiguration><BlockPublicAcls>true</BlockPublicAcls><IgnorePublicAcls>true</IgnorePublicAcls>\
         <BlockPublicPolicy>true</BlockPublicPolicy><RestrictPublicBuckets>true</RestrictPublicBuckets>\
         </PublicAccessBlockConfiguration>",
    ),
    ("versioning", "<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>"),
    (
        "object-lock",
        "<ObjectLockConfiguration><ObjectLockEnabled>Enabled</ObjectLockEnabled><Rule><DefaultRetention>\
         <Mode>GOVERNANCE</Mode><Days>1825</Days></DefaultRetention></Rule></ObjectLockConfiguration>",
    ),
];

async fn answer(State(aws): State<Aws>, uri: Uri, headers: HeaderMap, body: Bytes) -> Response {
    let target = headers.get("x-amz-target").map(|value| value.to_str().unwrap().to_owned());
    let Some(target) = target else { return aws.of_bucket(&uri) };
    if !target.ends_with(".GetResourcePolicy") {
        let mut forwarded = reqwest::Client::new().post(&aws.dynamodb).body(body);
        for name in ["x-amz-target", "content-type", "authorization", "x-amz-date"] {
            forwarded = forwarded.header(name, headers[name].to_str().unwrap());
        }
        let answered = forwarded.send().await.unwrap();
        return (StatusCode::from_u16(answered.status().as_u16()).unwrap(), answered.bytes().await.unwrap())
            .into_response();
    }
    let input: Value = serde_json::from_slice(&body).unwrap();
    match aws.account.lock().unwrap().policies.get(input["ResourceArn"].as_str().unwrap()) {
        Some(policy) => json!({ "Policy": policy.to_string(), "RevisionId": "1" }).to_string().into_response(),
        None => (StatusCode::BAD_REQUEST, json!({ "__type": "PolicyNotFoundException" }).to_string()).into_response(),
    }
}

impl Aws {
    fn of_bucket(&self, uri: &Uri) -> Response {
        let bucket = uri.path().trim_matches('/').to_owned();
        let query = uri.query().unwrap_or_default().split('&').next().unwrap().trim_end_matches('=').to_owned();
        let account = self.account.lock().unwrap();
        if query == "policy" {
            return match account.policies.get(&bucket) {
                Some(policy) => policy.to_string().into_response(),
                None => (StatusCode::NOT_FOUND, "<Error><Code>NoSuchBucketPolicy</Code></Error>").into_response(),
            };
        }
        let (name, usual) = SETTINGS.into_iter().find(|(name, _)| *name == query).unwrap();
        (*account.settings.get(&(bucket, name)).unwrap_or(&usual)).into_response()
    }
}

/// An account with the template's policies, and the custodian who compares them.
struct Guarded {
    service: Service,
    account: Arc<Mutex<Account>>,
    evidence: EvidenceAdministration,
    keys: BTreeMap<String, String>,
    proofs: String,
    export: String,
    evidence_table: String,
}

impl Guarded {
    async fn open() -> Self {
        let service = Service::start_anew().await;
        let mut config = service.connection().config().clone();
        let aws = Aws { account: Arc::default(), dynamodb: config.endpoints.dynamodb.clone().unwrap() };
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let endpoint = format!("http://{}", listener.local_addr().unwrap());
        let router = Router::new().fallback(answer).with_state(aws.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        (config.endpoints.dynamodb, config.endpoints.s3) = (Some(endpoint.clone()), Some(endpoint));

        let mut claim_keys = ClaimKeys::default();
        let mut keys = BTreeMap::new();
        for (key, environment) in [&mut claim_keys.production, &mut claim_keys.staging, &mut claim_keys.sandbox]
            .into_iter()
            .zip(Environment::ALL)
        {
            let state = SignerProfiles::new(service.connection()).state(environment).await.unwrap();
            let profile = state.profile.unwrap();
            keys.insert(format!("{}_CLAIM_KEY_ARN", environment.name()), profile.claim.key_arn.clone());
            keys.insert(format!("{} seal", environment.name()), profile.seal.key_arn);
            *key = Some(profile.claim.key_arn);
        }
        for name in ["LOG_KEY_ARN", "PRINTS_KEY_ARN", "WEBHOOKS_KEY_ARN"] {
            keys.insert(name.to_owned(), service.variable(name).to_owned());
        }
        config.claim_keys = claim_keys;
        config.signing_operators = Some(SIGNING_OPERATORS.to_owned());
        config.stack_name.set("a-stack".into());
        config.buckets.export.set("a-stack-exportbucket-1a2b".into());
        let names: BTreeMap<String, String> = config
            .tables
            .by_variable()
            .into_iter()
            .chain(config.buckets.by_variable())
            .map(|(variable, name)| (variable.to_owned(), name.to_owned()))
            .collect();
        let connection = Connection::new(config).unwrap();
        let evidence = EvidenceAdministration::new(
            &connection,
            Arc::clone(&service.clock) as _,
            lacre_tests::operator::caller(CUSTODIAN),
        );
        let guarded = Self {
            account: aws.account,
            evidence,
            keys,
            proofs: names["PROOFS_BUCKET"].clone(),
            export: names["EXPORT_BUCKET"].clone(),
            evidence_table: format!("{TABLES}{}", names["EVIDENCE_TABLE"]),
            service,
        };
        guarded.deploy(&names).await;
        guarded
    }

    /// Applies the template's policies, some in the modified form in which AWS returns them.
    async fn deploy(&self, names: &BTreeMap<String, String>) {
        let pseudo = [
            ("AWS::Partition", "aws"),
            ("AWS::Region", "sa-east-1"),
            ("AWS::AccountId", "000000000000"),
            ("AWS::StackName", "a-stack"),
            ("SIGNING_OPERATORS", SIGNING_OPERATORS),
            ("?", "E1A2B3"),
        ];
        let pseudo = pseudo.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let text = names
            .clone()
            .into_iter()
            .chain(pseudo)
            .fold(EXPECTED.to_owned(), |text, (name, value)| text.replace(&format!("${{{name}}}"), &value));
        let text = text.replace("arn:aws:iam::000000000000:root", "000000000000");
        for guarded in serde_json::from_str::<Vec<Value>>(&text).unwrap() {
            let mut statements = guarded["statements"].clone();
            for statement in statements.as_array_mut().unwrap() {
                statement.as_object_mut().unwrap().remove("optional");
                statement["Action"] = match statement["Action"].take() {
                    Value::Array(actions) => actions.into_iter().rev().collect(),
                    action => json!([action]),
                };
            }
            let policy = json!({ "Version": "2012-10-17", "Statement": statements });
            let variable = guarded["variable"].as_str().unwrap();
            match guarded["kind"].as_str().unwrap() {
                "key" => {
                    let of_seal = variable.replace("_CLAIM_KEY_ARN", " seal");
                    for key in [variable, of_seal.as_str()].into_iter().collect::<std::collections::BTreeSet<_>>() {
                        self.set_key_policy(&self.keys[key], &policy).await;
                    }
                }
                "table" => self.set(&format!("{TABLES}{}", names[variable]), policy),
                _ => self.set(&names[variable], policy),
            }
        }
    }

    async fn set_key_policy(&self, key: &str, policy: &Value) {
        let kms = Storage::of(&self.service).kms;
        kms.put_key_policy().key_id(key).policy(policy.to_string()).send().await.unwrap();
    }

    fn set(&self, resource: &str, policy: Value) {
        self.account.lock().unwrap().policies.insert(resource.to_owned(), policy);
    }

    /// The findings of the comparison after a table's or bucket's policy was changed.
    async fn found_after(&self, resource: &str, change: impl FnOnce(&mut Value)) -> Vec<String> {
        let kept = self.account.lock().unwrap().policies[resource].clone();
        let mut changed = kept.clone();
        change(&mut changed);
        self.set(resource, changed);
        let found = self.found(resource).await;
        self.set(resource, kept);
        found
    }

    /// The differences, which must all concern one resource.
    async fn found(&self, resource: &str) -> Vec<String> {
        let Protected { differences, .. } = self.evidence.compare_protection().await.unwrap();
        // Tables are named without their ARN.
        assert!(differences.iter().all(|each| resource.ends_with(&each.resource)), "{differences:?}");
        differences.into_iter().map(|difference| difference.how).collect()
    }
}

#[tokio::test]
async fn deployed_policies_have_no_differences() {
    let guarded = Guarded::open().await;
    let protected = guarded.evidence.compare_protection().await.unwrap();
    // Three tables, five buckets, and the keys of claims, seals, log, prints and webhooks.
    assert_eq!(protected, Protected { compared: 3 + 5 + 3 + 3 + 3, differences: vec![] });
}

#[tokio::test]
async fn compares_nothing_without_stack_outputs() {
    let service = Service::start().await;
    assert_eq!(service.evidence().compare_protection().await.unwrap(), Protected::default());
}

#[tokio::test]
async fn finds_a_changed_statement() {
    let guarded = Guarded::open().await;
    let (table, bucket) = (guarded.evidence_table.clone(), guarded.proofs.clone());
    let first = |policy: &mut Value| policy["Statement"][0].take();

    let found = guarded.found_after(&table, |policy| policy["Statement"] = json!([first(policy)])).await;
    assert_eq!(found, ["the statement OnlyIngestAndCustodianWrite is missing"]);
    let found = guarded.found_after(&table, |policy| policy["Statement"][0]["Effect"] = json!("Allow")).await;
    assert_eq!(found, [r#"NothingIsChangedOrDeleted: Effect is {"Allow"}, and not {"Deny"}"#]);
    let found = guarded.found_after(&table, |policy| policy["Statement"][0]["Principal"] = json!({ "AWS": "1" })).await;
    assert_eq!(found, [r#"NothingIsChangedOrDeleted: Principal AWS is {"1"}, and not {"*"}"#]);
    let found = guarded
        .found_after(&table, |policy| {
            policy["Statement"][0]["Action"].as_array_mut().unwrap().retain(|action| action != "dynamodb:DeleteItem");
        })
        .await;
    assert!(found[0].starts_with("NothingIsChangedOrDeleted: Action is "), "{found:?}");
    let found = guarded
        .found_after(&table, |policy| {
            let except = &mut policy["Statement"][1]["Condition"]["ArnNotLike"]["aws:PrincipalArn"];
            except.as_array_mut().unwrap().push("arn:aws:iam::000000000000:user/insider".into());
        })
        .await;
    assert!(found[0].contains("ArnNotLike aws:PrincipalArn") && found[0].contains("insider"), "{found:?}");
    let condition = json!({ "StringEquals": { "aws:username": "nobody" } });
    let found = guarded.found_after(&table, |policy| policy["Statement"][0]["Condition"] = condition).await;
    let expected = r#"NothingIsChangedOrDeleted: Condition StringEquals aws:username is {"nobody"}, and not {}"#;
    assert_eq!(found, [expected]);
    let found = guarded
        .found_after(&bucket, |policy| policy["Statement"][1]["Resource"] = json!("arn:aws:s3:::another/*"))
        .await;
    assert!(found[0].starts_with("NothingIsReplaced: Resource is "), "{found:?}");
    let found = guarded
        .found_after(&bucket, |policy| {
            let added = json!({ "Effect": "Allow", "Principal": "*", "Action": "s3:GetObject", "Resource": "*" });
            policy["Statement"].as_array_mut().unwrap().push(added);
        })
        .await;
    assert_eq!(found, ["the statement without a name was added"]);
}

#[tokio::test]
async fn finds_a_deleted_policy() {
    let guarded = Guarded::open().await;
    for resource in [guarded.evidence_table.clone(), guarded.proofs.clone(), guarded.export.clone()] {
        let kept = guarded.account.lock().unwrap().policies.remove(&resource).unwrap();
        assert_eq!(guarded.found(&resource).await, ["it has no policy"]);
        guarded.set(&resource, kept);
    }
}

#[tokio::test]
async fn finds_a_replaced_key_policy() {
    let guarded = Guarded::open().await;
    let root = json!({
        "Sid": "AccountDecides", "Effect": "Allow", "Principal": { "AWS": "arn:aws:iam::000000000000:root" },
        "Action": "kms:*", "Resource": "*",
    });
    let replaced = json!({ "Version": "2012-10-17", "Statement": root });
    for (name, missing) in [
        ("PRODUCTION_CLAIM_KEY_ARN", "OnlyFunctionsAndSigningOperatorsSign"),
        ("PRODUCTION seal", "OnlyFunctionsAndSigningOperatorsSign"),
        ("LOG_KEY_ARN", "OnlySequencerSigns"),
    ] {
        let key = &guarded.keys[name];
        let kms = Storage::of(&guarded.service).kms;
        let kept = kms.get_key_policy().key_id(key).send().await.unwrap().policy.unwrap();
        guarded.set_key_policy(key, &replaced).await;
        assert_eq!(guarded.found(key).await, [format!("the statement {missing} is missing")]);
        kms.put_key_policy().key_id(key).policy(kept).send().await.unwrap();
    }
}

#[tokio::test]
async fn finds_a_changed_bucket_setting() {
    let guarded = Guarded::open().await;
    for (setting, changed, how) in [
        (
            "publicAccessBlock",
            "<PublicAccessBlockConfiguration><BlockPublicAcls>true</BlockPublicAcls></PublicAccessBlockConfiguration>",
            "its public access block is not complete",
        ),
        (
            "versioning",
            "<VersioningConfiguration><Status>Suspended</Status></VersioningConfiguration>",
            "objects have no versions",
        ),
        (
            "object-lock",
            "<ObjectLockConfiguration><ObjectLockEnabled>Enabled</ObjectLockEnabled></ObjectLockConfiguration>",
            "new objects are not locked",
        ),
    ] {
        let place = (guarded.export.clone(), setting);
        guarded.account.lock().unwrap().settings.insert(place.clone(), changed);
        assert_eq!(guarded.found(&guarded.export).await, [how]);
        guarded.account.lock().unwrap().settings.remove(&place);
    }
}
