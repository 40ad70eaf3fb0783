//! People: the role each has, the teams they belong to, and which action items are theirs.

use serde::{Deserialize, Serialize};

use crate::id::UserId;
use crate::words::words;

words!(
    /// What somebody may do; each role may do all that those before it may.
    Role {
        /// Reads.
        Viewer = "viewer", "Viewer";
        /// Also writes progress notes and attests.
        Member = "member", "Member";
        /// Also changes incidents and every action item, and shares.
        Editor = "editor", "Editor";
        /// Also manages people, and sees every restricted incident.
        Admin = "admin", "Admin";
    }
);

/// Somebody with an account, as others see them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Person {
    /// The account's id.
    pub id: UserId,
    /// The name that is shown.
    pub name: String,
}

/// A name as it is compared: in lower case, white space folded.
///
/// A team is found by this key from the owner that an action item names.
pub fn name_key(name: &str) -> String {
    name.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

/// Whether an item with this assignee and this owning team belongs to somebody: the person in charge or, where there is
/// none, every member of the team.
///
/// `teams` are the [`name_key`]s of the teams that they belong to.
pub fn owns(
    user: &UserId,
    teams: &[String],
    owner: &str,
    assignee: Option<&str>,
    assignee_id: Option<&UserId>,
) -> bool {
    owns_by_key(user, teams, &name_key(owner), assignee, assignee_id)
}

/// The same with the [`name_key`] of the owning team.
pub fn owns_by_key(
    user: &UserId,
    teams: &[String],
    owner_key: &str,
    assignee: Option<&str>,
    assignee_id: Option<&UserId>,
) -> bool {
    match (assignee_id, assignee) {
        (Some(id), _) => id == user,
        // Somebody without an account is in charge, so nobody with one is.
        (None, Some(_)) => false,
        (None, None) => !owner_key.is_empty() && teams.iter().any(|team| team == owner_key),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_item_belongs_to_its_assignee_or_else_to_its_whole_team() {
        let (ada, payments) = (UserId::new("usr_ada"), vec!["payments platform".to_owned()]);
        let bo = UserId::new("usr_bo");
        for (owner, assignee, id, theirs) in [
            ("Payments  Platform", None, None, true),
            ("PAYMENTS PLATFORM", None, None, true),
            ("Checkout", None, None, false),
            ("", None, None, false),
            ("Checkout", Some("Ada"), Some(&ada), true),
            ("Payments Platform", Some("Bo"), Some(&bo), false),
            ("Payments Platform", Some("Somebody"), None, false),
        ] {
            assert_eq!(owns(&ada, &payments, owner, assignee, id), theirs, "{owner} {assignee:?}");
        }
        assert!(!owns(&ada, &[String::new()], " ", None, None), "no team owns an item without one");
    }

    #[test]
    fn roles_are_in_order() {
        assert!(Role::Viewer < Role::Member && Role::Member < Role::Editor && Role::Editor < Role::Admin);
    }
}
