//! Fields of a JSON summary, each with its path for the message that refuses it.

use serde_json::{Map, Value};

use super::short;

/// A field, which may be absent.
#[derive(Debug, Clone)]
pub(super) struct Field<'a> {
    path: String,
    value: Option<&'a Value>,
}

impl<'a> Field<'a> {
    /// The document itself.
    pub fn root(value: &'a Value) -> Self {
        Self { path: String::new(), value: Some(value) }
    }

    /// A field of this one; absent where this is absent or no object.
    pub fn get(&self, key: &str) -> Self {
        let path = if self.path.is_empty() { short(key) } else { format!("{}.{}", self.path, short(key)) };
        Self { path, value: self.value.and_then(|value| value.get(key)) }
    }

    /// The element of a list whose `name` is this, or the field of an object with this key.
    pub fn named(&self, name: &str) -> Self {
        let Some(Value::Array(elements)) = self.value else {
            return self.get(name);
        };
        let found = elements.iter().enumerate().find(|(_, element)| element["name"] == name);
        let path = match found {
            Some((index, _)) => format!("{}[{index}]", self.path),
            None => format!("{}[name={name}]", self.path),
        };
        Self { path, value: found.map(|(_, element)| element) }
    }

    /// Where it stands, for people.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Whether the field is there and not null.
    pub fn is_there(&self) -> bool {
        self.value.is_some_and(|value| !value.is_null())
    }

    /// Its fields, in the file's order; none where it is absent or no object.
    pub fn entries(&self) -> impl Iterator<Item = (&'a String, Field<'a>)> {
        let map: Option<&'a Map<String, Value>> = self.value.and_then(Value::as_object);
        let path = self.path.clone();
        map.into_iter()
            .flatten()
            .map(move |(key, value)| (key, Field { path: format!("{path}.{}", short(key)), value: Some(value) }))
    }

    /// Its text, if it is one.
    pub fn text(&self) -> Option<&'a str> {
        self.value.and_then(Value::as_str)
    }

    /// Its yes or no, if it is one.
    pub fn truth(&self) -> Option<bool> {
        self.value.and_then(Value::as_bool)
    }

    /// Its number; none where it is absent or null, which is how tools write what they have not measured.
    pub fn number(&self) -> Result<Option<f64>, String> {
        match self.value {
            None | Some(Value::Null) => Ok(None),
            Some(value) => match value.as_f64() {
                Some(number) if number >= 0.0 => Ok(Some(number)),
                Some(number) => Err(format!("{}: {number} is below zero; export the summary again", self.path)),
                None => Err(format!(
                    "{}: {} is not a number; export the summary again",
                    self.path,
                    short(&value.to_string())
                )),
            },
        }
    }

    /// Its number, which must be whole.
    pub fn count(&self) -> Result<Option<u64>, String> {
        match self.number()? {
            None => Ok(None),
            // Up to 2^53 every whole number is exact.
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "guarded: whole, not negative, and within 2^53"
            )]
            Some(number) if number.fract() == 0.0 && number <= 9_007_199_254_740_992.0 => Ok(Some(number as u64)),
            Some(number) => Err(format!("{}: {number} is no count; export the summary again", self.path)),
        }
    }
}
