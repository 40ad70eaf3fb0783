//! Accounts of people whom an identity provider vouches for, on both databases.

use chrono::TimeDelta;
use debrief_server::clock;
use debrief_server::store::{Admitted, By, Changed, Identity, NewAccount, OidcAttempt, Store};
use domain::UserId;
use domain::person::Role;
use domain::wire::access::{User, UserPatch};

use crate::postgres::fresh_database;

fn by<'a>() -> By<'a> {
    By { actor: "Example SSO", now: clock::now() }
}

/// Somebody in a group of members.
const EVA: Identity<'_> = Identity {
    issuer: "https://id.example.org",
    subject: "eva",
    name: "Eva Lund",
    email: Some("eva@example.com"),
    is_email_verified: true,
    role: Some(Role::Member),
    is_role_kept_in_step: true,
    support: None,
};

async fn admitted(store: &Store, identity: &Identity<'_>) -> UserId {
    match store.admit(identity, by()).await.expect("the store answers") {
        Admitted::In(id) => id,
        other => panic!("{identity:?} is not let in: {other:?}"),
    }
}

async fn account(store: &Store, id: &UserId) -> User {
    store.load_user(id).await.expect("the store answers").expect("the account")
}

async fn added(store: &Store, name: &str, email: Option<&str>, role: Role) -> UserId {
    let new = NewAccount { name, email, role, support: false };
    let Changed::Done(user) = store.create_user(&new, None, by(), None).await.expect("the store answers") else {
        panic!("{name} cannot be added");
    };
    user.id
}

async fn accounts_are_found_made_and_kept_in_step(store: Store) {
    let unknown = Identity { role: None, ..EVA };
    assert_eq!(store.admit(&unknown, by()).await.expect("an answer"), Admitted::Unknown);
    let id = admitted(&store, &EVA).await;
    let made = account(&store, &id).await;
    assert_eq!(
        (made.name.as_str(), made.email.as_deref(), made.role),
        ("Eva Lund", Some("eva@example.com"), Role::Member)
    );
    let renamed = Identity { name: "Eva Berg", email: Some("berg@example.com"), ..EVA };
    assert_eq!(admitted(&store, &renamed).await, id, "the subject tells who it is, whatever else changes");
    assert_eq!(account(&store, &id).await, made, "and nothing else is taken over");

    let raised = Identity { role: Some(Role::Editor), support: Some(true), ..EVA };
    admitted(&store, &raised).await;
    let now = account(&store, &id).await;
    assert_eq!((now.role, now.support, now.version), (Role::Editor, true, made.version + 1));
    admitted(&store, &raised).await;
    assert_eq!(account(&store, &id).await.version, now.version, "what stays as it is is no change");
    let by_hand = Identity { role: Some(Role::Viewer), is_role_kept_in_step: false, support: None, ..EVA };
    admitted(&store, &by_hand).await;
    assert_eq!((account(&store, &id).await.role, account(&store, &id).await.support), (Role::Editor, true));
    let unmapped = Identity { role: None, is_role_kept_in_step: false, ..EVA };
    assert_eq!(admitted(&store, &unmapped).await, id, "who has an account needs no role from the provider");

    let elsewhere = Identity { subject: "eve", ..EVA };
    assert_eq!(store.admit(&elsewhere, by()).await.expect("an answer"), Admitted::Taken, "the address moved on");
    let moved = Identity { issuer: "https://new.example.org", subject: "17", ..EVA };
    assert_eq!(admitted(&store, &moved).await, id, "the organisation changed its provider");

    let bo = added(&store, "Bo", Some("bo@example.com"), Role::Viewer).await;
    let claims = Identity { subject: "bo", email: Some("bo@example.com"), is_email_verified: false, ..EVA };
    assert_eq!(store.admit(&claims, by()).await.expect("an answer"), Admitted::Taken);
    assert_eq!(admitted(&store, &Identity { is_email_verified: true, ..claims.clone() }).await, bo);
    assert_eq!(admitted(&store, &claims).await, bo, "once it is known whose it is");
    let unsure = Identity { subject: "cy", email: Some("cy@example.com"), is_email_verified: false, ..EVA };
    let cy = admitted(&store, &unsure).await;
    assert_eq!(account(&store, &cy).await.email, None, "one could sign in with an address that is not theirs");

    let patch = UserPatch { disabled: Some(true), ..UserPatch::default() };
    store.update_user(&cy, account(&store, &cy).await.version, &patch, by()).await.expect("it is switched off");
    assert_eq!(store.admit(&unsure, by()).await.expect("an answer"), Admitted::Disabled);
}

