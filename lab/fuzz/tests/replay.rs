//! Replays the corpus: interesting inputs, and all inputs that once revealed a fault.

use std::{fs, path::Path};

/// Replays the corpus of one property, and names the input that fails.
fn replay(name: &str) {
    let (_, hold) = fuzz::PROPERTIES.iter().find(|(known, _)| *known == name).unwrap();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(name);
    let mut inputs: Vec<_> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    inputs.sort();
    assert!(inputs.len() >= 10, "{} has {} inputs", folder.display(), inputs.len());
    for input in inputs {
        println!("{}", input.display());
        hold(&fs::read(input).unwrap());
    }
}

macro_rules! replay {
    ($($name:ident)*) => {
        $(#[test] fn $name() { replay(stringify!($name)); })*

        #[test]
        fn every_property_has_replay_and_target() {
            let properties: Vec<_> = fuzz::PROPERTIES.iter().map(|(name, _)| *name).collect();
            assert_eq!(properties, [$(stringify!($name)),*]);
            let targets = fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("targets")).unwrap();
            let mut targets: Vec<_> = targets.map(|entry| entry.unwrap().path()).collect();
            targets.sort();
            let targets: Vec<_> = targets.iter().map(|path| path.file_stem().unwrap().to_str().unwrap()).collect();
            assert_eq!(targets, properties);
        }
    };
}

replay! { body jpeg label origin picture tampering timestamp user_agent verifier }
