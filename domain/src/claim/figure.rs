//! Figures as people write them, and whether a computed figure rounds to one at the precision it is written with.

use chrono::{DateTime, TimeDelta, Utc};

use super::{Check, Found, Verdict};
use crate::criterion::unit_of;
use crate::incident::Window;
use crate::quantity::{Dimension, Quantity, Unit};

/// The most digits of a figure; more of them no count of events needs.
const DIGITS: usize = 15;

/// A figure that people wrote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Figure {
    /// `digits` times ten to the power of `places`: "18.6%" is 186, -1 and percent.
    Number {
        /// The digits written.
        digits: i128,
        /// What the last digit counts, as a power of ten; "about 1,300" is written to the hundred.
        places: i32,
        /// The unit beside it.
        unit: Option<Unit>,
        /// The word of the unit, as it is written.
        unit_word: String,
    },
    /// From one time of day until another.
    Clock {
        /// The first, in seconds since midnight.
        from: i64,
        /// The second.
        until: i64,
        /// Whether seconds are written.
        to_the_second: bool,
        /// The zone named behind it.
        zone: Option<String>,
    },
}

impl Figure {
    /// Reads the first figure of a text; none where it has none.
    pub fn read(text: &str) -> Option<Self> {
        clock(text).or_else(|| number(text))
    }
}

fn number(text: &str) -> Option<Figure> {
    let start = text.find(|c: char| c.is_ascii_digit())?;
    let rest = &text[start..];
    let end = rest.find(|c: char| !(c.is_ascii_digit() || ",._".contains(c))).unwrap_or(rest.len());
    let written = rest[..end].trim_end_matches([',', '.', '_']);
    let (whole, fraction) = written.split_once('.').unwrap_or((written, ""));
    let groups: Vec<&str> = whole.split([',', '_']).collect();
    let grouped = groups.iter().skip(1).all(|group| group.len() == 3) && groups.iter().all(|group| !group.is_empty());
    let digits = format!("{}{fraction}", groups.concat());
    if !grouped || digits.len() > DIGITS || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let (mut digits, mut places) = (digits.parse::<i128>().ok()?, -i32::try_from(fraction.len()).ok()?);
    let (power, after) = magnitude(&rest[written.len()..]);
    places += power;
    // "About 1,300" is written to the hundred; a plain 1,300 to the one.
    let before = text[..start].trim_end().to_lowercase();
    let is_rough = ["~", "≈", "about", "around", "roughly", "approx", "approx.", "approximately", "some", "nearly"];
    if is_rough.iter().any(|word| before.ends_with(word)) {
        while digits != 0 && digits % 10 == 0 {
            (digits, places) = (digits / 10, places + 1);
        }
    }
    let word: String = match after.trim_start() {
        percent if percent.starts_with('%') => "%".to_owned(),
        words => words.chars().take_while(|c| c.is_alphabetic() || *c == 'µ').collect(),
    };
    let unit = if word == "%" { Some(Unit::Percent) } else { unit_of(&word.to_lowercase()) };
    Some(Figure::Number { digits, places, unit, unit_word: if unit.is_some() { word } else { String::new() } })
}

/// "k", "thousand" or "million" behind a number: the power of ten, and what follows.
fn magnitude(after: &str) -> (i32, &str) {
    let words = [("k", 3), (" thousand", 3), (" million", 6)];
    let found = words.into_iter().find_map(|(word, power)| {
        let rest =
            after.get(..word.len()).filter(|head| head.eq_ignore_ascii_case(word)).map(|_| &after[word.len()..])?;
        (!rest.starts_with(char::is_alphanumeric)).then_some((power, rest))
    });
    found.unwrap_or((0, after))
}

fn clock(text: &str) -> Option<Figure> {
    let mut times: Vec<(i64, bool)> = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find(|c: char| c.is_ascii_digit()) {
        let token = &rest[at..];
        let end = token.find(|c: char| !(c.is_ascii_digit() || c == ':')).unwrap_or(token.len());
        times.extend(time_of_day(&token[..end]));
        rest = &token[end..];
        if times.len() == 2 {
            break;
        }
    }
    let [(from, seconds), (until, more)] = times[..] else { return None };
    let named: String = rest.trim_start().chars().take_while(|c| !c.is_whitespace() && !",;.)".contains(*c)).collect();
    let is_zone = named.starts_with(['+', '-'])
        || named.contains('/')
        || (!named.is_empty() && named.bytes().all(|byte| byte.is_ascii_uppercase()));
    Some(Figure::Clock { from, until, to_the_second: seconds || more, zone: is_zone.then_some(named) })
}

