//! Metric math, as far as the template's alarms use it.

/// The assumed service quota per period. AWS's real quotas are far higher than a test can reach.
pub const SERVICE_QUOTA: f64 = 2.0;

/// The value of an expression; `None` if data are missing.
pub fn evaluate(text: &str, series: &dyn Fn(&str) -> Option<f64>) -> Option<f64> {
    let mut parser = Parser { rest: text, series };
    let value = parser.comparison();
    assert!(parser.rest.trim().is_empty(), "{:?} is left of {text}", parser.rest);
    value
}

struct Parser<'a> {
    rest: &'a str,
    series: &'a dyn Fn(&str) -> Option<f64>,
}

impl Parser<'_> {
    fn takes(&mut self, token: &str) -> bool {
        let rest = self.rest.trim_start().strip_prefix(token);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    #[track_caller]
    fn expect(&mut self, token: &str) {
        assert!(self.takes(token), "{token} is missing before {:?}", self.rest);
    }

    fn comparison(&mut self) -> Option<f64> {
        let left = self.difference();
        if self.takes(">=") {
            let right = self.difference();
            return Some(f64::from(u8::from(left? >= right?)));
        }
        left
    }

    fn difference(&mut self) -> Option<f64> {
        let mut value = self.product();
        while self.takes("-") {
            value = self.product().and_then(|subtrahend| Some(value? - subtrahend));
        }
        value
    }

    fn product(&mut self) -> Option<f64> {
        let mut value = self.factor();
        loop {
            if self.takes("*") {
                value = self.factor().and_then(|factor| Some(value? * factor));
            } else if self.takes("/") {
                value = self.factor().and_then(|divisor| Some(value? / divisor));
            } else {
                return value;
            }
        }
    }

    fn factor(&mut self) -> Option<f64> {
        let rest = self.rest.trim_start();
        let end = rest.find(|character: char| !character.is_ascii_alphanumeric() && !"._".contains(character));
        let (word, rest) = rest.split_at(end.unwrap_or(rest.len()));
        self.rest = rest;
        match word {
            "SUM" => Some(self.list()).filter(|values| !values.is_empty()).map(|values| values.iter().sum()),
            "SERVICE_QUOTA" => {
                self.expect("(");
                self.comparison();
                self.expect(")");
                Some(SERVICE_QUOTA)
            }
            "FILL" => {
                self.expect("(");
                let value = self.comparison();
                self.expect(",");
                let otherwise = self.comparison();
                self.expect(")");
                value.or(otherwise)
            }
            "MAX" => self.list().into_iter().reduce(f64::max),
            "IF" => {
                self.expect("(");
                let condition = self.comparison();
                self.expect(",");
                let then = self.comparison();
                self.expect(",");
                let otherwise = self.comparison();
                self.expect(")");
                if condition? == 0.0 { otherwise } else { then }
            }
            word => word.parse().ok().or_else(|| (self.series)(word)),
        }
    }

    /// The values in a list that exist.
    fn list(&mut self) -> Vec<f64> {
        self.expect("([");
        let mut values = Vec::new();
        loop {
            values.extend(self.comparison());
            if !self.takes(",") {
                self.expect("])");
                return values;
            }
        }
    }
}

#[test]
fn expressions_evaluate_as_in_cloudwatch() {
    let series = |id: &str| match id {
        "errors" => Some(6.0),
        "requests" => Some(60.0),
        "none" => None,
        other => panic!("{other}"),
    };
    for (text, value) in [
        ("IF(errors >= 5, 100 * errors / requests, 0)", Some(10.0)),
        ("IF(10 * errors >= requests, errors, 0)", Some(6.0)),
        ("IF(errors >= 7, errors, 0)", Some(0.0)),
        ("IF(none >= 5, 1, 0)", None),
        ("SUM([errors, none, requests])", Some(66.0)),
        ("SUM([none])", None),
        ("requests - 2 * FILL(none, 3) - errors", Some(48.0)),
        ("MAX([none - 1, requests - errors])", Some(54.0)),
        ("100 * MAX([errors, requests]) / 60 / 200", Some(0.5)),
        ("MAX([100 * errors / SERVICE_QUOTA(errors), 1])", Some(300.0)),
    ] {
        assert_eq!(evaluate(text, &series), value, "{text}");
    }
}
