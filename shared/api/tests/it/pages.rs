//! The refusals and the tables of `docs/reference/api.md` and `docs/reference/hosted-flow.md` say the same, route by route.

use std::collections::BTreeSet;

use lacre_api::{Address, Refusal, Route};

/// Status, block reason, text.
type Row = (u16, String, String);

/// The rows of a route's table of errors. A row may name several block reasons; `(the same)` repeats the text above.
fn documented(route: Route) -> BTreeSet<Row> {
    let page = match route.address() {
        Address::Base | Address::License => include_str!("../../../../docs/reference/api.md"),
        Address::Capture => include_str!("../../../../docs/reference/hosted-flow.md"),
    };
    let section = page.split("\n## ").find(|section| section.lines().next() == Some(route.name()));
    let mut rows = BTreeSet::new();
    let mut text = String::new();
    for line in section.expect("the route has a section").lines() {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let ["", status, reasons, cell, ..] = cells.as_slice() else { continue };
        let Ok(status) = status.parse::<u16>() else { continue };
        if *cell != "(the same)" {
            text = (*cell).to_owned();
        }
        for reason in reasons.split(", ") {
            let row = (status, reason.trim_matches('`').to_owned(), text.clone());
            assert!(rows.insert(row.clone()), "{} documents twice: {row:?}", route.name());
        }
    }
    rows
}

#[test]
fn the_documented_tables_are_the_refusals() {
    let row = |refusal: &Refusal| {
        (refusal.status(), refusal.block_reason().unwrap_or_default().to_owned(), refusal.text("Lacre").into_owned())
    };
    for route in Route::ALL {
        let known: BTreeSet<Row> = route.refusals().iter().map(row).collect();
        let documented = documented(route);
        let only = |one: &BTreeSet<Row>, other: &BTreeSet<Row>| one.difference(other).cloned().collect::<Vec<_>>();
        assert_eq!(only(&documented, &known), [], "{}: documented, but never said", route.name());
        assert_eq!(only(&known, &documented), [], "{}: said, but not documented", route.name());
    }
}
