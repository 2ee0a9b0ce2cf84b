//! Reads what the service recorded for a reference: the photos with their proofs, the licenses, and the kits.

use std::collections::{BTreeMap, BTreeSet};

use futures_util::{StreamExt, TryStreamExt, stream};
use lacre_api::{
    Refusal,
    dossier::{
        DossierAct, DossierFormat, DossierIndex, DossierKit, DossierLicense, DossierLog, DossierPhoto, DossierRefused,
        MAX_PHOTOS, PhotoState,
    },
};
use lacre_domain::{
    AskedFor, CaptureId, ClientId, CustodyAct, CustodyState, Environment, EvidenceRecord, KeyHash, ReferenceId,
    RefusedPhoto, SessionId, Sha256Digest, clock::rfc3339,
};
use lacre_http::{Backend, OrRefuse, Rejection};
use lacre_lookup::{LogProofs, StoredBundle, Unproved};
use lacre_storage::{
    CaptureSearch, Case, Connection, HeldCapture, Holding, LogFiles, LogSigner, PageRequest, Personal, ProofObjects,
    Refusals, Register,
};
use time::OffsetDateTime;

/// The number of photos that are read concurrently.
const CONCURRENCY: usize = 16;
/// The number of captures that are read from the index at once.
const PAGE: usize = 100;
/// The largest number of captures with a reference, those of other clients included, that are searched.
const SEARCHED: usize = 5_000;

/// A part of the archive: its name and its bytes.
pub(crate) type Part = (String, Vec<u8>);

/// Reads what was recorded.
pub(crate) struct Collector {
    search: CaptureSearch,
    personal: Personal,
    refusals: Refusals,
    register: Register,
    objects: ProofObjects,
    proofs: LogProofs,
    files: LogFiles,
    signer: LogSigner,
}

/// A capture with what the personal table has of it.
struct Recorded {
    record: EvidenceRecord,
    held: Holding,
}

impl Recorded {
    /// The hash of the session's token; `None` if that is not known any more, because the capture was erased.
    fn session(&self) -> Option<&KeyHash> {
        Some(&self.held.personal.as_ref().ok()?.as_ref()?.session)
    }
}

impl Collector {
    pub(crate) fn new(connection: &Connection) -> Self {
        Self {
            search: CaptureSearch::new(connection),
            personal: Personal::new(connection),
            refusals: Refusals::new(connection),
            register: Register::new(connection),
            objects: ProofObjects::new(connection),
            proofs: LogProofs::new(connection),
            files: LogFiles::new(connection),
            signer: LogSigner::new(connection),
        }
    }

    /// The index of a dossier, without the list of its parts, and the parts.
    pub(crate) async fn collect(
        &self,
        backend: &Backend,
        reference: &ReferenceId,
        erased: &[SessionId],
        now: OffsetDateTime,
    ) -> Result<(DossierIndex, Vec<Part>), Rejection> {
        let (client, environment) = (&backend.record.client_id, backend.record.environment);
        let recorded = self.recorded(client, environment, reference, erased).await?;
        let refused = self.refusals.read(Case { client, environment, reference }, now).await;
        let refused = refused.or_refuse(Refusal::UpstreamUnavailable)?;
        if recorded.is_empty() && refused.is_empty() {
            return Err(Refusal::CaptureNotFound.into());
        }
        let reads: Vec<_> = recorded.iter().map(|capture| self.photo(capture, now)).collect();
        let read: Vec<_> = stream::iter(reads).buffered(CONCURRENCY).try_collect().await?;
        let (mut photos, mut sessions) = (Vec::new(), Sessions::default());
        let (mut parts, mut bundles) = (BTreeMap::new(), BTreeMap::new());
        for (number, (capture, of_photo)) in recorded.iter().zip(read).enumerate() {
            let session = capture.session().map(|session| sessions.number(session));
            photos.push(of_photo.entry(number + 1, capture, session, &mut parts, &mut bundles));
        }
        let bundles: Vec<_> = bundles.iter().map(|(part, stored)| self.bundle(part, stored)).collect();
        parts.extend(stream::iter(bundles).buffered(CONCURRENCY).try_collect::<Vec<_>>().await?);
        let kits = self.kits(client, environment, &recorded, &mut parts).await?;
        let index = DossierIndex {
            format: DossierFormat::First,
            reference_id: reference.as_str().into(),
            client_id: client.clone(),
            client_name: self.client_name(client).await?,
            environment,
            made_at: rfc3339(now).into(),
            log: self.log(environment).await?,
            photos,
            refused: refused.iter().map(|refused| entry(refused, sessions.number(&refused.session))).collect(),
            licenses: self.licenses(&recorded).await?,
            kits,
            parts: Vec::new(),
        };
        let report = lacre_dossier::report(&index).into_bytes();
        let parts = [("report.html".to_owned(), report)].into_iter().chain(parts).collect();
        Ok((index, parts))
    }

