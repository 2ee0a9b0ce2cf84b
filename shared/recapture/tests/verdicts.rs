//! Tests the analysis with pictures whose spectrum is known, and what each score contributes to the evidence.

use std::f32::consts::TAU;

use lacre_domain::limits;
use lacre_recapture::{Analysis, Plane, Planes, RecaptureRisk};

const WIDTH: usize = 1280;
const HEIGHT: usize = 720;

/// A generated picture with 1 or 3 components per pixel.
struct Pixels {
    width: usize,
    components: usize,
    samples: Vec<u8>,
}

impl From<Pixels> for Planes {
    fn from(Pixels { width, components, samples }: Pixels) -> Self {
        let plane =
            |component| Plane::new(width, samples.iter().skip(component).step_by(components).copied().collect());
        Self { luma: plane(0), color: (components == 3).then(|| [plane(1), plane(2)]) }
    }
}

/// Analyses a picture with the default threshold.
fn analyse(pixels: Pixels) -> Analysis {
    lacre_recapture::analyse(pixels.into(), limits::RECAPTURE_THRESHOLD)
}

/// A grating: horizontal and vertical frequency in cycles per pixel, the amplitude in luma and in color, and the angle
/// between Cb and Cr in turns.
#[derive(Clone, Copy)]
struct Grating {
    across: f32,
    down: f32,
    luma: f32,
    color: f32,
    turn: f32,
}

/// A grating like a display's lattice: as strong in color as in luma, with a rotating hue.
fn display(across: f32, down: f32) -> Grating {
    Grating { across, down, luma: 8.0, color: 6.0, turn: 1.0 / 3.0 }
}

/// A grating without color.
fn grey(across: f32, down: f32, luma: f32) -> Grating {
    Grating { across, down, luma, color: 0.0, turn: 0.0 }
}

/// Gratings with camera noise. `tilt` is the fraction by which they are finer on the right side of the frame than on
/// the left.
fn photo(width: usize, height: usize, tilt: f32, gratings: &[Grating]) -> Pixels {
    lit_photo((width, height), tilt, gratings, |_, _| (128.0, 1.0))
}

/// Like [`photo`], in light that varies: luma at each place, and the factor for the gratings.
fn lit_photo(
    (width, height): (usize, usize),
    tilt: f32,
    gratings: &[Grating],
    light: impl Fn(f32, f32) -> (f32, f32),
) -> Pixels {
    let mut noise = 1_u32;
    let mut samples = Vec::with_capacity(width * height * 3);
    for (x, y) in (0..height).flat_map(|y| (0..width).map(move |x| (x as f32, y as f32))) {
        let stretch = 1.0 + tilt * (x / width as f32 - 1.0) / 2.0;
        let (luma, strength) = light(x, y);
        for component in 0..3_u8 {
            noise = noise.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let grain = (noise >> 16) as f32 / 65_536.0 * 12.0 - 6.0;
            let waves = gratings.iter().map(|grating| {
                let phase = grating.across * stretch * x + grating.down * y;
                let (amplitude, shift) = match component {
                    0 => (grating.luma, 0.0),
                    1 => (grating.color, 0.0),
                    _ => (grating.color, grating.turn),
                };
                amplitude * (TAU * (phase + shift)).cos()
            });
            let mean = if component == 0 { luma } else { 128.0 };
            samples.push((mean + grain + strength * waves.sum::<f32>()).clamp(0.0, 255.0) as u8);
        }
    }
    Pixels { width, components: 3, samples }
}

fn look(gratings: &[Grating]) -> Analysis {
    checked(photo(WIDTH, HEIGHT, 0.0, gratings))
}

fn checked(photo: Pixels) -> Analysis {
    let analysis = analyse(photo);
    assert!(analysis.scores.values().all(|score| score.is_finite()), "{analysis:?}");
    analysis
}

/// A picture with much detail, from −1 to 1.
fn picture(x: f32, y: f32) -> f32 {
    (x / 19.0).sin() * (y / 17.0).cos()
}