/// The seconds since midnight of "09:46" or "09:46:30", and whether seconds are written.
fn time_of_day(token: &str) -> Option<(i64, bool)> {
    let parts: Vec<i64> =
        token.split(':').map(|part| part.parse().ok().filter(|_| part.len() <= 2)).collect::<Option<_>>()?;
    match parts[..] {
        [hour, minute] if hour < 24 && minute < 60 => Some((hour * 3600 + minute * 60, false)),
        [hour, minute, second] if hour < 24 && minute < 60 && second < 60 => {
            Some((hour * 3600 + minute * 60 + second, true))
        }
        _ => None,
    }
}

/// Compares a written figure with a computed one. `offset` is how many seconds clocks are ahead of UTC in a zone that is
/// named, or in the incident's; none in a zone that nobody knows.
pub fn check(stated: &str, found: Found, offset: impl Fn(Option<&str>, DateTime<Utc>) -> Option<i64>) -> Check {
    let Some(figure) = Figure::read(stated) else {
        return Check::impossible(format!("‘{stated}’ holds no figure to compare with"));
    };
    match (figure, found) {
        (Figure::Clock { from, until, to_the_second, zone }, Found::Span(span)) => {
            let shift = |at| offset(zone.as_deref(), at).map(TimeDelta::seconds).map(|shift| at + shift);
            let (Some(starts), Some(ends)) = (shift(span.from), shift(span.until)) else {
                return Check::impossible(format!(
                    "nobody knows the zone of ‘{stated}’; write UTC or an offset behind it"
                ));
            };
            let computed = (starts.timestamp().rem_euclid(DAY), ends.timestamp().rem_euclid(DAY));
            between((from, until), computed, to_the_second, zone.as_deref())
        }
        (Figure::Clock { .. }, _) => {
            Check::impossible(format!("‘{stated}’ is a time of day, which this does not compute"))
        }
        (Figure::Number { digits, places, unit, unit_word }, found) => {
            let Some((base, factor)) = comparable(found, unit) else {
                return Check::impossible(mismatch(stated, found, unit));
            };
            rounded(Decimal { digits, places }, factor, base, (unit, &unit_word))
        }
    }
}

const DAY: i64 = 24 * 60 * 60;

fn between(stated: (i64, i64), computed: (i64, i64), to_the_second: bool, zone: Option<&str>) -> Check {
    let unit = if to_the_second { 1 } else { 60 };
    let cut = |second: i64| second - second.rem_euclid(unit);
    let (starts, ends) = (cut(computed.0) - stated.0, cut(computed.1) - stated.1);
    let time = |second: i64| {
        let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
        if to_the_second { format!("{hour:02}:{minute:02}:{second:02}") } else { format!("{hour:02}:{minute:02}") }
    };
    let zone = zone.map(|zone| format!(" {zone}")).unwrap_or_default();
    let text = format!("{}–{}{zone}", time(cut(computed.0)), time(cut(computed.1)));
    if starts == 0 && ends == 0 {
        return Check { verdict: Verdict::Agrees, computed: Some(text), difference: None, reason: None };
    }
    let off = |what: &str, by: i64| {
        // The shorter way round the clock: 23:59 is two minutes before 00:01.
        let by = (by + DAY / 2).rem_euclid(DAY) - DAY / 2;
        let amount = if by % 60 == 0 { format!("{} min", by.abs() / 60) } else { format!("{} s", by.abs()) };
        (by != 0).then(|| format!("{what} {amount} {}", if by < 0 { "earlier" } else { "later" }))
    };
    let difference: Vec<String> = [off("starts", starts), off("ends", ends)].into_iter().flatten().collect();
    Check { verdict: Verdict::Differs, computed: Some(text), difference: Some(difference.join(", ")), reason: None }
}

/// A fraction of whole numbers.
#[derive(Clone, Copy)]
struct Fraction(i128, i128);

/// Digits and the power of ten that they are multiplied by.
#[derive(Clone, Copy)]
struct Decimal {
    digits: i128,
    places: i32,
}

