//! Tests `verify --original`: a copy is compared with its original.

#![allow(clippy::unwrap_used, clippy::panic)]

use std::{
    fs,
    process::{Command, Output},
};

use lacre_compare::Picture;
use lacre_proof_fixtures::{Sandbox, facts, synthetic};
use serde_json::{Value, json};

const ORIGINAL: [&str; 6] = ["--original", "photo.jpg", "--trust", "anchors.pem", "--environment", "sandbox"];
const PIN: [&str; 2] = ["--seal-holder", "11222333000181"];

/// A folder with a photo, its anchors and copies of it: as it is, one with a grey box, one cropped, and another picture.
async fn scene() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, bytes: &[u8]| fs::write(folder.path().join(name), bytes).unwrap();
    let frame = synthetic(320, 240, false);
    write("photo.jpg", &Sandbox::shared().seal(&frame, &facts()).await.jpeg);
    write("anchors.pem", Sandbox::shared().anchors_pem.as_bytes());
    let copy = Picture::read(&frame).unwrap();
    write("copy.png", &copy.png().unwrap());
    let mut edited = copy.clone();
    for y in 96..160 {
        edited.rgb[3 * (y * 320 + 160)..3 * (y * 320 + 256)].fill(200);
    }
    write("edited.png", &edited.png().unwrap());
    let cropped = copy.rgb.chunks(3 * 320).take(220).flat_map(|row| row[3 * 20..].to_vec()).collect();
    write("cropped.png", &Picture { width: 300, height: 220, rgb: cropped }.png().unwrap());
    let flipped = copy.rgb.rchunks(3).flatten().copied().collect();
    write("other.png", &Picture { rgb: flipped, ..copy }.png().unwrap());
    folder
}

