//! The time at AWS, from the `Date` header of a response. The local clock may be wrong, and AWS refuses requests if it
//! is wrong by minutes.

use std::sync::{Arc, Mutex, PoisonError};

use aws_sdk_dynamodb::config::{
    ConfigBag, Intercept, RuntimeComponents, interceptors::BeforeDeserializationInterceptorContextRef,
};
use aws_smithy_runtime_api::box_error::BoxError;
use time::{OffsetDateTime, PrimitiveDateTime, format_description::BorrowedFormatItem, macros::format_description};

use crate::{Connection, Error, account_keys::key_item, budgets::InTime};

/// The date format of HTTP headers (IMF-fixdate, RFC 9110).
const IMF_FIXDATE: &[BorrowedFormatItem<'_>] =
    format_description!("[weekday repr:short], [day] [month repr:short] [year] [hour]:[minute]:[second] GMT");

/// Gets the time from a response of DynamoDB, to the second. A refusal is sufficient, because it has a `Date` header
/// too.
///
/// # Errors
/// [`Error::Unavailable`] if there was no response with a date.
pub async fn server_time(connection: &Connection) -> Result<OffsetDateTime, Error> {
    let date = DateOfAnswer::default();
    let answer = connection
        .dynamodb()
        .get_item()
        .table_name(connection.config.tables.accounts.read())
        .set_key(Some(key_item("nothing", "nothing")))
        .customize()
        .interceptor(date.clone())
        .send()
        .in_time()
        .await;
    let date = date.0.lock().unwrap_or_else(PoisonError::into_inner).take();
    let parsed = date.as_deref().and_then(|date| PrimitiveDateTime::parse(date, IMF_FIXDATE).ok());
    match (parsed, answer) {
        (Some(date), _) => Ok(date.assume_utc()),
        (None, Err(error)) => Err(crate::error::unavailable("GetItem", &error)),
        (None, Ok(_)) => Err(Error::Unavailable("GetItem returned no Date header".into())),
    }
}

/// Captures the `Date` header of the last response.
#[derive(Clone, Debug, Default)]
struct DateOfAnswer(Arc<Mutex<Option<String>>>);

impl Intercept for DateOfAnswer {
    fn name(&self) -> &'static str {
        "DateOfAnswer"
    }

    fn read_before_deserialization(
        &self,
        context: &BeforeDeserializationInterceptorContextRef<'_>,
        _: &RuntimeComponents,
        _: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        let date = context.response().headers().get("date").map(str::to_owned);
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = date;
        Ok(())
    }
}
