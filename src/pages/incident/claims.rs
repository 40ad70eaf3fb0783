//! Claims: beside a figure, whether the events say the same. That is ours; the confidence beside it is its author's word.

use std::sync::Arc;

use domain::SignalId;
use domain::claim::{Claim, ClaimProposal, Computation, LabelIs, Measured, Target, Verdict};
use domain::person::Role;
use domain::quantity::Number;
use domain::signal::ValueSignal;
use domain::wire::claims::{ClaimPatch, NewClaim};
use leptos::prelude::*;

use super::Shown;
use super::values::named;
use crate::client;
use crate::components::{Ask, Asking, Badge, Field, Kind, Outcome};
use crate::part::Here;
use crate::part::changing::Changing;
use crate::state::session::Session;
use crate::view::view;
use crate::{format, part};

/// What the events say of an impact measure, and how to bind it.
pub fn beside(shown: Shown, target: &Target) -> AnyView {
    let incident = shown.incident.read();
    if let Some(claim) = incident.claims.iter().find(|claim| claim.target == *target) {
        return told(shown, claim);
    }
    let proposal = incident.claim_proposals.iter().find(|proposal| proposal.target == *target);
    let computation = proposal.map(|proposal| proposal.computation.clone());
    let target = target.clone();
    let label = match proposal {
        Some(_) => "Check with the events…",
        None => "Bind…",
    };
    let ask = move |here| part::changing::bind_figure(here, shown, target.clone(), computation.clone());
    view! { <small class="meta">"Not checked"</small>{editors(shown, label, ask)} }
}

/// The figures in prose that are bound, or could be.
#[component]
pub fn Figures(shown: Shown) -> impl IntoView {
    let rows = move || {
        let incident = shown.incident.read();
        let claims = incident.claims.iter().filter(|claim| claim.target.measure.is_none());
        let mut rows: Vec<AnyView> =
            claims.map(|claim| row(claim.target.figure.as_deref(), &claim.target, told(shown, claim))).collect();
        rows.extend(proposed(shown, &incident.claim_proposals));
        (!rows.is_empty()).then(|| view! { <ul class="figures" aria-label="Figures in the text">{rows}</ul> })
    };
    move || rows()
}

fn proposed(shown: Shown, proposals: &[ClaimProposal]) -> Vec<AnyView> {
    let in_prose = proposals.iter().filter(|proposal| proposal.target.measure.is_none());
    in_prose.map(|proposal| row(Some(&proposal.stated), &proposal.target, beside(shown, &proposal.target))).collect()
}

fn row(figure: Option<&str>, target: &Target, state: AnyView) -> AnyView {
    let place = match target.field.as_deref() {
        Some("summary") => "the headline",
        _ => "the key points",
    };
    view! { <li><span>"“"<b>{figure.unwrap_or_default().to_owned()}</b>"” in "{place}</span>" "{state}</li> }
}

/// What checking came to, in word and mark, with both figures where they differ.
fn told(shown: Shown, claim: &Claim) -> AnyView {
    let check = &claim.check;
    let (tone, shape) = match check.verdict {
        Verdict::Agrees => ("good", "✓"),
        Verdict::Differs => ("bad", "≠"),
        Verdict::NotComputed => ("quiet", "–"),
    };
    let detail = match (&check.reason, &check.computed, &check.difference) {
        (Some(reason), ..) => reason.clone(),
        (_, Some(computed), Some(difference)) => format!("computed {computed}, {difference}"),
        (_, Some(computed), None) => format!("computed {computed}"),
        _ => String::new(),
    };
    let kept = Arc::new(claim.clone());
    let removed = kept.clone();
    view! {
        <Badge tone shape word=verdict(claim)/>
        <small>{detail}" · "{words(&claim.computation, &shown.incident.read().values)}</small>
        {editors(shown, "Change…", move |here| part::changing::change_claim(here, shown, &kept))}
        {editors(shown, "Unbind…", move |here| part::changing::unbind_figure(here, shown, &removed))}
    }
}

