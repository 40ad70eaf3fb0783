//! Evidence: added, given a title, removed; and what imported load tests said.

use chrono::{DateTime, SubsecRound, Utc};
use domain::action::{Action, ActionStatus};
use domain::evidence::{Evidence, EvidenceFile, EvidenceKind, ImportedLoadTest};
use domain::load_test::LoadTest;
use domain::{EvidenceNumber, IncidentId};

use super::column::{count, from_json, maybe_millis, maybe_text, maybe_time, text, time, to_json, whole, word};
use super::db::{Tx, db, statements};
use super::history::{Change, append, bump};
use super::once::{Once, claim, keep_answer};
use super::{By, Store, StoreError, actions, files, verifications};

statements! {
    LIST = "SELECT e.number, e.version, e.title, e.kind, e.link, e.captured_at, e.removed_at, l.sha256, l.file_name, l.imported_at,
            l.report, f.file_name AS name, f.media, f.bytes, f.width, f.height, f.description, f.stripped, f.sha256 AS hash, f.added_at
        FROM evidence e LEFT JOIN load_tests l ON l.incident_id = e.incident_id AND l.number = e.number
        LEFT JOIN evidence_files f ON f.incident_id = e.incident_id AND f.number = e.number
        WHERE e.incident_id = $1 ORDER BY e.number";
    ONE = "SELECT e.number, e.version, e.title, e.kind, e.link, e.captured_at, e.removed_at, l.sha256, l.file_name, l.imported_at,
            l.report, f.file_name AS name, f.media, f.bytes, f.width, f.height, f.description, f.stripped, f.sha256 AS hash, f.added_at
        FROM evidence e LEFT JOIN load_tests l ON l.incident_id = e.incident_id AND l.number = e.number
        LEFT JOIN evidence_files f ON f.incident_id = e.incident_id AND f.number = e.number
        WHERE e.incident_id = $1 AND e.number = $2";
    /// A removed entry keeps its row, so the next number is one that nothing ever had.
    NEXT = "SELECT COALESCE(MAX(number), 0) + 1 AS next FROM evidence WHERE incident_id = $1";
    INSERT = "INSERT INTO evidence (incident_id, number, title, kind, link, captured_at)
        VALUES ($1, $2, $3, $4, $5, $6)";
    WRITE = "UPDATE evidence SET version = version + 1, title = $4, kind = $5, link = $6
        WHERE incident_id = $1 AND number = $2 AND version = $3 AND removed_at IS NULL";
    REMOVE = "UPDATE evidence SET version = version + 1, removed_at = $4
        WHERE incident_id = $1 AND number = $2 AND version = $3 AND removed_at IS NULL";
    SAME_TEST = "SELECT l.number FROM load_tests l JOIN evidence e
        ON e.incident_id = l.incident_id AND e.number = l.number
        WHERE l.incident_id = $1 AND l.sha256 = $2 AND e.removed_at IS NULL";
    SAME_FILE = "SELECT f.number FROM evidence_files f JOIN evidence e
        ON e.incident_id = f.incident_id AND e.number = f.number
        WHERE f.incident_id = $1 AND f.sha256 = $2 AND e.removed_at IS NULL";
    KEEP_FILE = "INSERT INTO evidence_files (incident_id, number, file_name, media, bytes, width, height, description, stripped,
            sha256, object_key, added_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)";
    DESCRIBE = "UPDATE evidence_files SET description = $3 WHERE incident_id = $1 AND number = $2";
    FILE_KEY = "SELECT object_key FROM evidence_files WHERE incident_id = $1 AND number = $2";
    FORGET_FILE = "DELETE FROM evidence_files WHERE incident_id = $1 AND number = $2";
    KEEP_TEST = "INSERT INTO load_tests (incident_id, number, sha256, file_name, imported_at, report)
        VALUES ($1, $2, $3, $4, $5, $6)";
}

/// A source to be added.
#[derive(Debug, Clone)]
pub struct AddedEvidence<'a> {
    /// What it is called.
    pub title: Option<&'a str>,
    /// What sort of source it is.
    pub kind: EvidenceKind,
    /// Where it can be seen.
    pub link: Option<&'a str>,
    /// When it was taken.
    pub captured_at: Option<DateTime<Utc>>,
}

