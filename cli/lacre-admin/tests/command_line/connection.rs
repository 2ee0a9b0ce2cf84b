//! Tests which deployment a command reaches and with which credentials, and its message if it reaches none.

use std::io::Write;

use lacre_tests::Service;

use crate::operator::{Operator, Ran, command, env_file, run};

const LIST: [&str; 2] = ["client", "list"];

/// The service's variables without credentials and region.
fn names(service: &Service) -> Vec<(&str, &str)> {
    let of_aws = ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_REGION"];
    let all = service.variables().iter().map(|(name, value)| (name.as_str(), value.as_str()));
    all.filter(|(name, _)| !of_aws.contains(name)).collect()
}

#[tokio::test]
async fn a_missing_variable_is_named() {
    let (code, output) = run(command(&LIST)).await.refused();
    assert_eq!(code, 2);
    assert!(output.starts_with("ACCOUNTS_TABLE is not set: "), "{output}");
    let file = env_file([("ACCOUNTS_TABLE", "t"), ("AUDIT_TABLE", "t"), ("EVIDENCE_TABLE", "")]);
    let mut recount = command(&["license", "recount", "x", "--env-file"]);
    recount.arg(file.path());
    assert!(run(recount).await.refused().1.starts_with("EVIDENCE_TABLE is not set: "));
}

#[tokio::test]
async fn reports_unreadable_files_without_their_content() {
    let missing = run(command(&["client", "list", "--env-file", "/nowhere/x.env"])).await.refused();
    assert_eq!((missing.0, missing.1.starts_with("/nowhere/x.env: ")), (2, true), "{}", missing.1);
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), "API_KEY=\"secret\"\n").unwrap();
    let mut list = command(&["client", "list", "--env-file"]);
    list.arg(file.path());
    let (code, output) = run(list).await.refused();
    assert_eq!((code, output.contains("line 1"), output.contains("secret")), (2, true, false), "{output}");
}

#[tokio::test]
async fn env_file_overrides_the_environment() {
    let service = Service::start().await;
    let operator = Operator::of(&service);
    // The environment holds the variables of another deployment.
    let elsewhere = [
        ("ACCOUNTS_TABLE", "no-such-table"),
        ("AWS_REGION", "eu-west-1"),
        ("AWS_ACCESS_KEY_ID", "OTHER"),
        ("AWS_SECRET_ACCESS_KEY", "other"),
        ("AWS_SESSION_TOKEN", "other"),
        ("AWS_PROFILE", "nobody"),
        ("AWS_ENDPOINT_URL", "http://127.0.0.1:9"),
        ("AWS_ENDPOINT_URL_DYNAMODB", "http://127.0.0.1:9"),
        ("STACK_NAME", "other"),
    ];
    let mut list = operator.command(&LIST);
    list.envs(elsewhere);
    run(list).await.ok();
    // The file has one endpoint for all services; the environment has one for DynamoDB.
    let endpoint = ("AWS_ENDPOINT_URL", service.endpoint("DYNAMODB"));
    let own = names(&service).into_iter().filter(|(name, _)| !name.starts_with("AWS_ENDPOINT_URL"));
    let file = env_file(own.chain([endpoint]));
    let mut list = command(&LIST);
    list.arg("--env-file").arg(file.path()).envs(elsewhere);
    list.env("AWS_ACCESS_KEY_ID", service.variable("AWS_ACCESS_KEY_ID"));
    list.env("AWS_SECRET_ACCESS_KEY", service.variable("AWS_SECRET_ACCESS_KEY")).env_remove("AWS_SESSION_TOKEN");
    list.env("AWS_REGION", service.variable("AWS_REGION"));
    run(list).await.ok();

    // Variables that the file does not set come from the environment, which can set all of them.
    let mut all = command(&LIST);
    all.envs(service.variables());
    run(all).await.ok();
}

#[tokio::test]
async fn endpoint_url_overrides_all_others() {
    let service = Service::start().await;
    // The discard port (9), where nothing listens.
    let ran = Operator::of(&service).run(&["client", "list", "--endpoint-url", "http://127.0.0.1:9"]).await;
    let (code, output) = ran.refused();
    assert_eq!((code, output.starts_with("AWS: ")), (1, true), "{output}");
    Operator::of(&service).run(&["client", "list", "--endpoint-url", service.endpoint("DYNAMODB")]).await.ok();
}

#[tokio::test]
async fn a_profile_gives_credentials_and_region() {
    let service = Service::start().await;
    let directory = tempfile::tempdir().unwrap();
    let (config, credentials) = (directory.path().join("config"), directory.path().join("credentials"));
    let (id, secret) = (service.variable("AWS_ACCESS_KEY_ID"), service.variable("AWS_SECRET_ACCESS_KEY"));
    std::fs::write(&config, format!("[profile operator]\nregion = {}\n", service.variable("AWS_REGION"))).unwrap();
    let keys = format!("[operator]\naws_access_key_id = {id}\naws_secret_access_key = {secret}\n");
    std::fs::write(&credentials, keys).unwrap();
    let file = env_file(names(&service));
    let list = async |profile: &[&str], variables: &[(&str, &str)]| -> Ran {
        let mut list = command(&[&LIST, profile].concat());
        list.arg("--env-file").arg(file.path()).envs(variables.iter().copied());
        list.env("AWS_CONFIG_FILE", &config).env("AWS_SHARED_CREDENTIALS_FILE", &credentials);
        list.env("AWS_EC2_METADATA_DISABLED", "true");
        run(list).await
    };
    list(&["--profile", "operator"], &[]).await.ok();
    list(&[], &[("AWS_PROFILE", "operator")]).await.ok();
    // A named profile, also one named by the file, takes precedence over access keys in the environment.
    let other = [("AWS_ACCESS_KEY_ID", "OTHER"), ("AWS_SECRET_ACCESS_KEY", "other")];
    list(&["--profile", "operator"], &other).await.ok();
    file.as_file().write_all(b"AWS_PROFILE=operator\n").unwrap();
    list(&[], &other).await.ok();

    let (code, output) = list(&["--profile", "nobody", "--region", "sa-east-1"], &[]).await.refused();
    assert_eq!((code, output.starts_with("no credentials for AWS: ")), (1, true), "{output}");
    assert!(!output.contains(secret));
    let no_region = list(&["--profile", "nobody"], &[]).await.refused();
    assert_eq!(no_region, (2, "no region: name one by --region".into()));
}

#[tokio::test]
async fn unknown_commands_are_usage_errors() {
    assert_eq!(run(command(&[])).await.code, 2);
    assert_eq!(run(command(&["client", "delete", "x"])).await.code, 2);
    let unknown = run(command(&["api-key", "issue", "--client", "x", "--name", "x", "--environment", "test"])).await;
    assert_eq!((unknown.code, unknown.err.contains("must be live, stag or sand")), (2, true), "{}", unknown.err);
    let version = run(command(&["--version"])).await.ok();
    assert_eq!(version, format!("lacre-admin {}\n", env!("CARGO_PKG_VERSION")));
    let commands: [&[&str]; 6] = [
        &["client", "create"],
        &["api-key", "issue"],
        &["license", "issue"],
        &["alert", "list"],
        &["evidence", "export"],
        &[],
    ];
    for command_words in commands {
        let help = run(command(&[command_words, &["--help"]].concat())).await.ok();
        assert!(help.contains("\nExample"), "{help}");
        assert!(help.lines().all(|line| line.chars().count() <= 120), "{help}");
    }
}
