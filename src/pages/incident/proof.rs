//! How an item's criterion is told, and its proof: confirmed, offered, and shown once accepted.

use std::sync::Arc;

use chrono::{DateTime, SecondsFormat, Utc};
use domain::SignalId;
use domain::action::{Action, ActionStatus};
use domain::evidence::EvidenceKind;
use domain::person::Role;
use domain::quantity::{Number, Unit};
use domain::signal::{Reading, Statistic};
use domain::verification::{Attested, Attester, Comparator, Measured, Verification, VerificationKind};
use domain::wire::actions::ActionPatch;
use domain::wire::verifications::{MeasuredValue, NewVerification, Statement};
use leptos::prelude::*;

use super::Around;
use super::proved::{quantity, words};
use crate::client::{self, Failure};
use crate::components::{Ask, Asking, Field, Kind, Outcome, Sending};
use crate::format;
use crate::state::session::Session;
use crate::view::view;

/// The part of an opened item that concerns its proof.
#[component]
pub fn Proof(
    around: Around,
    action: RwSignal<Action>,
    /// Whether the reader may change the item.
    may_update: Memo<bool>,
) -> impl IntoView {
    let (session, asking) = (Session::get(), Asking::get());
    let told = move || {
        let action = action.read();
        action.verification.kind.as_ref().map(|kind| view! { <p>"Verified when: "<b>{words(kind)}</b></p> })
    };
    let proposal = move || {
        let kind = action.read().proposal.clone().filter(|_| may_update.get())?;
        let said = words(&kind);
        let confirm = move |_| asking.ask(confirm(action, kind.clone(), around.refresh));
        Some(view! {
            <p>
                "Read as: "<b>{said}</b>". "
                <button class="link" type="button" on:click=confirm>"Confirm"</button>
            </p>
        })
    };
    let settle = move |_| asking.ask(settle(action, around.refresh));
    let may_settle = move || may_update.get() && action.read().status != ActionStatus::Verified;
    let offer = move || {
        let now = action.read();
        if now.status != ActionStatus::ToVerify {
            return None;
        }
        let owns = session.owns(&now);
        match now.verification.kind.clone()? {
            VerificationKind::Measured(measured) if may_update.get() => {
                let ask = move |_| asking.ask(measure(around, action, &measured));
                Some(view! { <button class="primary" type="button" on:click=ask>"Give the measured value"</button> })
            }
            VerificationKind::Attested(attested) if !owns && session.is(Role::Member) && !around.shared => {
                let ask = move |_| asking.ask(attest(around, action, &attested));
                Some(view! { <button class="primary" type="button" on:click=ask>"Attest that it holds"</button> })
            }
            VerificationKind::Attested(_) if owns => {
                Some(view! { <p class="meta">"Somebody else than its owner attests this item."</p> })
            }
            _ => None,
        }
    };
    let hints = move || {
        let action = action.read();
        let hints: Vec<_> = action
            .hints
            .iter()
            .filter(|_| may_update.get())
            .map(|hint| view! { <li>{hint.message.clone()}</li> })
            .collect();
        (!hints.is_empty()).then(|| view! { <ul class="hints" aria-label="Hints">{hints}</ul> })
    };
    view! {
        <div class="proof">
            <h3>"Verification"</h3>
            {move || told()}
            {move || proposal()}
            <p class="row">
                {move || offer()}
                <button class="ghost" type="button" hidden=move || !may_settle() on:click=settle>
                    {move || if action.read().verification.kind.is_some() { "Change how it is verified" } else { "Choose how it is verified" }}
                </button>
            </p>
            {move || hints()}
        </div>
    }
}

/// Asks for a yes to a proposal.
fn confirm(action: RwSignal<Action>, kind: VerificationKind, refresh: Callback<()>) -> Ask {
    Ask {
        title: "Confirm the criterion".to_owned(),
        text: format!(
            "“{}” is verified when: {}.",
            action.with_untracked(|a| a.verification.criterion.clone()),
            words(&kind)
        ),
        fields: Vec::new(),
        submit: "Confirm",
        is_danger: false,
        send: Arc::new(move |_, _| save_kind(action, kind.clone(), refresh)),
    }
}