async fn the_last_administrator_stays_one(store: Store) {
    let id = added(&store, "Eva", Some("eva@example.com"), Role::Admin).await;
    assert_eq!(store.admit(&EVA, by()).await.expect("an answer"), Admitted::LastAdmin(id.clone()));
    assert_eq!(account(&store, &id).await.role, Role::Admin);
    added(&store, "Adi", None, Role::Admin).await;
    assert_eq!(admitted(&store, &EVA).await, id);
    assert_eq!(account(&store, &id).await.role, Role::Member);
    // Two administrators who are both to be less, at the same moment.
    let other = Identity { subject: "bo", email: Some("bo@example.com"), ..EVA };
    let admin = Identity { role: Some(Role::Admin), ..EVA };
    let other_admin = Identity { role: Some(Role::Admin), ..other.clone() };
    let users = store.list_users().await.expect("accounts");
    let adi = users.iter().find(|user| user.name == "Adi").expect("Adi");
    for _ in 0..8 {
        admitted(&store, &admin).await;
        admitted(&store, &other_admin).await;
        let version = account(&store, &adi.id).await.version;
        let patch = UserPatch { role: Some(Role::Viewer), ..UserPatch::default() };
        store.update_user(&adi.id, version, &patch, by()).await.expect("it is changed");
        let (one, two) = tokio::join!(store.admit(&EVA, by()), store.admit(&other, by()));
        one.expect("an answer");
        two.expect("an answer");
        let admins = store.list_users().await.expect("accounts").iter().filter(|user| user.role == Role::Admin).count();
        assert_eq!(admins, 1);
    }
}

async fn an_attempt_is_used_once_and_only_in_time(store: Store) {
    let attempt = OidcAttempt { nonce: "n".into(), verifier: "v".into(), return_to: "/x".into() };
    let now = clock::now();
    let until = now + TimeDelta::minutes(10);
    store.begin_oidc("one", &attempt, now, until).await.expect("it is kept");
    assert_eq!(store.take_oidc("two", now).await.expect("an answer"), None);
    let (first, second) = tokio::join!(store.take_oidc("one", now), store.take_oidc("one", now));
    let taken: Vec<_> = [first.expect("an answer"), second.expect("an answer")].into_iter().flatten().collect();
    assert_eq!(taken.iter().collect::<Vec<_>>(), [&attempt], "of two that come back at once, one signs in");
    store.begin_oidc("late", &attempt, now, until).await.expect("it is kept");
    assert_eq!(store.take_oidc("late", until).await.expect("an answer"), None);
}

async fn somebody_who_comes_twice_at_once_has_one_account(store: Store) {
    let all = futures_util::future::join_all((0..6).map(|_| admitted(&store, &EVA))).await;
    assert!(all.iter().all(|id| *id == all[0]), "{all:?}");
    assert_eq!(store.list_users().await.expect("accounts").len(), 1);
}

macro_rules! on_both {
    ($($name:ident)+) => {
        mod sqlite { $(#[tokio::test(flavor = "multi_thread")] async fn $name() {
            let folder = tempfile::tempdir().expect("a folder");
            let address = format!("sqlite:{}", folder.path().join("debrief.db").display());
            super::$name(super::Store::open(&address).await.expect("a database")).await;
        })+ }
        mod postgres { $(#[tokio::test(flavor = "multi_thread")] async fn $name() {
            super::$name(super::Store::open(&super::fresh_database().await).await.expect("a database")).await;
        })+ }
    };
}
on_both! {
    accounts_are_found_made_and_kept_in_step
    the_last_administrator_stays_one
    an_attempt_is_used_once_and_only_in_time
    somebody_who_comes_twice_at_once_has_one_account
}
