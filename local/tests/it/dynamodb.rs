//! Tests the DynamoDB stand-in with the AWS SDK, for the behavior on which the service's correctness depends.

use aws_sdk_dynamodb::{
    Client,
    types::{
        AttributeDefinition, AttributeValue, BillingMode, KeySchemaElement, KeyType, Put,
        ReturnValuesOnConditionCheckFailure, ScalarAttributeType, TransactWriteItem,
    },
};
use local::{Storage, stand_ins::Stack};

use super::stack;

const TABLE: &str = "items";

async fn table(stack: &Stack) -> Client {
    let client = stack::dynamodb(stack);
    let name = AttributeDefinition::builder().attribute_name("pk").attribute_type(ScalarAttributeType::S);
    let key = KeySchemaElement::builder().attribute_name("pk").key_type(KeyType::Hash);
    let create = client.create_table().table_name(TABLE).billing_mode(BillingMode::PayPerRequest);
    let create = create.attribute_definitions(name.build().unwrap()).key_schema(key.build().unwrap());
    create.send().await.unwrap();
    client
}

fn text(value: &str) -> AttributeValue {
    AttributeValue::S(value.to_owned())
}

fn put(pk: &str, owner: &str) -> Put {
    let put = Put::builder().table_name(TABLE).item("pk", text(pk)).item("owner", text(owner));
    put.condition_expression("attribute_not_exists(pk)")
        .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
        .build()
        .unwrap()
}

async fn owner(client: &Client, pk: &str) -> Option<String> {
    let get = client.get_item().table_name(TABLE).key("pk", text(pk)).consistent_read(true);
    let item = get.send().await.unwrap().item?;
    Some(item["owner"].as_s().unwrap().clone())
}

#[tokio::test]
async fn failed_conditions_return_the_existing_item() {
    let stack = stack::start(&Storage::Memory).await;
    let client = table(&stack).await;
    let write = |owner: &str| {
        let put = client.put_item().table_name(TABLE).item("pk", text("a")).item("owner", text(owner));
        put.condition_expression("attribute_not_exists(pk)")
            .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
    };
    write("first").send().await.unwrap();
    let refused = write("second").send().await.unwrap_err().into_service_error();
    let aws_sdk_dynamodb::operation::put_item::PutItemError::ConditionalCheckFailedException(refused) = refused else {
        panic!("{refused:?}")
    };
    assert_eq!(refused.item().unwrap()["owner"], text("first"));
    assert_eq!(owner(&client, "a").await.as_deref(), Some("first"));
}

#[tokio::test]
async fn a_transaction_is_whole_or_nothing() {
    let stack = stack::start(&Storage::Memory).await;
    let client = table(&stack).await;
    let commit = |keys: [&str; 2], owner: &str| {
        let items = keys.map(|pk| TransactWriteItem::builder().put(put(pk, owner)).build());
        client.transact_write_items().set_transact_items(Some(items.to_vec())).send()
    };
    commit(["a", "b"], "first").await.unwrap();
    let refused = commit(["c", "b"], "second").await.unwrap_err().into_service_error();
    let aws_sdk_dynamodb::operation::transact_write_items::TransactWriteItemsError::TransactionCanceledException(
        refused,
    ) = refused
    else {
        panic!("{refused:?}")
    };
    let codes: Vec<_> = refused.cancellation_reasons().iter().filter_map(|reason| reason.code()).collect();
    assert_eq!(codes, ["None", "ConditionalCheckFailed"]);
    assert_eq!(refused.cancellation_reasons()[1].item().unwrap()["owner"], text("first"));
    assert_eq!(owner(&client, "c").await, None);
    assert_eq!(owner(&client, "b").await.as_deref(), Some("first"));
}

#[tokio::test]
async fn items_survive_a_restart() {
    let directory = tempfile::tempdir().unwrap();
    let storage = Storage::Directory(directory.path().to_owned());
    let stack = stack::start(&storage).await;
    let client = table(&stack).await;
    client.put_item().table_name(TABLE).item("pk", text("a")).item("owner", text("me")).send().await.unwrap();
    drop((client, stack));

    let stack = stack::start(&storage).await;
    assert_eq!(owner(&stack::dynamodb(&stack), "a").await.as_deref(), Some("me"));
}