/// Asks how the criterion is told.
fn settle(action: RwSignal<Action>, refresh: Callback<()>) -> Ask {
    let kind = action.with_untracked(|action| action.verification.kind.clone().or_else(|| action.proposal.clone()));
    let (is_attested, measured, attested) = match kind {
        Some(VerificationKind::Attested(attested)) => (true, None, Some(attested)),
        Some(VerificationKind::Measured(measured)) => (false, Some(measured), None),
        None => (false, None, None),
    };
    let named = attested.as_ref().map(|attested| match &attested.by {
        Attester::Named(name) => name.clone(),
        Attester::NotOwner => String::new(),
    });
    let of = |part: Option<String>| part.unwrap_or_default();
    let fields = vec![
        one(
            "Verified by",
            "/verification/kind",
            &[("measured", "A measured value"), ("attested", "Somebody’s word")],
            if is_attested { "attested" } else { "measured" },
        ),
        under(
            "measured",
            line(
                "What is measured",
                "/verification/kind/measured/metric",
                of(measured.as_ref().map(|m| m.metric.clone())),
            ),
        ),
        under(
            "measured",
            choices(
                "It must be",
                "/verification/kind/measured/comparator",
                Comparator::ALL.iter().map(|c| (c.as_str(), c.label())),
                measured.as_ref().map_or("below", |m| m.comparator.as_str()),
            ),
        ),
        under(
            "measured",
            line(
                "Threshold",
                "/verification/kind/measured/threshold",
                of(measured.as_ref().map(|m| format::number(m.threshold.get()))),
            ),
        ),
        under(
            "measured",
            unit_field("/verification/kind/measured/unit", measured.as_ref().map_or(Unit::Seconds, |m| m.unit)),
        ),
        under(
            "attested",
            line(
                "By which team or role (empty: anybody but the owner)",
                "/verification/kind/attested/by/named",
                of(named),
            ),
        ),
        under(
            "attested",
            line(
                "Who else may not (“an author”)",
                "/verification/kind/attested/excludes",
                of(attested.and_then(|a| a.excludes)),
            ),
        ),
    ];
    Ask {
        title: "How is this verified?".to_owned(),
        text: String::new(),
        fields,
        submit: "Save",
        is_danger: false,
        send: Arc::new(move |values, _| {
            let get = |i: usize| values.get(i).map(|value| value.trim().to_owned()).unwrap_or_default();
            let kind = if get(0) == "attested" {
                let (named, excludes) = (get(5), get(6));
                VerificationKind::Attested(Attested {
                    by: if named.is_empty() { Attester::NotOwner } else { Attester::Named(named) },
                    excludes: Some(excludes).filter(|text| !text.is_empty()),
                })
            } else {
                let Some(threshold) = number(&get(3)) else {
                    return not_a_number("/verification/kind/measured/threshold");
                };
                VerificationKind::Measured(Measured {
                    metric: get(1),
                    comparator: get(2).parse().unwrap_or(Comparator::Below),
                    threshold,
                    unit: get(4).parse().unwrap_or(Unit::Seconds),
                })
            };
            save_kind(action, kind, refresh)
        }),
    }
}

fn save_kind(action: RwSignal<Action>, kind: VerificationKind, refresh: Callback<()>) -> Sending {
    let now = action.get_untracked();
    let verification = Verification { criterion: now.verification.criterion.clone(), kind: Some(kind) };
    let patch = ActionPatch { verification: Some(verification), ..ActionPatch::default() };
    Box::pin(async move {
        let answer = client::actions::patch(now.id.as_str(), now.version, &patch).await;
        took(answer, action, refresh, "The criterion is settled.")
    })
}