/// The verdict in words: what it was checked with is one of two things.
fn verdict(claim: &Claim) -> &'static str {
    match claim.check.verdict {
        Verdict::Agrees if claim.computation.measure.is_of_value() => "Agrees with the values",
        Verdict::Differs if claim.computation.measure.is_of_value() => "Differs from the values",
        verdict => verdict.label(),
    }
}

/// A deed that only editors see.
fn editors(shown: Shown, label: &'static str, ask: impl Fn(Here<Changing>) -> Ask + Send + Sync + 'static) -> AnyView {
    let (session, asking) = (Session::get(), Asking::get());
    let hidden = move || shown.shared || !session.is(Role::Editor);
    let ask = Arc::new(ask);
    let go = move |_| {
        let ask = ask.clone();
        part::with(asking, move |here| asking.ask(ask(here)));
    };
    view! { " "<button class="link" type="button" data-part=part::CHANGING hidden=hidden on:click=go>{label}</button> }
}

/// What is computed, in words.
fn words(computation: &Computation, values: &[ValueSignal]) -> String {
    let mut words = computation.measure.label().to_lowercase();
    let percent = |share: Option<Number>| share.map(|share| format::threshold(share.get())).unwrap_or_default();
    match computation.measure {
        Measured::Duration => {
            words = format!("from over {} to under {} failing", percent(computation.upper), percent(computation.lower));
        }
        Measured::LatencyPercentile | Measured::ValuePercentile => {
            let percentile = computation.percentile.map(|percentile| format::number(percentile.get()));
            let of = if computation.measure == Measured::LatencyPercentile { "latency" } else { "a value" };
            words = format!("p{} of {of}", percentile.unwrap_or_default());
        }
        _ => {}
    }
    let value = values.iter().find(|value| Some(&value.id) == computation.signal.as_ref());
    if let Some(value) = value {
        words = format!("{words}: {}", value.title);
    }
    if let Some(label) = &computation.label {
        words = format!("{words}, {} {}", label.name, label.word);
    }
    words
}

/// Asks what to compute for a figure that is not bound.
pub fn bind(shown: Shown, target: Target, computation: Option<Computation>) -> Ask {
    let now = computation.unwrap_or_else(|| Computation::of(Measured::FailedAttempts));
    ask(
        "Check a figure with the events".to_owned(),
        &now,
        move |computation, key| {
            let new = NewClaim { target: target.clone(), computation };
            client::cohort::bind(shown.incident.read_untracked().id.as_str(), &new, &key)
        },
        shown,
    )
}

/// Asks for another computation.
pub fn change(shown: Shown, claim: &Arc<Claim>) -> Ask {
    let (claim, title) = (claim.clone(), format!("Check “{}”", claim.stated.as_deref().unwrap_or_default()));
    let now = claim.computation.clone();
    ask(
        title,
        &now,
        move |computation, _| {
            // What the form does not ask for stays as it is, where it still means something.
            let Computation { window, min_attempts, .. } = claim.computation;
            let min_attempts = min_attempts.filter(|_| computation.measure == Measured::Duration);
            let patch = ClaimPatch { computation: Computation { window, min_attempts, ..computation } };
            let incident = shown.incident.read_untracked().id.clone();
            client::cohort::rebind(incident.as_str(), claim.id.as_str(), claim.version, &patch)
        },
        shown,
    )
}

