//! The limits of a capture kit.

use std::ops::RangeInclusive;

use crate::limits::limits;

limits! {
    /// Maximum bytes of a kit, as it is given and in canonical form.
    KIT_BYTES: usize = 32 * 1024;
    /// Maximum steps of a kit.
    STEPS: usize = 20;
    /// Maximum characters of an instruction.
    INSTRUCTION_CHARS: usize = 160;
    /// Maximum characters of a tip.
    TIP_CHARS: usize = 120;
    /// Values of `sharpness_floor`.
    SHARPNESS_FLOORS: RangeInclusive<f64> = 0.01..=1.0;
    /// Values of `min_short_side`, in pixels. The most is the side of the largest square photo that is accepted.
    SHORT_SIDES: RangeInclusive<f64> = 240.0..=4096.0;
    /// Maximum paths of an outline.
    OUTLINE_PATHS: usize = 8;
    /// Maximum bytes of all paths of an outline together, in canonical form.
    OUTLINE_BYTES: usize = 4096;
    /// Width of the canvas of an outline. Its height follows from the framing.
    OUTLINE_WIDTH: u32 = 1000;
    /// How far a coordinate may lie outside of the canvas of an outline.
    OUTLINE_MARGIN: u32 = 100;
    /// Maximum radius of an arc in an outline.
    OUTLINE_RADIUS: u32 = 2000;
}
