//! Whose word counts: never that of whoever owns an item or ever did, under whatever name, and nobody's where nobody owns it.

use domain::action::{Action, ActionStatus};
use domain::person::{Person, Role};
use domain::verification::{Attested, Attester, VerificationKind};
use domain::wire::access::UserPatch;
use reqwest::Response;
use serde_json::{Value, json};

use crate::server::{person, problem};
use crate::world::{Owned, Seen, World, attested, by_test, measured, team};

const MEMBER: usize = 3;
const EDITOR: usize = 4;
const ADMIN: usize = 5;
const OWNER: usize = 6;

async fn send(world: &World, who: usize, method: &str, path: &str, body: &Value) -> Response {
    world.request(who, method, path).await.json(body).send().await.expect("an answer")
}

async fn edit(world: &World, who: usize, body: &Value) -> Response {
    let (path, version) = (format!("/api/v1/actions/{}", world.item), world.version().await);
    let request = world.request(who, "PATCH", &path).await.header("if-match", format!("\"{version}\""));
    request.json(body).send().await.expect("an answer")
}

async fn offer(world: &World, who: usize, proof: &Value) -> Response {
    send(world, who, "POST", &format!("/api/v1/actions/{}/verifications", world.item), proof).await
}

async fn attest(world: &World, who: usize) -> Response {
    offer(world, who, &json!({"attested": {"statement": "seen"}})).await
}

async fn done(response: Response) -> Value {
    let status = response.status();
    let body: Value = response.json().await.expect("JSON");
    assert!(status.is_success(), "{status}: {body}");
    body
}

async fn refused(response: Response, status: u16, word: &str) -> Value {
    let body = problem(response, status, if status == 403 { "forbidden" } else { "invalid" }).await;
    assert!(body["detail"].as_str().is_some_and(|detail| detail.contains(word)), "{word}: {body}");
    body
}

/// An item that waits for somebody's word, with this owner and person in charge, as an import may leave it.
async fn given(world: &World, owner: &str, assignee: Option<&str>) {
    world.await_proof(attested()).await;
    world
        .change(|item| Action {
            owner: owner.to_owned(),
            assignee: assignee.map(str::to_owned),
            assignee_id: None,
            ..item
        })
        .await;
}

async fn rename(world: &World, person: &Person, patch: UserPatch) {
    let user = world.server.store.load_user(&person.id).await.expect("the store answers").expect("the account");
    world.server.store.update_user(&person.id, user.version, &patch, by_test()).await.expect("it is changed");
}

#[tokio::test]
async fn a_name_is_an_accounts_in_any_spelling_and_several_are_told_apart() {
    let world = World::new().await;
    let named = |name: &str| json!({"assignee": name});
    let item = done(edit(&world, EDITOR, &named(" eDO ")).await).await;
    let edo = world.person(EDITOR).expect("an account");
    assert_eq!((&item["assignee"], &item["assignee_id"]), (&json!("Edo"), &json!(edo.id)));
    let other = person(&world.server.store, "EDO", Role::Member).await.person;
    let again = done(edit(&world, EDITOR, &json!({"assignee": "Edo", "priority": "high"})).await).await;
    assert_eq!(again["assignee_id"], json!(edo.id), "the same name said again is the same person");
    done(edit(&world, EDITOR, &named("Mel")).await).await;
    let which = refused(edit(&world, EDITOR, &named("edo")).await, 422, "several people").await;
    assert_eq!(which["errors"][0]["pointer"], "/assignee");
    for person in [edo, &other] {
        assert!(which["detail"].as_str().is_some_and(|text| text.contains(person.id.as_str())), "{which}");
    }
    let path = format!("/api/v1/incidents/{}/actions", world.incident);
    let new = json!({"change": "x", "assignee": "EDO"});
    refused(send(&world, EDITOR, "POST", &path, &new).await, 422, "several people").await;
    let item = done(edit(&world, EDITOR, &named(other.id.as_str())).await).await;
    assert_eq!((&item["assignee"], &item["assignee_id"]), (&json!("EDO"), &json!(other.id)));
}