/// What became of a change to a source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EvidenceEdit<T> {
    /// It was made; what came of it.
    Done(T),
    /// It was made on another version; the source as it now is.
    Stale(Evidence),
    /// An accepted proof rests on what would be changed.
    Proves,
    /// There is no such source, or no longer.
    Missing,
}

/// A load test's file that was read.
#[derive(Debug, Clone)]
pub struct ReadLoadTest<'a> {
    /// The file's SHA-256, in hexadecimal.
    pub sha256: &'a str,
    /// The file's name.
    pub file_name: &'a str,
    /// What it said.
    pub test: &'a LoadTest,
}

/// A file whose bytes are kept.
#[derive(Debug, Clone, Copy)]
pub struct AddedFile<'a> {
    /// What was seen of it.
    pub file: &'a EvidenceFile,
    /// Where its bytes are kept.
    pub object_key: &'a str,
}

#[derive(sqlx::FromRow)]
struct FileRow {
    name: Option<String>,
    media: Option<String>,
    bytes: Option<i64>,
    width: Option<i64>,
    height: Option<i64>,
    description: Option<String>,
    stripped: Option<i64>,
    hash: Option<String>,
    added_at: Option<i64>,
}

#[derive(sqlx::FromRow)]
struct Row {
    #[sqlx(flatten)]
    file: FileRow,
    number: i64,
    version: i64,
    title: Option<String>,
    kind: String,
    link: Option<String>,
    captured_at: Option<i64>,
    removed_at: Option<i64>,
    sha256: Option<String>,
    file_name: Option<String>,
    imported_at: Option<i64>,
    report: Option<String>,
}

impl Store {
    /// An incident's evidence, in order of number.
    pub async fn list_evidence(&self, incident: &IncidentId) -> Result<Vec<Evidence>, StoreError> {
        let rows = db!(read & self.db, LIST, [incident.as_str()], fetch_all as Row)?;
        rows.into_iter().map(evidence).collect()
    }

    /// One piece of evidence.
    pub async fn load_evidence(
        &self,
        incident: &IncidentId,
        number: EvidenceNumber,
    ) -> Result<Option<Evidence>, StoreError> {
        let row = db!(read & self.db, ONE, [incident.as_str(), whole(number)], fetch_optional as Row)?;
        row.map(evidence).transpose()
    }

    /// Adds a source; none if there is no such incident.
    pub async fn add_evidence(
        &self,
        incident: &IncidentId,
        new: &AddedEvidence<'_>,
        by: By<'_>,
        once: Option<&Once>,
    ) -> Result<Option<Evidence>, StoreError> {
        let mut tx = self.db.begin_write().await?;
        claim(&mut tx, once, by.now).await?;
        if !bump(&mut tx, incident, by.now).await? {
            tx.rollback().await?;
            return Ok(None);
        }
        let added = insert(&mut tx, incident, new, by).await?;
        keep_answer(&mut tx, once, &added).await?;
        tx.commit().await?;
        Ok(Some(added))
    }

    /// Adds a load test's file as evidence, once for each file; whether it was added, and the evidence. None if there is
    /// no such incident.
    pub async fn add_load_test(
        &self,
        incident: &IncidentId,
        new: &AddedEvidence<'_>,
        test: &ReadLoadTest<'_>,
        by: By<'_>,
    ) -> Result<Option<(bool, Evidence)>, StoreError> {
        let mut tx = self.db.begin_write().await?;
        if !bump(&mut tx, incident, by.now).await? {
            tx.rollback().await?;
            return Ok(None);
        }
        let same = db!(tx &mut tx, SAME_TEST, [incident.as_str(), test.sha256], fetch_optional as (i64,))?;
        if let Some((number,)) = same {
            let known = in_tx(&mut tx, incident, count(number)?).await?;
            tx.rollback().await?;
            return Ok(known.map(|known| (false, known)));
        }
        // One that was removed is brought in anew, under a new number; the old one keeps what it said.
        let added = insert(&mut tx, incident, new, by).await?;
        db!(tx &mut tx, KEEP_TEST, [
            incident.as_str(), whole(added.number), test.sha256, text(test.file_name), by.now.timestamp_millis(),
            to_json(test.test)?
        ], execute)?;
        let added = in_tx(&mut tx, incident, added.number).await?;
        tx.commit().await?;
        Ok(added.map(|added| (true, added)))
    }

