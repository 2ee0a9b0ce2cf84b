//! Compares what a photo was asked for as with the kit that the verifier gave.

use lacre_domain::{AskedFor, Kit};

use super::report::KitStep;

/// The step that the photo was asked for as, from the given kit.
///
/// # Errors
/// Says in what the kit differs from the one that the proof states.
pub(super) fn step_of(kit: &Kit, stated: Option<&AskedFor>) -> Result<KitStep, String> {
    let given = kit.content();
    let name = given.name.as_str();
    let stated = stated.ok_or_else(|| format!("the proof names no kit, but {name} is required"))?;
    let (kit_name, step) = (stated.kit.as_str(), stated.step.as_str());
    if kit_name != name {
        return Err(format!("the proof names the kit {kit_name}, but the given kit is {name}"));
    }
    if stated.sha256 != kit.hash() {
        let (version, stated, given) = (stated.version, stated.sha256.hex(), kit.hash().hex());
        return Err(format!(
            "the proof names version {version} of the kit {name} with the SHA-256 {stated}, but that of the given kit is {given}"
        ));
    }
    let found = given.steps.iter().find(|candidate| candidate.id == stated.step);
    let found = found.ok_or_else(|| format!("the proof names the step {step}, which the kit {name} does not have"))?;
    Ok(KitStep {
        title: found.title.portuguese.as_str().to_owned(),
        instruction: found.instruction.portuguese.as_str().to_owned(),
    })
}
