//! Nothing counts as done before it is proved: whatever anybody does, in whatever order.

use std::collections::BTreeSet;

use domain::action::{Action, ActionStatus};
use domain::evidence::Evidence;
use domain::person::Role;
use domain::verification::{Acceptance, VerificationKind};
use domain::wire::page::Page;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestCaseError, TestRunner};
use reqwest::Response;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::world::{WHO, World, attested, document, measured};

/// Something that one of [`WHO`] tries.
#[derive(Debug, Clone)]
enum Attempt {
    Move(ActionStatus),
    Give { team: &'static str, person: Option<&'static str> },
    Settle { by_value: bool },
    Attest,
    Measure { value: f64, evidence: Option<usize> },
    Note,
    AddEvidence,
    RemoveEvidence(usize),
}

/// Whether the criterion is measured at first, and what is tried.
fn attempts() -> impl Strategy<Value = (bool, Vec<(usize, Attempt)>)> {
    let status = prop_oneof![
        6 => Just(ActionStatus::ToVerify),
        2 => Just(ActionStatus::Open),
        1 => prop::sample::select(ActionStatus::ALL),
    ];
    let attempt = prop_oneof![
        6 => status.prop_map(Attempt::Move),
        3 => (prop::sample::select(&["Owners", "Named", ""][..]),
              prop::sample::select(&[None, None, Some("Vera"), Some("Mel"), Some("Edo"), Some("Adi"), Some("A guest")][..]))
            .prop_map(|(team, person)| Attempt::Give { team, person }),
        2 => any::<bool>().prop_map(|by_value| Attempt::Settle { by_value }),
        5 => Just(Attempt::Attest),
        4 => (prop::sample::select(&[1.5, 2.5][..]), prop::option::of(0_usize..3))
            .prop_map(|(value, evidence)| Attempt::Measure { value, evidence }),
        1 => Just(Attempt::Note),
        2 => Just(Attempt::AddEvidence),
        2 => (0_usize..3).prop_map(Attempt::RemoveEvidence),
    ];
    // Editors and administrators more often, so that something comes about.
    let who = prop_oneof![3 => 2_usize..WHO.len(), 3 => Just(4_usize), 2 => Just(3_usize), 2 => Just(5_usize)];
    (any::<bool>(), prop::collection::vec((who, attempt), 4..24))
}

/// What one of [`WHO`] is.
fn role(who: usize) -> Role {
    match who {
        2..=5 => Role::ALL[who - 2],
        6 => Role::Viewer,
        _ => Role::ALL[who - 7],
    }
}

/// Everything that is to be seen of the item, asked for as an administrator.
struct Sight {
    item: Action,
    proofs: Vec<Acceptance>,
    evidence: Vec<Evidence>,
}

/// An item of its own, in a world that the cases share.
struct Case<'a> {
    world: &'a World,
    incident: String,
    item: String,
    /// Whoever owned it at any time.
    owners: BTreeSet<usize>,
}

macro_rules! must {
    ($holds:expr, $($why:tt)+) => { if !$holds { return Err(format!($($why)+)); } };
}

async fn read<T: DeserializeOwned>(world: &World, path: &str) -> T {
    world.server.get(path).send().await.expect("an answer").json().await.expect("JSON of this shape")
}

