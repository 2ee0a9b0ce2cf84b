//! Generates the bindings: `license-bindings generate --library LIBRARY --language kotlin --out-dir FOLDER`.

fn main() {
    uniffi::uniffi_bindgen_main();
}