#[tokio::test]
async fn nobody_attests_what_is_in_the_charge_of_their_name_or_was() {
    let world = World::new().await;
    given(&world, "Owners", Some("EDO")).await;
    refused(attest(&world, EDITOR).await, 403, "your name").await;
    refused(attest(&world, MEMBER).await, 422, "has no account").await;
    world.give(Owned::InPerson).await;
    refused(attest(&world, EDITOR).await, 403, "yours before").await;
    done(attest(&world, MEMBER).await).await;

    // Another name, or another address, is no way around it.
    let world = World::new().await;
    let (member, admin) = (world.person(MEMBER).expect("an account"), world.person(ADMIN).expect("an account"));
    rename(&world, admin, UserPatch { email: Some("adi@example.org".into()), ..UserPatch::default() }).await;
    given(&world, "", Some("Mel")).await;
    rename(&world, member, UserPatch { name: Some("Melanie".into()), ..UserPatch::default() }).await;
    given(&world, "", Some("Adi@example.org")).await;
    refused(attest(&world, ADMIN).await, 403, "your name").await;
    rename(&world, admin, UserPatch { email: Some(String::new()), ..UserPatch::default() }).await;
    world.give(Owned::InPerson).await;
    refused(attest(&world, MEMBER).await, 403, "yours before").await;
    refused(attest(&world, ADMIN).await, 403, "yours before").await;
    done(attest(&world, EDITOR).await).await;
}

#[tokio::test]
async fn what_nobody_owns_is_not_attested() {
    let world = World::new().await;
    team(&world.server.store, "Empty", &[]).await;
    for owner in ["", "No such team", "Empty"] {
        given(&world, owner, None).await;
        let told = refused(attest(&world, EDITOR).await, 422, "nobody owns this item").await;
        assert_eq!(told["errors"][0]["pointer"], "/owner", "{owner}");
    }
    world.give(Owned::ByTeam).await;
    done(attest(&world, EDITOR).await).await;
}

#[tokio::test]
async fn leaving_renaming_or_removing_the_team_frees_nobody() {
    for way in ["leave", "rename", "delete"] {
        let world = World::new().await;
        given(&world, "Named", None).await;
        refused(attest(&world, MEMBER).await, 403, "an owner cannot attest").await;
        let teams = world.server.store.list_teams().await.expect("the store answers");
        let named = teams.iter().find(|team| team.name == "Named").expect("the team");
        let (path, tag) = (format!("/api/v1/teams/{}", named.id), format!("\"{}\"", named.version));
        let request = match way {
            "leave" => world.request(ADMIN, "PATCH", &path).await.json(&json!({"members": []})),
            "rename" => world.request(ADMIN, "PATCH", &path).await.json(&json!({"name": "Named anew"})),
            _ => world.request(ADMIN, "DELETE", &path).await,
        };
        let changed = request.header("if-match", tag).send().await.expect("an answer").status();
        assert!(changed.is_success(), "{way}: {changed}");
        refused(attest(&world, MEMBER).await, 403, "yours before").await;
        refused(attest(&world, EDITOR).await, 403, "yours before").await;
        world.give(Owned::InPerson).await;
        refused(attest(&world, MEMBER).await, 403, "yours before").await;
        done(attest(&world, ADMIN).await).await;
    }
}

#[tokio::test]
async fn a_criterion_that_names_a_team_or_role_is_for_nobody_else_whatever_becomes_of_the_name() {
    let world = World::new().await;
    let named = |name: &str| VerificationKind::Attested(Attested { by: Attester::Named(name.into()), excludes: None });
    for (name, role) in [("Auditors", MEMBER), ("the CTO", ADMIN)] {
        world.await_proof(named(name)).await;
        refused(attest(&world, role).await, 403, "no team and no role of that name").await;
    }
    world.await_proof(named("auditors")).await;
    let member = world.person(MEMBER).expect("an account").id.clone();
    team(&world.server.store, "Auditors", &[member]).await;
    refused(attest(&world, ADMIN).await, 403, "that is not you").await;
    done(attest(&world, MEMBER).await).await;
    world.await_proof(named("Editor")).await;
    refused(attest(&world, MEMBER).await, 403, "that is not you").await;
    done(attest(&world, EDITOR).await).await;
}

