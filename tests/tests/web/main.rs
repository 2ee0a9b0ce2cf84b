//! Tests of the service as clients see it: one file for each route, and for each guarantee that spans routes. Refusals
//! and their order are tested in `tests/tests/contract`.

mod canary;
mod capture;
mod commit;
mod create_session;
mod dossiers;
mod evidence;
mod find_proof;
mod hosted;
mod hostile;
mod image;
mod ingest;
mod kits;
mod load_session;
mod races;
mod recapture;
mod request_id;
mod round_trips;
mod secrets;
mod session_results;
mod stapling;
mod swapped_upload;
mod validate;
mod webhooks;
