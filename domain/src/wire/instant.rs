//! Instants and days as a request writes them: whoever mistypes one hears how it is written.

use chrono::{DateTime, Datelike, NaiveDate, Timelike, Utc};
use serde::de::Error;
use serde::{Deserialize, Deserializer};

use crate::wire::actions::{YEARS, years};

/// Reads an instant in RFC 3339. A leap second is none: the clocks that telemetry is stamped by do not show it.
pub fn read(text: &str) -> Option<DateTime<Utc>> {
    let at = DateTime::parse_from_rfc3339(text).ok()?.to_utc();
    (at.nanosecond() < 1_000_000_000).then_some(at)
}

/// The same of the years that people plan in, or what is the matter with it.
pub fn checked(text: &str) -> Result<DateTime<Utc>, String> {
    let at = read(text)
        .ok_or_else(|| format!("‘{}’ is no instant: write it with its zone, as 2026-07-09T09:46:00Z", short(text)))?;
    if YEARS.contains(&at.year()) { Ok(at) } else { Err(format!("its year is none of {}", years())) }
}

/// The same for a field of a request.
pub fn instant<'de, D: Deserializer<'de>>(deserializer: D) -> Result<DateTime<Utc>, D::Error> {
    checked(&String::deserialize(deserializer)?).map_err(D::Error::custom)
}

/// The same where there may be none.
pub fn maybe_instant<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<DateTime<Utc>>, D::Error> {
    #[derive(Deserialize)]
    struct Instant(#[serde(deserialize_with = "instant")] DateTime<Utc>);
    Ok(Option::<Instant>::deserialize(deserializer)?.map(|Instant(at)| at))
}

/// Reads a calendar day where there may be none. Whether its year can be is the edit's to say.
pub fn maybe_day<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<NaiveDate>, D::Error> {
    let Some(text) = Option::<String>::deserialize(deserializer)? else { return Ok(None) };
    let day = text.parse();
    day.map(Some).map_err(|_| D::Error::custom(format!("‘{}’ is no day: write it as 2026-07-23", short(&text))))
}

/// The same for a field that can be emptied.
pub fn given_day<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Option<NaiveDate>>, D::Error> {
    maybe_day(deserializer).map(Some)
}

/// As much of what was written as is needed to find it again.
fn short(text: &str) -> String {
    text.chars().take(40).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::actions::ActionPatch;
    use crate::wire::evidence::NewEvidence;

    #[test]
    fn an_instant_is_read_with_its_zone_and_is_no_leap_second() {
        for (text, read_as) in [
            ("2026-07-09T09:46:00Z", Some("2026-07-09T09:46:00Z")),
            ("2026-07-09T11:46:00.5+02:00", Some("2026-07-09T09:46:00.5Z")),
            ("2026-07-09T09:46:60Z", None),
            ("2016-12-31T23:59:60Z", None),
            ("2026-07-09T09:46:00", None),
            ("2026-07-09", None),
            ("", None),
        ] {
            let expected = read_as.map(|text| text.parse::<DateTime<Utc>>().expect("an instant"));
            assert_eq!(read(text), expected, "{text}");
        }
    }

    #[test]
    fn a_request_with_a_wrong_time_says_how_it_is_written() {
        for (at, said) in [
            ("\"soon\"", "‘soon’ is no instant: write it with its zone, as 2026-07-09T09:46:00Z"),
            ("\"2026-07-09T09:46:60Z\"", "is no instant"),
            ("\"9999-07-09T09:46:00Z\"", "its year is none of 1970 to 2200"),
            ("7", "expected a string"),
        ] {
            let text = format!(r#"{{"title":"t","kind":"log","captured_at":{at}}}"#);
            let error = serde_json::from_str::<NewEvidence>(&text).expect_err(at).to_string();
            assert!(error.contains(said), "{at}: {error}");
        }
        for none in [r#"{"title":"t","kind":"log","captured_at":null}"#, r#"{"title":"t","kind":"log"}"#] {
            assert_eq!(serde_json::from_str::<NewEvidence>(none).expect(none).captured_at, None);
        }
    }

    #[test]
    fn a_day_may_be_absent_null_or_one() {
        for (text, due) in [
            ("{}", None),
            (r#"{"due":null}"#, Some(None)),
            (r#"{"due":"2026-07-23"}"#, Some(NaiveDate::from_ymd_opt(2026, 7, 23))),
        ] {
            assert_eq!(serde_json::from_str::<ActionPatch>(text).expect(text).due, due, "{text}");
        }
        let error = serde_json::from_str::<ActionPatch>(r#"{"due":"23.7."}"#).expect_err("refused").to_string();
        assert!(error.starts_with("‘23.7.’ is no day: write it as 2026-07-23"), "{error}");
    }
}
