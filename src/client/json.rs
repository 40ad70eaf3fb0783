//! JSON between the domain's types and the browser's own reader and writer of JSON.
//!
//! The reader keeps no reasons: a person is told that an answer cannot be read, and never in which field. Libraries
//! that keep them (`serde_json`, `serde_wasm_bindgen`) bring the writing of all those reasons for every type, which
//! is a tenth of the pages' weight.

use std::fmt::Display;

use js_sys::{Array, JSON, Object, Reflect};
use serde::Serialize;
use serde::de::{self, DeserializeOwned, DeserializeSeed, IntoDeserializer, Visitor};
use wasm_bindgen::{JsCast, JsValue};

/// Writes a value as JSON. The chart's option takes the same road, so that one writer does for both.
pub fn written<T: Serialize>(value: &T) -> Option<String> {
    let value = value.serialize(&serde_wasm_bindgen::Serializer::json_compatible()).ok()?;
    JSON::stringify(&value).ok()?.as_string()
}

/// Reads a value from JSON; none where the text is no JSON or does not hold such a value.
pub fn parsed<T: DeserializeOwned>(text: &str) -> Option<T> {
    T::deserialize(Read(JSON::parse(text).ok()?)).ok()
}

/// What was read is not what was expected.
#[derive(Debug)]
struct Unreadable;

impl Display for Unreadable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("this JSON does not hold what was expected")
    }
}

impl std::error::Error for Unreadable {}

impl de::Error for Unreadable {
    fn custom<T: Display>(_: T) -> Self {
        Self
    }
}

/// A value that the browser read: null, a boolean, a number, a text, an array or an object.
#[derive(Clone)]
struct Read(JsValue);

impl Read {
    /// A whole number, as far as the browser keeps them exactly.
    fn integer(&self) -> Result<i64, Unreadable> {
        let whole = self.0.as_f64().filter(|_| js_sys::Number::is_safe_integer(&self.0));
        #[expect(clippy::cast_possible_truncation, reason = "it is whole and below 2^53")]
        whole.map(|number| number as i64).ok_or(Unreadable)
    }

    fn text(&self) -> Result<String, Unreadable> {
        self.0.as_string().ok_or(Unreadable)
    }

    fn items(&self) -> Result<Items, Unreadable> {
        let array = self.0.dyn_ref::<Array>().ok_or(Unreadable)?;
        Ok(Items { array: array.clone(), next: 0 })
    }

    fn entries(self) -> Result<Entries, Unreadable> {
        let keys = Object::keys(self.0.dyn_ref::<Object>().ok_or(Unreadable)?).unchecked_into();
        Ok(Entries { object: self.0, keys: Items { array: keys, next: 0 }, key: JsValue::NULL })
    }
}

/// The items of an array.
struct Items {
    array: Array,
    next: u32,
}

impl Items {
    fn next(&mut self) -> Option<JsValue> {
        let at = self.next;
        self.next += 1;
        (at < self.array.length()).then(|| self.array.get(at))
    }
}

impl<'de> de::SeqAccess<'de> for Items {
    type Error = Unreadable;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Unreadable> {
        self.next().map(|item| seed.deserialize(Read(item))).transpose()
    }
}

/// Every key and value of an object.
struct Entries {
    object: JsValue,
    keys: Items,
    key: JsValue,
}

impl<'de> de::MapAccess<'de> for Entries {
    type Error = Unreadable;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Unreadable> {
        let Some(key) = self.keys.next() else { return Ok(None) };
        self.key = key.clone();
        seed.deserialize(Read(key)).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Unreadable> {
        seed.deserialize(Read(Reflect::get(&self.object, &self.key).map_err(|_| Unreadable)?))
    }
}

impl<'de> de::EnumAccess<'de> for Entries {
    type Error = Unreadable;
    type Variant = Read;

    fn variant_seed<V: DeserializeSeed<'de>>(mut self, seed: V) -> Result<(V::Value, Read), Unreadable> {
        let name = de::MapAccess::next_key_seed(&mut self, seed)?.ok_or(Unreadable)?;
        Ok((name, Read(Reflect::get(&self.object, &self.key).map_err(|_| Unreadable)?)))
    }
}

impl<'de> de::VariantAccess<'de> for Read {
    type Error = Unreadable;

    fn unit_variant(self) -> Result<(), Unreadable> {
        Ok(())
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, Unreadable> {
        seed.deserialize(self)
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, Unreadable> {
        visitor.visit_seq(self.items()?)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        names: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Unreadable> {
        de::Deserializer::deserialize_struct(self, "", names, visitor)
    }
}

/// The fields of an object that a type has, each told by its place among them, so that no names are compared.
struct Fields {
    object: JsValue,
    names: &'static [&'static str],
    next: usize,
    value: JsValue,
}

impl Fields {
    /// Goes to the next field that is there, and answers its place.
    fn advance(&mut self) -> Option<u64> {
        while let Some(name) = self.names.get(self.next) {
            let place = self.next as u64;
            self.next += 1;
            self.value = Reflect::get(&self.object, &JsValue::from_str(name)).unwrap_or_default();
            if !self.value.is_undefined() {
                return Some(place);
            }
        }
        None
    }
}

impl<'de> de::MapAccess<'de> for Fields {
    type Error = Unreadable;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Unreadable> {
        self.advance().map(|place| seed.deserialize(place.into_deserializer())).transpose()
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Unreadable> {
        seed.deserialize(Read(self.value.clone()))
    }
}

/// Methods that hand one kind of value to the visitor.
macro_rules! deserialize {
    ($($($method:ident)+ => $visit:ident($read:ident);)+) => {$($(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Unreadable> {
            visitor.$visit(self.$read()?)
        }
    )+)+};
}

impl<'de> de::Deserializer<'de> for Read {
    type Error = Unreadable;

    deserialize! {
        deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64
        deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64 => visit_i64(integer);
        deserialize_char deserialize_str deserialize_string deserialize_identifier => visit_string(text);
        deserialize_seq => visit_seq(items);
        deserialize_map => visit_map(entries);
    }

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Unreadable> {
        if self.0.is_null() {
            visitor.visit_unit()
        } else if let Some(value) = self.0.as_bool() {
            visitor.visit_bool(value)
        } else if let Ok(value) = self.integer() {
            visitor.visit_i64(value)
        } else if let Some(value) = self.0.as_f64() {
            visitor.visit_f64(value)
        } else if let Ok(value) = self.text() {
            visitor.visit_string(value)
        } else if let Ok(items) = self.items() {
            visitor.visit_seq(items)
        } else {
            visitor.visit_map(self.entries()?)
        }
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Unreadable> {
        visitor.visit_bool(self.0.as_bool().ok_or(Unreadable)?)
    }

    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Unreadable> {
        visitor.visit_f64(self.0.as_f64().ok_or(Unreadable)?)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Unreadable> {
        if self.0.is_null() { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, Unreadable> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        names: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Unreadable> {
        if !self.0.is_object() {
            return Err(Unreadable);
        }
        visitor.visit_map(Fields { object: self.0, names, next: 0, value: JsValue::NULL })
    }

    /// The domain's enumerations are words, or objects of one key that names what its value is.
    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Unreadable> {
        match self.text() {
            Ok(word) => visitor.visit_enum(word.into_deserializer()),
            Err(_) => visitor.visit_enum(self.entries()?),
        }
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Unreadable> {
        visitor.visit_unit()
    }

    serde::forward_to_deserialize_any! { f32 i128 u128 bytes byte_buf unit unit_struct tuple tuple_struct }
}
