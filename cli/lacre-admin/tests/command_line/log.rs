//! Tests the log commands: key, audit from checkpoint to checkpoint, proof, and the findings of an audit.

use lacre_domain::{Environment, NamedTerms};
use lacre_tests::{Storage, customer::Customer, frame, vault::capture_id, vault::exporting_service};

use crate::operator::Operator;

#[tokio::test]
async fn audits_from_the_last_checkpoint() {
    let service = exporting_service().await;
    let operator = Operator::of(&service);
    let customer = Customer::new(&service, Environment::Sandbox, NamedTerms::default()).await;
    let id = capture_id(&customer.capture(&frame::fresh()).await.ok());
    let key = operator.run(&["log", "key", "--environment", "sandbox"]).await.ok();
    assert_eq!(key.trim_end(), service.variable("LOG_KEY"));

    // The local service follows the stream, so the capture is in the log seconds later.
    let mut proof = operator.run(&["log", "proof", &id]).await;
    for _ in 0..300 {
        if proof.code == 0 {
            break;
        }
        assert_eq!((proof.code, proof.err.contains("not in the log yet")), (5, true), "{proof:?}");
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
        proof = operator.run(&["log", "proof", &id]).await;
    }
    assert!(proof.ok().starts_with("c2sp.org/tlog-proof@v1\n"));

    let folder = tempfile::tempdir().unwrap();
    let kept = folder.path().join("sandbox.checkpoint");
    let audit = ["log", "audit", "--environment", "sandbox", "--key", key.trim_end(), "--checkpoint"];
    let audit = [audit.as_slice(), &[kept.to_str().unwrap()]].concat();
    let summary = format!("{}: 1 leaves, 1 records; 0 not in the log yet, ", key.split('+').next().unwrap());
    assert!(operator.run(&audit).await.ok().starts_with(&summary));
    let first = std::fs::read_to_string(&kept).unwrap();
    assert!(operator.run(&audit).await.ok().starts_with(&summary));

    Storage::of(&service).delete("EVIDENCE_TABLE", &[("capture_id", id.clone())]).await;
    let found = operator.run(&audit).await;
    assert_eq!((found.code, found.err.as_str()), (1, "lacre-admin: 1 differences\n"));
    let removed = format!("{id}  leaf 0: the log and the export have its record, and the table does not\n");
    assert!(found.out.starts_with(&removed), "{}", found.out);
    assert_eq!(std::fs::read_to_string(&kept).unwrap(), first, "what is known stays");
    let restored = operator.run(&["log", "restore", "--environment", "sandbox"]).await;
    assert_eq!(restored.ok(), "0 lacking; 0 doubtful\n");

    std::fs::write(&kept, "no note").unwrap();
    let (code, message) = operator.run(&audit).await.refused();
    assert_eq!((code, message.ends_with("sandbox.checkpoint: not a checkpoint")), (2, true), "{message}");
    assert_eq!(operator.run(&["log", "proof", "no-id"]).await.refused().0, 4);
}