/// Asks for the value that was measured.
fn measure(around: Around, action: RwSignal<Action>, wanted: &Measured) -> Ask {
    let typed = [
        line("Value (may be left out where a load test has it)", "/measured/value", String::new()),
        unit_field("/measured/unit", wanted.unit),
        evidence_field(around),
        line("Or a link to where it can be seen", "/link", String::new()),
    ];
    let read = signal_fields(around);
    let source = one(
        "It comes from",
        "/signal",
        &[("typed", "A load test, or typed with a link"), ("read", "One of the incident’s signals")]
            [..if read.is_empty() { 1 } else { 2 }],
        "typed",
    );
    let typed = typed.into_iter().map(|field| under("typed", field));
    let fields = [source].into_iter().chain(typed).chain(read.into_iter().map(|field| under("read", field))).collect();
    Ask {
        title: "Give the measured value".to_owned(),
        text: format!("Wanted: {} {} {}.", wanted.metric, wanted.comparator.label(), quantity(wanted.limit())),
        fields,
        submit: "Verify",
        is_danger: false,
        send: Arc::new(move |values, _| {
            let get = |i: usize| values.get(i).map(|value| value.trim().to_owned()).unwrap_or_default();
            if get(0) == "read" {
                let Some(from) = instant(&get(7)) else { return not_an_instant("/signal/from") };
                let Some(until) = instant(&get(8)) else { return not_an_instant("/signal/until") };
                let statistic = get(6).parse().unwrap_or(Statistic::Pooled);
                let reading = Reading { signal: SignalId::new(get(5)), statistic, from, until };
                return offer(around, action, NewVerification { signal: Some(reading), ..NewVerification::default() });
            }
            let measured = match (get(1).is_empty(), number(&get(1))) {
                (true, _) => None,
                (false, Some(value)) => Some(MeasuredValue { value, unit: get(2).parse().unwrap_or(Unit::Seconds) }),
                (false, None) => return not_a_number("/measured/value"),
            };
            let proof = NewVerification {
                measured,
                evidence: get(3).parse().ok(),
                link: Some(get(4)).filter(|link| !link.is_empty()),
                ..NewVerification::default()
            };
            offer(around, action, proof)
        }),
    }
}

/// Asks for somebody's word.
fn attest(around: Around, action: RwSignal<Action>, wanted: &Attested) -> Ask {
    let mut fields =
        vec![line("What holds, in your words", "/attested/statement", String::new()), evidence_field(around)];
    let stated = wanted.statement();
    if stated.is_some() {
        fields.push(Field {
            label: "This is true of me",
            pointer: "/attested/not_excluded",
            kind: Kind::Switch,
            value: String::new(),
        });
    }
    let excluded = stated.map(|words| format!(" You state: “{words}”")).unwrap_or_default();
    let criterion = action.with_untracked(|action| action.verification.criterion.clone());
    Ask {
        title: "Attest that it holds".to_owned(),
        text: format!("“{criterion}”.{excluded}"),
        fields,
        submit: "Attest",
        is_danger: false,
        send: Arc::new(move |values, _| {
            let get = |i: usize| values.get(i).map(|value| value.trim().to_owned()).unwrap_or_default();
            let statement = Statement { statement: get(0), not_excluded: !get(2).is_empty() };
            let proof = NewVerification {
                attested: Some(statement),
                evidence: get(1).parse().ok(),
                ..NewVerification::default()
            };
            offer(around, action, proof)
        }),
    }
}

fn offer(around: Around, action: RwSignal<Action>, proof: NewVerification) -> Sending {
    let id = action.with_untracked(|action| action.id.clone());
    Box::pin(async move {
        let answer = client::actions::verify(id.as_str(), &proof).await;
        took(answer, action, around.refresh, "The proof was accepted: the item is verified.")
    })
}

fn took(
    answer: Result<Action, Failure>,
    action: RwSignal<Action>,
    refresh: Callback<()>,
    said: &str,
) -> Result<Outcome, crate::components::Refusal> {
    match answer {
        Ok(mut item) => {
            item.notes = action.with_untracked(|action| action.notes.clone());
            action.set(item);
            refresh.run(());
            Ok(Outcome::Done(said.to_owned()))
        }
        Err(failure) => {
            refresh.run(());
            Err(failure.refusal())
        }
    }
}

fn not_a_number(pointer: &'static str) -> Sending {
    refused(pointer, "write a number, such as 2 or 0.5")
}

fn not_an_instant(pointer: &'static str) -> Sending {
    refused(pointer, "write a date and a time with its zone, such as 2026-07-09T10:17:00Z")
}

