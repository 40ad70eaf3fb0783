//! One JSON object of NDJSON: the values of chosen names are picked out of it, and nothing else is kept.

use std::borrow::Cow;
use std::fmt;
use std::io::Write;

use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Value;

/// From here on a floating point number no longer tells neighbouring whole numbers apart.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// The values that were picked out of an object, by the place of their names.
#[derive(Debug, Default)]
pub(super) struct Picked {
    values: Vec<Vec<u8>>,
    seen: Vec<bool>,
}

impl Picked {
    /// Picks the values of these names out of an object; a name with dots leads into objects within.
    pub(super) fn pick(&mut self, line: &[u8], names: &[String]) -> Result<(), String> {
        self.values.resize_with(names.len(), Vec::new);
        self.values.iter_mut().for_each(Vec::clear);
        self.seen.clear();
        self.seen.resize(names.len(), false);
        let mut reader = serde_json::Deserializer::from_slice(line);
        let picker = Object { prefix: "", names, picked: self };
        picker.deserialize(&mut reader).and_then(|()| reader.end()).map_err(|error| told(&error))
    }

    /// A value; empty where the object has none.
    pub(super) fn get(&self, at: usize) -> &[u8] {
        self.values.get(at).map_or(&[], |value| value.trim_ascii())
    }
}

/// An error without the line, which is the file's and not serde's.
fn told(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let text = text.split(" at line ").next().unwrap_or(&text);
    if error.is_data() && !text.starts_with("invalid type") {
        text.to_owned()
    } else {
        format!("not a JSON object ({text}, column {})", error.column())
    }
}

/// Every name of an object, with dots for objects within, and its value as text.
pub(super) fn flattened(line: &[u8]) -> Option<Vec<(String, String)>> {
    let Value::Object(object) = serde_json::from_slice(line).ok()? else { return None };
    let mut flat = Vec::new();
    let mut waiting: Vec<(String, Value)> = object.into_iter().rev().collect();
    while let Some((name, value)) = waiting.pop() {
        match value {
            Value::Object(inner) => {
                waiting.extend(inner.into_iter().rev().map(|(key, value)| (format!("{name}.{key}"), value)));
            }
            Value::String(text) => flat.push((name, text)),
            Value::Null => flat.push((name, String::new())),
            value => flat.push((name, value.to_string())),
        }
    }
    Some(flat)
}

struct Object<'a> {
    prefix: &'a str,
    names: &'a [String],
    picked: &'a mut Picked,
}

impl<'de> DeserializeSeed<'de> for Object<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        if self.prefix.is_empty() { deserializer.deserialize_map(self) } else { deserializer.deserialize_any(self) }
    }
}

impl<'de> Visitor<'de> for Object<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(Key(key)) = map.next_key()? {
            let full = if self.prefix.is_empty() { key } else { format!("{}.{key}", self.prefix).into() };
            if let Some(at) = self.names.iter().position(|name| !name.is_empty() && *name == *full) {
                if std::mem::replace(&mut self.picked.seen[at], true) {
                    return Err(A::Error::custom(format!("‘{full}’ stands in it twice")));
                }
                map.next_value_seed(Scalar { name: &full, into: &mut self.picked.values[at] })?;
            } else if self.names.iter().any(|name| name.strip_prefix(&*full).is_some_and(|rest| rest.starts_with('.')))
            {
                map.next_value_seed(Object { prefix: &full, names: self.names, picked: self.picked })?;
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(())
    }

    // What is no object has no values of the names that lead into it.
    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<(), A::Error> {
        IgnoredAny.visit_seq(seq).map(drop)
    }

    fn visit_str<E: Error>(self, _: &str) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E: Error>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E: Error>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E: Error>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        Ok(())
    }
}

/// A name, borrowed where it is written without escapes.
struct Key<'de>(Cow<'de, str>);

