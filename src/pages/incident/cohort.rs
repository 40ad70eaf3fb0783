//! The cohort: whom the incident affected, and who is to be written to. Numbers for every reader; customers, and what is
//! done with them, only for those who may see them.

use domain::cohort::Standing;
use domain::derived::Computed;
use domain::wire::cohort::{CohortCustomer, CohortSummary, Contacted, Moved};
use domain::wire::paths;
use leptos::prelude::*;
use leptos::task::spawn_local;
use std::sync::Arc;

use super::{Shown, message};
use crate::client;
use crate::components::{Ask, Asking, Badge, Fetched, Outcome};
use crate::format;
use crate::state::clock;
use crate::state::session::Session;
use crate::state::zone::Zone;
use crate::view::view;

/// The numbers, and for some the customers and the message.
#[component]
pub fn CohortSection(shown: Shown) -> impl IntoView {
    let session = Session::get();
    let fetched = RwSignal::new(Fetched::<Computed<CohortSummary>>::Loading);
    let read = move || {
        let id = shown.incident.read_untracked().id.clone();
        spawn_local(async move {
            let answer = client::cohort::summary(id.as_str()).await;
            let now = match answer {
                Ok(summary) => Fetched::There(Arc::new(summary)),
                // What is on screen stays there; the next refresh may succeed.
                Err(_) if fetched.try_read_untracked().is_none_or(|known| known.value().is_some()) => return,
                Err(failure) => Fetched::Failed(failure.message()),
            };
            let _ = fetched.try_set(now);
        });
    };
    // Whatever changes in the incident may change the cohort.
    Effect::new(move || {
        shown.incident.track();
        read();
    });
    let content = move || match fetched.get() {
        Fetched::Loading => view! { <p class="meta" role="status">"Computing the cohort…"</p> },
        Fetched::Failed(reason) => view! {
            <p class="error" role="alert">"The cohort cannot be shown: "{reason}" "
                <button class="ghost" on:click=move |_| read()>"Try again"</button></p>
        },
        Fetched::There(summary) => match &*summary {
            Computed::Value(summary) => numbers(summary, &shown.zone.read()),
            Computed::Unavailable { unavailable } => {
                view! { <p class="empty">{format!("There is no cohort: {unavailable}.")}</p> }
            }
        },
    };
    let is_there = Memo::new(move |_| matches!(fetched.read().value().as_deref(), Some(Computed::Value(_))));
    let is_for_them = Memo::new(move |_| is_there.get() && session.sees_customers());
    view! {
        <section class="cohort" aria-labelledby="cohort">
            <h2 id="cohort" tabindex="-1">"Customers to write to"</h2>
            {move || content()}
            {move || is_for_them.get().then(|| view! { <Customers shown/><message::MessageForm shown/> })}
        </section>
    }
}

/// The funnel, with numbers that add up, and what is to be known of them.
fn numbers(summary: &CohortSummary, zone: &Zone) -> AnyView {
    let steps = [
        ("affected", summary.affected_customers, "had a failed attempt in the window"),
        ("recovered", summary.recovered_inside_window, "recovered on retry"),
        ("bought", summary.bought_within_24h, "bought within 24 hours"),
        ("cohort", summary.cohort, "are to be written to"),
    ];
    let whole = summary.affected_customers.max(1);
    let steps = steps
        .map(|(kind, count, words)| {
            let style = format!("--part:{}%", count * 100 / whole);
            view! { <li class=kind style=style><b>{format::count(count)}</b>" "<span>{words}</span></li> }
        })
        .collect_view();
    let facts = sentences(summary, zone).into_iter().map(|words| view! { <p class="meta">{words}</p> }).collect_view();
    let provisional = provisional(summary, zone).map(|words| {
        view! { <p class="provisional"><Badge tone="warn" shape="◔" word="Provisional"/>" "{words}</p> }
    });
    view! { <ol class="funnel">{steps}</ol>{provisional}{facts} }
}

/// Until when the cohort may change, and what it waits for.
fn provisional(summary: &CohortSummary, zone: &Zone) -> Option<String> {
    let until = summary.provisional_until?;
    let when = format::date_time(until, zone);
    let log = format::date_time(summary.log_ends_at, zone);
    Some(if clock::now() < until {
        format!("Until {when} somebody in the cohort may still buy. The events end at {log}.")
    } else {
        format!("The events end at {log}. Import those until {when} to know who bought.")
    })
}