/// Adds color to a picture: each pixel's Cb and Cr depend on its position and its luma.
fn colored(mut photo: Pixels, color: impl Fn(usize, usize, f32) -> (f32, f32)) -> Pixels {
    let width = photo.width;
    for (i, pixel) in photo.samples.chunks_exact_mut(3).enumerate() {
        let (blue, red) = color(i % width, i / width, f32::from(pixel[0]));
        pixel[1] = (f32::from(pixel[1]) + blue) as u8;
        pixel[2] = (f32::from(pixel[2]) + red) as u8;
    }
    photo
}

/// Two colors in a checkerboard.
fn two_colors(x: usize, y: usize, _: f32) -> (f32, f32) {
    if (x / 40 + y / 40).is_multiple_of(2) { (0.0, 12.0) } else { (0.0, -12.0) }
}

/// Gratings whose strength follows a picture in two colors by the given amount. For a display, which shows the picture,
/// the amount is 1.
fn following_picture((width, height): (usize, usize), tilt: f32, follows: f32, gratings: &[Grating]) -> Pixels {
    let light = |x: f32, y: f32| (110.0 + 70.0 * picture(x, y), 1.0 + follows * 0.6 * picture(x, y));
    colored(lit_photo((width, height), tilt, gratings, light), two_colors)
}

/// A display that shows a picture.
fn showing(gratings: &[Grating]) -> Analysis {
    checked(following_picture((WIDTH, HEIGHT), 0.0, 1.0, gratings))
}

fn evidence(analysis: &Analysis) -> f64 {
    analysis.scores["evidence"]
}

fn assert_risk(analysis: &Analysis, risk: RecaptureRisk) {
    assert_eq!(analysis.risk, risk, "{analysis:?}");
}

#[test]
fn a_fine_lattice_everywhere_means_display() {
    for frequency in [0.24, 0.31, 0.4, 0.47] {
        let analysis = showing(&[display(frequency, 0.02), display(-0.02, frequency)]);
        assert_risk(&analysis, RecaptureRisk::High);
        // The frequency in the middle of the frame; the tolerance for tilt may move it by seven bins of 256.
        let found = analysis.scores["fine_frequency"];
        assert!((found - f64::from(frequency).hypot(0.02)).abs() < 7.0 / 256.0, "{frequency}: {found}");
    }
}

#[test]
fn a_tilted_display_is_one_too() {
    let tilted = following_picture((WIDTH, HEIGHT), 0.06, 1.0, &[display(0.31, 0.02)]);
    assert_risk(&checked(tilted), RecaptureRisk::High);
}

#[test]
fn noise_has_no_lattice() {
    let analysis = look(&[]);
    assert_risk(&analysis, RecaptureRisk::None);
    assert!(analysis.scores["fine"] < 3.4, "{analysis:?}");
}

#[test]
fn a_flat_frame_has_none_either() {
    for value in [0, 128, 255] {
        let analysis = analyse(Pixels { width: 800, components: 3, samples: vec![value; 800 * 600 * 3] });
        assert_risk(&analysis, RecaptureRisk::None);
        assert!(analysis.scores.values().all(|score| score.is_finite()), "{analysis:?}");
    }
}

#[test]
fn a_corner_lattice_is_no_display() {
    let mut corner = photo(WIDTH, HEIGHT, 0.0, &[]);
    let lattice = photo(WIDTH, HEIGHT, 0.0, &[display(0.4, 0.02)]);
    for y in 0..HEIGHT / 3 {
        let row = y * WIDTH * 3..(y * WIDTH + WIDTH / 3) * 3;
        corner.samples[row.clone()].copy_from_slice(&lattice.samples[row]);
    }
    assert_risk(&analyse(corner), RecaptureRisk::None);
}

#[test]
fn one_bright_object_cannot_attract_all_tiles() {
    // A display that glows in the dark, at the place where four parts of the frame meet.
    let (left, top, side) = (320, 96, 320);
    let lattice = photo(1920, 1080, 0.0, &[display(0.4, 0.02)]);
    let mut dark = photo(1920, 1080, 0.0, &[]);
    dark.samples.iter_mut().step_by(3).for_each(|luma| *luma -= 100);
    for y in top..top + side {
        let row = (y * 1920 + left) * 3..(y * 1920 + left + side) * 3;
        dark.samples[row.clone()].copy_from_slice(&lattice.samples[row]);
    }
    assert_risk(&analyse(dark), RecaptureRisk::None);
}

