//! The lines that a page draws over the camera's picture: SVG path data of absolute commands, read and written again.
//!
//! What is written consists of `MLHVCSQTAZ`, digits, `.`, `-` and spaces, so no markup, script or URL passes, whatever was
//! read. `web/src/outline.js` has the same rules for pages, and both are tested with the same vectors.

use lacre_api::{
    Framing,
    kit::{KitRule, limits},
};

/// A number of a command.
#[derive(Clone, Copy)]
enum Number {
    X,
    Y,
    Radius,
    Angle,
    Flag,
}

use Number::{Angle, Flag, Radius, X, Y};

/// The numbers that a command takes; `None` for an unknown command.
fn numbers(command: u8) -> Option<&'static [Number]> {
    Some(match command {
        b'M' | b'L' | b'T' => &[X, Y],
        b'H' => &[X],
        b'V' => &[Y],
        b'C' => &[X, Y, X, Y, X, Y],
        b'S' | b'Q' => &[X, Y, X, Y],
        b'A' => &[Radius, Radius, Angle, Flag, Flag, X, Y],
        b'Z' => &[],
        _ => return None,
    })
}

/// Why a path is invalid: the rule, and what is wrong.
type Fault = (KitRule, String);

/// Reads a path and writes it in canonical form: each command with its letter, numbers rounded to hundredths and
/// separated by one space.
pub(super) fn canonical(d: &str, framing: Framing) -> Result<String, Fault> {
    let mut path = Path { d, at: 0, framing, written: String::new() };
    path.skip_spaces();
    if path.peek() != Some(b'M') {
        return Err(path.syntax("A path begins with `M` and the point where the line starts"));
    }
    while let Some(command) = path.peek() {
        path.command(command)?;
        path.skip_spaces();
    }
    Ok(path.written)
}

struct Path<'a> {
    d: &'a str,
    /// The number of bytes that were read. All of them are ASCII.
    at: usize,
    framing: Framing,
    written: String,
}

impl Path<'_> {
    fn command(&mut self, command: u8) -> Result<(), Fault> {
        let Some(numbers) = numbers(command) else {
            return Err(match command.is_ascii_alphabetic() {
                true => self.fault(
                    KitRule::PathCommand,
                    "A path has the commands M, L, H, V, C, S, Q, T, A and Z only, in upper case",
                ),
                false => self.syntax("A command was expected"),
            });
        };
        self.at += 1;
        self.write(command, numbers)?;
        // More numbers repeat the command; after `M` they are points of a line.
        let repeated = if command == b'M' { b'L' } else { command };
        while !numbers.is_empty() {
            let comma = self.skip_separator();
            if !self.starts_a_number() {
                return if comma { Err(self.syntax("A number was expected after the comma")) } else { Ok(()) };
            }
            self.write(repeated, numbers)?;
        }
        Ok(())
    }

    /// Reads the numbers of a command, and writes both.
    fn write(&mut self, command: u8, numbers: &[Number]) -> Result<(), Fault> {
        self.written.push(char::from(command));
        for (index, &number) in numbers.iter().enumerate() {
            if index == 0 {
                self.skip_spaces();
            } else {
                self.skip_separator();
                self.written.push(' ');
            }
            let value = self.number(number)?;
            self.written.push_str(&value.to_string());
        }
        Ok(())
    }

    /// Reads a number and rounds it to hundredths.
    fn number(&mut self, number: Number) -> Result<f64, Fault> {
        let start = self.at;
        match number {
            // Flags need no separator: `01` is two of them.
            Flag => _ = self.skip_if(|byte| byte.is_ascii_digit()),
            _ => self.skip_number(),
        }
        let value: Option<f64> = self.d[start..self.at].parse().ok();
        let (least, most) = self.range(number);
        match value {
            Some(value) if (least..=most).contains(&value) => Ok((value * 100.0 + 0.5).floor() / 100.0),
            Some(_) => {
                self.at = start;
                Err(self.fault(KitRule::PathCanvas, &format!("This number must be between {least:.0} and {most:.0}")))
            }
            None => Err(self.syntax("A number was expected")),
        }
    }

    /// The least and the greatest value of a number.
    fn range(&self, number: Number) -> (f64, f64) {
        let [width, height] = self.framing.ratio().map(f64::from);
        let [canvas, margin, radius] =
            [limits::OUTLINE_WIDTH, limits::OUTLINE_MARGIN, limits::OUTLINE_RADIUS].map(f64::from);
        match number {
            X => (-margin, canvas + margin),
            Y => (-margin, canvas * height / width + margin),
            Radius => (0.0, radius),
            Angle => (-360.0, 360.0),
            Flag => (0.0, 1.0),
        }
    }

    /// Skips a number of SVG: sign, digits with a point before or among them, exponent.
    fn skip_number(&mut self) {
        self.skip_if(is_sign);
        self.skip_digits();
        if self.peek() == Some(b'.') && self.bytes().get(self.at + 1).is_some_and(u8::is_ascii_digit) {
            self.at += 1;
            self.skip_digits();
        }
        let end = self.at;
        if self.skip_if(|byte| matches!(byte, b'e' | b'E')) {
            self.skip_if(is_sign);
            if !self.skip_digits() {
                // The letter belongs to no exponent.
                self.at = end;
            }
        }
    }

    fn starts_a_number(&self) -> bool {
        matches!(self.peek(), Some(b'0'..=b'9' | b'.' | b'+' | b'-'))
    }

    /// Skips digits. Returns whether there were any.
    fn skip_digits(&mut self) -> bool {
        let start = self.at;
        while self.skip_if(|byte| byte.is_ascii_digit()) {}
        self.at > start
    }

    fn skip_spaces(&mut self) {
        while self.skip_if(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\x0c' | b'\r')) {}
    }

    /// Skips spaces with at most one comma among them. Returns whether there was a comma.
    fn skip_separator(&mut self) -> bool {
        self.skip_spaces();
        let comma = self.skip_if(|byte| byte == b',');
        self.skip_spaces();
        comma
    }

    fn skip_if(&mut self, is_wanted: impl Fn(u8) -> bool) -> bool {
        let skips = self.peek().is_some_and(is_wanted);
        self.at += usize::from(skips);
        skips
    }

    fn peek(&self) -> Option<u8> {
        self.bytes().get(self.at).copied()
    }

    fn bytes(&self) -> &[u8] {
        self.d.as_bytes()
    }

    fn syntax(&self, what: &str) -> Fault {
        self.fault(KitRule::PathSyntax, what)
    }

    /// A fault at the current byte.
    fn fault(&self, rule: KitRule, what: &str) -> Fault {
        (rule, format!("{what}. See character {} of the path.", self.at + 1))
    }
}