#[tokio::test]
async fn an_owner_does_not_rewrite_what_somebody_else_is_to_attest() {
    let world = World::new().await;
    let easy = json!({"verification": {"criterion": "it holds", "kind": {"measured":
        {"metric": "x", "comparator": "above", "threshold": 0, "unit": "count"}}}});
    world.await_proof(attested()).await;
    refused(edit(&world, OWNER, &easy).await, 403, "not for its owner to change").await;
    refused(edit(&world, OWNER, &json!({"verification": {"criterion": "looked at"}})).await, 403, "owner").await;
    // Nor does an editor who owned it once.
    world.change(|item| Action { assignee: None, assignee_id: None, owner: "Named".into(), ..item }).await;
    world.give(Owned::InPerson).await;
    refused(edit(&world, EDITOR, &easy).await, 403, "never owned it").await;
    let item = done(edit(&world, ADMIN, &easy).await).await;
    assert_eq!(item["status"], "in_progress", "another criterion is another piece of work");
    let both = json!({"status": "to_verify", "verification": {"criterion": "it holds well"}});
    done(edit(&world, OWNER, &both).await).await;
    world.await_proof(measured()).await;
    refused(edit(&world, OWNER, &both).await, 422, "goes back to ‘in_progress’").await;
    done(offer(&world, OWNER, &json!({"measured": {"value": 1, "unit": "s"}, "link": "https://a.example"})).await)
        .await;
    let reworded = refused(edit(&world, OWNER, &json!({"change": "Nothing"})).await, 422, "verified as it is").await;
    assert_eq!(reworded["errors"][0]["pointer"], "/change");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_one_may_is_judged_on_the_version_that_is_changed() {
    let world = World::new().await;
    let path = format!("/api/v1/actions/{}", world.item);
    let other = world.person(EDITOR).expect("an account").clone();
    for round in 0..24 {
        world.change(|item| Action { status: ActionStatus::Open, reason: None, ..item }).await;
        world.give(Owned::InPerson).await;
        let version = world.version().await;
        let (first, then) = match round % 3 {
            0 => (json!({"status": "wont_do", "reason": "no"}), json!({"status": "open"})),
            1 => (json!({"assignee": other.id}), json!({"priority": "high"})),
            _ => (json!({"assignee": other.id}), json!({"status": "in_progress"})),
        };
        let editor =
            world.request(EDITOR, "PATCH", &path).await.header("if-match", format!("\"{version}\"")).json(&first);
        let next = json!({"items": [{"id": world.item, "version": version + 1}], "patch": then});
        let ahead = if round % 2 == 0 {
            let tag = format!("\"{}\"", version + 1);
            world.request(OWNER, "PATCH", &path).await.header("if-match", tag).json(&then)
        } else {
            world.request(OWNER, "PATCH", "/api/v1/actions").await.json(&next)
        };
        let (made, _) = tokio::join!(editor.send(), ahead.send());
        assert_eq!(made.expect("an answer").status(), 200);
        let now: Value = world.server.get(&path).send().await.expect("an answer").json().await.expect("JSON");
        assert_eq!(now["version"], version + 1, "round {round}: the owner edited what was theirs no longer: {now}");
    }
    // The same of a proof, which needs no version.
    for _ in 0..8 {
        world.give(Owned::InPerson).await;
        world.await_proof(measured()).await;
        let tag = format!("\"{}\"", world.version().await);
        let editor =
            world.request(EDITOR, "PATCH", &path).await.header("if-match", tag).json(&json!({"assignee": other.id}));
        let proof = json!({"measured": {"value": 1, "unit": "s"}, "link": "https://a.example"});
        let proof = world.request(OWNER, "POST", &format!("{path}/verifications")).await.json(&proof);
        let (given, proved) = tokio::join!(editor.send(), proof.send());
        let (given, proved) =
            (given.expect("an answer").status().as_u16(), proved.expect("an answer").status().as_u16());
        let now: Value = world.server.get(&path).send().await.expect("an answer").json().await.expect("JSON");
        let is_verified = now["status"] == "verified";
        assert_eq!(is_verified, proved == 201, "{now}");
        assert!(!is_verified || given == 412, "it was proved before it was given away, or not at all: {given} {now}");
        world.change(|item| Action { status: ActionStatus::Open, ..item }).await;
    }
}

#[tokio::test]
async fn evidence_that_is_not_for_ones_eyes_is_told_nothing_of() {
    let world = World::new().await;
    world.await_proof(measured()).await;
    let there = world.evidence().await;
    world.set(Seen::Restricted).await;
    let mut told = Vec::new();
    for number in [1, there, there + 1] {
        let proof = json!({"measured": {"value": 9999, "unit": "s"}, "evidence": number});
        told.push(refused(offer(&world, OWNER, &proof).await, 422, "not for you to see").await);
    }
    assert!(told.iter().all(|answer| *answer == told[0]), "{told:?}");
    done(offer(&world, OWNER, &json!({"measured": {"value": 1, "unit": "s"}, "link": "https://a.example"})).await)
        .await;
}
