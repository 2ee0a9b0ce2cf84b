//! The local service and its stand-ins for AWS, used as the functions and browsers use them.

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