fn is_sign(byte: u8) -> bool {
    matches!(byte, b'+' | b'-')
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    /// A generator of the same pseudorandom numbers at each run (xorshift64).
    struct Random(u64);

    impl Random {
        fn below(&mut self, limit: usize) -> usize {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            (self.0 >> 33) as usize % limit
        }

        fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
            from[self.below(from.len())]
        }
    }

    /// Pieces of paths, among them some that no path has.
    const PIECES: [&str; 40] = [
        "M", "L", "H", "V", "C", "S", "Q", "T", "A", "Z", "m", "z", "e", "E", " ", " ", ",", "\n", "-", "+", ".", "0",
        "1", "7", "10", "380", "999.99", "0.005", "-0.004", ".5", "1e2", "1e-9", "1e400", "00", "100 100", "5 5 0 01",
        "<", "\"", "é", "\0",
    ];

    /// What was written is a fixed point, and consists of the characters that the module promises.
    fn check(written: &str, framing: Framing) {
        assert_eq!(canonical(written, framing).as_deref(), Ok(written));
        assert!(written.bytes().all(|byte| b"MLHVCSQTAZ0123456789.- ".contains(&byte)), "{written}");
    }

    #[test]
    fn canonical_outlines_read_back_unchanged() {
        let mut random = Random(0x5eed);
        let mut read = 0;
        for _ in 0..50_000 {
            let pieces: String = (0..random.below(12)).map(|_| random.pick(&PIECES)).collect();
            let framing = Framing::ALL[random.below(3)];
            for d in [format!("M10 10{pieces}"), pieces] {
                if let Ok(written) = canonical(&d, framing) {
                    check(&written, framing);
                    read += 1;
                }
            }
        }
        assert!(read > 5_000, "{read} of the paths are valid");
    }

    #[test]
    fn each_sequence_of_commands_is_read() {
        let mut random = Random(0x5eed);
        for _ in 0..20_000 {
            let mut d = "M0 0".to_owned();
            for _ in 0..random.below(10) {
                let command = b"MLHVCSQTAZ"[random.below(10)];
                d.push(char::from(command));
                for (index, number) in numbers(command).unwrap().iter().enumerate() {
                    let value = match number {
                        Flag => random.below(2) as f64,
                        Radius | Angle => random.below(360_000) as f64 / 1000.0,
                        X | Y => random.below(1_000_000) as f64 / 1000.0 - 100.0,
                    };
                    let separator = if index == 0 { "\n" } else { random.pick(&[" ", ",", "\t , "]) };
                    d += &format!("{separator}{value}");
                }
            }
            check(&canonical(&d, Framing::Square).unwrap(), Framing::Square);
        }
    }
}
