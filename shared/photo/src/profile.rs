//! Accepts color profiles (ICC.1) of the kind that canvases and phones write: a color space that is given by its
//! primaries and curves.
//!
//! A browser displays a picture according to its profile, and a tool without color management ignores the profile. So a
//! profile must roughly describe what everyone assumes: the colors of sRGB, Display P3 or Adobe RGB. This is decided by
//! what the profile does to colors, as the library `moxcms` evaluates it, instead of by its name. And it must not
//! contain anything else: each byte belongs to an element of a known kind, and texts are short.

use moxcms::{ColorProfile, ToneReprCurve, TransferCharacteristics};

/// Maximum length of a profile in bytes.
const MAX_LENGTH: usize = 16 * 1024;
/// Maximum length of all texts of a profile together, in bytes.
const MAX_TEXTS: usize = 768;
/// The size of the header and of the number of elements, in bytes.
const HEAD: usize = 132;
/// Maximum number of padding bytes that extend an element to a multiple of four.
const MAX_FILLER: usize = 3;
/// The bytes of the header that are reserved.
const RESERVED: std::ops::Range<usize> = 100..128;
/// Maximum difference of a primary from that of a known color space, in X, Y or Z relative to white.
const COLORANT_TOLERANCE: f64 = 0.02;
/// Maximum difference of a curve from sRGB's, relative to the range of perceived values.
const CURVE_TOLERANCE: f64 = 0.06;
/// Maximum decrease of a curve where its linear and its power segment meet, because their parameters are rounded.
const ROUNDING: f32 = 1e-4;
/// The number of steps at which curves are compared.
const STEPS: u16 = 255;

const MALFORMED: &str = "a malformed color profile";
const OTHER: &str = "a color profile that browsers do not write";

/// A color profile, assembled from the chunks that were read.
#[derive(Default)]
pub(crate) struct Profile {
    chunks: u8,
    last: u8,
    bytes: Vec<u8>,
}

impl Profile {
    /// Adds the chunk of an APP2 segment. Chunks must be in order and not empty.
    pub(crate) fn add(&mut self, body: &[u8]) -> Result<(), &'static str> {
        let chunk = body.strip_prefix(b"ICC_PROFILE\0").and_then(<[u8]>::split_first_chunk::<2>);
        let Some((&[number, chunks], data)) = chunk else { return Err("a segment that no browser writes") };
        if self.last == 0 {
            self.chunks = chunks;
        }
        let next = self.last.checked_add(1).filter(|next| *next <= self.chunks);
        if next != Some(number)
            || chunks != self.chunks
            || data.is_empty()
            || self.bytes.len() + data.len() > MAX_LENGTH
        {
            return Err(MALFORMED);
        }
        self.last = number;
        self.bytes.extend_from_slice(data);
        Ok(())
    }

    /// The complete profile; an error if chunks are missing.
    pub(crate) fn whole(&self) -> Result<&[u8], &'static str> {
        if self.last == self.chunks { Ok(&self.bytes) } else { Err("a color profile is cut short") }
    }
}

/// Refuses a profile that would display a photo with so many components differently from what everyone assumes, or that
/// contains anything else.
pub(crate) fn check(bytes: &[u8], components: usize) -> Result<(), &'static str> {
    if texts(bytes, components).ok_or(MALFORMED)? > MAX_TEXTS {
        return Err("a color profile with more text than names");
    }
    let profile = ColorProfile::new_from_slice(bytes).map_err(|_| MALFORMED)?;
    let plain = if components == 1 {
        profile.gray_trc.as_ref().is_some_and(is_plain)
    } else {
        let curves = [&profile.red_trc, &profile.green_trc, &profile.blue_trc];
        curves.iter().all(|curve| curve.as_ref().is_some_and(is_plain)) && has_known_primaries(&profile)
    };
    if plain { Ok(()) } else { Err(OTHER) }
}

/// Whether a curve suits photos: close to sRGB's everywhere, and never decreasing.
///
/// It is compared at each step of 8 bits, and on both sides of the place where a parametric curve changes from its
/// linear to its power segment. Each segment is monotonic, so the curve cannot deviate in between.
fn is_plain(curve: &ToneReprCurve) -> bool {
    let Ok(evaluated) = curve.make_linear_evaluator() else { return false };
    let mut places: Vec<_> = (0..=STEPS).map(|step| f32::from(step) / f32::from(STEPS)).collect();
    if let ToneReprCurve::Parametric(parameters) = curve {
        let change = match parameters[..] {
            [_, a, b] | [_, a, b, _] => -b / a,
            [_, _, _, _, d] | [_, _, _, _, d, _, _] => d,
            _ => 0.0,
        };
        places.extend([change.next_down(), change].into_iter().filter(|place| (0.0..=1.0).contains(place)));
        places.sort_by(f32::total_cmp);
    }
    let values: Vec<_> = places.iter().map(|place| evaluated.evaluate_value(*place)).collect();
    let is_near = |(place, value): (&f32, &f32)| {
        // A value out of range is refused, because not every tool clips it.
        let seen = TransferCharacteristics::Srgb.gamma(f64::from(*value).clamp(0.0, 1.0));
        (-0.01..=1.01).contains(value) && (seen - f64::from(*place)).abs() <= CURVE_TOLERANCE
    };
    places.iter().zip(&values).all(is_near)
        && values.windows(2).all(|pair| pair[0] <= pair[1] + ROUNDING)
        && match curve {
            ToneReprCurve::Lut(table) => table.is_sorted(),
            ToneReprCurve::Parametric(_) => true,
        }
}