#[test]
fn a_grey_lattice_is_a_mesh() {
    for frequency in [0.24, 0.31, 0.4] {
        let analysis = look(&[grey(frequency, 0.02, 16.0), grey(-0.02, frequency, 16.0)]);
        assert_risk(&analysis, RecaptureRisk::Unknown);
        assert!(analysis.scores["fine"] > 9.0 && analysis.scores["chroma"] < -4.0, "{analysis:?}");
    }
}

#[test]
fn a_stronger_coarse_grating_lowers_evidence() {
    let dyed = Grating { turn: 0.0, ..display(0.41, 0.07) };
    let [alone, explained] = [look(&[dyed]), look(&[dyed, grey(0.093, 0.021, 24.0)])];
    assert!(explained.scores["coarser"] > alone.scores["coarser"] + 5.0, "{alone:?} {explained:?}");
    assert!(evidence(&explained) < evidence(&alone) - 1.0, "{alone:?} {explained:?}");
}

#[test]
fn a_turning_hue_indicates_a_display() {
    let lattice = display(0.37, 0.07);
    let [turning, rising_together] = [look(&[lattice]), look(&[Grating { turn: 0.0, ..lattice }])];
    assert!(turning.scores["hue"] > 0.7, "{turning:?}");
    assert!(rising_together.scores["hue"] < 0.1, "{rising_together:?}");
    assert!(evidence(&turning) > evidence(&rising_together) + 1.0, "{turning:?} {rising_together:?}");
}

#[test]
fn a_trace_of_color_has_no_hue() {
    let traced = Grating { luma: 60.0, color: 1.2, ..display(0.31, 0.02) };
    let analysis = look(&[traced]);
    assert_risk(&analysis, RecaptureRisk::Unknown);
    assert!(analysis.scores["chroma"] < -6.5 && analysis.scores["hue"] == 0.0, "{analysis:?}");
}

#[test]
fn own_coarser_peaks_are_excluded() {
    let dyed = Grating { turn: 0.0, ..display(0.31, 0.07) };
    let own = Grating { luma: 12.0, color: 10.0, turn: 0.0, across: 0.16, down: 0.03 };
    let [with_own, with_grey] = [look(&[dyed, own]), look(&[dyed, Grating { color: 0.0, ..own }])];
    assert!(with_own.scores["coarser"] < -5.0, "{with_own:?}");
    assert!(with_grey.scores["coarser"] > 0.0, "{with_grey:?}");
}

#[test]
fn exact_lattices_have_sharper_lines() {
    let exact = look(&[grey(0.31, 0.02, 16.0)]);
    let threads: Vec<_> = (-3..=3).map(|i| grey(0.31 + 0.004 * i as f32, 0.02, 6.0)).collect();
    let knit = look(&threads);
    assert!(exact.scores["line"] > knit.scores["line"] + 2.0, "{exact:?} {knit:?}");
}

#[test]
fn a_threshold_is_compared_with_the_evidence() {
    let photo = || following_picture((WIDTH, HEIGHT), 0.0, 1.0, &[display(0.31, 0.02)]);
    let evidence = evidence(&checked(photo()));
    let risk = |threshold| lacre_recapture::analyse(photo().into(), threshold).risk;
    assert_eq!([risk(evidence), risk(evidence + 0.001)], [RecaptureRisk::High, RecaptureRisk::Unknown]);
}

/// A lattice of one hue with the given frequency and amplitude, whose strength follows the picture by the given amount.
fn following(follows: f32, frequency: f32, amplitude: f32) -> Pixels {
    let dyed = Grating { luma: amplitude, color: amplitude, turn: 0.0, ..display(frequency, 0.0) };
    let light = |x: f32, y: f32| (110.0 + 70.0 * picture(x, y), 1.0 + follows * 0.6 * picture(x, y));
    lit_photo((WIDTH, HEIGHT), 0.0, &[dyed], light)
}

