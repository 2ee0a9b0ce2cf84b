//! The section with the facts of the whole dossier.

use std::collections::BTreeSet;

use lacre_api::{
    Environment, Time,
    dossier::{DossierIndex, DossierPhoto, PhotoState},
};
use lacre_page_text::{Words, visible::visible, words};
use maud::{Markup, html};

use super::{fact, moment, refused, state, table};

const TITLE: Words = words("Resumo", "Summary");
const FOR_TESTS: Words = words(
    "Atenção: este dossiê é de um ambiente de testes e nada prova perante terceiros. Não o use para decidir um \
     sinistro: peça um dossiê do ambiente de produção.",
    "Warning: this dossier is from a test environment and proves nothing towards third parties. Do not decide a claim \
     by it: ask for a dossier from the production environment.",
);
const REFERENCE: Words = words("Referência do caso", "Reference of the case");
const CLIENT: Words = words("Cliente que pediu as fotos", "Client that asked for the photos");
const ENVIRONMENT: Words = words("Ambiente", "Environment");
const MADE_AT: Words = words("Dossiê feito em", "Dossier made at");
const RECORDED: Words = words("Fotos registradas", "Photos recorded");
const INCLUDED: Words = words("Fotos neste dossiê", "Photos in this dossier");
const ABSENT: Words = words("Fotos que não estão aqui", "Photos that are not here");
const REFUSED: Words = words("Fotos recusadas pelo serviço", "Photos that the service refused");
const SESSIONS: Words = words("Sessões de captura", "Capture sessions");
const UNKNOWN_SESSION: Words = words("Fotos de sessão desconhecida", "Photos of an unknown session");
const FORGOTTEN: Words = words(
    "O serviço não conhece mais a sessão destas fotos, porque foram apagadas.",
    "The service no longer knows the session of these photos, because they were erased.",
);
const FIRST: Words = words("Primeira foto recebida", "First photo received");
const LAST: Words = words("Última foto recebida", "Last photo received");
const KITS: Words = words("O que se pediu ao cliente final", "What the customer was asked for");

/// The facts of the dossier, with a warning if it is one of tests.
pub(super) fn section(index: &DossierIndex) -> Markup {
    let photos = &index.photos;
    let of = |state| photos.iter().filter(|photo| photo.state == state).count();
    let absent = [PhotoState::NotRetained, PhotoState::Withheld, PhotoState::Erased].map(|state| (state, of(state)));
    let refused = index.refused.iter().map(|refused| refused.session);
    let sessions: BTreeSet<u32> = photos.iter().filter_map(|photo| photo.session).chain(refused).collect();
    let without_session = photos.iter().filter(|photo| photo.session.is_none()).count();
    html! {
        section {
            h2 { (TITLE) }
            @if index.environment != Environment::Production { p.warning { (FOR_TESTS) } }
            dl {
                (fact(REFERENCE, visible(index.reference_id.as_str())))
                (fact(CLIENT, html! { (visible(&index.client_name)) " " code { (index.client_id) } }))
                (fact(ENVIRONMENT, environment(index.environment)))
                (fact(MADE_AT, moment(&index.made_at)))
                (fact(RECORDED, photos.len()))
                (fact(INCLUDED, of(PhotoState::Included)))
                @if absent.iter().any(|(_, count)| *count > 0) {
                    (fact(ABSENT, html! {
                        @for (state, count) in absent.iter().filter(|(_, count)| *count > 0) {
                            p { (state::name(*state).before(count)) }
                        }
                    }))
                }
                (fact(REFUSED, html! {
                    @match index.refused.len() {
                        0 => (refused::NONE),
                        some => a href="#recusadas" { (some) },
                    }
                }))
                (fact(SESSIONS, sessions.len()))
                @if without_session > 0 {
                    (fact(UNKNOWN_SESSION, html! { (without_session) p.note { (FORGOTTEN) } }))
                }
                @if let [Some(first), Some(last)] = [times(photos).min(), times(photos).max()] {
                    (fact(FIRST, moment(first)))
                    (fact(LAST, moment(last)))
                }
                @if let Some(kits) = kits(photos) { (fact(KITS, kits)) }
            }
        }
    }
}

/// The times of the index have one form, in UTC, so their order is that of their texts.
fn times(photos: &[DossierPhoto]) -> impl Iterator<Item = &Time> {
    photos.iter().map(|photo| &photo.ingested_at)
}

/// The kits with the steps that photos were asked for as, in the order of the photos; `None` if there are none.
fn kits(photos: &[DossierPhoto]) -> Option<Markup> {
    let mut kits: Vec<((&str, u32), Vec<&str>)> = Vec::new();
    for asked in photos.iter().filter_map(|photo| photo.asked_for.as_ref()) {
        let (kit, step) = ((asked.kit.as_str(), asked.version), asked.step.as_str());
        match kits.iter_mut().find(|(known, _)| *known == kit) {
            Some((_, steps)) if steps.contains(&step) => {}
            Some((_, steps)) => steps.push(step),
            None => kits.push((kit, vec![step])),
        }
    }
    (!kits.is_empty()).then(|| {
        html! {
            @for ((kit, version), steps) in kits {
                p {
                    (table::kit(kit, version)) " ("
                    @for (place, step) in steps.iter().enumerate() { @if place > 0 { ", " } (visible(step)) }
                    ")"
                }
            }
        }
    })
}

/// The name of an environment in words.
fn environment(environment: Environment) -> Words {
    match environment {
        Environment::Production => words("produção (PRODUCTION)", "production (PRODUCTION)"),
        Environment::Staging => words("homologação (STAGING): só para testes", "staging (STAGING): for tests only"),
        Environment::Sandbox => words("testes (SANDBOX)", "a sandbox (SANDBOX): for tests only"),
    }
}
