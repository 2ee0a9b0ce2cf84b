//! Creates the topic to which alerts are published.

use aws_sdk_sns::Client;

use super::Error;

/// Creates the topic with this ARN. It is idempotent.
pub(super) async fn create(client: &Client, arn: &str) -> Result<(), Error> {
    const STEP: &str = "making the topic";
    let name = arn.rsplit(':').next().unwrap_or_default();
    let created = client.create_topic().name(name).send().await.map_err(|error| Error::call(STEP, &error))?;
    match created.topic_arn() {
        Some(made) if made == arn => Ok(()),
        made => Err(Error::at(STEP)(&format!("{arn} was wanted, {} was made", made.unwrap_or("none")))),
    }
}