    /// Adds a file as evidence, once for each file; whether it was added, and the evidence. None if there is no such incident.
    pub async fn add_file(
        &self,
        incident: &IncidentId,
        new: &AddedEvidence<'_>,
        added: &AddedFile<'_>,
        by: By<'_>,
    ) -> Result<Option<(bool, Evidence)>, StoreError> {
        let AddedFile { file, object_key } = *added;
        let mut tx = self.db.begin_write().await?;
        if !bump(&mut tx, incident, by.now).await? {
            tx.rollback().await?;
            return Ok(None);
        }
        let same = db!(tx &mut tx, SAME_FILE, [incident.as_str(), file.sha256.as_str()], fetch_optional as (i64,))?;
        if let Some((number,)) = same {
            let known = in_tx(&mut tx, incident, count(number)?).await?;
            tx.rollback().await?;
            return Ok(known.map(|known| (false, known)));
        }
        let evidence = insert_with(&mut tx, incident, new, Some(file), by).await?;
        db!(tx &mut tx, KEEP_FILE, [
            incident.as_str(), whole(evidence.number), text(&file.file_name), file.media.as_str(), whole(file.bytes),
            file.width.map(i64::from), file.height.map(i64::from), maybe_text(file.description.as_deref()),
            i64::from(file.stripped), file.sha256.as_str(), object_key, file.added_at.timestamp_millis()
        ], execute)?;
        let added = in_tx(&mut tx, incident, evidence.number).await?;
        tx.commit().await?;
        Ok(added.map(|added| (true, added)))
    }

    /// Where the bytes of a source's file are kept; none where it is none.
    pub async fn evidence_file_key(
        &self,
        incident: &IncidentId,
        number: EvidenceNumber,
    ) -> Result<Option<String>, StoreError> {
        let key = db!(read & self.db, FILE_KEY, [incident.as_str(), whole(number)], fetch_optional as (String,))?;
        Ok(key.map(|(key,)| key))
    }

    /// Changes a source that is there, and still at this version. `apply` gives it as it is to be; what it shows is kept as
    /// long as an accepted proof rests on it.
    pub async fn update_evidence(
        &self,
        incident: &IncidentId,
        (number, version): (EvidenceNumber, i64),
        by: By<'_>,
        apply: impl FnOnce(&Evidence) -> Evidence + Send,
    ) -> Result<EvidenceEdit<Evidence>, StoreError> {
        let mut tx = self.db.begin_write().await?;
        bump(&mut tx, incident, by.now).await?;
        let before = match at_version(&mut tx, incident, number, version).await? {
            EvidenceEdit::Done(before) => before,
            other => {
                tx.rollback().await?;
                return Ok(other);
            }
        };
        let next = apply(&before);
        let next = Evidence {
            title: maybe_text(next.title.as_deref()),
            link: maybe_text(next.link.as_deref()),
            kind: next.kind,
            file: next
                .file
                .map(|file| Box::new(EvidenceFile { description: maybe_text(file.description.as_deref()), ..*file })),
            ..before.clone()
        };
        if next == before {
            tx.rollback().await?;
            return Ok(EvidenceEdit::Done(before));
        }
        let shows_the_same = (&next.link, next.kind) == (&before.link, before.kind);
        if !shows_the_same && !verifications::resting_on(&mut tx, incident, number).await?.is_empty() {
            tx.rollback().await?;
            return Ok(EvidenceEdit::Proves);
        }
        let next = Evidence { version: version + 1, ..next };
        let written = db!(tx &mut tx, WRITE, [
            incident.as_str(), whole(number), version, next.title.as_deref(), next.kind.as_str(), next.link.as_deref()
        ], execute)?;
        expect_one(written, incident, number)?;
        if let Some(file) = &next.file {
            db!(tx &mut tx, DESCRIBE, [incident.as_str(), whole(number), file.description.as_deref()], execute)?;
        }
        record(&mut tx, incident, number, by, Some(&before), Some(&next)).await?;
        tx.commit().await?;
        Ok(EvidenceEdit::Done(next))
    }

