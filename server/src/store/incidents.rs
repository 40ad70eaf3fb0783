//! Finding incidents: by id or short name, and page by page.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use domain::filter::IncidentFilter;
use domain::incident::{IncidentStatus, Severity};
use domain::prose::Prose;
use domain::wire::incidents::{ActionCounts, IncidentSummary};
use domain::wire::page::Page;
use domain::{IncidentId, UserId};

use super::column::{maybe_time, maybe_word, word};
use super::db::{db, statements};
use super::kept::Kept;
use super::{Store, StoreError};

/// How many words of a search are looked for in any order; more must follow one another.
const WORDS: usize = 4;

/// The most characters of a search that are looked at, for SQLite bounds a pattern.
const SEARCH: usize = 2000;

statements! {
    BY_ID = "SELECT id, version FROM incidents WHERE id = $1";
    BY_NUMBER = "SELECT id, version FROM incidents WHERE number = $1";
    FACTS_BY_ID = "SELECT i.id, i.version, CAST(CASE i.visibility WHEN 'restricted' THEN 1 ELSE 0 END AS BIGINT) AS restricted,
            CAST(CASE WHEN i.visibility = 'open' THEN 0
                WHEN EXISTS (SELECT 1 FROM incident_people p WHERE p.incident_id = i.id AND p.user_id = $2) THEN 1
                WHEN EXISTS (SELECT 1 FROM incident_teams t JOIN team_members m ON m.team_id = t.team_id
                    WHERE t.incident_id = i.id AND m.user_id = $2) THEN 1
                ELSE 0 END AS BIGINT) AS named
        FROM incidents i WHERE i.id = $1";
    FACTS_BY_NUMBER = "SELECT i.id, i.version, CAST(CASE i.visibility WHEN 'restricted' THEN 1 ELSE 0 END AS BIGINT) AS restricted,
            CAST(CASE WHEN i.visibility = 'open' THEN 0
                WHEN EXISTS (SELECT 1 FROM incident_people p WHERE p.incident_id = i.id AND p.user_id = $2) THEN 1
                WHEN EXISTS (SELECT 1 FROM incident_teams t JOIN team_members m ON m.team_id = t.team_id
                    WHERE t.incident_id = i.id AND m.user_id = $2) THEN 1
                ELSE 0 END AS BIGINT) AS named
        FROM incidents i WHERE i.number = $1";
    LIST = r"SELECT i.id, i.number, i.title, i.summary, i.severity, i.status, i.started_at, i.ended_at, i.home_zone,
            i.sort_at,
            (SELECT COUNT(*) FROM actions a WHERE a.incident_id = i.id) AS total,
            (SELECT COUNT(*) FROM actions a
                WHERE a.incident_id = i.id AND a.status NOT IN ('verified', 'wont_do')) AS open,
            (SELECT COUNT(*) FROM actions a WHERE a.incident_id = i.id AND a.status = 'verified') AS verified
        FROM incidents i
        WHERE (i.sort_at, i.number) < ($1, $2)
            AND (CAST($3 AS TEXT) IS NULL OR i.status = $3)
            AND (CAST($4 AS TEXT) IS NULL OR i.severity = $4)
            AND i.search_text LIKE $5 ESCAPE '\' AND i.search_text LIKE $6 ESCAPE '\'
            AND i.search_text LIKE $7 ESCAPE '\' AND i.search_text LIKE $8 ESCAPE '\'
            AND (i.visibility = 'open' OR CAST($10 AS TEXT) IS NULL
                OR EXISTS (SELECT 1 FROM incident_people p WHERE p.incident_id = i.id AND p.user_id = $10)
                OR EXISTS (SELECT 1 FROM incident_teams t JOIN team_members m ON m.team_id = t.team_id
                    WHERE t.incident_id = i.id AND m.user_id = $10))
        ORDER BY i.sort_at DESC, i.number DESC
        LIMIT $9";
}

/// What the policy has to know of an incident, and its version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IncidentFacts {
    /// The incident's id.
    pub id: IncidentId,
    /// Counts every change.
    pub version: i64,
    /// Only for those named on it.
    pub restricted: bool,
    /// The person asked about is named on it, or a team of theirs is; not asked of an open incident.
    pub named: bool,
}

/// What was asked last of which incident for which account.
pub(super) type KeptFacts = Kept<(String, String), IncidentFacts>;

/// Whose list it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sees<'a> {
    /// Every incident.
    All,
    /// Open ones, and those that this account is named on.
    As(&'a UserId),
    /// Open ones.
    Open,
}

impl<'a> Sees<'a> {
    /// The account that restricted incidents are looked up for; none for somebody who sees all.
    pub(super) fn account(self) -> Option<&'a str> {
        match self {
            Self::All => None,
            Self::As(user) => Some(user.as_str()),
            Self::Open => Some(""),
        }
    }
}

#[derive(sqlx::FromRow)]
struct FactsRow {
    id: String,
    version: i64,
    restricted: i64,
    named: i64,
}

#[derive(sqlx::FromRow)]
struct Row {
    id: String,
    number: i64,
    title: String,
    summary: String,
    severity: Option<String>,
    status: String,
    started_at: Option<i64>,
    ended_at: Option<i64>,
    home_zone: String,
    sort_at: i64,
    total: i64,
    open: i64,
    verified: i64,
}

/// The short name of the incident with this number.
pub(super) fn name(number: i64) -> String {
    format!("INC-{number}")
}

