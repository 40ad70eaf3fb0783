//! Whose word a criterion asks for: "completed by a non-author", "signed off by Support", "Support can …".

use super::token::{Kind, Token, phrase, stands};
use crate::verification::{Attested, Attester};

/// Whom a criterion may exclude, so that "non-zero" and the like are no people.
const PEOPLE: &str = "author authors owner owners expert experts specialist maintainer maintainers \
    implementer implementers contributor contributors developer developers \
    writer writers participant participants member members responder responders \
    engineer engineers operator";

/// Words for anybody.
const ANYBODY: &str = "someone somebody anyone anybody person people engineer colleague one";

/// Words that make a person another one than the owner.
const OTHER: &str = "another second different independent";

/// Words that end the name of a role or a team.
const ROLES: &str = "support security sre sres legal on-call oncall ops operations finance \
    compliance qa team lead manager commander director cto ciso cfo architect \
    dba dbas auditor auditors privacy accounting marketing sales";

/// Words for giving one's word, followed by "by".
const GIVING: &str = "completed reviewed approved off signed-off confirmed attested verified \
    validated accepted checked witnessed performed executed run done through \
    rehearsed tested carried led conducted exercised out followed tried";

/// Words that say of a role what only it can tell.
const CAN: &[&str] = &[
    "can",
    "is able to",
    "are able to",
    "confirms",
    "confirm",
    "approves",
    "approve",
    "signs off",
    "sign off",
    "agrees",
    "accepts",
    "verifies",
    "validates",
    "attests",
    "has approved",
    "has confirmed",
    "has reviewed",
    "has signed off",
];

/// Finds whose word a text asks for, if it asks for one.
pub(super) fn find(tokens: &[Token<'_>]) -> Option<Attested> {
    let mut found: Option<Attested> = None;
    for at in 0..tokens.len() {
        let Some(attested) = non(tokens, at).or_else(|| by(tokens, at)).or_else(|| role_can(tokens, at)) else {
            continue;
        };
        match &found {
            Some(before) if *before != attested => return None,
            _ => found = Some(attested),
        }
    }
    found
}

/// Anybody but the owner, and but those excluded; owners are excluded in any case.
fn anybody_but(excluded: &str) -> Attested {
    let owner = matches!(excluded, "an owner" | "owner" | "owners" | "the owner" | "its owner" | "the item's owner");
    Attested { by: Attester::NotOwner, excludes: (!owner).then(|| excluded.to_owned()) }
}

/// "a non-author".
fn non(tokens: &[Token<'_>], at: usize) -> Option<Attested> {
    let excluded = tokens[at].word.strip_prefix("non-")?;
    if !PEOPLE.split(' ').any(|person| person == excluded) {
        return None;
    }
    let one = excluded.strip_suffix('s').unwrap_or(excluded);
    let article = if one.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
    Some(anybody_but(&format!("{article} {one}")))
}

/// "… by somebody other than the author", "… by another team", "signed off by Support".
fn by(tokens: &[Token<'_>], at: usize) -> Option<Attested> {
    if at == 0 || !tokens[at].is("by") {
        return None;
    }
    // "… was not reviewed by another team" asks for nobody's word.
    let given =
        tokens[at - 1].is(GIVING) && !tokens[at.saturating_sub(4)..at].iter().any(|token| token.is("not never"));
    let rest = &tokens[at + 1..];
    let rest = if rest.first().is_some_and(|token| token.is("a an the")) { &rest[1..] } else { rest };
    let first = rest.first()?;
    if first.is(ANYBODY) {
        return other_than(&rest[1..]);
    }
    if first.is(OTHER) && rest.get(1).is_some_and(|token| token.is("team squad group")) {
        return given.then(|| anybody_but("a member of the owning team"));
    }
    if first.is(OTHER)
        && rest.get(1).is_some_and(|token| token.is(PEOPLE) || token.is(ANYBODY) || token.is("reviewer tester"))
    {
        return given.then_some(Attested { by: Attester::NotOwner, excludes: None });
    }
    let name = role(rest)?;
    given.then_some(Attested { by: Attester::Named(name), excludes: None })
}

/// "… other than the author", "… outside the team".
fn other_than(rest: &[Token<'_>]) -> Option<Attested> {
    const EXCEPT: &[&str] = &["other than", "else than", "who is not", "who isn't", "besides", "except", "but"];
    const OUTSIDE: &[&str] = &["outside", "from outside", "not on", "not in"];
    const ELSEWHERE: &[&str] = &["from another team", "from a different team", "on another team", "in another team"];
    let after = |phrases: &[&str]| phrases.iter().find_map(|phrase| Some(&rest[stands(rest, 0, phrase)?..]));
    if after(ELSEWHERE).is_some() {
        return Some(anybody_but("a member of the owning team"));
    }
    if let Some(excluded) = after(EXCEPT) {
        let words = name(excluded);
        return (!words.is_empty()).then(|| anybody_but(&words));
    }
    let team = name(after(OUTSIDE)?);
    (!team.is_empty()).then(|| anybody_but(&format!("a member of {team}")))
}

/// The words that name somebody, up to where the sentence goes on.
fn name(tokens: &[Token<'_>]) -> String {
    const ENDING: &str = "who that and or in on within before after by during with at for using";
    let length = tokens.iter().take_while(|token| token.kind == Kind::Word && !token.is(ENDING)).count();
    if length <= 5 { phrase(&tokens[..length]) } else { String::new() }
}

/// The role or team whose name begins here, as it is written: up to four words, the last of them a role's.
fn role(tokens: &[Token<'_>]) -> Option<String> {
    let words = tokens.iter().take(4).take_while(|token| token.kind == Kind::Word);
    let length = words.clone().count();
    let end = (1..=length).rev().find(|end| tokens[end - 1].is(ROLES))?;
    Some(tokens[..end].iter().map(|token| token.raw).collect::<Vec<_>>().join(" "))
}

/// "Support can …" at the start of a clause: what a role can do, only the role can tell.
fn role_can(tokens: &[Token<'_>], at: usize) -> Option<Attested> {
    if at > 0 && tokens[at - 1].kind != Kind::Break {
        return None;
    }
    let rest = &tokens[at..];
    let rest = if rest.first().is_some_and(|token| token.is("the")) { &rest[1..] } else { rest };
    let name = role(rest)?;
    let length = name.split(' ').count();
    let able = CAN.iter().any(|phrase| stands(rest, length, phrase).is_some());
    able.then_some(Attested { by: Attester::Named(name), excludes: None })
}