fn sentences(summary: &CohortSummary, zone: &Zone) -> Vec<String> {
    let many =
        |count: u64, one: &str, many: &str| format::counted(usize::try_from(count).unwrap_or(usize::MAX), one, many);
    let mut told = vec![format!(
        "{} − {} − {} = {}. Each customer counts once, by their last attempt in {}.",
        format::count(summary.affected_customers),
        format::count(summary.recovered_inside_window),
        format::count(summary.bought_within_24h),
        format::count(summary.cohort),
        format::range(summary.window.from, summary.window.until, zone),
    )];
    if summary.log_ends_at < summary.window.until {
        told.push("The events end before the window does, so customers may be missing.".to_owned());
    }
    if summary.joined + summary.left > 0 {
        told.push(format!(
            "The latest change brought {} into the cohort and took {} out of it.",
            many(summary.joined, "customer", "customers"),
            many(summary.left, "customer", "customers"),
        ));
    }
    if summary.contacted + summary.contacted_outside > 0 {
        let outside = match summary.contacted_outside {
            0 => String::new(),
            some => format!(", and {} who are no longer in it", format::count(some)),
        };
        let (contacted, cohort) = (format::count(summary.contacted), format::count(summary.cohort));
        told.push(format!("Written to so far: {contacted} of {cohort} in the cohort{outside}."));
    }
    told
}

/// The customers, page after page.
#[component]
fn Customers(shown: Shown) -> impl IntoView {
    let asking = Asking::get();
    let standing = RwSignal::new(Standing::Cohort.as_str().to_owned());
    let (rows, next) = (RwSignal::new(Vec::<CohortCustomer>::new()), RwSignal::new(None::<String>));
    let (failure, is_read) = (RwSignal::new(None::<String>), RwSignal::new(false));
    let id = move || shown.incident.read_untracked().id.clone();
    let page = move |cursor: Option<String>| {
        let (id, asked) = (id(), standing.get_untracked());
        spawn_local(async move {
            let answer = client::cohort::customers(id.as_str(), &asked, cursor.as_deref()).await;
            if standing.try_get_untracked().is_none_or(|now| now != asked) {
                return;
            }
            match answer {
                Ok(page) => {
                    if cursor.is_none() {
                        rows.set(page.items);
                    } else {
                        rows.update(|rows| rows.extend(page.items));
                    }
                    next.set(page.next);
                    failure.set(None);
                    is_read.set(true);
                }
                Err(why) => failure.set(Some(why.message())),
            }
        });
    };
    Effect::new(move || {
        shown.incident.track();
        standing.track();
        page(None);
    });
    let choices =
        [("", "Everybody affected")].into_iter().chain(Standing::ALL.iter().map(|one| (one.as_str(), one.label())));
    let choices = choices
        .map(|(word, label)| view! { <option value=word selected=move || *standing.read() == word>{label}</option> })
        .collect_view();
    let list = move || {
        let zone = shown.zone.read();
        rows.read().iter().map(|one| customer(shown, one, &zone)).collect_view()
    };
    let mark_all = move |_| {
        let who = Contacted { customers: Vec::new(), all: true };
        asking.ask(mark(shown, "Mark the whole cohort as written to?", who));
    };
    let empty = move || is_read.get() && rows.read().is_empty();
    view! {
        <div class="row">
            <label class="switch">"Show " <select on:change=move |event| standing.set(event_target_value(&event))>{choices}</select></label>
            <a class="ghost" rel="external" download href=move || paths::cohort_csv(&shown.incident.read().name)>"Export the cohort as CSV"</a>
            <button class="ghost" type="button" on:click=mark_all>"Mark all as written to…"</button>
        </div>
        {move || empty().then(|| view! { <p class="empty">"Nobody."</p> })}
        <div class="scroll" tabindex="0" role="region" aria-label="Customers">
            <table hidden=move || rows.read().is_empty()>
                <thead><tr><th scope="col">"Customer"</th><th scope="col">"Why"</th><th scope="col">"Written to"</th></tr></thead>
                <tbody>{move || list()}</tbody>
            </table>
        </div>
        {move || failure.get().map(|why| view! {
            <p class="error" role="alert">{why}" "<button class="ghost" on:click=move |_| page(None)>"Try again"</button></p>
        })}
        {move || next.get().map(|cursor| view! {
            <p><button class="ghost" on:click=move |_| page(Some(cursor.clone()))>"Show more customers"</button></p>
        })}
    }
}