fn verify(folder: &tempfile::TempDir, arguments: &[&[&str]]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_verify")).args(arguments.concat()).current_dir(folder).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

#[tokio::test]
async fn reports_how_a_copy_compares() {
    let folder = scene().await;
    for (copy, status, verdict, line) in [
        (
            "copy.png",
            0,
            "SAME",
            "  Shown: 320 x 240 pixels, 0 from the left and 0 from the top; the original has 320 x 240\n",
        ),
        ("cropped.png", 0, "SAME", "  Not shown, and so not compared: 14 % of the original\n"),
        (
            "edited.png",
            7,
            "SAME_WITH_DIFFERENCES",
            "  Differs: 96 x 64 pixels, 160 from the left and 96 from the top\n",
        ),
        ("other.png", 7, "NOT_CONFIRMED", "Ask for the original file.\n"),
        ("photo.jpg", 0, "SAME", "median structural similarity: 1.000\n"),
    ] {
        let output = verify(&folder, &[&[copy], &ORIGINAL, &PIN]);
        let printed = text(&output.stdout);
        assert_eq!(output.status.code(), Some(status), "{copy}: {printed}{}", text(&output.stderr));
        assert!(printed.starts_with("VALID, BUT MADE IN A TEST ENVIRONMENT\n"), "{printed}");
        assert!(printed.contains(&format!("\nCopy\n  {verdict}: ")) && printed.contains(line), "{copy}: {printed}");

        let output = verify(&folder, &[&[copy], &ORIGINAL, &PIN, &["--json"]]);
        assert_eq!(output.status.code(), Some(status), "{copy}");
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!((&report["outcome"], &report["copy"]["verdict"]), (&json!("accepted"), &json!(verdict)));
        assert_eq!(report["copy"]["original"], json!({ "width": 320, "height": 240 }));
    }
}

#[tokio::test]
async fn reports_regions_as_json() {
    let folder = scene().await;
    let json = |copy: &str| -> Value {
        let output = verify(&folder, &[&[copy], &ORIGINAL, &PIN, &["--json"]]);
        serde_json::from_slice::<Value>(&output.stdout).unwrap()["copy"].clone()
    };
    let edited = json("edited.png");
    assert_eq!(edited["differs"], json!([{ "left": 160, "top": 96, "width": 96, "height": 64 }]));
    assert_eq!(edited["shown"], json!({ "left": 0, "top": 0, "width": 320, "height": 240 }));
    let cropped = json("cropped.png");
    assert_eq!(cropped["differs"], json!([]));
    assert_eq!(cropped["shown"], json!({ "left": 20, "top": 0, "width": 300, "height": 220 }));
    assert!(cropped["agreement"].as_f64().unwrap() > 0.95, "{cropped}");
    let other = json("other.png");
    assert_eq!((&other["shown"], &other["agreement"], &other["differs"]), (&Value::Null, &Value::Null, &json!([])));
}

#[tokio::test]
async fn the_original_decides_first() {
    let folder = scene().await;
    let mut changed = fs::read(folder.path().join("photo.jpg")).unwrap();
    let middle = changed.len() - 100;
    changed[middle] ^= 1;
    fs::write(folder.path().join("changed.jpg"), changed).unwrap();
    let trust = &ORIGINAL[2..];
    for (arguments, pin, status) in [
        (&["copy.png", "--original", "changed.jpg"], &PIN[..], 1),
        (&["edited.png", "--original", "changed.jpg"], &PIN, 1),
        (&["copy.png", "--original", "photo.jpg"], &[], 4),
        (&["edited.png", "--original", "photo.jpg"], &[], 7),
    ] {
        let output = verify(&folder, &[arguments, trust, pin]);
        assert_eq!(output.status.code(), Some(status), "{arguments:?}: {}", text(&output.stderr));
        assert!(text(&output.stdout).contains("\nCopy\n"), "{arguments:?}");
    }
    let output = verify(&folder, &[&["edited.png", "--original", "photo.jpg", "--trust", "anchors.pem"], &PIN]);
    assert_eq!(output.status.code(), Some(3), "the environment is another one");
}

#[tokio::test]
async fn draws_both_side_by_side() {
    let folder = scene().await;
    let draw = |copy: &str, picture: &str| {
        let output = verify(&folder, &[&[copy, "--picture", picture], &ORIGINAL, &PIN]);
        (output.status.code(), fs::read(folder.path().join(picture)).ok().map(|file| Picture::read(&file)))
    };
    let (status, Some(Ok(picture))) = draw("edited.png", "edited-and-original.png") else { panic!("no picture") };
    assert_eq!((status, picture.width, picture.height), (Some(7), 320 + 16 + 320, 240));
    let pixel = |x: usize, y: usize| &picture.rgb[3 * (y * 656 + x)..3 * (y * 656 + x) + 3];
    // Red around the box, in both pictures; the box itself is in the copy only.
    for panel in [0, 336] {
        for (x, y) in [(159, 100), (256, 100), (200, 95), (200, 160)] {
            assert_eq!(pixel(panel + x, y), [220, 0, 0], "{panel} {x} {y}");
        }
    }
    assert_eq!(pixel(336 + 200, 120), [200; 3]);
    assert_ne!(pixel(200, 120), [200; 3]);
    let (_, Some(Ok(picture))) = draw("cropped.png", "cropped-and-original.png") else { panic!("no picture") };
    let pixel = |x: usize, y: usize| &picture.rgb[3 * (y * 656 + x)..3 * (y * 656 + x) + 3];
    assert_eq!(
        (pixel(336 + 10, 100), pixel(336 + 100, 230)),
        (&[128; 3][..], &[128; 3][..]),
        "what is not shown is grey"
    );
    assert!(matches!(draw("other.png", "other-and-original.png"), (Some(7), Some(Ok(_)))));
    assert_eq!(draw("copy.png", "photo.jpg").0, Some(2), "no file is replaced");
}

#[tokio::test]
async fn unreadable_copies_exit_2() {
    let folder = scene().await;
    fs::write(folder.path().join("truncated.png"), &fs::read(folder.path().join("copy.png")).unwrap()[..500]).unwrap();
    for (arguments, fault) in [
        (&["anchors.pem", "--original", "photo.jpg"][..], "anchors.pem: the file is neither a JPEG, a PNG nor a WebP"),
        (&["truncated.png", "--original", "photo.jpg"], "truncated.png: the PNG cannot be decoded: "),
        (&["missing.png", "--original", "photo.jpg"], "missing.png: "),
        (&["copy.png", "--original", "anchors.pem"], "anchors.pem: the file is neither a JPEG"),
        (&["photo.jpg", "--picture", "out.png"], "--original"),
    ] {
        let output = verify(&folder, &[arguments, &["--trust", "anchors.pem"]]);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(text(&output.stderr).contains(fault), "{arguments:?}: {}", text(&output.stderr));
    }
}