/// The number in a short name, if the text is one.
fn number(text: &str) -> Option<i64> {
    let (prefix, digits) = (text.get(..4)?, text.get(4..)?);
    let is_name = prefix.eq_ignore_ascii_case("INC-") && digits.bytes().all(|b| b.is_ascii_digit());
    is_name.then(|| digits.parse().ok()).flatten()
}

impl Store {
    /// The id of the incident with this id or short name ("INC-1", in any case).
    pub async fn incident_id(&self, id_or_name: &str) -> Result<Option<IncidentId>, StoreError> {
        Ok(self.incident_version(id_or_name).await?.map(|(id, _)| id))
    }

    /// The id and the version of the incident with this id or short name. One indexed read.
    pub async fn incident_version(&self, id_or_name: &str) -> Result<Option<(IncidentId, i64)>, StoreError> {
        let found = if let Some(number) = number(id_or_name) {
            db!(read & self.db, BY_NUMBER, [number], fetch_optional as (String, i64))?
        } else if id_or_name.contains('\0') {
            None
        } else {
            db!(read & self.db, BY_ID, [id_or_name], fetch_optional as (String, i64))?
        };
        Ok(found.map(|(id, version)| (IncidentId::new(id), version)))
    }

    /// What the policy has to know of the incident with this id or short name, for this account. One indexed read.
    pub async fn incident_facts(
        &self,
        id_or_name: &str,
        user: Option<&UserId>,
    ) -> Result<Option<IncidentFacts>, StoreError> {
        let user = user.map_or("", UserId::as_str);
        let key = (id_or_name.to_owned(), user.to_owned());
        self.facts.get_or(key, |_| true, self.read_facts(id_or_name, user)).await
    }

    async fn read_facts(&self, id_or_name: &str, user: &str) -> Result<Option<IncidentFacts>, StoreError> {
        let found = if let Some(number) = number(id_or_name) {
            db!(read & self.db, FACTS_BY_NUMBER, [number, user], fetch_optional as FactsRow)?
        } else if id_or_name.contains('\0') {
            None
        } else {
            db!(read & self.db, FACTS_BY_ID, [id_or_name, user], fetch_optional as FactsRow)?
        };
        Ok(found.map(|row| IncidentFacts {
            id: IncidentId::new(row.id),
            version: row.version,
            restricted: row.restricted != 0,
            named: row.named != 0,
        }))
    }

    /// A page of the incidents that pass the filter, the latest start first and before all the incidents whose start
    /// nobody has said; among equals the higher number first.
    pub async fn list_incidents(
        &self,
        filter: &IncidentFilter,
        limit: u32,
        cursor: Option<&str>,
        sees: Sees<'_>,
    ) -> Result<Page<IncidentSummary>, StoreError> {
        let (sort_at, after) = match cursor {
            Some(cursor) => read_cursor(cursor).ok_or(StoreError::BadCursor)?,
            None => (i64::MAX, i64::MAX),
        };
        let [first, second, third, rest] = patterns(filter.q.as_deref().unwrap_or_default());
        let status = filter.status.map(IncidentStatus::as_str);
        let severity = filter.severity.map(Severity::as_str);
        // One more than asked for tells whether another page follows.
        let asked = i64::from(limit.max(1)) + 1;
        let mut rows = db!(
            read & self.db,
            LIST,
            [
                sort_at,
                after,
                status,
                severity,
                first.as_str(),
                second.as_str(),
                third.as_str(),
                rest.as_str(),
                asked,
                sees.account()
            ],
            fetch_all as Row
        )?;
        let more = i64::try_from(rows.len()).is_ok_and(|found| found == asked);
        if more {
            rows.pop();
        }
        let next = rows.last().filter(|_| more).map(|row| write_cursor(row.sort_at, row.number));
        let items = rows.into_iter().map(summary).collect::<Result<_, _>>()?;
        Ok(Page { items, next })
    }
}

fn summary(row: Row) -> Result<IncidentSummary, StoreError> {
    Ok(IncidentSummary {
        id: IncidentId::new(row.id),
        name: name(row.number),
        title: row.title,
        summary: Prose::new(row.summary).plain(),
        severity: maybe_word(row.severity.as_deref())?,
        status: word(&row.status)?,
        started_at: maybe_time(row.started_at)?,
        ended_at: maybe_time(row.ended_at)?,
        home_zone: row.home_zone,
        actions: ActionCounts { total: row.total, open: row.open, verified: row.verified },
    })
}

/// LIKE patterns for the words of a search; a pattern with nothing to look for matches everything.
pub(super) fn patterns(q: &str) -> [String; WORDS] {
    let q: String = q.to_lowercase().replace('\0', "\u{FFFD}").chars().take(SEARCH).collect();
    let mut patterns = [const { String::new() }; WORDS];
    for (i, word) in q.split_whitespace().enumerate() {
        let pattern = &mut patterns[i.min(WORDS - 1)];
        pattern.push('%');
        for c in word.chars() {
            if matches!(c, '%' | '_' | '\\') {
                pattern.push('\\');
            }
            pattern.push(c);
        }
    }
    patterns.map(|pattern| pattern + "%")
}

fn write_cursor(sort_at: i64, number: i64) -> String {
    URL_SAFE_NO_PAD.encode(format!("{sort_at} {number}"))
}

fn read_cursor(cursor: &str) -> Option<(i64, i64)> {
    let text = String::from_utf8(URL_SAFE_NO_PAD.decode(cursor).ok()?).ok()?;
    let (sort_at, number) = text.split_once(' ')?;
    Some((sort_at.parse().ok()?, number.parse().ok()?))
}