    /// Removes a source that is there, and still at this version; every item whose proof rests on it is opened again.
    /// The items opened.
    pub async fn remove_evidence(
        &self,
        incident: &IncidentId,
        (number, version): (EvidenceNumber, i64),
        by: By<'_>,
    ) -> Result<EvidenceEdit<Vec<Action>>, StoreError> {
        let mut tx = self.db.begin_write().await?;
        bump(&mut tx, incident, by.now).await?;
        let before = match at_version(&mut tx, incident, number, version).await? {
            EvidenceEdit::Done(before) => before,
            EvidenceEdit::Stale(now) => {
                tx.rollback().await?;
                return Ok(EvidenceEdit::Stale(now));
            }
            EvidenceEdit::Proves | EvidenceEdit::Missing => {
                tx.rollback().await?;
                return Ok(EvidenceEdit::Missing);
            }
        };
        let removed = db!(tx &mut tx, REMOVE, [
            incident.as_str(), whole(number), version, by.now.timestamp_millis()
        ], execute)?;
        expect_one(removed, incident, number)?;
        record(&mut tx, incident, number, by, Some(&before), None).await?;
        forget_file(&mut tx, incident, number, by.now).await?;
        let mut opened = Vec::new();
        for id in verifications::resting_on(&mut tx, incident, number).await? {
            let Some(current) = actions::in_tx(&mut tx, &id).await? else { continue };
            verifications::withdraw(&mut tx, &id, by.now).await?;
            let next = Action {
                version: current.version + 1,
                updated_at: by.now,
                status: ActionStatus::Open,
                reopenings: current.reopenings + 1,
                accepted: None,
                ..current.clone()
            };
            if !actions::write(&mut tx, current.version, &next).await? {
                return Err(StoreError::Corrupt(format!("{id} changed while its incident was locked")));
            }
            let change = Change {
                subject: "action",
                subject_id: id.as_str(),
                actor: by.actor,
                before: Some(to_json(&current)?),
                after: Some(to_json(&next)?),
            };
            append(&mut tx, incident, change, by.now).await?;
            opened.push(next);
        }
        tx.commit().await?;
        Ok(EvidenceEdit::Done(opened))
    }
}

/// The source as it stands inside a transaction that holds its incident, if it is there and at this version.
async fn at_version(
    tx: &mut Tx,
    incident: &IncidentId,
    number: EvidenceNumber,
    version: i64,
) -> Result<EvidenceEdit<Evidence>, StoreError> {
    Ok(match in_tx(tx, incident, number).await? {
        Some(evidence) if evidence.removed_at.is_some() => EvidenceEdit::Missing,
        Some(evidence) if evidence.version == version => EvidenceEdit::Done(evidence),
        Some(evidence) => EvidenceEdit::Stale(evidence),
        None => EvidenceEdit::Missing,
    })
}

fn expect_one(written: u64, incident: &IncidentId, number: EvidenceNumber) -> Result<(), StoreError> {
    if written == 1 {
        return Ok(());
    }
    Err(StoreError::Corrupt(format!("evidence {number} of {incident} changed while its incident was locked")))
}

/// Whether a source is there, and was not removed.
pub(super) async fn is_there(tx: &mut Tx, incident: &IncidentId, number: EvidenceNumber) -> Result<bool, StoreError> {
    Ok(in_tx(tx, incident, number).await?.is_some_and(|evidence| evidence.removed_at.is_none()))
}

/// Removes a source whose data was taken away, unless an accepted proof rests on it.
pub(super) async fn remove_unless_it_proves(
    tx: &mut Tx,
    incident: &IncidentId,
    number: EvidenceNumber,
    by: By<'_>,
) -> Result<(), StoreError> {
    let Some(before) = in_tx(tx, incident, number).await?.filter(|evidence| evidence.removed_at.is_none()) else {
        return Ok(());
    };
    if !verifications::resting_on(tx, incident, number).await?.is_empty() {
        return Ok(());
    }
    let removed =
        db!(tx tx, REMOVE, [incident.as_str(), whole(number), before.version, by.now.timestamp_millis()], execute)?;
    expect_one(removed, incident, number)?;
    record(tx, incident, number, by, Some(&before), None).await
}

