//! Thresholds in a criterion: "p95 below 2s", "opens before worker utilization reaches 75%", "at most 3 retries".

use super::token::{Kind, Token, phrase, stands};
use super::words::{
    BETTER_HIGH, BETTER_LOW, COMPARING, CONDITIONS, JOINING, LINKING, MEASURABLE, NEGATING, PER, SHARES_AND_TIMES,
    STOPPING, TRAILING, UNCOUNTED, unit_of,
};
use crate::quantity::{Dimension, Number, Unit};
use crate::verification::{Comparator, Measured};

/// What thresholds a text demands.
#[derive(Debug, PartialEq)]
pub(super) enum Found {
    /// None that is clear.
    None,
    /// One.
    One(Measured),
    /// Several, so that none says all of it.
    Several,
}

/// Finds the threshold that a text demands.
pub(super) fn find(tokens: &[Token<'_>]) -> Found {
    let (mut found, mut from, mut at) = (Found::None, 0, 0);
    while at < tokens.len() {
        if tokens[at].kind == Kind::Break {
            from = at + 1;
        }
        let Some(comparison) = comparison_at(tokens, from, at) else {
            at += 1;
            continue;
        };
        if let Some(measured) = demanded(tokens, from, &comparison) {
            found = match found {
                Found::None => Found::One(measured),
                _ => return Found::Several,
            };
        }
        (from, at) = (comparison.end, comparison.end.max(at + 1));
    }
    found
}

/// A comparison as it stands in the text, and where.
struct Comparison {
    /// Its words without those that negate it: `within`, `below`.
    word: String,
    /// What it says of the value, negation included.
    comparator: Comparator,
    /// Whether it was negated.
    negated: bool,
    /// Where what is measured ends: before linking and negating words.
    subject_end: usize,
    /// Where the comparing words begin, the linking ones left out.
    words_start: usize,
    value: f64,
    unit: Option<Unit>,
    /// Where the number and its unit end.
    value_end: usize,
    /// Where all of it ends, trailing words included.
    end: usize,
}

/// The comparison whose words begin at a place, or whose number does where the words follow it.
fn comparison_at(tokens: &[Token<'_>], from: usize, at: usize) -> Option<Comparison> {
    let (comparator, length) = match tokens[at].kind {
        Kind::Sign(comparator) => (Some(comparator), 1),
        Kind::Word => match first(COMPARING, tokens, at) {
            Some((comparator, length)) => (Some(comparator), length),
            None => (None, 0),
        },
        Kind::Number(_) => (None, 0),
        _ => return None,
    };
    let mut number_at = at + length;
    while length > 0 && tokens.get(number_at).is_some_and(|token| token.is("a the about only")) {
        number_at += 1;
    }
    let number = tokens.get(number_at)?;
    let value = number.number()?;
    if number_at > 0 && number.attached && tokens[number_at - 1].kind == Kind::Odd {
        return None;
    }
    let (unit, value_end) = unit_at(tokens, number_at + 1)?;
    let trailing = first(TRAILING, tokens, value_end);
    let (comparator, end) = match (comparator, trailing) {
        (Some(comparator), None) => (comparator, value_end),
        (None, Some((comparator, length))) => (comparator, value_end + length),
        // "under 2 s or less" is nothing that can be understood.
        _ => return None,
    };
    let (subject_end, negated) = linked(tokens, from, at);
    Some(Comparison {
        word: if length > 0 { tokens[at].word.clone() } else { String::new() },
        comparator: if negated { opposite(comparator) } else { comparator },
        negated,
        subject_end,
        words_start: at,
        value,
        unit,
        value_end,
        end,
    })
}

/// The first of these phrases that stands at a place: what it says, and how many tokens it takes up.
fn first(phrases: &[(&str, Comparator)], tokens: &[Token<'_>], at: usize) -> Option<(Comparator, usize)> {
    phrases.iter().find_map(|(phrase, comparator)| Some((*comparator, stands(tokens, at, phrase)?)))
}

/// Where the words before a comparison that link or negate it begin, and whether they negate it.
fn linked(tokens: &[Token<'_>], from: usize, at: usize) -> (usize, bool) {
    let (mut start, mut negated) = (at, false);
    while start > from {
        let token = &tokens[start - 1];
        if token.is(NEGATING) {
            negated = true;
        } else if !token.is(LINKING) {
            break;
        }
        start -= 1;
    }
    (start, negated)
}

/// What holds where a comparison does not.
const fn opposite(comparator: Comparator) -> Comparator {
    match comparator {
        Comparator::Below => Comparator::AtLeast,
        Comparator::AtMost => Comparator::Above,
        Comparator::Above => Comparator::AtMost,
        Comparator::AtLeast => Comparator::Below,
    }
}

/// The unit that stands at a place, if one does, and where it ends; none where what stands there makes the number
/// something that is not understood ("5m", "2x", "3rd", "2-5").
fn unit_at(tokens: &[Token<'_>], at: usize) -> Option<(Option<Unit>, usize)> {
    let Some(token) = tokens.get(at) else {
        return Some((None, at));
    };
    let unit = match token.kind {
        Kind::Percent => Some(Unit::Percent),
        Kind::Word => unit_of(&token.word),
        Kind::Odd | Kind::Number(_) | Kind::Sign(_) => return None,
        Kind::Break => return Some((None, at)),
    };
    if let Some(unit) = unit {
        let points = tokens.get(at + 1).is_some_and(|next| next.is("point points"));
        let odd = tokens.get(at + 1).is_some_and(|next| next.attached && next.kind == Kind::Odd);
        // Bytes in a second are a rate that has no unit here.
        let a_rate =
            tokens.get(at + 1).is_some_and(|next| next.is("per") || (next.attached && next.raw.starts_with('/')));
        return (!points && !odd && !a_rate).then_some((Some(unit), at + 1));
    }
    (!token.attached && !token.is(UNCOUNTED) && !token.word.contains('/')).then_some((None, at))
}

/// The threshold, if the text demands this comparison rather than stating it as a condition.
fn demanded(tokens: &[Token<'_>], from: usize, comparison: &Comparison) -> Option<Measured> {
    let clause = &tokens[from..comparison.subject_end];
    let follows = from > 0 && tokens[from - 1].kind != Kind::Break;
    if clause.iter().any(|token| token.is(CONDITIONS)) || (follows && clause.is_empty()) {
        return None;
    }
    // "… within 2 minutes of the error rate exceeding 5%", "… at over 500 rps", "… for at least 30 minutes".
    let before = tokens[from..comparison.words_start].last();
    if before.is_some_and(|token| token.is("for at during averaged than between from"))
        || (follows && clause.first().is_some_and(|token| token.is("of at for over under")))
    {
        return None;
    }
    let (unit, after) = rate(tokens, comparison);
    // A span that something is looked at over, and a load that it is put under.
    let sort = unit.map(Unit::dimension);
    if (comparison.word == "over" && sort == Some(Dimension::Time))
        || (comparison.word == "under" && sort == Some(Dimension::Rate))
    {
        return None;
    }
    let (metric, comparator) = match clause.iter().rposition(|token| token.is("before")) {
        Some(before) => when_it_happens(clause, before, comparison)?,
        None => match subject(clause) {
            Some(metric) if is_demand(metric, comparison.comparator) => {
                let words_before = &clause[..clause.len() - metric.len()];
                // "alert on an error rate above 5%" says when to alert.
                if words_before.iter().any(|token| token.word.starts_with("alert") || token.word.starts_with("alarm")) {
                    return None;
                }
                (phrase(metric), comparison.comparator)
            }
            Some(_) => return None,
            None => (without_subject(tokens, clause, comparison, unit, after)?, comparison.comparator),
        },
    };
    let unit = match unit {
        Some(unit) => unit,
        // A share or a time without its unit could be anything.
        None if comparison.value.fract() == 0.0 && counts(&metric) => Unit::Count,
        None => return None,
    };
    let threshold = Number::try_from(comparison.value).ok()?;
    let measured = Measured { metric, comparator, threshold, unit };
    measured.flaw().is_none().then_some(measured)
}

/// The unit of a comparison, and what it counts: "500 requests per second" names both.
fn rate<'t, 'a>(tokens: &'t [Token<'a>], comparison: &Comparison) -> (Option<Unit>, &'t [Token<'a>]) {
    let after = counted(&tokens[comparison.value_end..]);
    let next = tokens.get(comparison.value_end + after.len()..).unwrap_or_default();
    if comparison.unit.is_none() && stands(next, 0, "per").is_some() {
        match next.get(1).map(|token| token.word.as_str()) {
            Some("second" | "sec" | "s") => return (Some(Unit::PerSecond), after),
            Some("minute" | "min") => return (Some(Unit::PerMinute), after),
            _ => {}
        }
    }
    (comparison.unit, after)
}

/// What a number counts: the words after it, as far as they may name a thing.
fn counted<'t, 'a>(tokens: &'t [Token<'a>]) -> &'t [Token<'a>] {
    let ends = |token: &Token<'_>| {
        token.kind != Kind::Word || token.is(LINKING) || token.is(STOPPING) || token.is(JOINING) || token.is(CONDITIONS)
    };
    let length = tokens.iter().take_while(|token| !ends(token)).count();
    match length {
        1..=4
            if stands(tokens, length, "per").is_some() && tokens.get(length + 1).is_some_and(|token| token.is(PER)) =>
        {
            &tokens[..length + 2]
        }
        1..=4 => &tokens[..length],
        _ => &[],
    }
}

/// What is measured where something must happen before a value is reached: the value at that moment.
///
/// "The breaker opens before utilization reaches 75%" is no limit on utilization, which may well go on rising: it must
/// be below 75% when the breaker opens.
fn when_it_happens(clause: &[Token<'_>], before: usize, comparison: &Comparison) -> Option<(String, Comparator)> {
    let event = trimmed(&clause[..before]);
    let metric = subject(&clause[before + 1..])?;
    if event.is_empty() || event.len() > 6 || !event.iter().all(|token| token.kind == Kind::Word) || comparison.negated
    {
        return None;
    }
    let comparator = match comparison.comparator {
        // What is better high is reached from above.
        Comparator::AtLeast if metric.iter().any(|token| token.is(BETTER_HIGH)) => Comparator::Above,
        comparator => opposite(comparator),
    };
    Some((format!("{} when {}", phrase(metric), phrase(event)), comparator))
}

/// Words without the linking and joining ones at their ends.
fn trimmed<'t, 'a>(mut tokens: &'t [Token<'a>]) -> &'t [Token<'a>] {
    while let [first, rest @ ..] = tokens
        && first.is(JOINING)
    {
        tokens = rest;
    }
    while let [rest @ .., last] = tokens
        && (last.is(LINKING) || last.is(JOINING))
    {
        tokens = rest;
    }
    tokens
}

