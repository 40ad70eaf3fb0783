//! The one policy: who may do what to which object. A table, asked by every route and by nobody else.

use domain::person::Role;

use super::Principal;

/// What somebody wants to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Act {
    /// Read an incident: dashboard, signals, flags, exports, its place in a list.
    ReadIncident,
    /// Read who changed what in an incident, and the text it was imported from.
    ReadHistory,
    /// Change an incident or its evidence.
    EditIncident,
    /// Add evidence to an incident: also whoever owns one of its items, to prove it.
    AddEvidence,
    /// Say who may see an incident, share it, and see with whom it is shared.
    ShareIncident,
    /// See the customers of an incident.
    ReadCustomers,
    /// Mark the customers of an incident as written to, and write the message to them.
    ContactCustomers,
    /// Read one action item.
    ReadItem,
    /// Change an action item, and accept a measured verification of it.
    UpdateItem,
    /// Change a criterion that is told by somebody's word; whoever owned the item once counts as its owner.
    RewriteAttested,
    /// Open a closed item again.
    ReopenItem,
    /// Write a progress note.
    AddNote,
    /// Attest that a criterion holds.
    Attest,
    /// See how the columns of files were mapped, and forget it; see from where values can be had.
    UseMappings,
    /// See the names of people and teams.
    ReadPeople,
    /// Make, change and switch off accounts and teams; see everybody's sessions and tokens.
    ManagePeople,
    /// See and end one's own sessions and tokens, set one's password, make a token.
    ManageOwn,
}

/// What the policy has to know of the object.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Facts {
    /// The incident is restricted.
    pub restricted: bool,
    /// Whoever asks is named on it, or a team of theirs is.
    pub named: bool,
    /// The action item belongs to whoever asks; of an incident, one of its items does.
    pub owner: bool,
}

/// What the policy says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Do it.
    Allowed,
    /// As if the object were not there.
    Hidden,
    /// Refuse, and say why.
    Forbidden(&'static str),
}

/// Decides.
pub fn decide(who: &Principal, act: Act, facts: Facts) -> Verdict {
    use Verdict::{Allowed, Forbidden, Hidden};
    let role = who.role;
    let allowed_from =
        |least: Role, otherwise: &'static str| if role >= least { Allowed } else { Forbidden(otherwise) };
    let reads_alone = who.token.as_ref().is_some_and(|token| token.role < Role::Member);
    let sees_incident = !facts.restricted || facts.named || role == Role::Admin;
    match act {
        Act::ManagePeople => return allowed_from(Role::Admin, "only an administrator manages people and teams"),
        Act::ManageOwn if who.user.is_none() => {
            return Forbidden("a service has no account of its own; sign in as a person");
        }
        Act::ManageOwn if who.session.is_none() => {
            return Forbidden("a token makes no tokens and ends no sessions; sign in with a browser for that");
        }
        Act::UseMappings => return allowed_from(Role::Editor, "importing files takes the role of an editor"),
        Act::ReadPeople | Act::ManageOwn => return Allowed,
        _ => {}
    }
    // The owner of an item in a restricted incident sees that item alone.
    let about_item = matches!(
        act,
        Act::ReadItem | Act::UpdateItem | Act::RewriteAttested | Act::ReopenItem | Act::AddNote | Act::Attest
    );
    if !(sees_incident || about_item && facts.owner) {
        return Hidden;
    }
    match act {
        Act::ReadIncident
        | Act::ReadHistory
        | Act::ReadItem
        | Act::ReadPeople
        | Act::UseMappings
        | Act::ManagePeople
        | Act::ManageOwn => Allowed,
        // Whatever its person owns, a token does at most what its role says.
        Act::AddEvidence | Act::UpdateItem | Act::AddNote if facts.owner && !reads_alone => Allowed,
        Act::AddEvidence | Act::UpdateItem | Act::AddNote if facts.owner => {
            Forbidden("this token only reads; changing what its person owns takes one with the role of a member")
        }
        Act::RewriteAttested if facts.owner => Forbidden(
            "what somebody else is to attest of an item is not for its owner to change; ask an editor who never owned it",
        ),
        Act::RewriteAttested => allowed_from(Role::Editor, "only an editor changes what somebody is to attest"),
        Act::EditIncident => allowed_from(Role::Editor, "changing an incident takes the role of an editor"),
        Act::AddEvidence => {
            allowed_from(Role::Editor, "only an editor, or the owner of one of the items, adds evidence")
        }
        Act::ShareIncident => allowed_from(Role::Editor, "sharing an incident takes the role of an editor"),
        Act::ReadCustomers | Act::ContactCustomers if who.support || role == Role::Admin => Allowed,
        Act::ReadCustomers => Forbidden("only support and administrators see customers"),
        Act::ContactCustomers => Forbidden("only support and administrators write to customers"),
        Act::UpdateItem => allowed_from(Role::Editor, "only the item’s owner or an editor changes it"),
        Act::ReopenItem if !sees_incident => Forbidden("opening a closed item again takes the role of an editor"),
        Act::ReopenItem => allowed_from(Role::Editor, "opening a closed item again takes the role of an editor"),
        Act::AddNote => allowed_from(Role::Member, "writing a progress note takes the role of a member"),
        Act::Attest if who.user.is_none() => Forbidden("only a person can attest, and this token acts for a service"),
        Act::Attest if facts.owner => Forbidden("an owner cannot attest their own item; ask somebody else to"),
        Act::Attest => allowed_from(Role::Member, "attesting takes the role of a member"),
    }
}