/// Forgets the file that a source was, if it was one; its bytes are deleted where nothing else names them.
async fn forget_file(
    tx: &mut Tx,
    incident: &IncidentId,
    number: EvidenceNumber,
    now: DateTime<Utc>,
) -> Result<(), StoreError> {
    let key = db!(tx &mut *tx, FILE_KEY, [incident.as_str(), whole(number)], fetch_optional as (String,))?;
    if let Some((key,)) = key {
        db!(tx &mut *tx, FORGET_FILE, [incident.as_str(), whole(number)], execute)?;
        files::forget(tx, &key, now).await?;
    }
    Ok(())
}

/// Adds a source inside a transaction that holds its incident.
pub(super) async fn insert(
    tx: &mut Tx,
    incident: &IncidentId,
    new: &AddedEvidence<'_>,
    by: By<'_>,
) -> Result<Evidence, StoreError> {
    insert_with(tx, incident, new, None, by).await
}

async fn insert_with(
    tx: &mut Tx,
    incident: &IncidentId,
    new: &AddedEvidence<'_>,
    file: Option<&EvidenceFile>,
    by: By<'_>,
) -> Result<Evidence, StoreError> {
    let (number,) = db!(tx tx, NEXT, [incident.as_str()], fetch_one as (i64,))?;
    let added = Evidence {
        number: count(number)?,
        version: 1,
        title: maybe_text(new.title),
        kind: new.kind,
        link: maybe_text(new.link),
        captured_at: new.captured_at.map(|at| at.trunc_subsecs(3)),
        removed_at: None,
        load_test: None,
        file: file.cloned().map(Box::new),
        withheld: false,
    };
    db!(tx tx, INSERT, [
        incident.as_str(), number, added.title.as_deref(), added.kind.as_str(), added.link.as_deref(),
        maybe_millis(added.captured_at)
    ], execute)?;
    record(tx, incident, added.number, by, None, Some(&added)).await?;
    Ok(added)
}

async fn record(
    tx: &mut Tx,
    incident: &IncidentId,
    number: EvidenceNumber,
    by: By<'_>,
    before: Option<&Evidence>,
    after: Option<&Evidence>,
) -> Result<(), StoreError> {
    let change = Change {
        subject: "evidence",
        subject_id: &number.to_string(),
        actor: by.actor,
        before: before.map(to_json).transpose()?,
        after: after.map(to_json).transpose()?,
    };
    append(tx, incident, change, by.now).await
}

async fn in_tx(tx: &mut Tx, incident: &IncidentId, number: EvidenceNumber) -> Result<Option<Evidence>, StoreError> {
    let row = db!(tx tx, ONE, [incident.as_str(), whole(number)], fetch_optional as Row)?;
    row.map(evidence).transpose()
}

/// All evidence of an incident, as it stands inside a transaction.
pub(super) async fn of_incident(tx: &mut Tx, incident: &IncidentId) -> Result<Vec<Evidence>, StoreError> {
    let rows = db!(tx tx, LIST, [incident.as_str()], fetch_all as Row)?;
    rows.into_iter().map(evidence).collect()
}

fn evidence(row: Row) -> Result<Evidence, StoreError> {
    let load_test = match (row.sha256, row.file_name, row.imported_at, row.report) {
        (Some(sha256), Some(file_name), Some(imported_at), Some(report)) => Some(Box::new(ImportedLoadTest {
            file_name,
            sha256,
            imported_at: time(imported_at)?,
            test: from_json(&report)?,
        })),
        _ => None,
    };
    let file = file(row.file)?;
    Ok(Evidence {
        number: count(row.number)?,
        version: row.version,
        title: row.title,
        kind: word(&row.kind)?,
        link: row.link,
        captured_at: maybe_time(row.captured_at)?,
        removed_at: maybe_time(row.removed_at)?,
        load_test,
        file,
        withheld: false,
    })
}

fn file(row: FileRow) -> Result<Option<Box<EvidenceFile>>, StoreError> {
    let (Some(file_name), Some(media), Some(bytes), Some(sha256), Some(added_at)) =
        (row.name, row.media, row.bytes, row.hash, row.added_at)
    else {
        return Ok(None);
    };
    Ok(Some(Box::new(EvidenceFile {
        file_name,
        media: word(&media)?,
        bytes: count(bytes)?,
        width: row.width.map(count).transpose()?,
        height: row.height.map(count).transpose()?,
        description: row.description,
        stripped: row.stripped == Some(1),
        sha256,
        added_at: time(added_at)?,
    })))
}