fn ask(
    title: String,
    now: &Computation,
    call: impl Fn(Computation, String) -> client::Call<client::Nothing> + Send + Sync + 'static,
    shown: Shown,
) -> Ask {
    let measures = Measured::ALL.iter().map(|one| (one.as_str().to_owned(), one.label().to_owned())).collect();
    let line = |label, pointer, value: String| Field { label, pointer, kind: Kind::Line("text", "off"), value };
    let none = (String::new(), "None: over attempts".to_owned());
    let incident = shown.incident.read_untracked();
    let values =
        std::iter::once(none).chain(incident.values.iter().map(|value| (value.id.to_string(), named(value)))).collect();
    let percent = |share: Option<Number>| share.map(|share| format::threshold(share.get())).unwrap_or_default();
    let label = now.label.clone();
    Ask {
        title,
        text: "Thresholds are for a duration, a percentile for latency or a value. Leave the rest empty.".to_owned(),
        fields: vec![
            Field {
                label: "What is computed",
                pointer: "/computation/measure",
                kind: Kind::One(measures),
                value: now.measure.as_str().to_owned(),
            },
            line("It begins over (%)", "/computation/upper", percent(now.upper)),
            line("It ends under (%)", "/computation/lower", percent(now.lower)),
            line(
                "Percentile",
                "/computation/percentile",
                now.percentile.map(|p| format::number(p.get())).unwrap_or_default(),
            ),
            line(
                "Only attempts whose label",
                "/computation/label/name",
                label.as_ref().map(|l| l.name.clone()).unwrap_or_default(),
            ),
            line("is", "/computation/label/word", label.map(|l| l.word).unwrap_or_default()),
            Field {
                label: "Of which value",
                pointer: "/computation/signal",
                kind: Kind::One(values),
                value: now.signal.as_ref().map(ToString::to_string).unwrap_or_default(),
            },
        ],
        submit: "Check it",
        is_danger: false,
        send: Arc::new(move |values, key| {
            let call = call(computation(&values), key);
            Box::pin(async move {
                call.untyped().text().await.map_err(|failure| failure.refusal())?;
                shown.refresh.run(());
                Ok(Outcome::Done("Checked.".to_owned()))
            })
        }),
    }
}

fn computation(values: &[String]) -> Computation {
    let get = |i: usize| values.get(i).map(|value| value.trim().to_owned()).unwrap_or_default();
    let number = |text: &str| Number::try_from(format::read_number(text)?).ok();
    // What is no number is sent as one that no share is, so that the server points to the field.
    let share = |text: String| {
        let percent = text.trim_end_matches('%');
        (!percent.is_empty())
            .then(|| number(percent).and_then(|n| Number::try_from(n.get() / 100.0).ok()).unwrap_or(2.into()))
    };
    let percentile = get(3);
    let name = get(4);
    Computation {
        upper: share(get(1)),
        lower: share(get(2)),
        percentile: (!percentile.is_empty()).then(|| number(percentile.trim_start_matches('p')).unwrap_or_default()),
        label: (!name.is_empty()).then(|| LabelIs { name, word: get(5) }),
        signal: Some(get(6)).filter(|id| !id.is_empty()).map(SignalId::new),
        ..Computation::of(get(0).parse().unwrap_or(Measured::FailedAttempts))
    }
}

/// Asks whether to take a binding back.
pub fn unbind(shown: Shown, claim: &Arc<Claim>) -> Ask {
    let claim = claim.clone();
    Ask {
        title: format!("Unbind “{}”?", claim.stated.as_deref().unwrap_or_default()),
        text: "The figure stays as it is written; it is no longer checked with the events.".to_owned(),
        fields: Vec::new(),
        submit: "Unbind it",
        is_danger: true,
        send: Arc::new(move |_, _| {
            let incident = shown.incident.read_untracked().id.clone();
            let call = client::cohort::unbind(incident.as_str(), claim.id.as_str(), claim.version);
            Box::pin(async move {
                call.untyped().text().await.map_err(|failure| failure.refusal())?;
                shown.refresh.run(());
                Ok(Outcome::Done("Unbound.".to_owned()))
            })
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_typed_becomes_a_computation() {
        let typed = |values: [&str; 6]| computation(&values.map(str::to_owned));
        let words = |computation: &Computation| words(computation, &[]);
        let duration = typed(["duration", "5%", "1", "", "", ""]);
        assert_eq!((duration.upper, duration.lower), (Number::try_from(0.05).ok(), Number::try_from(0.01).ok()));
        assert_eq!(words(&duration), "from over 5% to under 1% failing");
        let p95 = typed(["latency_percentile", "", "", "p95", "region", "eu"]);
        assert_eq!(words(&p95), "p95 of latency, region eu");
        assert_eq!(typed(["attempts", "soon", "", "", "", "x"]).faults().len(), 1, "the server points to the field");
        assert_eq!(words(&typed(["failed_attempts", "", "", "", "", ""])), "failed attempts");
    }
}