fn customer(shown: Shown, one: &CohortCustomer, zone: &Zone) -> AnyView {
    let asking = Asking::get();
    let time = |at: Option<_>| at.map(|at| format::date_time(at, zone)).unwrap_or_default();
    let (last, bought) = (time(one.last_at), time(one.bought_at));
    let why = match one.standing {
        Standing::Recovered => format!("recovered on retry at {last}"),
        Standing::Bought => format!("bought at {bought}, after failing at {last}"),
        Standing::Cohort => format!("last attempt failed at {last}, no purchase since"),
        Standing::Unaffected => "no longer affected".to_owned(),
    };
    let moved = one.moved.map(|moved| {
        let shape = if moved == Moved::Joined { "+" } else { "−" };
        view! { " "<Badge tone="warn" shape word=moved.label()/> }
    });
    let written = match (one.contacted_at, one.standing) {
        (Some(at), _) => {
            let by = one.contacted_by.clone().unwrap_or_default();
            view! { "✓ "{format::date_time(at, zone)}" by "{by} }
        }
        (None, Standing::Cohort) => {
            let who = Contacted { customers: vec![one.customer.clone()], all: false };
            let label = format!("Mark as written to: {}", one.customer);
            view! {
                <button class="link" type="button" aria-label=label
                    on:click=move |_| asking.ask(mark(shown, "Mark this customer as written to?", who.clone()))>"Mark as written to"</button>
            }
        }
        (None, _) => "–".into_any(),
    };
    view! { <tr><th scope="row">{one.customer.clone()}</th><td>{why}{moved}</td><td>{written}</td></tr> }
}

/// Asks whether to mark customers as written to.
fn mark(shown: Shown, title: &str, who: Contacted) -> Ask {
    Ask {
        title: title.to_owned(),
        text: "Do this once they have been written to. The mark stays, whatever the cohort becomes, so that nobody is \
               written to twice."
            .to_owned(),
        fields: Vec::new(),
        submit: "Mark as written to",
        is_danger: false,
        send: Arc::new(move |_, _| {
            let call = client::cohort::contacted(shown.incident.read_untracked().id.as_str(), &who);
            Box::pin(async move {
                call.untyped().text().await.map_err(|failure| failure.refusal())?;
                shown.refresh.run(());
                Ok(Outcome::Done("Marked as written to.".to_owned()))
            })
        }),
    }
}

#[cfg(test)]
mod tests {
    use chrono::{DateTime, Utc};
    use domain::incident::Window;

    use super::*;

    #[test]
    fn the_numbers_are_told_as_a_sum_and_what_changed_beside_them() {
        let at = |time: &str| format!("2026-07-09T{time}:00Z").parse::<DateTime<Utc>>().expect("a time");
        let summary = CohortSummary {
            affected_customers: 1973,
            recovered_inside_window: 233,
            bought_within_24h: 232,
            cohort: 1508,
            provisional_until: None,
            window: Window { from: at("09:46"), until: at("10:17") },
            log_ends_at: at("12:00"),
            computed_at: at("13:00"),
            contacted: 0,
            contacted_outside: 0,
            joined: 0,
            left: 0,
        };
        let sum = "1,973 − 233 − 232 = 1,508. Each customer counts once, by their last attempt in 09:46–10:17 UTC.";
        assert_eq!(sentences(&summary, &Zone::Utc), [sum]);
        let changed = CohortSummary {
            joined: 2,
            left: 1,
            contacted: 500,
            contacted_outside: 1,
            log_ends_at: at("10:00"),
            ..summary
        };
        assert_eq!(
            sentences(&changed, &Zone::Utc)[1..],
            [
                "The events end before the window does, so customers may be missing.",
                "The latest change brought 2 customers into the cohort and took 1 customer out of it.",
                "Written to so far: 500 of 1,508 in the cohort, and 1 who are no longer in it.",
            ]
        );
    }
}
