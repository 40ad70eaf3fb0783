//! Several who write at once: they take turns, so that each finds what the others left, on both databases.
//!
//! What goes wrong here goes wrong seldom; each test tries often, and a loop around the program tries oftener.

use std::collections::BTreeSet;
use std::future::Future;

use chrono::{DateTime, TimeDelta, Utc};
use debrief_server::clock;
use debrief_server::import::events::import_events;
use debrief_server::import::flags::import_flags;
use debrief_server::import::import_load_test;
use debrief_server::store::{
    Added, AddedEvidence, Admitted, By, Changed, Created, EvidenceEdit, Identity, NewAccount, NewApiToken, Once,
    Standing, Store, StoreError, Update,
};
use domain::action::{Action, ActionStatus};
use domain::evidence::EvidenceKind;
use domain::incident::Visibility;
use domain::person::{Person, Role};
use domain::verification::{Acceptance, Verification};
use domain::wire::access::{IncidentAccess, TeamPatch, User, UserPatch};
use domain::wire::actions::NewAction;
use domain::{ActionId, IncidentId, TeamId, UserId, VerificationId};
use futures_util::future::join_all;

use crate::postgres::fresh_database;
use crate::store::{Place, draft, first_action, incident, source};
use crate::world::by_test as by;

/// How many come at once: fewer than a pool has connections, so that they meet in the database and not before it.
const CROWD: usize = 12;

/// How often a crowd comes.
const ROUNDS: usize = 6;

/// What each of a crowd brings about, all at once.
async fn crowd<T: Send + 'static, F: Future<Output = Result<T, StoreError>> + Send + 'static>(
    mut of: impl FnMut(usize) -> F,
) -> Vec<T> {
    let tasks: Vec<_> = (0..CROWD).map(|i| tokio::spawn(of(i))).collect();
    join_all(tasks).await.into_iter().map(|done| done.expect("it ends").expect("the store answers")).collect()
}

fn how_many<T>(all: &[T], is: impl Fn(&T) -> bool) -> usize {
    all.iter().filter(|each| is(each)).count()
}

async fn account(store: &Store, name: &str, role: Role) -> User {
    let new = NewAccount { name, email: None, role, support: false };
    match store.create_user(&new, None, by(), None).await.expect("the store answers") {
        Changed::Done(user) => user,
        refused => panic!("{refused:?}"),
    }
}

async fn team(store: &Store, name: &str, members: &[UserId]) -> TeamId {
    crate::world::team(store, name, members).await
}

fn tomorrow() -> DateTime<Utc> {
    clock::now() + TimeDelta::days(1)
}

fn once(key: &str) -> Once {
    Once { actor: "usr_1".to_owned(), key: key.to_owned(), request: "the same".to_owned() }
}

async fn add_evidence(store: &Store, incident: &IncidentId) -> u32 {
    let new = AddedEvidence { title: Some("Query"), kind: EvidenceKind::Metric, link: None, captured_at: None };
    store.add_evidence(incident, &new, by(), None).await.expect("the store answers").expect("it is added").number
}

/// Gives an item to somebody, or to a team.
async fn give(store: &Store, item: &ActionId, owner: &str, person: Option<&User>) -> Action {
    let version = store.load_action(item).await.expect("the store answers").expect("the item").version;
    let change = |now: &Action| {
        let (assignee, assignee_id) = (person.map(|user| user.name.clone()), person.map(|user| user.id.clone()));
        Ok(Action { owner: owner.to_owned(), assignee, assignee_id, ..now.clone() })
    };
    match store.update_action(item, version, by(), change).await.expect("the store answers") {
        Update::Done(action) | Update::Unchanged(action) => action,
        refused => panic!("{refused:?}"),
    }
}

/// A proof that rests on this evidence.
fn proof(evidence: Option<u32>) -> Acceptance {
    Acceptance {
        signal: None,
        id: VerificationId::new(String::new()),
        accepted_at: clock::now(),
        accepted_by: String::new(),
        verification: Verification::in_words("it holds"),
        value: None,
        statement: Some("seen".to_owned()),
        evidence,
        link: None,
    }
}

