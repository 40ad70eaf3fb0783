//! The attempts of an incident as a table of columns: what claims and the cohort are computed from.

use std::collections::HashMap;
use std::collections::hash_map::{Entry, RandomState};
use std::hash::BuildHasher;
use std::io::Read;

use domain::IncidentId;

use super::super::ImportError;
use super::join::{Attempts, Joined};
use super::rows::{self, Row};
use crate::store::{ImportKind, Objects, Store};

/// Stands in a column of numbers where a row has no value.
const NONE: u32 = u32::MAX;

/// Texts, each once, told by number: customers' ids, or the values of a label.
///
/// Like attempt ids, they are told apart by 128-bit hashes under random keys, so that their bytes are kept only once.
#[derive(Debug, Default)]
pub struct Names {
    keys: [RandomState; 2],
    known: HashMap<u128, u32>,
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl Names {
    /// The number of a text, which is given one if it has none; none where there are too many to number.
    fn number(&mut self, text: &[u8]) -> Option<u32> {
        let hash = self.hash(text);
        let next = u32::try_from(self.ends.len()).ok().filter(|&next| next < NONE);
        match self.known.entry(hash) {
            Entry::Occupied(known) => Some(*known.get()),
            Entry::Vacant(free) => {
                free.insert(next?);
                self.bytes.extend_from_slice(text);
                self.ends.push(self.bytes.len());
                next
            }
        }
    }

    fn hash(&self, text: &[u8]) -> u128 {
        let [first, second] = &self.keys;
        u128::from(first.hash_one(text)) << 64 | u128::from(second.hash_one(text))
    }

    /// The number of a text, if it is among them.
    pub fn find(&self, text: &str) -> Option<u32> {
        self.known.get(&self.hash(text.as_bytes())).copied()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The text of a number; bytes that are no UTF-8 stand in it as `\xFF`.
    pub fn get(&self, number: u32) -> Option<String> {
        let at = usize::try_from(number).ok()?;
        let begin = if at == 0 { 0 } else { *self.ends.get(at - 1)? };
        let bytes = &self.bytes[begin..*self.ends.get(at)?];
        // A replacement character would make two texts one.
        Some(bytes.utf8_chunks().fold(String::with_capacity(bytes.len()), |mut text, chunk| {
            text.push_str(chunk.valid());
            text.extend(chunk.invalid().iter().flat_map(|byte| format!("\\x{byte:02X}").into_bytes()).map(char::from));
            text
        }))
    }
}

/// A label of attempts: a column of words ("region") beside those that every file has.
#[derive(Debug, Default)]
pub struct Label {
    /// The column's name.
    pub name: String,
    /// The words that stand in it.
    pub words: Names,
    /// For each attempt the number of its word, [`u32::MAX`] where it has none.
    pub of: Vec<u32>,
}

/// The attempts of all of an incident's event files, each once: the first is kept. Columns of equal length, in the order
/// of the files.
#[derive(Debug, Default)]
pub struct AttemptTable {
    /// When, in milliseconds since 1970.
    pub at: Vec<i64>,
    /// Who tried, as a number of `customers`.
    pub customer: Vec<u32>,
    /// Whether the attempt failed; it completed otherwise.
    pub failed: Vec<bool>,
    /// How long it took in milliseconds; not a number where that is not said.
    pub latency_ms: Vec<f32>,
    /// Labels that files have.
    pub labels: Vec<Label>,
    /// The customers' ids.
    pub customers: Names,
}

impl AttemptTable {
    /// How many attempts there are.
    pub fn len(&self) -> usize {
        self.at.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.at.is_empty()
    }

    /// Adds the attempts of a file that are not known yet.
    fn read(&mut self, source: impl Read, known: &mut Attempts) -> Result<(), ImportError> {
        let mut full = false;
        rows::read(source, |_, row| {
            if let Ok(row) = row
                && known.join(&row) == Joined::New
            {
                full |= self.push(&row).is_none();
            }
        })?;
        if full {
            return Err(ImportError::Refused("the files name more customers than can be told apart".to_owned()));
        }
        Ok(())
    }

    fn push(&mut self, row: &Row<'_>) -> Option<()> {
        let customer = self.customers.number(row.customer_id)?;
        let latency = std::str::from_utf8(row.latency).ok().and_then(|text| text.parse().ok());
        self.at.push(row.at);
        self.customer.push(customer);
        self.failed.push(row.failed);
        self.latency_ms.push(latency.unwrap_or(f32::NAN));
        Some(())
    }
}

/// The attempts of all of an incident's event files, read anew from the files as they came.
pub async fn attempts(store: &Store, objects: &Objects, incident: &IncidentId) -> Result<AttemptTable, ImportError> {
    let (mut table, mut known) = (AttemptTable::default(), Attempts::default());
    for import in store.list_imports(incident, ImportKind::Events).await? {
        let source = objects.read(&import.object_key).await?;
        let work = tokio::task::spawn_blocking(move || {
            let read = table.read(source, &mut known);
            read.map(|()| (table, known))
        });
        (table, known) = work.await??;
    }
    Ok(table)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_attempt_is_a_row_of_every_column_and_stands_there_once() {
        let (mut table, mut known) = (AttemptTable::default(), Attempts::default());
        let files = [
            "ts,attempt_id,customer_id,outcome,latency_ms\n\
             1970-01-01T00:00:02Z,a,x,failed,614.5\n\
             1970-01-01T00:00:01Z,b,y,completed,\n\
             1970-01-01T00:00:02Z,a,x,failed,614.5\n",
            "ts,attempt_id,customer_id,outcome\n1970-01-01T00:00:03Z,c,x,completed\n1970-01-01T00:00:09Z,b,z,failed\n",
        ];
        for file in files {
            table.read(file.as_bytes(), &mut known).expect("readable");
        }
        assert_eq!(table.at, [2000, 1000, 3000]);
        assert_eq!(table.customer, [0, 1, 0]);
        assert_eq!(table.failed, [true, false, false]);
        let latencies: Vec<Option<f32>> = table.latency_ms.iter().map(|ms| (!ms.is_nan()).then_some(*ms)).collect();
        assert_eq!(latencies, [Some(614.5), None, None]);
        assert_eq!([0, 1, 2].map(|number| table.customers.get(number)), [Some("x".into()), Some("y".into()), None]);
        assert_eq!((table.len(), table.customers.len()), (3, 2));
    }

    #[test]
    fn the_example_has_each_of_its_attempts_once() {
        let example = include_bytes!("../../../../tests/data/checkout-events.csv");
        let (mut table, mut known) = (AttemptTable::default(), Attempts::default());
        for _ in 0..2 {
            table.read(&example[..], &mut known).expect("readable");
        }
        assert_eq!(table.len(), 20_554);
        assert_eq!([table.customer.len(), table.failed.len(), table.latency_ms.len()], [20_554; 3]);
    }
}