impl Case<'_> {
    async fn sight(&self) -> Sight {
        let item = format!("/api/v1/actions/{}", self.item);
        let proofs: Page<Acceptance> = read(self.world, &format!("{item}/verifications")).await;
        let evidence: Page<Evidence> = read(self.world, &format!("/api/v1/incidents/{}/evidence", self.incident)).await;
        Sight { item: read(self.world, &item).await, proofs: proofs.items, evidence: evidence.items }
    }

    /// Whose the item is.
    fn owners_of(&self, item: &Action) -> BTreeSet<usize> {
        match (&item.assignee_id, &item.assignee) {
            (Some(id), _) => {
                (2..=6).filter(|&who| self.world.person(who).is_some_and(|person| person.id == *id)).collect()
            }
            (None, None) if item.owner == "Owners" => [6].into(),
            (None, None) if item.owner == "Named" => [2, 3, 4].into(),
            // Somebody without an account is in charge, or nobody at all.
            (None, _) => BTreeSet::new(),
        }
    }

    async fn send(&self, who: usize, attempt: &Attempt, now: &Sight) -> Response {
        let item = format!("/api/v1/actions/{}", self.item);
        let evidence = format!("/api/v1/incidents/{}/evidence", self.incident);
        let numbered = |index: usize| index + 1;
        let (method, path, body): (&str, String, Value) = match attempt {
            Attempt::Move(status) if status.needs_reason() => {
                ("PATCH", item, json!({"status": status, "reason": "so"}))
            }
            Attempt::Move(status) => ("PATCH", item, json!({"status": status})),
            Attempt::Give { team, person } => ("PATCH", item, json!({"owner": team, "assignee": person})),
            Attempt::Settle { by_value } => {
                let kind = if *by_value { measured() } else { attested() };
                ("PATCH", item, json!({"verification": {"criterion": "it holds", "kind": kind}}))
            }
            Attempt::Attest => ("POST", item + "/verifications", json!({"attested": {"statement": "seen"}})),
            Attempt::Measure { value, evidence } => {
                let mut body = json!({"measured": {"value": value, "unit": "s"}});
                match evidence {
                    Some(index) => body["evidence"] = json!(numbered(*index)),
                    None => body["link"] = json!("https://example.org/run"),
                }
                ("POST", item + "/verifications", body)
            }
            Attempt::Note => ("POST", item + "/notes", json!({"text": "going well"})),
            Attempt::AddEvidence => ("POST", evidence, json!({"title": "Query", "kind": "metric"})),
            Attempt::RemoveEvidence(index) => ("DELETE", format!("{evidence}/{}", numbered(*index)), Value::Null),
        };
        let request = self.world.request(who, method, &path).await;
        let version = match attempt {
            Attempt::RemoveEvidence(index) => now.evidence.get(*index).map_or(1, |evidence| evidence.version),
            _ => now.item.version,
        };
        let request = if matches!(method, "PATCH" | "DELETE") {
            request.header("if-match", format!("\"{version}\""))
        } else {
            request
        };
        let request = if body.is_null() { request } else { request.json(&body) };
        request.send().await.expect("an answer")
    }

    /// Whether a proof that this one offers now is to be accepted.
    fn is_entitled(&self, who: usize, attempt: &Attempt, now: &Sight) -> bool {
        let owns = self.owners_of(&now.item).contains(&who);
        let is_live = |index: usize| now.evidence.get(index).is_some_and(|evidence| evidence.removed_at.is_none());
        now.item.status == ActionStatus::ToVerify
            && match (attempt, &now.item.verification.kind) {
                (Attempt::Attest, Some(VerificationKind::Attested(_))) => {
                    // Somebody owns it, and it is not, nor ever was, whoever attests.
                    let is_owned = !self.owners_of(&now.item).is_empty();
                    who <= 6 && role(who) >= Role::Member && !self.owners.contains(&who) && is_owned
                }
                (Attempt::Measure { value, evidence }, Some(VerificationKind::Measured(_))) => {
                    (role(who) >= Role::Editor || owns) && *value < 2.0 && evidence.is_none_or(is_live)
                }
                _ => false,
            }
    }

    /// Tries something, and holds what came of it against the rules.
    async fn try_out(&mut self, who: usize, attempt: &Attempt) -> Result<bool, String> {
        let before = self.sight().await;
        let is_proof = matches!(attempt, Attempt::Attest | Attempt::Measure { .. });
        let entitled = self.is_entitled(who, attempt, &before);
        let status = self.send(who, attempt, &before).await.status();
        let after = self.sight().await;
        let (from, to) = (before.item.status, after.item.status);
        let by = format!("{} tries {attempt:?} on {from}: {status}", WHO[who]);
        if is_proof {
            must!(status.is_success() == entitled, "{by}, and entitled is {entitled}");
            must!((to == ActionStatus::Verified) == (entitled || from == ActionStatus::Verified), "{by} leads to {to}");
        } else {
            must!(from == ActionStatus::Verified || to != ActionStatus::Verified, "{by} proves nothing");
        }
        if from != to {
            must!(status.is_success(), "{by} moves it to {to}");
            let rests_on = before.item.accepted.as_ref().and_then(|accepted| accepted.evidence);
            let is_by_removal = from == ActionStatus::Verified
                && to == ActionStatus::Open
                && matches!(attempt, Attempt::RemoveEvidence(index) if rests_on == u32::try_from(index + 1).ok());
            // Another criterion is another piece of work.
            let is_by_settling = from == ActionStatus::ToVerify
                && to == ActionStatus::InProgress
                && matches!(attempt, Attempt::Settle { .. })
                && before.item.verification != after.item.verification;
            let is_by_hand = matches!(attempt, Attempt::Move(wanted) if *wanted == to);
            must!(is_proof || is_by_removal || is_by_settling || is_by_hand, "{by} moves it to {to}");
            must!(from.next().contains(&to), "{by} moves it to {to}");
            let is_reopened = !from.is_open() && to.is_open();
            must!(!is_reopened || role(who) >= Role::Editor, "{by} opens it again");
            must!(after.item.reopenings == before.item.reopenings + u32::from(is_reopened), "{by} is not counted");
        }
        must!(
            (to == ActionStatus::Verified) == after.item.accepted.is_some(),
            "{by}: {to} without its proof, or the reverse"
        );
        if let Some(accepted) = &after.item.accepted {
            must!(
                after.proofs.last().is_some_and(|last| last.id == accepted.id),
                "{by}: the proof is not the last one"
            );
            let rests = accepted.evidence.is_none_or(|number| {
                after.evidence.iter().any(|evidence| evidence.number == number && evidence.removed_at.is_none())
            });
            must!(rests, "{by}: the proof rests on evidence that is not there");
            must!(accepted.verification == after.item.verification, "{by}: it was proved by another criterion");
        }
        let was_attested = matches!(before.item.verification.kind, Some(VerificationKind::Attested(_)));
        let is_owner_ever = self.owners.contains(&who) || self.owners_of(&before.item).contains(&who);
        must!(
            !(was_attested && is_owner_ever) || before.item.verification == after.item.verification,
            "{by}: whoever owned it rewrites what others are to attest"
        );
        must!(after.proofs.len() == before.proofs.len() + usize::from(entitled), "{by}: proofs are lost or made up");
        self.owners.extend(self.owners_of(&after.item));
        Ok(is_proof && entitled)
    }
}