    /// The captures of a client with this reference, and the named ones that were erased, by the time of their ingest.
    async fn recorded(
        &self,
        client: &ClientId,
        environment: Environment,
        reference: &ReferenceId,
        erased: &[SessionId],
    ) -> Result<Vec<Recorded>, Rejection> {
        let is_own = |record: &EvidenceRecord| record.client_id == *client && record.environment == environment;
        let (mut found, mut page, mut searched) = (Vec::new(), PageRequest::first(PAGE), 0);
        loop {
            let listed = self.search.by_reference(reference, &page).await.or_refuse(Refusal::UpstreamUnavailable)?;
            searched += listed.entries.len();
            let held = self.search.read(&listed.entries).await.or_refuse(Refusal::UpstreamUnavailable)?;
            found.extend(held.into_iter().filter(|held| is_own(&held.record)));
            if found.len() > MAX_PHOTOS || searched > SEARCHED {
                return Err(Refusal::DossierTooLarge.into());
            }
            match listed.next {
                Some(next) => page = PageRequest { limit: PAGE, after: Some(next) },
                None => break,
            }
        }
        let named: BTreeSet<CaptureId> = erased.iter().map(SessionId::capture_id).collect();
        let named: Vec<_> = named.into_iter().collect();
        let named = self.search.read(&named).await.or_refuse(Refusal::UpstreamUnavailable)?;
        let is_erased = |held: &HeldCapture| held.custody.state() == CustodyState::Erased;
        found.extend(named.into_iter().filter(|held| is_own(&held.record) && is_erased(held)));
        found.sort_by(|one, other| {
            let key = |held: &HeldCapture| (held.record.ingested_at, held.record.capture_id.clone());
            key(one).cmp(&key(other))
        });
        found.dedup_by(|one, other| one.record.capture_id == other.record.capture_id);
        if found.len() > MAX_PHOTOS {
            return Err(Refusal::DossierTooLarge.into());
        }
        let ids: Vec<_> = found.iter().map(|held| &held.record.capture_id).collect();
        let holdings = self.personal.read(&ids).await.or_refuse(Refusal::UpstreamUnavailable)?;
        Ok(found
            .into_iter()
            .zip(holdings)
            .map(|(HeldCapture { record, .. }, held)| Recorded { record, held })
            .collect())
    }

    /// Reads a photo with its proofs.
    async fn photo(&self, Recorded { record, held }: &Recorded, now: OffsetDateTime) -> Result<OfPhoto, Rejection> {
        let mut files =
            OfPhoto { state: PhotoState::Withheld, file: None, log_proof: None, records: vec![], bundles: vec![] };
        let read = async |key: &str, sha256: &Sha256Digest| {
            let bytes = self.objects.read(key).await.or_refuse(Refusal::UpstreamUnavailable)?;
            let bytes = bytes.filter(|bytes| Sha256Digest::of(bytes) == *sha256);
            bytes.ok_or_else(|| Rejection::because(Refusal::UpstreamUnavailable, &"an object is not the recorded one"))
        };
        match (held.custody.state(), &record.jpeg_key) {
            (CustodyState::Erased, _) => files.state = PhotoState::Erased,
            (CustodyState::Withheld, _) => files.state = PhotoState::Withheld,
            (CustodyState::Held, Some(key)) => {
                files.state = PhotoState::Included;
                files.file = Some(read(key, &record.jpeg_sha256).await?);
            }
            (CustodyState::Held, None) => {
                files.state = PhotoState::NotRetained;
                files.file = Some(read(&record.manifest_key, &record.manifest_sha256).await?);
            }
        }
        if files.file.is_some() {
            self.prove(record, held, now, &mut files).await?;
        }
        Ok(files)
    }

