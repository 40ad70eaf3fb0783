//! Zones: which the reader chose, and what a zone's clocks show at an instant.

use chrono::{DateTime, Utc};
use leptos::prelude::*;

use super::address;
use crate::route;

/// A zone to show times in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Zone {
    /// Coordinated universal time.
    Utc,
    /// An IANA name or `+HH:MM`.
    Named(String),
    /// The browser's own.
    Local,
}

/// What the reader chose to see times in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Choice {
    /// UTC.
    Utc,
    /// The zone that the incident is told in.
    Incident,
    /// The reader's own.
    Local,
}

impl Choice {
    /// Every choice.
    pub const ALL: [Self; 3] = [Self::Utc, Self::Incident, Self::Local];

    /// The spelling in the address; UTC is what an address without one means.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Utc => "utc",
            Self::Incident => "incident",
            Self::Local => "local",
        }
    }

    /// The spelling for people.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Utc => "UTC",
            Self::Incident => "Incident’s zone",
            Self::Local => "My zone",
        }
    }

    /// The choice of this spelling.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|choice| choice.as_str() == text)
    }

    /// The zone that the choice means for something told in `home`.
    pub fn zone(self, home: &str) -> Zone {
        match self {
            Self::Local => Zone::Local,
            Self::Incident if home != "UTC" => Zone::Named(home.to_owned()),
            Self::Utc | Self::Incident => Zone::Utc,
        }
    }
}

/// The reader's choice, as the address has it.
pub fn choice() -> Memo<Choice> {
    let kept = address::query(route::ZONE);
    Memo::new(move |_| kept.read().as_deref().and_then(Choice::parse).unwrap_or(Choice::Utc))
}

/// The zone part that links to other pages keep.
pub fn kept() -> Memo<Option<String>> {
    let choice = choice();
    Memo::new(move |_| (choice.get() != Choice::Utc).then(|| choice.get().as_str().to_owned()))
}

/// Puts a choice into the address, without a new entry in the history.
pub fn chooser() -> impl Fn(Choice) + Clone + 'static {
    let keep = address::keeper(route::ZONE);
    move |choice: Choice| keep((choice != Choice::Utc).then(|| choice.as_str().to_owned()))
}

/// The seconds by which a zone is ahead of UTC at an instant, and what it is called then.
pub fn offset(at: DateTime<Utc>, zone: &Zone) -> (i32, String) {
    match zone {
        Zone::Utc => (0, "UTC".to_owned()),
        Zone::Named(name) => match fixed(name) {
            Some(seconds) => (seconds, fixed_label(seconds)),
            None => browser::offset(at, Some(name)).unwrap_or_else(|| (0, "UTC".to_owned())),
        },
        Zone::Local => browser::offset(at, None).unwrap_or_else(|| (0, "UTC".to_owned())),
    }
}

/// The seconds of a zone of the form `+HH:MM`.
fn fixed(name: &str) -> Option<i32> {
    let sign = match name.as_bytes().first()? {
        b'+' => 1,
        b'-' => -1,
        _ => return None,
    };
    let (hours, minutes) = name[1..].split_once(':')?;
    let (hours, minutes): (i32, i32) = (hours.parse().ok()?, minutes.parse().ok()?);
    (hours < 24 && minutes < 60).then_some(sign * (hours * 3600 + minutes * 60))
}

fn fixed_label(seconds: i32) -> String {
    let (sign, seconds) = if seconds < 0 { ('-', -seconds) } else { ('+', seconds) };
    match (seconds / 3600, seconds / 60 % 60) {
        (0, 0) => "UTC".to_owned(),
        (hours, 0) => format!("GMT{sign}{hours}"),
        (hours, minutes) => format!("GMT{sign}{hours}:{minutes:02}"),
    }
}

#[cfg(target_arch = "wasm32")]
mod browser {
    //! What the browser knows of zones.

    use std::cell::RefCell;

    use chrono::{DateTime, Utc};
    use js_sys::{Array, Function, Object, Reflect};
    use wasm_bindgen::{JsCast, JsValue};

    /// The formatter of a zone and style; none where the browser does not know the zone.
    struct Kept {
        zone: Option<String>,
        style: &'static str,
        formatter: Option<JsValue>,
    }

