//! Accounts and teams: what may be said of them, and what an edit that says nothing does.

use domain::person::Role;
use serde_json::{Value, json};

use crate::server::{on_both_databases, person, problem};
use crate::world::team;

on_both_databases! {
    async fn null_empties_an_address_and_nothing_else(server: Server) {
        let ada = person(&server.store, "Ada", Role::Member).await.person;
        let user = format!("/api/v1/users/{}", ada.id);
        let set = server.patch(&user, 1, &json!({"email": "ada@example.org"})).send().await.expect("an answer");
        assert_eq!(set.status(), 200);
        let squad = format!("/api/v1/teams/{}", team(&server.store, "Squad", std::slice::from_ref(&ada.id)).await);
        let refusals = [
            (&user, 2, &["name", "role", "support", "disabled"][..]),
            (&squad, 1, &["name", "members"][..]),
        ];
        for (path, version, fields) in refusals {
            for field in fields {
                let refused = server.patch(path, version, &json!({*field: null})).send().await.expect("an answer");
                let told = problem(refused, 422, "invalid").await;
                assert_eq!(told["errors"][0]["pointer"], format!("/{field}"), "{told}");
            }
        }
        let emptied = server.patch(&user, 2, &json!({"email": null})).send().await.expect("an answer");
        let emptied: Value = emptied.json().await.expect("JSON");
        assert_eq!((&emptied["email"], &emptied["version"]), (&Value::Null, &json!(3)));
    }

    async fn an_edit_that_changes_nothing_moves_no_version(server: Server) {
        let ada = person(&server.store, "Ada", Role::Member).await.person;
        let squad = team(&server.store, "Squad", std::slice::from_ref(&ada.id)).await;
        let (user, squad) = (format!("/api/v1/users/{}", ada.id), format!("/api/v1/teams/{squad}"));
        for (path, same) in [
            (&user, json!({})),
            (&user, json!({"name": "Ada", "role": "member", "support": false, "disabled": false, "email": null})),
            (&squad, json!({})),
            (&squad, json!({"name": "Squad", "members": [ada.id, ada.id]})),
        ] {
            let answer = server.patch(path, 1, &same).send().await.expect("an answer");
            assert_eq!((answer.status().as_u16(), &answer.headers()["etag"]), (200, &"\"1\"".parse().expect("a tag")));
        }
    }

    async fn a_name_holds_no_character_that_nobody_sees(server: Server) {
        let ada = person(&server.store, "Ada", Role::Member).await.person;
        let name = "X\u{1f}Secret";
        for (path, body) in [
            ("/api/v1/teams", json!({"name": name, "members": [ada.id]})),
            ("/api/v1/users", json!({"name": name, "role": "viewer"})),
        ] {
            let refused = problem(server.post(path, &body).send().await.expect("an answer"), 422, "invalid").await;
            assert_eq!(refused["errors"][0]["pointer"], "/name", "{refused}");
        }
        // One that an earlier version let through is no member of two teams.
        team(&server.store, name, std::slice::from_ref(&ada.id)).await;
        let user = server.store.load_user(&ada.id).await.expect("the store answers").expect("the account");
        assert_eq!(user.teams, ["X Secret"]);
    }
}
