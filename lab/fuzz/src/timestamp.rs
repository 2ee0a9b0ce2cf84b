//! The responses of a timestamp authority.

use lacre_proof::TimestampRequest;

use crate::seed::JUDGE;

/// No bytes are accepted as the response to an unknown request, and none cause a panic.
pub fn hold(data: &[u8]) {
    let request = TimestampRequest::new([7; 32], [7; 16]).unwrap();
    assert!(request.open(data, &JUDGE.anchors, JUDGE.now).is_err());
}