/// Whether the primaries are close to those of sRGB, Display P3 or Adobe RGB.
fn has_known_primaries(profile: &ColorProfile) -> bool {
    let primaries = |profile: &ColorProfile| profile.colorant_matrix().v;
    let stated = primaries(profile);
    [ColorProfile::new_srgb(), ColorProfile::new_display_p3(), ColorProfile::new_adobe_rgb()].iter().any(|known| {
        let known = primaries(known);
        let pairs = stated.as_flattened().iter().zip(known.as_flattened());
        pairs.map(|(stated, known)| (stated - known).abs()).all(|difference| difference <= COLORANT_TOLERANCE)
    })
}

/// The total length of a profile's texts; `None` unless all elements are of kinds that a color space needs, and cover
/// the whole profile.
fn texts(bytes: &[u8], components: usize) -> Option<usize> {
    let color_space: &[u8] = if components == 1 { b"GRAY" } else { b"RGB " };
    let well_formed = number(bytes, 0)? == bytes.len()
        && matches!(bytes.get(8)?, 2 | 4)
        && matches!(bytes.get(12..16)?, b"mntr" | b"scnr")
        && bytes.get(16..20)? == color_space
        && bytes.get(20..24)? == b"XYZ "
        && bytes.get(36..40)? == b"acsp"
        // The absolute intent is refused, because the white point would matter too.
        && bytes.get(66..68)? <= &[0, 2]
        && bytes.get(RESERVED)?.iter().all(|byte| *byte == 0);
    if !well_formed {
        return None;
    }
    let table = bytes.get(HEAD..)?.get(..number(bytes, 128)?.checked_mul(12)?)?;
    let (rows, _) = table.as_chunks::<12>();
    let mut tags = Vec::new();
    let mut places = Vec::new();
    for row in rows {
        let (tag, place) = row.split_first_chunk::<4>()?;
        if tags.contains(tag) || place.first_chunk() < Some(&((HEAD + table.len()) as u32).to_be_bytes()) {
            return None;
        }
        tags.push(*tag);
        let (start, length) = (number(place, 0)?, number(place, 4)?);
        let end = start.checked_add(length)?;
        let text = text_of(tag, bytes.get(start..end)?)?;
        places.push((start, end, text));
    }
    // Tags may share elements. Between elements there is only padding to a multiple of four.
    places.sort_unstable();
    places.dedup();
    let mut before = HEAD + table.len();
    for (start, end) in places.iter().map(|place| (place.0, place.1)).chain([(bytes.len(), bytes.len())]) {
        if start.saturating_sub(before) > MAX_FILLER {
            return None;
        }
        before = before.max(end);
    }
    Some(places.into_iter().map(|(_, _, text)| text).sum())
}

/// Checks an element by its tag and type, and returns the length of its text.
fn text_of(tag: &[u8; 4], element: &[u8]) -> Option<usize> {
    let (kind, rest) = element.split_first_chunk::<4>()?;
    let data = rest.strip_prefix(&[0; 4])?;
    let length = match (tag, kind) {
        // Primaries, white, black, luminance; and primaries by chromaticity.
        (b"rXYZ" | b"gXYZ" | b"bXYZ" | b"wtpt" | b"bkpt" | b"lumi", b"XYZ ") => 12,
        (b"chrm", b"chrm") => 28,
        (b"rTRC" | b"gTRC" | b"bTRC" | b"kTRC", b"curv") => number(data, 0)?.checked_mul(2)?.checked_add(4)?,
        // The number of parameters depends on the kind of function.
        (b"rTRC" | b"gTRC" | b"bTRC" | b"kTRC", b"para") => 4 + 4 * [1, 3, 4, 5, 7].get(number(data, 0)? >> 16)?,
        // Chromatic adaptation, viewing conditions, measurement, technology.
        (b"chad", b"sf32") => 36,
        (b"view", b"view") | (b"meas", b"meas") => 28,
        (b"tech", b"sig ") => 4,
        // The color space by code points (H.273): primaries of sRGB or Display P3, sRGB's curve, full-range RGB.
        (b"cicp", b"cicp") if matches!(data, [1 | 12, 13, 0, 1]) => 4,
        (b"desc" | b"cprt" | b"dmnd" | b"dmdd" | b"vued", b"text" | b"desc" | b"mluc") => return Some(data.len()),
        _ => return None,
    };
    // Some encoders pad their elements.
    (data.get(length..)?.len() <= MAX_FILLER).then_some(0)
}

fn number(bytes: &[u8], at: usize) -> Option<usize> {
    usize::try_from(u32::from_be_bytes(*bytes.get(at..)?.first_chunk()?)).ok()
}
