//! The steps of a kit.

use std::{collections::BTreeSet, ops::RangeInclusive};

use lacre_api::{
    Framing,
    kit::{KitRule, KitStep, OutlinePath, PathData, StepId, Subject, Torch, limits},
};

use super::outline;
use crate::document::{Faults, Place, translations};

/// Reads a step. `ids` are those of the steps before it.
pub(super) fn step<'a>(
    place: &Place<'a>,
    is_last: bool,
    ids: &mut BTreeSet<&'a str>,
    faults: &mut Faults,
) -> Option<KitStep> {
    let mut step = place.members(faults)?;
    let id = step.required("id", faults, |place, faults| step_id(place, ids, faults));
    let title = step.required("title", faults, translations);
    let instruction = step.required("instruction", faults, translations);
    let tip = step.optional("tip", faults, translations);
    let framing = step.required("framing", faults, word(Framing::WORDS, Framing::parse));
    let subject = step.optional("subject", faults, word(Subject::WORDS, Subject::parse));
    let optional = step.optional("optional", faults, |place, faults| optional(place, is_last, faults));
    let floors = limits::SHARPNESS_FLOORS;
    let sharpness_floor = step.optional("sharpness_floor", faults, |place, faults| number(place, floors, faults));
    let min_short_side = step.optional("min_short_side", faults, pixels);
    let torch = step.optional("torch", faults, word(Torch::WORDS, Torch::parse));
    let display_expected = step.optional("display_expected", faults, Place::bool);
    // The canvas of a portrait is the tallest.
    let canvas = framing.unwrap_or(Framing::Portrait);
    let outline = step.optional("outline", faults, |place, faults| outline(place, canvas, faults));
    step.end(faults);
    Some(KitStep {
        id: id?,
        title: title?,
        instruction: instruction?,
        tip,
        framing: framing?,
        subject: subject.unwrap_or_default(),
        optional: optional.unwrap_or_default(),
        sharpness_floor,
        min_short_side,
        torch: torch.unwrap_or_default(),
        display_expected: display_expected.unwrap_or_default(),
        outline: outline.unwrap_or_default(),
    })
}

fn step_id<'a>(place: &Place<'a>, ids: &mut BTreeSet<&'a str>, faults: &mut Faults) -> Option<StepId> {
    let id = place.text(faults)?;
    check_name(place, id, faults);
    if !ids.insert(id) {
        faults.add(
            &place.path,
            KitRule::IdRepeated,
            "An earlier step has this id, too. Give each step an id of its own.",
        );
    }
    Some(StepId::from(id))
}

fn optional(place: &Place<'_>, is_last: bool, faults: &mut Faults) -> Option<bool> {
    let optional = place.bool(faults)?;
    if optional && is_last {
        let message = "The last step cannot be optional, because its photo ends the session. Put a required step last.";
        faults.add(&place.path, KitRule::LastOptional, message);
    }
    Some(optional)
}

/// A word of a closed list.
fn word<T>(words: &[&str], parse: fn(&str) -> Option<T>) -> impl FnOnce(&Place<'_>, &mut Faults) -> Option<T> {
    move |place, faults| {
        let word = parse(place.text(faults)?);
        if word.is_none() {
            let message = format!("This must be one of these words: {}.", words.join(", "));
            faults.add(&place.path, KitRule::UnknownWord, message);
        }
        word
    }
}

fn number(place: &Place<'_>, range: RangeInclusive<f64>, faults: &mut Faults) -> Option<f64> {
    let number = place.number(faults)?;
    if !range.contains(&number) {
        let message = format!("This number must be between {} and {}.", range.start(), range.end());
        faults.add(&place.path, KitRule::OutOfRange, message);
    }
    Some(number)
}

fn pixels(place: &Place<'_>, faults: &mut Faults) -> Option<u32> {
    let pixels = number(place, limits::SHORT_SIDES, faults)?;
    if pixels.fract() != 0.0 {
        faults.add(&place.path, KitRule::WrongType, "This must be a whole number of pixels.");
    }
    Some(pixels as u32)
}

fn outline(place: &Place<'_>, framing: Framing, faults: &mut Faults) -> Option<Vec<OutlinePath>> {
    let paths = place.list(faults)?;
    if paths.len() > limits::OUTLINE_PATHS {
        let message =
            format!("An outline has at most {} paths, and this one has {}.", limits::OUTLINE_PATHS, paths.len());
        faults.add(&place.path, KitRule::Count, message);
    }
    let line = |place: Place<'_>| {
        let mut members = place.members(faults)?;
        let d = members.required("d", faults, |place, faults| path_data(place, framing, faults));
        members.end(faults);
        Some(OutlinePath { d: d? })
    };
    let paths: Vec<_> = paths.into_iter().take(limits::OUTLINE_PATHS).map(line).collect();
    let paths = paths.into_iter().collect::<Option<Vec<_>>>()?;
    let bytes: usize = paths.iter().map(|path| path.d.as_str().len()).sum();
    if bytes > limits::OUTLINE_BYTES {
        let most = limits::OUTLINE_BYTES;
        let message =
            format!("The paths of this outline have {bytes} bytes together, more than {most}. Simplify them.");
        faults.add(&place.path, KitRule::OutlineSize, message);
    }
    Some(paths)
}

fn path_data(place: &Place<'_>, framing: Framing, faults: &mut Faults) -> Option<PathData> {
    match outline::canonical(place.text(faults)?, framing) {
        Ok(d) => Some(PathData(d)),
        Err((rule, message)) => {
            faults.add(&place.path, rule, message);
            None
        }
    }
}

/// Whether a text has the form of names of kits and ids of steps.
pub(super) fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_lowercase())
        && text.len() <= 32
        && text.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-'))
}

/// Checks the form that names of kits and ids of steps have.
pub(super) fn check_name(place: &Place<'_>, name: &str, faults: &mut Faults) {
    if !is_name(name) {
        let message = "A name is a lower-case letter, followed by at most 31 lower-case letters, digits and hyphens. Write it like \
                       `painel-frontal`.";
        faults.add(&place.path, KitRule::NameForm, message);
    }
}