    thread_local! {
        static FORMATTERS: RefCell<Vec<Kept>> = const { RefCell::new(Vec::new()) };
    }

    /// The offset and name of a zone at an instant; none where the browser does not know the zone.
    pub fn offset(at: DateTime<Utc>, zone: Option<&str>) -> Option<(i32, String)> {
        let long = zone_name(at, zone, "longOffset")?;
        let label = zone_name(at, zone, "short")?;
        let written = long.strip_prefix("GMT")?;
        let seconds = if written.is_empty() { 0 } else { super::fixed(written)? };
        Some((seconds, label))
    }

    fn zone_name(at: DateTime<Utc>, zone: Option<&str>, style: &'static str) -> Option<String> {
        let formatter = FORMATTERS.with_borrow_mut(|kept| {
            if let Some(known) = kept.iter().find(|known| known.style == style && known.zone.as_deref() == zone) {
                return known.formatter.clone();
            }
            let formatter = formatter(zone, style);
            kept.push(Kept { zone: zone.map(str::to_owned), style, formatter: formatter.clone() });
            formatter
        })?;
        #[expect(clippy::cast_precision_loss, reason = "milliseconds since 1970 are far below 2^53")]
        let millis = JsValue::from_f64(at.timestamp_millis() as f64);
        let parts = method(&formatter, "formatToParts")?.call1(&formatter, &millis).ok()?;
        Array::from(&parts).iter().find_map(|part| {
            let kind = Reflect::get(&part, &"type".into()).ok()?;
            (kind == "timeZoneName").then(|| Reflect::get(&part, &"value".into()).ok()?.as_string())?
        })
    }

    fn formatter(zone: Option<&str>, style: &str) -> Option<JsValue> {
        let intl = Reflect::get(&js_sys::global(), &"Intl".into()).ok()?;
        let constructor: Function = Reflect::get(&intl, &"DateTimeFormat".into()).ok()?.dyn_into().ok()?;
        let options = Object::new();
        Reflect::set(&options, &"timeZoneName".into(), &style.into()).ok()?;
        if let Some(zone) = zone {
            Reflect::set(&options, &"timeZone".into(), &zone.into()).ok()?;
        }
        Reflect::construct(&constructor, &Array::of2(&"en-GB".into(), &options)).ok()
    }

    fn method(of: &JsValue, name: &str) -> Option<Function> {
        Reflect::get(of, &name.into()).ok()?.dyn_into().ok()
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod browser {
    //! In the tests named zones are those of the server, so that changes of the clocks are the real ones.

    use chrono::{DateTime, Offset, Utc};
    use chrono_tz::Tz;

    pub fn offset(at: DateTime<Utc>, zone: Option<&str>) -> Option<(i32, String)> {
        let there = at.with_timezone(&zone?.parse::<Tz>().ok()?);
        Some((there.offset().fix().local_minus_utc(), there.format("%Z").to_string()))
    }
}

#[cfg(not(any(test, target_arch = "wasm32")))]
mod browser {
    //! Outside a browser nothing is known of named zones.

    use chrono::{DateTime, Utc};

    pub fn offset(_: DateTime<Utc>, _: Option<&str>) -> Option<(i32, String)> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fixed_zones_are_read_and_named() {
        for (name, seconds, label) in [
            ("+02:00", 7200, "GMT+2"),
            ("-03:30", -12_600, "GMT-3:30"),
            ("+00:00", 0, "UTC"),
            ("+05:45", 20_700, "GMT+5:45"),
        ] {
            assert_eq!(fixed(name), Some(seconds));
            assert_eq!(fixed_label(seconds), label);
        }
        for name in ["", "+", "Europe/Zurich", "+25:00", "+1", "+é:00"] {
            assert_eq!(fixed(name), None, "{name}");
        }
    }

    #[test]
    fn a_choice_is_spelled_one_way() {
        for choice in Choice::ALL {
            assert_eq!(Choice::parse(choice.as_str()), Some(choice));
        }
        assert_eq!(Choice::parse("mars"), None);
        assert_eq!(Choice::Incident.zone("+02:00"), Zone::Named("+02:00".into()));
        assert_eq!(Choice::Incident.zone("UTC"), Zone::Utc);
    }
}
