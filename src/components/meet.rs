//! An edit in a dialog that meets somebody else's, field by field.

use domain::wire::problem::FieldError;

use super::{Field, Kind};

/// Meets what stands in the fields by now: what only somebody else changed is taken over, what both changed stays as it was
/// typed and is answered with what the other made of it. Of a choice of several, both have what they added and took away.
pub fn meet(fields: &mut [Field], mine: &mut [String], now: Vec<String>) -> Vec<FieldError> {
    let mut differing = Vec::new();
    for ((field, mine), now) in fields.iter_mut().zip(mine).zip(now) {
        let was = std::mem::replace(&mut field.value, now);
        let theirs = &field.value;
        if let Kind::Any(_) = field.kind.plain() {
            *mine = joined(&was, theirs, mine);
        } else if *mine == was {
            mine.clone_from(theirs);
        } else if *theirs != was && theirs != mine {
            let message = [
                "Somebody else made this ‘",
                &shown(field),
                "’ meanwhile. What you typed is still here: save again to set it.",
            ];
            differing.push(FieldError::new(field.pointer, message.concat()));
        }
    }
    differing
}

/// Theirs, with what was added here and without what was taken away here.
fn joined(was: &str, theirs: &str, mine: &str) -> String {
    let has = |text: &str, id: &str| text.split_whitespace().any(|each| each == id);
    let kept = theirs.split_whitespace().filter(|id| has(mine, id) || !has(was, id));
    let added = mine.split_whitespace().filter(|id| !has(was, id) && !has(theirs, id));
    kept.chain(added).collect::<Vec<_>>().join(" ")
}

fn shown(field: &Field) -> String {
    let now = &field.value;
    match field.kind.plain() {
        Kind::One(choices) => choices.iter().find(|(word, _)| word == now).map_or(now, |(_, label)| label).clone(),
        Kind::Switch => if now.is_empty() { "no" } else { "yes" }.to_owned(),
        _ => now.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn field(kind: Kind, value: &str) -> Field {
        Field { label: "", pointer: "/it", kind, value: value.to_owned() }
    }

    #[test]
    fn what_only_they_changed_is_taken_and_what_both_changed_is_told() {
        let line = || Kind::Line("text", "off");
        for (was, theirs, mine, met, told) in [
            ("Ada", "Ada", "Ada", "Ada", None),
            ("Ada", "Bo", "Ada", "Bo", None),
            ("Ada", "Ada", "Cy", "Cy", None),
            ("Ada", "Cy", "Cy", "Cy", None),
            ("Ada", "Bo", "Cy", "Cy", Some("Somebody else made this ‘Bo’ meanwhile.")),
        ] {
            let (mut fields, mut values) = ([field(line(), was)], [mine.to_owned()]);
            let differing = meet(&mut fields, &mut values, vec![theirs.to_owned()]);
            assert_eq!((values[0].as_str(), fields[0].value.as_str()), (met, theirs), "{was} {theirs} {mine}");
            assert_eq!(
                differing.first().map(|error| error.message.starts_with(told.unwrap_or("-"))),
                told.map(|_| true)
            );
        }
        let roles = vec![("viewer".to_owned(), "Viewer".to_owned()), ("admin".to_owned(), "Admin".to_owned())];
        let (mut fields, mut values) = ([field(Kind::One(roles), "member")], ["editor".to_owned()]);
        let differing = meet(&mut fields, &mut values, vec!["admin".to_owned()]);
        assert!(differing[0].message.contains("‘Admin’"), "{differing:?}");
    }

    #[test]
    fn of_a_choice_of_several_both_have_what_they_added_and_took_away() {
        for (was, theirs, mine, met) in [
            ("a b", "a b", "a b", "a b"),
            ("a b", "a b c", "a b d", "a b c d"),
            ("a b", "b", "a b d", "b d"),
            ("a b", "a b c", "a", "a c"),
            ("", "a", "a", "a"),
            ("a", "", "", ""),
        ] {
            let (mut fields, mut values) = ([field(Kind::Any(Vec::new()), was)], [mine.to_owned()]);
            assert!(meet(&mut fields, &mut values, vec![theirs.to_owned()]).is_empty());
            assert_eq!(values[0], met, "{was} | {theirs} | {mine}");
        }
    }
}
