//! How a criterion is verified, and what proved an item: in words, for whoever reads the incident.

use domain::quantity::{Quantity, Unit};
use domain::verification::{Acceptance, VerificationKind};
use leptos::prelude::*;

use crate::format;
use crate::state::zone::Zone;
use crate::view::view;

/// How a criterion is verified, in words.
pub fn words(kind: &VerificationKind) -> String {
    match kind {
        VerificationKind::Measured(measured) => {
            [&measured.metric, " ", measured.comparator.label(), " ", &quantity(measured.limit())].concat()
        }
        VerificationKind::Attested(attested) => attested.to_string(),
    }
}

/// A value with its unit, as it was set.
pub fn quantity(quantity: Quantity) -> String {
    with_unit(format::number(quantity.value.get()), quantity.unit)
}

/// A value with its unit, as long as it takes to be read: shares of 100, counts in full, all else by four digits.
pub fn measured(quantity: Quantity) -> String {
    let quantity = quantity.converted(Unit::Percent).unwrap_or(quantity);
    let value = quantity.value.get();
    let number = match quantity.unit {
        Unit::Count => format::grouped(value),
        Unit::Percent => format::digits(value, 3),
        _ => format::digits(value, 4),
    };
    with_unit(number, quantity.unit)
}

fn with_unit(number: String, unit: Unit) -> String {
    match (unit, unit.label()) {
        (Unit::Percent, _) => number + "%",
        (_, "") => number,
        (_, unit) => [&number, " ", unit].concat(),
    }
}

/// What showed that a criterion holds, who accepted it and when.
pub fn shown_by(accepted: &Acceptance, zone: &Zone) -> AnyView {
    let value = accepted.value.map(|value| {
        // Beside a limit in seconds, milliseconds would be read wrongly.
        let limit = match &accepted.verification.kind {
            Some(VerificationKind::Measured(wanted)) => Some(wanted.limit().unit),
            _ => None,
        };
        [" measured ", &measured(limit.and_then(|unit| value.converted(unit)).unwrap_or(value))].concat()
    });
    let statement = accepted.statement.clone().map(|statement| view! { " attested: "<q>{statement}</q> });
    let signal = accepted.signal.as_ref().map(|read| {
        let when = format::range(read.from, read.until, zone);
        [", ", read.statistic.label(), " of the signal “", &read.title, "”, ", &when].concat()
    });
    let by = [", accepted by ", &accepted.accepted_by, " on ", &format::date(accepted.accepted_at, zone)].concat();
    let evidence = accepted.evidence.map(|number| {
        view! { ", "<a rel="external" href=format!("#evidence-{number}")>{format!("evidence {number}")}</a> }
    });
    let link =
        accepted.link.clone().map(|link| view! { ", "<a href=link rel="external noopener noreferrer">"see it"</a> });
    view! { <small class="proved">"✓"{value}{signal}{statement}{by}{evidence}{link}</small> }
}