/// What is measured, at the end of the words before a comparison.
fn subject<'t, 'a>(clause: &'t [Token<'a>]) -> Option<&'t [Token<'a>]> {
    let mut start = clause.len();
    while start > 0 && clause.len() - start < 8 {
        let token = &clause[start - 1];
        let part = token.kind == Kind::Word || (matches!(token.kind, Kind::Number(_)) && is_ordinal(clause, start - 1));
        if !part || token.is(STOPPING) || token.is(NEGATING) || (token.is(LINKING) && !token.is(JOINING)) {
            break;
        }
        start -= 1;
    }
    let words = &clause[start..];
    if let Some(at) = words.iter().position(|token| percentile(&token.word) || matches!(token.kind, Kind::Number(_))) {
        let at = if at > 0 && measures(&words[at - 1]) { at - 1 } else { at };
        return Some(&words[at..]);
    }
    let prepositions = words.iter().position(|token| token.is("of for in on")).filter(|at| *at > 0);
    let heads = &words[..prepositions.unwrap_or(words.len())];
    let head = heads.iter().rposition(measures).or_else(|| words.iter().rposition(measures))?;
    let words = trimmed(&words[head.saturating_sub(3)..]);
    words.last().is_some_and(|last| !last.is("point points")).then_some(words)
}

