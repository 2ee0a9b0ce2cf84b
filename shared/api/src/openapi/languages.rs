//! Limits and names of the API for other languages; only those that are used there.

use serde_json::{Value, json};

use super::Figure;
use crate::{CaptureResolution, Framing, Refusal, headers, kit, limits};

/// Generates `web/src/limits.js` for the component.
#[must_use]
pub fn javascript() -> String {
    let text = "// Limits and names of the API. Generated from shared/api by scripts/generate.\n".to_owned();
    let text = text
        + &exports(&constants(
            &["LABEL_BYTES", "LOADS_PER_SESSION", "MAX_ASSET_BYTES", "MAX_ASSET_PIXELS"],
            &["LICENSE_KEY", "PHOTO", "TOUCH_POINTS"],
        ));
    let resolutions =
        CaptureResolution::ALL.iter().filter_map(|resolution| Some((resolution.name(), resolution.sides()?)));
    let framings = Framing::ALL.iter().map(|framing| (framing.name(), framing.ratio()));
    let pairs = |pairs: Vec<(&str, [u32; 2])>| {
        let pairs: Vec<_> = pairs.into_iter().map(|(name, [one, other])| format!("{name}: [{one}, {other}]")).collect();
        format!("/** @type {{const}} */ ({{ {} }})", pairs.join(", "))
    };
    text + &format!(
        "\n/** The longer and the shorter side that a `capture_resolution` means, in pixels. `MAX` is the camera's own. */\n\
         export const CAPTURE_RESOLUTIONS = {};\n\n/** The ratio of width to height under each `framing`. */\n\
         export const FRAMINGS = {};\n",
        pairs(resolutions.collect()),
        pairs(framings.collect()),
    )
}

/// Generates `web/src/kit-limits.js` for pages.
#[must_use]
pub fn kit_limits() -> String {
    let names = [
        "INSTRUCTION_CHARS",
        "TIP_CHARS",
        "OUTLINE_PATHS",
        "OUTLINE_BYTES",
        "OUTLINE_WIDTH",
        "OUTLINE_MARGIN",
        "OUTLINE_RADIUS",
    ];
    let text = "// Limits of a capture kit. Generated from shared/api by scripts/generate.\n".to_owned();
    text + &exports(&limits_named(kit::limits::all(), &names))
}

/// Generates `scripts/python/lacre_api.py` for scripts.
#[must_use]
pub fn python() -> String {
    let mut text =
        "\"\"\"Limits and names of the API. Generated from shared/api by scripts/generate.\"\"\"\n".to_owned();
    for (name, value, documentation) in
        constants(&["CREATIONS_PER_HOUR", "LOADS_PER_SESSION"], &["API_KEY", "LICENSE_KEY"])
    {
        text += &format!("\n# {documentation}\n{name} = {value}\n");
    }
    let reasons: String = Refusal::ALL
        .iter()
        .filter_map(|refusal| refusal.block_reason())
        .map(|reason| format!("    \"{reason}\",\n"))
        .collect();
    text + &format!("\n# Every `block_reason`.\nBLOCK_REASONS = [\n{reasons}]\n")
}

/// A constant: name, value and documentation.
type Constant = (String, Value, &'static str);

/// The given limits and headers.
fn constants(limits: &[&str], headers: &[&str]) -> Vec<Constant> {
    let of_headers = headers::ALL.iter().filter(|(name, ..)| headers.contains(name));
    let of_headers =
        of_headers.map(|(name, text, documentation)| (format!("{name}_HEADER"), json!(text), *documentation));
    limits_named(limits::all(), limits).into_iter().chain(of_headers).collect()
}

/// The limits with these names, with durations in seconds.
fn limits_named(all: Vec<(&str, Figure, &'static str)>, names: &[&str]) -> Vec<Constant> {
    let named = all.into_iter().filter(|(name, ..)| names.contains(name));
    named.map(|(name, figure, documentation)| (name.to_owned(), figure.into(), documentation)).collect()
}

/// Constants as JavaScript.
fn exports(constants: &[Constant]) -> String {
    let export =
        |(name, value, documentation): &Constant| format!("\n/** {documentation} */\nexport const {name} = {value};\n");
    constants.iter().map(export).collect()
}