/// A computed figure in its smallest unit, and what one of the written unit is of it; none where the two measure
/// different things.
fn comparable(found: Found, unit: Option<Unit>) -> Option<(Fraction, Fraction)> {
    let whole = Fraction(1, 1);
    let time = |milliseconds: Fraction| {
        let factor = match unit? {
            Unit::Nanoseconds => Fraction(1, 1_000_000),
            Unit::Microseconds => Fraction(1, 1000),
            Unit::Milliseconds => whole,
            Unit::Seconds => Fraction(1000, 1),
            Unit::Minutes => Fraction(60_000, 1),
            Unit::Hours => Fraction(3_600_000, 1),
            _ => return None,
        };
        Some((milliseconds, factor))
    };
    match found {
        Found::Count(count) => unit.is_none().then_some((Fraction(count.into(), 1), whole)),
        Found::Share(ratio) => {
            let share = Fraction(ratio.numerator.into(), ratio.denominator.max(1).into());
            match unit {
                Some(Unit::Percent) => Some((share, Fraction(1, 100))),
                None => Some((share, whole)),
                Some(_) => None,
            }
        }
        Found::Span(Window { from, until }) => time(Fraction((until - from).num_milliseconds().into(), 1)),
        Found::Quantity(quantity) => {
            let in_unit = quantity.converted(unit.unwrap_or(Unit::Count))?;
            Some((exactly(in_unit)?, whole))
        }
        // A thousandth of a millisecond is finer than any clock that measures a request.
        #[expect(clippy::cast_possible_truncation, reason = "cut to what no request lasts")]
        Found::Milliseconds(value) => time(Fraction((value.min(1e15) * 1000.0).round() as i128, 1000)),
    }
}

/// A quantity's number as a fraction, to as many digits as no figure has more of; none where it is too large for one.
fn exactly(quantity: Quantity) -> Option<Fraction> {
    let size = quantity.value.get().abs();
    if size >= 1e15 {
        return None;
    }
    if size < 1e-15 {
        return Some(Fraction(0, 1));
    }
    let (digits, power) = quantity.value.rounded(DIGITS).decimal();
    let tens = 10_i128.pow(power.unsigned_abs());
    Some(if power < 0 { Fraction(digits, tens) } else { Fraction(digits * tens, 1) })
}

fn mismatch(stated: &str, found: Found, unit: Option<Unit>) -> String {
    let computed = match found {
        Found::Count(_) => "a count",
        Found::Share(_) => "a share",
        Found::Span(_) | Found::Milliseconds(_) => "a time",
        Found::Quantity(quantity) => {
            let (computed, written) = (quantity.unit.dimension(), unit.map_or(Dimension::Count, Unit::dimension));
            return if computed == written {
                format!("‘{stated}’ is compared with {}, which is too large", quantity.value)
            } else {
                format!("‘{stated}’ is {}, and the value is {}", written.label(), computed.label())
            };
        }
    };
    match unit.map(Unit::dimension) {
        Some(dimension) => format!("‘{stated}’ is {}, and {computed} is computed", dimension.label()),
        None => format!("‘{stated}’ has no unit of {}, and {computed} is computed", Dimension::Time.as_str()),
    }
}

/// Agrees where the computed figure, rounded half up to the precision written, is the written one.
fn rounded(stated: Decimal, factor: Fraction, found: Fraction, (unit, unit_word): (Option<Unit>, &str)) -> Check {
    // One of the last written digit, in the computed figure's unit.
    let tens = 10_i128.pow(stated.places.unsigned_abs());
    let step =
        if stated.places < 0 { Fraction(factor.0, factor.1 * tens) } else { Fraction(factor.0 * tens, factor.1) };
    let (top, bottom) = (found.0 * step.1, found.1 * step.0);
    let digits = (2 * top + bottom).div_euclid(2 * bottom);
    let decimal = |digits: i128| spelled(Decimal { digits, ..stated });
    let with_unit = |number: String| match unit_word {
        "" => number,
        "%" => format!("{number}%"),
        word => format!("{number} {word}"),
    };
    let computed = Some(with_unit(decimal(digits)));
    if digits == stated.digits {
        return Check { verdict: Verdict::Agrees, computed, difference: None, reason: None };
    }
    let sign = if digits > stated.digits { '+' } else { '−' };
    let off = decimal((digits - stated.digits).abs());
    let off = if unit == Some(Unit::Percent) { format!("{off} percentage points") } else { with_unit(off) };
    Check { verdict: Verdict::Differs, computed, difference: Some(format!("{sign}{off}")), reason: None }
}

/// "1,284" or "18.6".
fn spelled(Decimal { digits, places }: Decimal) -> String {
    let tens = 10_i128.pow(places.unsigned_abs());
    let size = digits.abs();
    let (whole, fraction) = if places < 0 { (size / tens, size % tens) } else { (size * tens, 0) };
    let plain = whole.to_string();
    let mut text = if digits < 0 { "−".to_owned() } else { String::new() };
    for (place, digit) in plain.chars().enumerate() {
        if place > 0 && (plain.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    if places < 0 {
        let width = places.unsigned_abs() as usize;
        text = format!("{text}.{fraction:0width$}");
    }
    text
}