async fn case(world: &World, number: u32, (by_value, attempts): (bool, Vec<(usize, Attempt)>)) -> Result<u32, String> {
    let incident = world.server.import_text(&format!("{}\nCase {number}\n", document())).await;
    let stored = world.server.store.load_incident(&incident).await.expect("an answer").expect("the incident");
    let item = stored.actions[0].id.to_string();
    let mut case = Case { world, incident: incident.to_string(), item, owners: BTreeSet::new() };
    let mut proved = 0;
    // From here something comes about; from where an import leaves an item it seldom would.
    for first in [Attempt::Settle { by_value }, Attempt::Move(ActionStatus::ToVerify)] {
        case.try_out(5, &first).await?;
    }
    for (who, attempt) in attempts {
        proved += u32::from(case.try_out(who, &attempt).await?);
    }
    Ok(proved)
}

#[test]
fn no_sequence_of_requests_proves_what_nobody_entitled_has_proved() {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let world = runtime.block_on(World::new());
    // Each case is some dozens of requests to a server, so a soak runs a hundredth of its cases here.
    let cases = std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse::<u32>().ok()).unwrap_or(0);
    let config = Config { cases: (cases / 100).max(24), failure_persistence: None, ..Config::default() };
    let (number, proved) = (std::cell::Cell::new(0), std::cell::Cell::new(0));
    let outcome = TestRunner::new(config).run(&attempts(), |attempts| {
        number.set(number.get() + 1);
        let done = runtime.block_on(case(&world, number.get(), attempts)).map_err(TestCaseError::fail)?;
        proved.set(proved.get() + done);
        Ok(())
    });
    outcome.unwrap_or_else(|error| panic!("{error}"));
    assert!(proved.get() > 0, "in {} cases nothing was ever proved, so nothing was tried out", number.get());
}

#[tokio::test(flavor = "multi_thread")]
async fn evidence_that_is_removed_while_it_is_cited_proves_nothing() {
    let world = World::new().await;
    for _ in 0..12 {
        world.await_proof(measured()).await;
        let number = world.evidence().await;
        let item = format!("/api/v1/actions/{}", world.item);
        let proof = json!({"measured": {"value": 1.5, "unit": "s"}, "evidence": number});
        let offer = world.request(5, "POST", &format!("{item}/verifications")).await.json(&proof);
        let path = format!("/api/v1/incidents/{}/evidence/{number}", world.incident);
        let removal = world.request(4, "DELETE", &path).await.header("if-match", "\"1\"");
        let (offered, removed) = tokio::join!(offer.send(), removal.send());
        assert_eq!(removed.expect("an answer").status(), 200);
        let offered = offered.expect("an answer").status();
        let now: Action = read(&world, &item).await;
        assert_ne!(now.status, ActionStatus::Verified, "the proof was answered with {offered}");
        assert!(now.accepted.is_none());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_move_that_a_status_allows_is_taken_and_no_other() {
    let world = World::new().await;
    let path = format!("/api/v1/actions/{}", world.item);
    for &from in ActionStatus::ALL {
        for &to in ActionStatus::ALL {
            world
                .change(|item| Action { status: from, reason: from.needs_reason().then(|| "so".into()), ..item })
                .await;
            let reason = to.needs_reason().then_some("because");
            let mut body = json!({"status": to});
            if reason.is_some() {
                body["reason"] = json!(reason);
            }
            let request = world.server.patch(&path, world.version().await, &body);
            let is_allowed = from == to || (from.next().contains(&to) && to != ActionStatus::Verified);
            let status = request.send().await.expect("an answer").status().as_u16();
            assert_eq!(status, if is_allowed { 200 } else { 422 }, "{from} → {to}");
            let now: Action = read(&world, &path).await;
            assert_eq!(now.status, if is_allowed { to } else { from });
        }
    }
}