#[test]
fn a_lattice_following_the_picture_glows() {
    for (frequency, amplitude) in [(0.23, 6.0), (0.28, 3.0), (0.34, 6.0)] {
        let look = |follows: f32| analyse(colored(following(follows, frequency, amplitude), two_colors));
        let [glows, indifferent, printed] = [1.0, 0.0, -1.0].map(look);
        assert!(glows.scores["glow"] > 0.7, "{glows:?}");
        assert!(indifferent.scores["glow"].abs() < 0.1, "{indifferent:?}");
        assert!(printed.scores["glow"] < -0.7, "{printed:?}");
        assert!(evidence(&glows) > evidence(&indifferent) + 0.5, "{glows:?} {indifferent:?}");
        assert!(evidence(&printed) < evidence(&indifferent) - 0.5, "{printed:?} {indifferent:?}");
    }
}

#[test]
fn weak_even_lattices_do_not_glow() {
    for frequency in [0.23, 0.28] {
        let analysis = analyse(following(0.0, frequency, 1.0));
        assert!(analysis.scores["glow"].abs() < 0.15, "{frequency}: {analysis:?}");
    }
}

#[test]
fn glow_of_one_color_counts_less() {
    // A single color is the same fraction of luma everywhere.
    let one = |_, _, luma: f32| (-0.2 * luma, 0.3 * luma);
    let [one, two] =
        [analyse(colored(following(1.0, 0.31, 8.0), one)), analyse(colored(following(1.0, 0.31, 8.0), two_colors))];
    assert!(one.scores["glow"] > 0.7 && one.scores["variety"] < 0.03, "{one:?}");
    assert!(two.scores["glow"] > 0.7 && two.scores["variety"] > 0.05, "{two:?}");
    assert!(evidence(&two) > evidence(&one) + 2.0, "{one:?} {two:?}");
}

#[test]
fn light_that_falls_smoothly_is_no_glow() {
    // An object that is seven times as bright on its right side, and so is its pattern.
    let light = |x: f32, _: f32| (30.0 + 180.0 * x / WIDTH as f32, 0.3 + 1.8 * x / WIDTH as f32);
    let analysis = analyse(lit_photo((WIDTH, HEIGHT), 0.0, &[grey(0.31, 0.02, 12.0)], light));
    assert!(analysis.scores["glow"].abs() < 0.15, "{analysis:?}");
}

#[test]
fn overexposed_areas_do_not_glow() {
    // At some places the sensor is saturated, and the lattice disappears.
    let burnt = |x: f32, y: f32| (x as usize / 48 * 7 + y as usize / 48 * 5).is_multiple_of(11);
    let light = |x: f32, y: f32| if burnt(x, y) { (255.0, 0.0) } else { (120.0, 1.0) };
    let analysis = analyse(lit_photo((WIDTH, HEIGHT), 0.0, &[display(0.31, 0.02)], light));
    assert!(analysis.scores["glow"].abs() < 0.15, "{analysis:?}");
}

#[test]
fn frames_of_any_shape_are_analysed() {
    let shown = |width, height| following_picture((width, height), 0.0, 1.0, &[display(0.4, 0.02)]);
    let lattice = |width, height| analyse(shown(width, height)).risk;
    assert_eq!(lattice(641, 481), RecaptureRisk::High);
    assert_eq!(lattice(481, 2047), RecaptureRisk::High);
    // These frames are too small for enough tiles.
    assert_eq!(lattice(255, 4000), RecaptureRisk::Unknown);
    assert_eq!(lattice(240, 240), RecaptureRisk::Unknown);
    assert_eq!(lattice(4000, 300), RecaptureRisk::Unknown);
}

#[test]
fn grey_photos_have_unknown_risk() {
    let colored = following_picture((WIDTH, HEIGHT), 0.0, 1.0, &[display(0.4, 0.02)]);
    assert_risk(&checked(Pixels { samples: colored.samples.clone(), ..colored }), RecaptureRisk::High);
    let luma = || colored.samples.iter().step_by(3).copied();
    let one = Pixels { components: 1, samples: luma().collect(), ..colored };
    let three = Pixels { samples: luma().flat_map(|luma| [luma, 128, 128]).collect(), ..colored };
    for analysis in [one, three].map(|grey| lacre_recapture::analyse(grey.into(), f64::NEG_INFINITY)) {
        assert_risk(&analysis, RecaptureRisk::Unknown);
        assert!(analysis.scores["fine"] > 7.0 && !analysis.scores.contains_key("hue"), "{analysis:?}");
        assert!(!analysis.scores.contains_key("evidence"), "{analysis:?}");
    }
}
