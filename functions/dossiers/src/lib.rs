//! `POST {proofs_url}/dossiers`: a client's backend gets a dossier, an archive of all photos that the service recorded for one
//! of its references, and of those that it refused, with an index that the company's seal covers.
//!
//! The function reads what other functions recorded (`collect`), seals the index (`seal`), and stores the archive for a day.
//! It has a role of its own, because it may sign with the keys of seals. Its signatures name another content type than
//! those of photos, and are counted apart.

mod collect;
mod seal;

use std::{
    io::{self, Cursor},
    sync::Arc,
};

use lacre_api::{
    Refusal, Url,
    dossier::{DossierFile, DossierIndex, DossierPart, DossierRequest, INDEX, MAX_PHOTOS, SEAL},
};
use lacre_domain::{Clock, Operation, ReferenceId, SessionId, Sha256Digest};
use lacre_http::{Backend, Body, Context, Endpoint, OrRefuse, Rejection, Request, Response, json};
use lacre_storage::{Accounts, Audit, Connection, DossierObjects, Sessions};

use crate::{
    collect::{Collector, Part},
    seal::Sealer,
};

/// An upper bound of what the archive has of a part besides its bytes and, twice, its name.
const HEADERS: usize = 128;

/// The endpoint with its ports.
pub struct Dossiers {
    accounts: Accounts,
    sessions: Sessions,
    audit: Audit,
    collector: Collector,
    sealer: Sealer,
    objects: DossierObjects,
    context: Context,
}

impl Endpoint for Dossiers {
    async fn handle(&self, request: Request) -> Response<Body> {
        Backend::challenged(self.context.respond(self.make(&request)).await)
    }
}

impl Dossiers {
    /// The endpoint with its ports on a connection.
    #[must_use]
    pub fn new(connection: &Connection, clock: Arc<dyn Clock>) -> Self {
        let connection = &connection.as_program("dossiers");
        Self {
            accounts: Accounts::new(connection),
            sessions: Sessions::new(connection),
            audit: Audit::new(connection),
            collector: Collector::new(connection),
            sealer: Sealer::new(connection, Arc::clone(&clock)),
            objects: DossierObjects::new(connection),
            context: Context::new(connection, clock),
        }
    }

    async fn make(&self, request: &Request) -> Result<Response<Body>, Rejection> {
        let backend = Backend::identify(&self.accounts, request).await?;
        let wanted: DossierRequest = serde_json::from_slice(request.body()).or_refuse(Refusal::PayloadInvalid)?;
        let reference = ReferenceId::parse(wanted.reference_id.as_str())?;
        let erased = wanted.erased.iter().map(|id| SessionId::parse(id.as_str())).collect::<Option<Vec<_>>>();
        let erased = erased.filter(|erased| erased.len() <= MAX_PHOTOS).ok_or(Refusal::PayloadInvalid)?;
        let now = self.context.now();
        backend.count(&self.sessions, request, now).await?;
        let (mut index, parts) = self.collector.collect(&backend, &reference, &erased, now).await?;
        let photos = u32::try_from(index.photos.len()).unwrap_or(u32::MAX);
        index.parts = parts.iter().map(entry).collect();
        let json_bytes = to_json(&index)?;
        let signature = self.sealer.seal(index.environment, &json_bytes, now).await?;
        let first = [(INDEX.to_owned(), json_bytes), (SEAL.to_owned(), signature)];
        let archive = archive(first.into_iter().chain(parts).collect()).or_refuse(Refusal::UpstreamUnavailable)?;
        let (sha256, bytes) = (Sha256Digest::of(&archive), archive.len() as u64);
        let url = self.objects.store(archive, &sha256, now).await.or_refuse(Refusal::UpstreamUnavailable)?;
        let outcome = format!("{photos} photos");
        let noted = backend.entry(request, Operation::MakeDossier, &outcome, now).about(sha256.hex());
        self.audit.add(&noted).await.or_refuse(Refusal::UpstreamUnavailable)?;
        json(&DossierFile { url: Url(url), bytes, sha256: sha256.hex().into(), photos })
    }
}

/// The archive with these parts. Memory holds little more than the archive: it does not grow, and each part is dropped once
/// it is written.
fn archive(parts: Vec<Part>) -> io::Result<Vec<u8>> {
    let size = parts.iter().map(|(name, bytes)| bytes.len() + 2 * name.len() + HEADERS).sum();
    let mut archive = Cursor::new(Vec::with_capacity(size));
    lacre_dossier::write(&mut archive, parts)?;
    Ok(archive.into_inner())
}

/// The entry of a part in the index.
fn entry((name, bytes): &Part) -> DossierPart {
    let sha256 = Sha256Digest::of(bytes).hex().into();
    DossierPart { name: name.clone(), bytes: bytes.len() as u64, sha256 }
}

/// The index as the archive has it: JSON with indentation, in the order of the fields.
fn to_json(index: &DossierIndex) -> Result<Vec<u8>, Rejection> {
    let mut json = serde_json::to_vec_pretty(index).or_refuse(Refusal::ResponseSerializationFailed)?;
    json.push(b'\n');
    Ok(json)
}
