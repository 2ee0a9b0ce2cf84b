//! The verifier on delivered files that an attacker who knows the format has tampered with.
//!
//! The input is a list of edits. An edit inside the manifest can correct the lengths of the segment and all enclosing
//! boxes, so that it passes the structural checks and is detected later.

use crate::{seed::DELIVERED, verifier};

/// More edits only make runs slower.
const MOST_EDITS: usize = 8;

/// A file that was tampered with does not verify, and causes no panic.
pub fn hold(data: &[u8]) {
    let mut file = DELIVERED.to_vec();
    let mut edits = Edits(data);
    for _ in 0..MOST_EDITS {
        if edits.apply_next(&mut file).is_none() {
            break;
        }
    }
    verifier::hold(&file);
}

/// The remaining edits.
struct Edits<'a>(&'a [u8]);

impl<'a> Edits<'a> {
    fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*first)
    }

    fn number(&mut self) -> Option<usize> {
        Some(usize::from(u16::from_be_bytes([self.byte()?, self.byte()?])))
    }

    fn bytes(&mut self) -> Option<&'a [u8]> {
        let length = usize::from(self.byte()?).min(self.0.len());
        let (taken, rest) = self.0.split_at(length);
        self.0 = rest;
        Some(taken)
    }

    /// Applies one edit: kind, position and data. Nearly the whole file is manifest, so any position is useful.
    fn apply_next(&mut self, file: &mut Vec<u8>) -> Option<()> {
        let kind = self.byte()?;
        let at = self.number()? % (file.len() + 1);
        match kind % 7 {
            0 => {
                let value = self.byte()?;
                file.iter_mut().skip(at).take(1).for_each(|byte| *byte = value);
            }
            1 => {
                let bit = self.byte()? % 8;
                file.iter_mut().skip(at).take(1).for_each(|byte| *byte ^= 1 << bit);
            }
            2 => file.truncate(at),
            3 => replace(file, at, 0, self.bytes()?),
            4 => {
                let removed = self.number()?;
                replace(file, at, removed, self.bytes()?);
            }
            // Edits with all enclosing lengths corrected.
            5 => {
                let removed = usize::from(self.byte()?);
                let inserted = self.bytes()?;
                let change = inserted.len() as i64 - removed.min(file.len() - at) as i64;
                stretch(file, at, change);
                replace(file, at, removed, inserted);
            }
            // Copies a part of the file over another part.
            _ => {
                let from = self.number()? % (file.len() + 1);
                let length = self.number()?.min(file.len() - from).min(file.len() - at);
                file.copy_within(from..from + length, at);
            }
        }
        Some(())
    }
}

fn replace(file: &mut Vec<u8>, at: usize, removed: usize, inserted: &[u8]) {
    let end = at.saturating_add(removed).min(file.len());
    file.splice(at..end, inserted.iter().copied());
}

/// Adds to the length of the APP11 segment around a position, and of every enclosing box.
fn stretch(file: &mut [u8], at: usize, change: i64) {
    let Some(segment) = file.windows(2).position(|marker| marker == [0xFF, 0xEB]) else { return };
    add(file, segment + 2, 2, change);
    // After the marker: segment length, `JP`, box instance number, packet sequence number.
    let mut head = segment + 12;
    while let Some(length) = number(file, head, 4).filter(|length| *length >= 8) {
        let end = head.saturating_add(length);
        if at < head + 8 {
            return;
        }
        if at >= end {
            head = end;
            continue;
        }
        add(file, head, 4, change);
        if file.get(head + 4..head + 8) != Some(b"jumb") {
            return;
        }
        head += 8;
    }
}

fn number(file: &[u8], at: usize, size: usize) -> Option<usize> {
    Some(file.get(at..at + size)?.iter().fold(0, |number, byte| number << 8 | usize::from(*byte)))
}

fn add(file: &mut [u8], at: usize, size: usize, change: i64) {
    let Some(value) = number(file, at, size) else { return };
    let changed = (value as i64).wrapping_add(change).to_be_bytes();
    file[at..at + size].copy_from_slice(&changed[8 - size..]);
}