fn refused(pointer: &'static str, message: &str) -> Sending {
    let error = domain::wire::problem::FieldError::new(pointer, message);
    let refusal = crate::components::Refusal { message: error.message.clone(), errors: vec![error], now: None };
    Box::pin(async move { Err(refusal) })
}

fn number(text: &str) -> Option<Number> {
    format::read_number(text).and_then(|value| Number::try_from(value).ok())
}

fn line(label: &'static str, pointer: &'static str, value: String) -> Field {
    Field { label, pointer, kind: Kind::Line("text", "off"), value }
}

/// A field that is asked for only where the criterion is verified in this way, which the first field says.
fn under(way: &'static str, field: Field) -> Field {
    Field { kind: Kind::Under(0, way, Box::new(field.kind)), ..field }
}

fn one(label: &'static str, pointer: &'static str, choices_of: &[(&str, &str)], value: &str) -> Field {
    choices(label, pointer, choices_of.iter().copied(), value)
}

fn choices<'a>(
    label: &'static str,
    pointer: &'static str,
    choices: impl Iterator<Item = (&'a str, &'a str)>,
    value: &str,
) -> Field {
    let choices = choices.map(|(word, label)| (word.to_owned(), label.to_owned())).collect();
    Field { label, pointer, kind: Kind::One(choices), value: value.to_owned() }
}

fn unit_field(pointer: &'static str, value: Unit) -> Field {
    choices(
        "Unit",
        pointer,
        Unit::ALL
            .iter()
            .map(|unit| (unit.as_str(), unit.label()))
            .map(|(word, label)| (word, if label.is_empty() { "(a count)" } else { label })),
        value.as_str(),
    )
}

/// Which signal is read, what of it, and over what time: from the end of the incident on, unless somebody says otherwise;
/// nothing where there is no signal.
fn signal_fields(around: Around) -> Vec<Field> {
    let Some(incident) = around.incident.map(|incident| incident.get_untracked()) else { return Vec::new() };
    let ratios = incident.signals.iter().map(|signal| (&signal.id, signal.title.clone(), signal.span));
    let values = incident.values.iter().map(|signal| (&signal.id, signal.title.clone(), signal.span));
    let all: Vec<_> = ratios.chain(values).collect();
    let Some((first, _, span)) = all.first() else { return Vec::new() };
    let text =
        |at: Option<DateTime<Utc>>| at.map(|at| at.to_rfc3339_opts(SecondsFormat::Secs, true)).unwrap_or_default();
    let statistic = if incident.signals.is_empty() { Statistic::Mean } else { Statistic::Pooled };
    vec![
        choices(
            "Signal",
            "/signal/signal",
            all.iter().map(|(id, title, _)| (id.as_str(), title.as_str())),
            first.as_str(),
        ),
        choices(
            "What of it",
            "/signal/statistic",
            Statistic::ALL.iter().map(|statistic| (statistic.as_str(), statistic.label())),
            statistic.as_str(),
        ),
        line("From (date, time and zone)", "/signal/from", text(incident.ended_at.or(span.map(|span| span.from)))),
        line("Until (date, time and zone)", "/signal/until", text(span.map(|span| span.until))),
    ]
}

fn instant(text: &str) -> Option<DateTime<Utc>> {
    text.parse().ok()
}

/// The evidence of the incident to choose from, load tests first.
fn evidence_field(around: Around) -> Field {
    let mut choices = vec![(String::new(), "None".to_owned())];
    let all = around.incident.map(|incident| incident.read_untracked().evidence.clone()).unwrap_or_default();
    for is_load_test in [true, false] {
        for evidence in all.iter().filter(|e| e.removed_at.is_none()) {
            if (evidence.kind == EvidenceKind::LoadTest) == is_load_test {
                let title = evidence.title.as_deref().unwrap_or("Untitled source");
                choices.push((evidence.number.to_string(), format!("{}. {title}", evidence.number)));
            }
        }
    }
    Field { label: "Evidence that shows it", pointer: "/evidence", kind: Kind::One(choices), value: String::new() }
}
