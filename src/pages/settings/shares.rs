//! Share links: what is open to whoever has the link.

use std::sync::Arc;

use domain::wire::access::Share;
use leptos::prelude::*;

use super::listing::{Cell, Deed, Listing, Row, cell, confirm, done, draw, when};
use crate::client::access;
use crate::components::Ask;
use crate::route;
use crate::state::zone::Zone;

/// The section.
pub fn shares() -> AnyView {
    let listing = Listing {
        title: "Shares",
        lead: "Whoever has a share link reads that one incident, without signing in, until the day named here. An incident \
               is shared on its own page, under Access.",
        what: "list of shares",
        columns: &["Incident", "With", "Until", "Shared by"],
        empty: "Nothing is shared.",
        add: None,
    };
    draw(listing, access::shares, row)
}

fn row(share: Share, again: Callback<()>, zone: &Zone) -> Row {
    let cells = vec![
        Cell { link: Some(route::incident(&share.incident_name)), ..cell(share.incident_name.clone()) },
        cell(share.audience.clone()),
        when(Some(share.expires_at), zone, ""),
        cell(share.created_by.clone()),
    ];
    let (of, share) = (format!("{}, {}", share.incident_name, share.audience), Arc::new(share));
    Row { cells, deeds: vec![Deed { label: "Revoke", of, ask: Arc::new(move || revoke(share.clone(), again)) }] }
}

fn revoke(share: Arc<Share>, again: Callback<()>) -> Ask {
    let said = format!("{} is no longer shared with {}.", share.incident_name, share.audience);
    confirm(
        format!("Revoke the link for {}?", share.audience),
        format!("The link to {} leads nowhere from now on, wherever it was passed on to.", share.incident_name),
        "Revoke",
        move || done(access::revoke_share(share.id.as_str()), again, said.clone()),
    )
}
