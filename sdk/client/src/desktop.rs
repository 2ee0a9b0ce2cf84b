//! What a desktop supplies. Phones have their own.

mod clock;
mod http;
mod store;

pub use clock::SystemClock;
pub use http::HttpTransport;
pub use store::FileStore;
