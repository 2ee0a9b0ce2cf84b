//! The service as its clients see it, one file for each route, and one for each promise that spans routes.

mod capture;
mod commit;
mod create_session;
mod image;
mod ingest;
mod licenses;
mod load_session;
mod races;
mod records;
mod round_trips;
mod secrets;
mod session_results;
mod signers;
mod validate;
