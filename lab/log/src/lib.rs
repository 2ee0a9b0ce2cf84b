//! The benchmark of the transparency log: `cargo bench -p log-bench`.
