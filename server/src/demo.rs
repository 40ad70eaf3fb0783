//! The worked example, carried in the binary and brought in through the very importers that everybody uses.

use chrono::{DateTime, NaiveDate, Utc};
use domain::IncidentId;
use domain::claim::ClaimProposal;

use crate::claims;
use crate::clock;
use crate::import::events::import_events;
use crate::import::flags::import_flags;
use crate::import::import_postmortem;
use crate::import::postmortem::Options;
use crate::store::{By, Created, Objects, Sees, Store};

const POSTMORTEM: &[u8] = include_bytes!("../../tests/data/checkout-postmortem.txt");
const EVENTS: &[u8] = include_bytes!("../../tests/data/checkout-events.csv");
const FLAGS: &[u8] = include_bytes!("../../tests/data/flag-changes.json");

/// Binds every figure whose words name a computation, as a person would who confirms what is proposed.
async fn bind_proposals(store: &Store, id: &IncidentId, now: DateTime<Utc>) -> anyhow::Result<()> {
    let Some(incident) = store.load_incident(id).await? else { return Ok(()) };
    let by = By { actor: "import", now };
    for ClaimProposal { target, computation, stated } in claims::checked(&incident).1 {
        store.create_claim(id, &target, &computation, &stated, by, None).await?;
    }
    Ok(())
}

/// Brings the worked example in where the store holds no incident.
pub async fn load_where_empty(store: &Store, objects: &Objects) -> anyhow::Result<()> {
    if !store.list_incidents(&domain::filter::IncidentFilter::default(), 1, None, Sees::All).await?.items.is_empty() {
        return Ok(());
    }
    tracing::info!("loading the worked example");
    let options = Options { date: NaiveDate::from_ymd_opt(2026, 7, 9), zone: None };
    let now = clock::now();
    let (Created::New { id, .. } | Created::Existing { id, .. }) =
        import_postmortem(store, objects, POSTMORTEM, "checkout-postmortem.txt", &options, now).await?;
    let folder = tempfile::tempdir()?;
    let (flags, events) = (folder.path().join("flag-changes.json"), folder.path().join("checkout-events.csv"));
    std::fs::write(&flags, FLAGS)?;
    std::fs::write(&events, EVENTS)?;
    import_flags(store, objects, &id, &flags, now).await?;
    import_events(store, objects, &id, &events, &|_| {}, now).await?;
    bind_proposals(store, &id, now).await
}
