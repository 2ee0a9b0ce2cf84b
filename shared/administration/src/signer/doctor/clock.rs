//! Compares the local clock with AWS's. Certificates are validated by the local clock, and AWS refuses requests by its
//! own.

use super::{Finding, SignerAdministration};

/// The largest accepted difference, in seconds.
const TOLERANCE_SECONDS: i64 = 60;

impl SignerAdministration {
    pub(super) async fn examine_clock(&self) -> Finding {
        const CHECK: &str = "clock";
        const FIX: &str = "set the machine's clock (NTP), and examine again";
        let aws_says = match lacre_storage::server_time(&self.connection).await {
            Ok(time) => time,
            Err(error) => return Finding::broken(CHECK, format!("AWS gave no time: {error}"), "reach AWS from here"),
        };
        let behind = (aws_says - self.clock.now()).whole_seconds();
        match behind.abs() {
            0..=TOLERANCE_SECONDS => Finding::ok(CHECK, format!("{} seconds from AWS's", behind.abs())),
            apart => {
                let side = if behind > 0 { "behind" } else { "ahead of" };
                Finding::warning(CHECK, format!("{apart} seconds {side} AWS's"), FIX)
            }
        }
    }
}