    /// Adds what proves a photo by the log, as far as there is anything.
    async fn prove(
        &self,
        record: &EvidenceRecord,
        held: &Holding,
        now: OffsetDateTime,
        files: &mut OfPhoto,
    ) -> Result<(), Rejection> {
        let key = self.signer.key(record.environment).await.or_refuse(Refusal::UpstreamUnavailable)?;
        match self.proofs.evidence(record, held, &key, now).await {
            Ok(evidence) => {
                files.log_proof = Some(evidence.transparency_proof);
                files.records =
                    [Some(evidence.evidence_record), evidence.second_evidence_record].into_iter().flatten().collect();
                files.bundles = evidence.bundles;
            }
            Err(Unproved::NotDated) => {
                let found = self.proofs.proof(record, held, &key, now).await.or_refuse(Refusal::UpstreamUnavailable)?;
                files.log_proof = Some(found.proof.to_string());
            }
            Err(Unproved::NotLogged | Unproved::BeforeTheLog | Unproved::Erased) => {}
            Err(fault) => return Err(Rejection::because(Refusal::UpstreamUnavailable, &fault)),
        }
        Ok(())
    }

    /// An evidence bundle as a part.
    async fn bundle(&self, part: &str, stored: &StoredBundle) -> Result<Part, Rejection> {
        let bundle = self.proofs.bundle(stored).await.or_refuse(Refusal::UpstreamUnavailable)?;
        Ok((part.to_owned(), bundle))
    }

    async fn client_name(&self, client: &ClientId) -> Result<String, Rejection> {
        let client = self.register.client(client).await.or_refuse(Refusal::UpstreamUnavailable)?;
        Ok(client.ok_or(Refusal::UpstreamUnavailable)?.name)
    }

    async fn log(&self, environment: Environment) -> Result<Option<DossierLog>, Rejection> {
        let checkpoint = self.files.published(environment).await.or_refuse(Refusal::UpstreamUnavailable)?;
        Ok(checkpoint.map(|checkpoint| DossierLog {
            origin: checkpoint.origin,
            size: checkpoint.size,
            root: checkpoint.root.hex().into(),
        }))
    }

    async fn licenses(&self, recorded: &[Recorded]) -> Result<Vec<DossierLicense>, Rejection> {
        let ids: BTreeSet<_> = recorded.iter().map(|capture| &capture.record.license_id).collect();
        let mut licenses = Vec::new();
        for id in ids {
            let issued = self.register.license(id).await.or_refuse(Refusal::UpstreamUnavailable)?;
            let terms = issued.ok_or(Refusal::UpstreamUnavailable)?.license.shown_terms();
            licenses.push(DossierLicense { id: id.clone(), terms });
        }
        Ok(licenses)
    }

    /// The versions of kits that photos were asked for by, as parts.
    async fn kits(
        &self,
        client: &ClientId,
        environment: Environment,
        recorded: &[Recorded],
        parts: &mut BTreeMap<String, Vec<u8>>,
    ) -> Result<Vec<DossierKit>, Rejection> {
        let asked = recorded.iter().filter_map(|capture| capture.record.asked_for.as_ref());
        let asked: BTreeMap<_, _> =
            asked.map(|AskedFor { kit, version, sha256, .. }| ((kit.as_str(), *version), (kit, sha256))).collect();
        let mut kits = Vec::new();
        for ((_, version), (kit, sha256)) in asked {
            let record = self.register.kit_version(client, environment, kit, version).await;
            let record = record.or_refuse(Refusal::UpstreamUnavailable)?;
            // A kit of another hash is not what the photo was asked for by, and says nothing about it.
            let Some(record) = record.filter(|record| Sha256Digest::of(record.json.as_bytes()) == *sha256) else {
                continue;
            };
            let part = format!("kits/{}-{version}.json", kit.as_str());
            parts.insert(part.clone(), record.json.into_bytes());
            kits.push(DossierKit { kit: kit.clone(), version, part });
        }
        Ok(kits)
    }
}