on_both! {
    async fn of_many_edits_of_one_version_one_is_made_and_the_others_are_told_the_next(place: Place) {
        let store = &place.store;
        for round in 0..ROUNDS {
            let id = team(store, &format!("Team {round}"), &[]).await;
            let edits = crowd(|i| {
                let (store, id) = (store.clone(), id.clone());
                let patch = TeamPatch { name: Some(format!("Team {round} by {i}")), members: None };
                async move { store.update_team(&id, 1, &patch, by()).await }
            }).await;
            assert_eq!(how_many(&edits, |edit| matches!(edit, Changed::Done(_))), 1, "{edits:?}");
            let told = how_many(&edits, |edit| matches!(edit, Changed::Stale(now) if now.version == 2));
            assert_eq!(told, CROWD - 1, "{edits:?}");

            let user = account(store, "Ada", Role::Member).await;
            let edits = crowd(|i| {
                let (store, id) = (store.clone(), user.id.clone());
                let patch = UserPatch { name: Some(format!("Ada {i}")), ..UserPatch::default() };
                async move { store.update_user(&id, 1, &patch, by()).await }
            }).await;
            assert_eq!(how_many(&edits, |edit| matches!(edit, Changed::Done(_))), 1, "{edits:?}");
            let told = how_many(&edits, |edit| matches!(edit, Changed::Stale(now) if now.version == 2));
            assert_eq!(told, CROWD - 1, "{edits:?}");
        }
        let incident = incident(&place, "Checkout", 1).await;
        let number = add_evidence(store, &incident).await;
        let edits = crowd(|i| {
            let (store, incident) = (store.clone(), incident.clone());
            async move {
                let rename = |now: &domain::evidence::Evidence| domain::evidence::Evidence {
                    title: Some(format!("Query {i}")),
                    ..now.clone()
                };
                store.update_evidence(&incident, (number, 1), by(), rename).await
            }
        }).await;
        assert_eq!(how_many(&edits, |edit| matches!(edit, EvidenceEdit::Done(_))), 1, "{edits:?}");
        let told = how_many(&edits, |edit| matches!(edit, EvidenceEdit::Stale(now) if now.version == 2));
        assert_eq!(told, CROWD - 1, "{edits:?}");
        let edits = crowd(|_| {
            let (store, incident) = (store.clone(), incident.clone());
            let open = IncidentAccess { version: 1, visibility: Visibility::Open, people: vec![], teams: vec![] };
            async move { store.set_incident_access(&incident, 1, &open, by()).await }
        }).await;
        assert_eq!(how_many(&edits, |edit| matches!(edit, Changed::Done(_))), 1, "{edits:?}");
        let told = how_many(&edits, |edit| matches!(edit, Changed::Stale(now) if now.version == 2));
        assert_eq!(told, CROWD - 1, "{edits:?}");
    }

    async fn what_many_remove_is_removed_once(place: Place) {
        let store = &place.store;
        let incident = incident(&place, "Checkout", 1).await;
        for round in 0..ROUNDS {
            let id = team(store, &format!("Team {round}"), &[]).await;
            let removals = crowd(|_| {
                let (store, id) = (store.clone(), id.clone());
                async move { store.delete_team(&id, 1, by()).await }
            }).await;
            assert_eq!(how_many(&removals, |removed| matches!(removed, Changed::Done(_))), 1, "{removals:?}");
            assert_eq!(how_many(&removals, |removed| matches!(removed, Changed::Missing)), CROWD - 1, "{removals:?}");
            let number = add_evidence(store, &incident).await;
            let removals = crowd(|_| {
                let (store, incident) = (store.clone(), incident.clone());
                async move { store.remove_evidence(&incident, (number, 1), by()).await }
            }).await;
            assert_eq!(how_many(&removals, |removed| matches!(removed, EvidenceEdit::Done(_))), 1, "{removals:?}");
            let missing = how_many(&removals, |removed| matches!(removed, EvidenceEdit::Missing));
            assert_eq!(missing, CROWD - 1, "{removals:?}");
        }
        let all = store.account_changes_since(0, 1000).await.expect("read");
        assert_eq!(how_many(&all, |change| change.subject == "team"), 2 * ROUNDS, "each made once, and removed once");
    }

    async fn a_team_can_be_named_on_an_incident_while_it_is_removed(place: Place) {
        let store = &place.store;
        let incident = incident(&place, "Checkout", 1).await;
        let other = other_incident(&place, 2).await;
        for round in 0..ROUNDS {
            let mut teams = Vec::new();
            for i in 0..4 {
                teams.push(team(store, &format!("Team {round} {i}"), &[]).await);
            }
            let done = crowd(|i| {
                let (store, of) = (store.clone(), if i % 2 == 0 { incident.clone() } else { other.clone() });
                let (removed, mut named) = (teams[i % 4].clone(), teams.clone());
                if i % 3 == 0 {
                    named.reverse();
                }
                async move {
                    if i >= 8 {
                        return store.delete_team(&removed, 1, by()).await.map(|_| ());
                    }
                    let version = store.incident_access(&of).await?.version;
                    let access =
                        IncidentAccess { version, visibility: Visibility::Restricted, people: vec![], teams: named };
                    store.set_incident_access(&of, version, &access, by()).await.map(|_| ())
                }
            }).await;
            assert_eq!(done.len(), CROWD);
            assert!(store.list_teams().await.expect("read").is_empty());
            assert!(store.incident_access(&incident).await.expect("read").teams.is_empty(), "none is named any more");
        }
    }

    async fn one_administrator_is_left_however_many_step_down_at_once(place: Place) {
        let store = &place.store;
        let mut left = account(store, "Adi", Role::Admin).await;
        for _ in 0..ROUNDS {
            let mut admins = vec![left];
            for i in 1..CROWD {
                admins.push(account(store, &format!("Admin {i}"), Role::Admin).await);
            }
            let done = crowd(|i| {
                let (store, user) = (store.clone(), admins[i].clone());
                let patch = if i % 2 == 0 {
                    UserPatch { role: Some(Role::Member), ..UserPatch::default() }
                } else {
                    UserPatch { disabled: Some(true), ..UserPatch::default() }
                };
                async move { store.update_user(&user.id, user.version, &patch, by()).await }
            }).await;
            let all = store.list_users().await.expect("read");
            let mut admins = all.into_iter().filter(|user| user.role == Role::Admin && !user.disabled);
            left = admins.next().expect("an administrator");
            assert_eq!(admins.next(), None, "the others stepped down");
            assert_eq!(how_many(&done, |one| matches!(one, Changed::LastAdmin)), 1, "the last one stays");
        }
    }

    async fn people_are_admitted_while_accounts_are_made_and_changed(place: Place) {
        let store = &place.store;
        let admin = account(store, "Adi", Role::Admin).await;
        account(store, "Ada", Role::Admin).await;
        for round in 0..ROUNDS {
            let version = store.load_user(&admin.id).await.expect("read").expect("there").version;
            let done = crowd(|i| {
                let (store, admin) = (store.clone(), admin.id.clone());
                let (email, subject) = (format!("eva{round}@example.com"), format!("eva{round}"));
                async move {
                    match i % 3 {
                        0 => {
                            let patch = UserPatch { name: Some(format!("Adi {i}")), ..UserPatch::default() };
                            store.update_user(&admin, version, &patch, by()).await.map(|_| None)
                        }
                        1 => {
                            let new = NewAccount { name: "Eva", email: Some(&email), role: Role::Member, support: false };
                            store.create_user(&new, None, by(), None).await.map(|_| None)
                        }
                        _ => {
                            let identity = Identity {
                                issuer: "https://id.example.org",
                                subject: &subject,
                                name: "Eva Lund",
                                email: Some(&email),
                                is_email_verified: true,
                                role: Some(Role::Member),
                                is_role_kept_in_step: true,
                                support: None,
                            };
                            store.admit(&identity, by()).await.map(Some)
                        }
                    }
                }
            }).await;
            let admitted: Vec<Admitted> = done.into_iter().flatten().collect();
            assert!(matches!(admitted[0], Admitted::In(_)), "{admitted:?}");
            assert!(admitted.iter().all(|each| *each == admitted[0]), "{admitted:?}");
            let named: Vec<_> = store.list_users().await.expect("read");
            let of_eva = how_many(&named, |user| user.email.as_deref() == Some(&format!("eva{round}@example.com")));
            assert_eq!(of_eva, 1, "one account");
        }
    }

    async fn the_first_account_is_made_once(place: Place) {
        let store = &place.store;
        let made = crowd(|_| {
            let store = store.clone();
            async move {
                let first = NewAccount { name: "Administrator", email: None, role: Role::Admin, support: false };
                store.create_first_user(&first, by()).await
            }
        }).await;
        assert_eq!(how_many(&made, Option::is_some), 1);
        assert_eq!(store.list_users().await.expect("read").len(), 1);
    }

    async fn what_begins_while_an_account_is_switched_off_ends_with_it(place: Place) {
        let store = &place.store;
        account(store, "Adi", Role::Admin).await;
        for round in 0..ROUNDS {
            let ada = account(store, "Ada", Role::Member).await;
            crowd(|i| {
                let (store, ada, digest) = (store.clone(), ada.clone(), format!("{round} {i}"));
                async move {
                    let person = Person { id: ada.id.clone(), name: ada.name.clone() };
                    match i % 4 {
                        0 => store.begin_session(&digest, (&ada.id, None), "a browser", by(), tomorrow()).await.map(|_| ()),
                        1 => store.add_sign_in_link(&digest, &ada.id, (clock::now(), tomorrow()), None).await.map(|_| ()),
                        2 => {
                            let (digest, user) = (&*digest, Some(&person));
                            let new = NewApiToken {
                                digest, name: "t", user, role: Role::Member, support: false, expires_at: None,
                            };
                            store.create_token(&new, by(), None).await.map(|_| ())
                        }
                        _ => {
                            let off = UserPatch { disabled: Some(true), ..UserPatch::default() };
                            store.update_user(&ada.id, ada.version, &off, by()).await.map(|_| ())
                        }
                    }
                }
            }).await;
            let off = store.load_user(&ada.id).await.expect("read").expect("there");
            assert!(off.disabled);
            let on = UserPatch { disabled: Some(false), ..UserPatch::default() };
            store.update_user(&ada.id, off.version, &on, by()).await.expect("switched on");
            for i in 0..CROWD {
                let digest = format!("{round} {i}");
                assert_eq!(store.known_session(&digest, clock::now()).await.expect("read"), None, "{digest}");
                assert_eq!(store.known_token(&digest, clock::now()).await.expect("read"), None, "{digest}");
                assert_eq!(store.take_sign_in_link(&digest, clock::now()).await.expect("read"), None, "{digest}");
            }
        }
    }

    async fn a_new_password_ends_what_the_old_one_began_at_this_moment(place: Place) {
        let store = &place.store;
        for round in 0..ROUNDS {
            let ada = account(store, "Ada", Role::Member).await;
            let own = store.begin_session(&format!("own {round}"), (&ada.id, None), "a", by(), tomorrow()).await;
            let own = own.expect("the store answers").expect("a session");
            assert!(store.set_password(&ada.id, (None, "old"), &own, by()).await.expect("set"));
            let set = crowd(|i| {
                let (store, id, own) = (store.clone(), ada.id.clone(), own.clone());
                async move {
                    if i < 4 {
                        let new = format!("new {i}");
                        return store.set_password(&id, (Some("old"), &new), &own, by()).await;
                    }
                    let by_old = (&id, Some("old"));
                    store.begin_session(&format!("{round} {i}"), by_old, "a", by(), tomorrow()).await.map(|_| false)
                }
            }).await;
            assert_eq!(how_many(&set, |set| *set), 1, "the others had another one before them");
            let left = store.list_sessions(Some(&ada.id), clock::now()).await.expect("read");
            assert_eq!(left.iter().map(|session| &session.id).collect::<Vec<_>>(), [&own]);
        }
    }

    async fn sessions_begin_and_end_while_others_are_swept_away(place: Place) {
        let store = &place.store;
        let (ada, bo) = (account(store, "Ada", Role::Member).await, account(store, "Bo", Role::Member).await);
        for round in 0..ROUNDS {
            for i in 0..CROWD {
                let (digest, past) = (format!("old {round} {i}"), clock::now() - TimeDelta::seconds(1));
                let of = if i % 2 == 0 { &ada.id } else { &bo.id };
                store.begin_session(&digest, (of, None), "a", By { now: past, ..by() }, past).await.expect("begun");
            }
            crowd(|i| {
                let (store, of) = (store.clone(), if i % 2 == 0 { ada.id.clone() } else { bo.id.clone() });
                async move {
                    let (digest, now) = (format!("new {round} {i}"), clock::now());
                    if i % 3 == 0 {
                        let version = store.load_user(&of).await?.map_or(0, |user| user.version);
                        let on = UserPatch { disabled: Some(false), ..UserPatch::default() };
                        store.update_user(&of, version, &on, by()).await?;
                    }
                    store.begin_session(&digest, (&of, None), "a", by(), tomorrow()).await?;
                    store.known_session(&digest, now + TimeDelta::hours(1)).await.map(|_| ())
                }
            }).await;
        }
    }

    async fn a_link_is_used_once_however_many_open_it(place: Place) {
        let store = &place.store;
        let ada = account(store, "Ada", Role::Member).await;
        for round in 0..ROUNDS {
            let digest = format!("link {round}");
            assert!(store.add_sign_in_link(&digest, &ada.id, (clock::now(), tomorrow()), None).await.expect("kept"));
            assert!(store.sign_in_link_of(&digest, clock::now()).await.expect("read").is_some(), "looking is no use");
            let used = crowd(|_| {
                let (store, digest) = (store.clone(), digest.clone());
                async move { store.take_sign_in_link(&digest, clock::now()).await }
            }).await;
            assert_eq!(how_many(&used, Option::is_some), 1);
        }
    }

    async fn what_is_restricted_is_not_shared_at_this_moment(place: Place) {
        let store = &place.store;
        for round in 0..ROUNDS {
            let id = other_incident(&place, u32::try_from(round).expect("few") + 10).await;
            crowd(|i| {
                let (store, id, digest) = (store.clone(), id.clone(), format!("{round} {i}"));
                async move {
                    if i != CROWD / 2 {
                        return store.create_share(&digest, &id, "a customer", tomorrow(), by(), None).await.map(|_| ());
                    }
                    let access =
                        IncidentAccess { version: 1, visibility: Visibility::Restricted, people: vec![], teams: vec![] };
                    store.set_incident_access(&id, 1, &access, by()).await.map(|_| ())
                }
            }).await;
            assert!(store.list_shares(Some(&id), clock::now()).await.expect("read").is_empty());
        }
    }

    async fn a_share_is_revoked_once(place: Place) {
        let store = &place.store;
        let id = incident(&place, "Checkout", 1).await;
        let share = store.create_share("d", &id, "a customer", tomorrow(), by(), None).await.expect("made").expect("it");
        let revoked = crowd(|_| {
            let (store, share) = (store.clone(), share.clone());
            async move { store.revoke_share(&share, by()).await }
        }).await;
        assert_eq!(how_many(&revoked, |revoked| *revoked), 1);
        let changes = store.incident_changes(&id, 100, None).await.expect("read").items;
        assert_eq!(how_many(&changes, |change| change.subject == "share"), 2, "made, and revoked once");
    }

    async fn numbers_are_given_once_each(place: Place) {
        let store = &place.store;
        let id = incident(&place, "Checkout", 1).await;
        let numbers = crowd(|_| {
            let (store, id) = (store.clone(), id.clone());
            async move { Ok(add_evidence(&store, &id).await) }
        }).await;
        let numbers: BTreeSet<u32> = numbers.into_iter().collect();
        assert_eq!(numbers, (2..=u32::try_from(CROWD).expect("few") + 1).collect(), "one had been cited");

        let made = crowd(|i| {
            let (store, id) = (store.clone(), id.clone());
            async move {
                let fill = |blank: &Action| {
                    NewAction { change: format!("Change {i}"), ..NewAction::default() }.written_into(blank)
                };
                store.create_action(&id, by(), None, fill).await
            }
        }).await;
        assert_eq!(how_many(&made, |made| matches!(made, Update::Done(_))), CROWD);
        assert_eq!(store.list_actions(&id).await.expect("read").len(), CROWD + 1);

        // Every other one is of the same document.
        let made = crowd(|i| {
            let (store, sha) = (store.clone(), format!("{:064x}", if i % 2 == 0 { 100 } else { 100 + i }));
            async move { store.create_incident(&draft("Another"), &source(&sha), clock::now()).await }
        }).await;
        let names: BTreeSet<&String> = made.iter().map(|(Created::New { name, .. } | Created::Existing { name, .. })| name).collect();
        assert_eq!(names.len(), CROWD / 2 + 1);
        assert_eq!(how_many(&made, |made| matches!(made, Created::New { .. })), CROWD / 2 + 1);
        // Numbers follow one another without a gap.
        for number in 1..=CROWD / 2 + 2 {
            assert!(store.incident_id(&format!("INC-{number}")).await.expect("read").is_some(), "{number}");
        }
    }

    async fn a_request_that_is_sent_again_and_again_makes_one_thing(place: Place) {
        let store = &place.store;
        for round in 0..ROUNDS {
            let id = other_incident(&place, u32::try_from(round).expect("few") + 50).await;
            let made = crowd(|i| {
                let (store, id) = (store.clone(), id.clone());
                async move {
                    // Somebody signs in meanwhile, and what is old is swept away.
                    if i == 0 {
                        return store.begin_session(&format!("{round}"), (&UserId::new("none"), None), "a", by(), tomorrow())
                            .await.map(|_| None);
                    }
                    let new = AddedEvidence { title: Some("Query"), kind: EvidenceKind::Metric, link: None, captured_at: None };
                    match store.add_evidence(&id, &new, by(), Some(&once(&format!("key {round}")))).await {
                        Ok(added) => Ok(Some(Ok(added.expect("the incident")))),
                        Err(StoreError::Repeated(earlier)) => Ok(Some(Err(earlier))),
                        Err(error) => Err(error),
                    }
                }
            }).await;
            let (made, repeated): (Vec<_>, Vec<_>) = made.into_iter().flatten().partition(Result::is_ok);
            assert_eq!((made.len(), repeated.len()), (1, CROWD - 2));
            let made = serde_json::to_string(made[0].as_ref().expect("made")).expect("JSON");
            for earlier in repeated.into_iter().filter_map(Result::err) {
                assert_eq!((earlier.is_same, earlier.answer.as_deref()), (true, Some(made.as_str())));
            }
        }
        // An old key is swept away while it is used again.
        let id = other_incident(&place, 99).await;
        let ada = account(store, "Ada", Role::Member).await;
        let long_ago = By { now: clock::now() - TimeDelta::days(2), ..by() };
        for round in 0..ROUNDS {
            let new = AddedEvidence { title: Some("Query"), kind: EvidenceKind::Metric, link: None, captured_at: None };
            store.add_evidence(&id, &new, long_ago, Some(&once(&format!("old {round}")))).await.expect("added");
        }
        crowd(|i| {
            let (store, id, ada) = (store.clone(), id.clone(), ada.id.clone());
            async move {
                if i % 2 == 0 {
                    return store.begin_session(&format!("s {i}"), (&ada, None), "a", by(), tomorrow()).await.map(|_| ());
                }
                let new = AddedEvidence { title: Some("Query"), kind: EvidenceKind::Metric, link: None, captured_at: None };
                match store.add_evidence(&id, &new, by(), Some(&once(&format!("old {}", i % ROUNDS)))).await {
                    Ok(_) | Err(StoreError::Repeated(_)) => Ok(()),
                    Err(error) => Err(error),
                }
            }
        }).await;
    }

    async fn a_note_that_is_sent_again_and_again_is_added_once(place: Place) {
        let store = &place.store;
        let id = incident(&place, "Noted", 1).await;
        let action = first_action(&place, &id).await;
        for round in 0..ROUNDS {
            let added = crowd(|_| {
                let (store, action) = (store.clone(), action.clone());
                async move { store.add_note(&action, "begun", Some(&format!("k{round}")), by()).await }
            }).await;
            assert_eq!(how_many(&added, |added| matches!(added, Added::New(_))), 1, "{added:?}");
            assert_eq!(how_many(&added, |added| matches!(added, Added::Existing(_))), CROWD - 1, "{added:?}");
        }
    }

    async fn a_proof_never_rests_on_what_was_removed_at_this_moment(place: Place) {
        let store = &place.store;
        let id = incident(&place, "Proved", 1).await;
        let action = first_action(&place, &id).await;
        for _ in 0..ROUNDS * 2 {
            let number = add_evidence(store, &id).await;
            let now = store.load_action(&action).await.expect("read").expect("there");
            let wait = |now: &Action| Ok(Action { status: ActionStatus::ToVerify, ..now.clone() });
            store.update_action(&action, now.version, by(), wait).await.expect("it waits");
            let (proved, removed) = tokio::join!(
                store.accept_verification(&action, now.version + 1, None, by(), |_, _| Ok(proof(Some(number)))),
                store.remove_evidence(&id, (number, 1), by())
            );
            assert!(matches!(removed.expect("the store answers"), EvidenceEdit::Done(_)));
            let now = store.load_action(&action).await.expect("read").expect("there");
            assert!(now.status != ActionStatus::Verified && now.accepted.is_none(), "{proved:?} {now:?}");
        }
    }

    async fn an_owner_who_leaves_at_this_moment_is_remembered(place: Place) {
        let store = &place.store;
        let id = incident(&place, "Owned", 1).await;
        let action = first_action(&place, &id).await;
        for round in 0..ROUNDS {
            let mut members = Vec::new();
            for i in 0..4 {
                members.push(account(store, &format!("Member {round} {i}"), Role::Member).await);
            }
            let ids: Vec<UserId> = members.iter().map(|user| user.id.clone()).collect();
            let (name, other) = (format!("Owners {round}"), account(store, "Otto", Role::Member).await);
            let team = team(store, &name, &ids).await;
            give(store, &action, &name, None).await;
            let leave = TeamPatch { name: None, members: Some(Vec::new()) };
            let (left, _) = tokio::join!(store.update_team(&team, 1, &leave, by()), give(store, &action, "", Some(&other)));
            assert!(matches!(left.expect("the store answers"), Changed::Done(_)));
            for member in &members {
                assert!(store.was_owner(&action, &member.id).await.expect("read"), "{} owned it", member.name);
            }
            assert!(!store.was_owner(&action, &other.id).await.expect("read"), "who owns it now is found elsewhere");
            // Handed over while somebody who owned it until now offers their word for it.
            let now = store.load_action(&action).await.expect("read").expect("there");
            let wait = |now: &Action| Ok(Action { status: ActionStatus::ToVerify, ..now.clone() });
            store.update_action(&action, now.version, by(), wait).await.expect("it waits");
            let hand_over = async |store: &Store| give(store, &action, "", Some(&members[0])).await;
            let attest = |_: &Action, standing: Standing| {
                if standing.owns || standing.owned { Err(Vec::new()) } else { Ok(proof(None)) }
            };
            let (_, attested) = tokio::join!(
                hand_over(store),
                store.accept_verification(&action, now.version + 1, Some(&other.id), by(), attest)
            );
            let attested = attested.expect("the store answers");
            assert!(matches!(attested, Update::Refused(_) | Update::Stale(_)), "{attested:?}");
        }
    }

    async fn files_that_are_imported_at_once_are_all_counted_once(place: Place) {
        let id = incident(&place, "Imported", 1).await;
        let rows = |n: usize| {
            let rows = (0..20).map(|i| format!("2026-07-09T09:{:02}:00Z,a{n}-{i},c1,failed\n", 10 + i));
            format!("ts,attempt_id,customer_id,outcome\n{}", rows.collect::<String>()).into_bytes()
        };
        let files: Vec<_> = (0..3).map(|n| place.file(&format!("{n}.csv"), &rows(n))).collect();
        let imports = files.iter().chain(&files).map(|file| {
            import_events(&place.store, &place.objects, &id, file, &|_| (), clock::now())
        });
        for report in join_all(imports).await {
            report.expect("imported");
        }
        let signals = place.store.signals(&id, domain::signal::Stretch::default()).await.expect("read");
        assert_eq!((signals.len(), signals[0].total.denominator, signals[0].sources.len()), (1, 60, 3));

        let flags = place.file("flags.json", br#"[{"flag":"f","state":"off","changed_at":"2026-07-09T10:00:00Z"}]"#);
        let imports = (0..CROWD).map(|_| import_flags(&place.store, &place.objects, &id, &flags, clock::now()));
        let reports: Vec<_> = join_all(imports).await.into_iter().map(|report| report.expect("imported")).collect();
        assert_eq!(how_many(&reports, |report| !report.already_imported), 1, "{reports:?}");

        let file = include_bytes!("../data/load_test/oha.json");
        let imports = (0..CROWD).map(|_| import_load_test(&place.store, &id, file, "oha.json", by()));
        let reports: Vec<_> = join_all(imports).await.into_iter().map(|report| report.expect("imported")).collect();
        assert_eq!(how_many(&reports, |report| report.added), 1, "{reports:?}");
        assert!(reports.iter().all(|report| report.evidence.number == reports[0].evidence.number), "{reports:?}");
    }
}

async fn other_incident(place: &Place, n: u32) -> IncidentId {
    incident(place, "Another", n).await
}

async fn opened_by_many_at_once(url: &str) {
    let opened = crowd(|_| {
        let url = url.to_owned();
        async move { Store::open(&url).await }
    })
    .await;
    for store in opened {
        store.ping().await.expect("it answers");
        store.close().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_new_database_can_be_opened_by_many_at_once() {
    for _ in 0..3 {
        let folder = tempfile::tempdir().expect("a folder");
        opened_by_many_at_once(&format!("sqlite:{}", folder.path().join("debrief.db").display())).await;
        opened_by_many_at_once(&fresh_database().await).await;
    }
}