impl<'de> serde::Deserialize<'de> for Key<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Text;
        impl<'de> Visitor<'de> for Text {
            type Value = Key<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a name")
            }

            fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<Key<'de>, E> {
                Ok(Key(Cow::Borrowed(text)))
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Key<'de>, E> {
                Ok(Key(Cow::Owned(text.to_owned())))
            }
        }
        deserializer.deserialize_str(Text)
    }
}

struct Scalar<'a> {
    name: &'a str,
    into: &'a mut Vec<u8>,
}

impl<'de> DeserializeSeed<'de> for Scalar<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl Scalar<'_> {
    fn put<E: Error>(self, value: impl fmt::Display) -> Result<(), E> {
        write!(self.into, "{value}").map_err(E::custom)
    }

    fn compound<E: Error>(&self) -> E {
        E::custom(format!("‘{}’ is a list or an object, not a value", self.name))
    }
}

impl<'de> Visitor<'de> for Scalar<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<(), E> {
        self.into.extend_from_slice(text.as_bytes());
        Ok(())
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<(), E> {
        self.put(number)
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<(), E> {
        self.put(number)
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<(), E> {
        if number.abs() >= EXACT {
            return Err(E::custom(format!("‘{}’ is a number too large to be exact; write it as text", self.name)));
        }
        self.put(number)
    }

    fn visit_bool<E: Error>(self, truth: bool) -> Result<(), E> {
        self.put(truth)
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, _: A) -> Result<(), A::Error> {
        Err(self.compound())
    }

    fn visit_map<A: MapAccess<'de>>(self, _: A) -> Result<(), A::Error> {
        Err(self.compound())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pick(line: &str) -> Result<Vec<String>, String> {
        let names = ["ts", "id", "", "labels.region"].map(str::to_owned);
        let mut picked = Picked::default();
        picked.pick(line.as_bytes(), &names)?;
        Ok((0..names.len()).map(|at| String::from_utf8_lossy(picked.get(at)).into_owned()).collect())
    }

    #[test]
    fn values_are_picked_by_name_and_into_objects_within() {
        for (line, expected) in [
            (r#"{"ts":"t","id":7,"x":[1,{"id":9}],"labels":{"zone":1,"region":"eu"}}"#, ["t", "7", "", "eu"]),
            (r#"{"labels.region":"eu","id":1.5,"ts":null,"":1}"#, ["", "1.5", "", "eu"]),
            (r#" {"i\u0064":true,"labels":"none"} "#, ["", "true", "", ""]),
            (r#"{"labels":[1,2],"id":-3}"#, ["", "-3", "", ""]),
            ("{}", ["", "", "", ""]),
        ] {
            assert_eq!(pick(line).as_deref(), Ok(&expected.map(str::to_owned)[..]), "{line}");
        }
    }

    #[test]
    fn what_is_no_such_object_is_refused_with_its_reason() {
        for (line, expected) in [
            ("[1]", "not a JSON object (invalid type: sequence, expected a JSON object, column 0)"),
            ("{\"id\":1", "not a JSON object (EOF while parsing an object, column 7)"),
            ("{\"id\":1} x", "not a JSON object (trailing characters, column 10)"),
            ("{\"id\":[1]}", "‘id’ is a list or an object"),
            ("{\"id\":1,\"id\":2}", "‘id’ stands in it twice"),
            ("{\"id\":123456789012345678901234567890}", "too large to be exact"),
            ("{'id':1}", "not a JSON object (key must be a string, column 2)"),
        ] {
            let reason = pick(line).expect_err(line);
            assert!(reason.contains(expected), "{line}: {reason}");
        }
    }

    #[test]
    fn names_within_are_told_with_dots() {
        let flat = flattened(br#"{"b":{"c":1,"a":"x"},"a":null}"#).expect("an object");
        let names: Vec<&str> = flat.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["a", "b.a", "b.c"]);
        assert_eq!(flattened(b"[]"), None);
    }
}