/// Whether a number is the "95" of "95th percentile", which are three tokens.
fn is_ordinal(tokens: &[Token<'_>], at: usize) -> bool {
    tokens.get(at + 1).is_some_and(|token| token.attached && token.is("th st nd rd"))
        && tokens.get(at + 2).is_some_and(|token| token.is("percentile"))
}

/// Whether a word is `p95` or the like.
fn percentile(word: &str) -> bool {
    word.strip_prefix("tp").or_else(|| word.strip_prefix('p')).is_some_and(|digits| {
        (2..=5).contains(&digits.len())
            && digits.parse::<f64>().is_ok_and(|value| value > 0.0)
            && !digits.starts_with('+')
    })
}

fn measures(token: &Token<'_>) -> bool {
    token.is(BETTER_LOW) || token.is(BETTER_HIGH) || token.is(MEASURABLE) || percentile(&token.word)
}

/// Whether anybody would demand this of that: an error rate above 5% is what an alert looks for.
fn is_demand(metric: &[Token<'_>], comparator: Comparator) -> bool {
    let high = metric.iter().any(|token| token.is(BETTER_HIGH));
    let low = !high && metric.iter().any(|token| token.is(BETTER_LOW) || percentile(&token.word));
    match comparator {
        Comparator::Below | Comparator::AtMost => !high,
        Comparator::Above | Comparator::AtLeast => !low,
    }
}

/// Whether a number without a unit counts what is measured: a share or a time needs its unit.
fn counts(metric: &str) -> bool {
    !metric
        .split(' ')
        .any(|word| SHARES_AND_TIMES.split(' ').any(|known| known == word.to_lowercase()) || percentile(word))
}

/// What is measured where no measure stands before the comparison: how long something takes, or what is counted.
fn without_subject(
    tokens: &[Token<'_>],
    clause: &[Token<'_>],
    comparison: &Comparison,
    unit: Option<Unit>,
    after: &[Token<'_>],
) -> Option<String> {
    let linking = &tokens[comparison.subject_end..comparison.words_start];
    match unit.map(Unit::dimension) {
        Some(Dimension::Time) => {
            let event = trimmed(clause);
            let named = !event.is_empty() && event.len() <= 8 && event.iter().all(|token| token.kind == Kind::Word);
            let at_most = matches!(comparison.comparator, Comparator::Below | Comparator::AtMost);
            if !named || !at_most || (comparison.word == "within" && comparison.negated) {
                return None;
            }
            if linking.iter().any(|token| token.is("takes take taking lasts last")) {
                return Some(format!("duration of {}", phrase(event)));
            }
            let until = comparison.word == "within" || linking.last().is_some_and(|token| token.is("in"));
            until.then(|| format!("time until {}", phrase(event)))
        }
        Some(Dimension::Rate) if after.is_empty() => Some("request rate".to_owned()),
        Some(Dimension::Rate) if after.iter().all(|token| token.is("requests request")) => {
            Some("request rate".to_owned())
        }
        Some(Dimension::Rate) => Some(phrase(after)),
        Some(_) => None,
        None => {
            let at_least_one =
                comparison.value <= 1.0 && matches!(comparison.comparator, Comparator::AtLeast | Comparator::Above);
            let mut things = after.iter().take_while(|token| !token.is("per"));
            let named = !after.is_empty() && !things.any(|token| token.is(UNCOUNTED));
            (named && !at_least_one && comparison.word != "within").then(|| phrase(after))
        }
    }
}
