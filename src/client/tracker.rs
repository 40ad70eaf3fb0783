//! The action items of every incident.

use domain::filter::ActionQuery;
use domain::wire::page::Page;
use domain::wire::paths::{self, segment};
use domain::wire::tracker::{BulkAnswer, BulkPatch, TrackerCounts, TrackerItem};
use gloo_net::http::Request;

use super::{Failure, get, send};

/// A page of the list.
pub async fn list(query: &ActionQuery, limit: u32, cursor: Option<&str>) -> Result<Page<TrackerItem>, Failure> {
    let mut pairs = query.pairs();
    pairs.push(("limit", limit.to_string()));
    pairs.extend(cursor.map(|cursor| ("cursor", cursor.to_owned())));
    get(&with_pairs(paths::actions(), &pairs)).await
}

/// How many items pass the filter.
pub async fn counts(query: &ActionQuery) -> Result<TrackerCounts, Failure> {
    get(&with_pairs(paths::action_counts(), &query.pairs())).await
}

/// Where the list is to be had as a table.
pub fn csv(query: &ActionQuery) -> String {
    with_pairs(paths::actions_csv(), &query.pairs())
}

/// Changes several items at once.
pub async fn patch(patch: &BulkPatch) -> Result<BulkAnswer, Failure> {
    send(Request::patch(&paths::actions()), patch).await
}

fn with_pairs(path: String, pairs: &[(&'static str, String)]) -> String {
    let query: Vec<String> = pairs.iter().map(|(key, value)| [*key, "=", &segment(value)].concat()).collect();
    if query.is_empty() { path } else { [path, query.join("&")].join("?") }
}
