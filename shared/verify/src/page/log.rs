//! The section about the transparency log that contains the capture.

use lacre_page_text::{clock::moment, visible::visible};
use maud::{Markup, html};

use super::{fact, folded, signatures::of_timestamp};
use crate::{
    report::{Found, LogEntry, Report},
    wording::{Words, log, sentences::IN_LOG, words},
};

const TITLE: Words = words("O registro público", "The public log");
const CHECKPOINT: Words = words("O ponto de controle do registro", "The checkpoint of the log");
const RENEWAL: Words = words("Uma renovação do carimbo do tempo", "A renewal of the timestamp");
const SINCE: Words = words("Desde quando", "Since when");

/// The log entry, if there is a valid proof of it.
pub(super) fn section(report: &Report) -> Markup {
    html! {
        @if let Some(entry) = &report.transparency_log {
            (folded(TITLE, html! {
                dl {
                    @if let Some(words) = IN_LOG.on(report) {
                        (fact(words, html! {
                            (visible(&entry.origin)) ", " (log::LEAF) " " (entry.index) " " (log::OF) " " (entry.size)
                        }))
                    }
                    (fact(SINCE, since(entry)))
                    @for renewal in &entry.renewals {
                        (fact(log::renewed(renewal), html! {
                            (moment(&renewal.time)) ", " (log::STATED_BY) " " (visible(&renewal.authority))
                        }))
                    }
                }
                @if entry.other_record_is_broken {
                    p { (log::OTHER_IS_BROKEN) }
                }
                @if entry.timestamp_found != Found::Nothing {
                    h3 { (CHECKPOINT) }
                    (of_timestamp(entry.timestamp_found, entry.timestamp.as_ref()))
                }
                @for renewal in &entry.renewals {
                    h3 { (RENEWAL) }
                    (of_timestamp(Found::Timestamp, Some(renewal)))
                }
            }))
        }
    }
}

fn since(entry: &LogEntry) -> Markup {
    match log::since(entry) {
        Ok(timestamp) => html! {
            (log::BEFORE) " " (moment(&timestamp.time)) ", " (log::STATED_BY) " " (visible(&timestamp.authority))
        },
        Err(words) => html! { (words) },
    }
}