/// What a dossier has of a photo.
struct OfPhoto {
    state: PhotoState,
    /// The photo or, if it is not retained, its manifest.
    file: Option<Vec<u8>>,
    log_proof: Option<String>,
    /// The evidence records.
    records: Vec<Vec<u8>>,
    /// The evidence bundles, with the names of their files. Photos of the same day have the same.
    bundles: Vec<(String, StoredBundle)>,
}

impl OfPhoto {
    /// The entry in the index of the photo with this number. Adds its parts, and its bundles by the names of their parts.
    fn entry(
        self,
        number: usize,
        Recorded { record, held }: &Recorded,
        session: Option<u32>,
        parts: &mut BTreeMap<String, Vec<u8>>,
        bundles: &mut BTreeMap<String, StoredBundle>,
    ) -> DossierPhoto {
        let mut add = |name: String, bytes: Vec<u8>| {
            parts.insert(name.clone(), bytes);
            name
        };
        let named = |file: &str| format!("photos/{number:03}/{file}");
        let is_included = self.state == PhotoState::Included;
        let file = self.file.map(|file| add(named(if is_included { "photo.jpg" } else { "manifest.c2pa" }), file));
        let (photo, manifest) = if is_included { (file, None) } else { (None, file) };
        let log_proof = self.log_proof.map(|proof| add(named("photo.tlog-proof"), proof.into_bytes()));
        let records = ["photo.ers", "photo-second.ers"].into_iter().zip(self.records);
        let evidence_records = records.map(|(name, record)| add(named(name), record)).collect();
        let mut evidence_bundles = Vec::new();
        for (name, stored) in self.bundles {
            let part = format!("bundles/{name}");
            bundles.insert(part.clone(), stored);
            evidence_bundles.push(part);
        }
        let EvidenceRecord { capture_id, photo_order, license_id, origin, gps_result, recapture_risk, .. } = record;
        DossierPhoto {
            capture_id: capture_id.as_str().into(),
            state: self.state,
            session,
            photo_order: *photo_order,
            asked_for: record.asked_for.as_ref().map(Into::into),
            license_id: license_id.clone(),
            origin: origin.to_string(),
            ingested_at: rfc3339(record.ingested_at).into(),
            gps_result: *gps_result,
            recapture_risk: *recapture_risk,
            frame_hash: record.frame_hash.hex().into(),
            jpeg_sha256: record.jpeg_sha256.hex().into(),
            manifest_sha256: record.manifest_sha256.hex().into(),
            acts: held.custody.acts.iter().map(act).collect(),
            photo,
            manifest,
            log_proof,
            evidence_records,
            evidence_bundles,
        }
    }
}

/// Numbers sessions from 1, in the order in which they are met.
#[derive(Default)]
struct Sessions<'a>(Vec<&'a KeyHash>);

impl<'a> Sessions<'a> {
    fn number(&mut self, session: &'a KeyHash) -> u32 {
        let place = self.0.iter().position(|known| *known == session).unwrap_or_else(|| {
            self.0.push(session);
            self.0.len() - 1
        });
        u32::try_from(place + 1).unwrap_or(u32::MAX)
    }
}

/// The entry in the index of a refused photo, whose session has this number.
fn entry(refused: &RefusedPhoto, session: u32) -> DossierRefused {
    DossierRefused {
        session,
        session_created_at: rfc3339(refused.session_created_at).into(),
        at: rfc3339(refused.at).into(),
        photo_order: refused.photo_order,
        reason: refused.reason.clone(),
        frame_hash: refused.frame_hash.as_ref().map(|frame| frame.hex().into()),
    }
}

fn act(CustodyAct { state, at, reason, .. }: &CustodyAct) -> DossierAct {
    DossierAct { state: *state, at: rfc3339(*at).into(), reason: reason.as_str().to_owned() }
}
