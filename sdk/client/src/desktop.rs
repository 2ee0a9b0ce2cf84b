//! Implementations of store, transport and clock for desktops, for tests and tools. Phones supply their own.

mod clock;
mod http;
mod store;

pub use clock::SystemClock;
pub use http::HttpTransport;
pub use store::FileStore;
