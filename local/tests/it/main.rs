//! Tests of the local service and its stand-ins for AWS, through the interfaces that functions and browsers use.

#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used)]

mod demo;
mod dynamodb;
mod kms;
mod public;
mod s3;
mod s3_versions;
mod service;
mod sns;
mod stack;
mod timestamps;
mod verify_page;
