//! The attempts of an incident as a table of columns: what claims and the cohort are computed from.

use std::hash::BuildHasher;

use domain::IncidentId;
use hashbrown::{DefaultHashBuilder, HashTable};

use super::super::ImportError;
use super::join::join;
use super::spill::{Entry, Spilled, Spool};
use crate::store::{Objects, Store};

/// Stands in a column of numbers where a row has no value.
const NONE: u32 = u32::MAX;

/// Texts, each once, told by number: customers' ids, or the values of a label.
#[derive(Debug, Default)]
pub struct Names {
    hasher: DefaultHashBuilder,
    known: HashTable<Name>,
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

/// A text's number, and where its bytes lie: so that finding it looks at one place less.
#[derive(Debug, Clone, Copy)]
struct Name {
    number: u32,
    length: u32,
    begin: usize,
}

impl Name {
    fn of(self, bytes: &[u8]) -> &[u8] {
        &bytes[self.begin..self.begin + self.length as usize]
    }
}

/// The bytes of a text by its number.
fn text<'a>(bytes: &'a [u8], ends: &[usize], number: u32) -> Option<&'a [u8]> {
    let at = usize::try_from(number).ok()?;
    let begin = if at == 0 { 0 } else { *ends.get(at - 1)? };
    bytes.get(begin..*ends.get(at)?)
}

impl Names {
    /// The number of a text, which is given one if it has none; none where there are too many to number.
    fn number(&mut self, name: &[u8]) -> Option<u32> {
        let Self { hasher, known, bytes, ends } = self;
        let hash = hasher.hash_one(name);
        if let Some(found) = known.find(hash, |other| other.of(bytes) == name) {
            return Some(found.number);
        }
        let number = u32::try_from(ends.len()).ok().filter(|&next| next < NONE)?;
        let new = Name { number, length: u32::try_from(name.len()).ok()?, begin: bytes.len() };
        bytes.extend_from_slice(name);
        ends.push(bytes.len());
        known.insert_unique(hash, new, |other| hasher.hash_one(other.of(bytes)));
        Some(number)
    }

    /// The number of a text, if it is among them.
    pub fn find(&self, text: &str) -> Option<u32> {
        let name = text.as_bytes();
        let found = self.known.find(self.hasher.hash_one(name), |other| other.of(&self.bytes) == name);
        found.map(|found| found.number)
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
        let bytes = text(&self.bytes, &self.ends, number)?;
        // A replacement character would make two texts one.
        Some(bytes.utf8_chunks().fold(String::with_capacity(bytes.len()), |mut text, chunk| {
            text.push_str(chunk.valid());
            text.extend(chunk.invalid().iter().flat_map(|byte| format!("\\x{byte:02X}").into_bytes()).map(char::from));
            text
        }))
    }

    /// Takes all names of another list in; for each of its numbers, the number here.
    fn take(&mut self, other: &Self) -> Option<Vec<u32>> {
        (0..NONE).map_while(|number| text(&other.bytes, &other.ends, number)).map(|name| self.number(name)).collect()
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

/// The attempts of all of an incident's event files, each once: the first is kept. Columns of equal length; the rows have
/// no particular order.
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

    /// Adds a row; `labels` are the places of the labels that its file has. None where there are too many names.
    fn push(&mut self, entry: &Entry<'_>, labels: &[usize]) -> Option<()> {
        let customer = self.customers.number(entry.row.customer_id)?;
        self.at.push(entry.row.at);
        self.customer.push(customer);
        self.failed.push(entry.row.failed);
        self.latency_ms.push(entry.row.latency);
        for label in &mut self.labels {
            label.of.push(NONE);
        }
        for (word, &place) in entry.labels().zip(labels).filter(|(word, _)| !word.is_empty()) {
            let label = &mut self.labels[place];
            let number = label.words.number(word)?;
            if let Some(of) = label.of.last_mut() {
                *of = number;
            }
        }
        Some(())
    }

    /// Takes all rows of a table with the same labels in.
    fn take(&mut self, mut other: Self) -> Option<()> {
        let renamed = self.customers.take(&other.customers)?;
        self.customer.extend(other.customer.iter().map(|&number| renamed[number as usize]));
        self.at.append(&mut other.at);
        self.failed.append(&mut other.failed);
        self.latency_ms.append(&mut other.latency_ms);
        for (label, other) in self.labels.iter_mut().zip(other.labels) {
            let renamed = label.words.take(&other.words)?;
            label.of.extend(other.of.iter().map(|&number| renamed.get(number as usize).copied().unwrap_or(NONE)));
        }
        Some(())
    }

    /// Joins files whose labels have these names.
    pub(super) fn of(files: &[Spilled], labels: &[Vec<String>]) -> Result<Self, ImportError> {
        let mut names: Vec<&String> = Vec::new();
        for name in labels.iter().flatten() {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        let place = |name: &String| names.iter().position(|known| *known == name);
        let places: Vec<Vec<usize>> = labels.iter().map(|file| file.iter().filter_map(place).collect()).collect();
        let new_table = || {
            let labels = names.iter().map(|name| Label { name: (*name).clone(), ..Label::default() }).collect();
            (Self { labels, ..Self::default() }, Some(()))
        };
        let (_, tables) = join(files, new_table, |(table, fits), file, entry| {
            let labels = places.get(file).map_or(&[][..], Vec::as_slice);
            *fits = fits.and_then(|()| table.push(entry, labels));
        })?;
        let too_many = || ImportError::Refused("the files name more customers than can be told apart".to_owned());
        let mut all = new_table().0;
        for (table, fits) in tables {
            fits.ok_or_else(too_many)?;
            if all.is_empty() {
                all = table;
            } else {
                all.take(table).ok_or_else(too_many)?;
            }
        }
        Ok(all)
    }
}

/// The attempts of all of an incident's event files, read anew from the files as they came.
pub async fn attempts(store: &Store, objects: &Objects, incident: &IncidentId) -> Result<AttemptTable, ImportError> {
    let spool = Spool::new(objects.scratch());
    let (mut files, mut labels) = (Vec::new(), Vec::new());
    for import in super::earlier(store, incident).await? {
        let scanned = super::scan_again(objects, &import, &spool).await?;
        files.push(scanned.rows);
        labels.push(scanned.mapping.labels);
    }
    tokio::task::spawn_blocking(move || AttemptTable::of(&files, &labels)).await?
}

#[cfg(test)]
mod tests {
    use domain::mapping::Mapping;

    use super::super::scan::{Pieces, scan};
    use super::*;

    fn table(files: &[(&str, &[&str])]) -> AttemptTable {
        let folder = tempfile::tempdir().expect("a folder");
        let spool = Spool::new(folder.path());
        let scanned = files.iter().map(|(text, labels)| {
            let asked = Mapping { labels: labels.iter().map(|&l| l.to_owned()).collect(), ..Mapping::default() };
            let pieces = Pieces::new(text.as_bytes()).expect("readable");
            scan(pieces, &asked, &spool, |_| {}).expect("readable")
        });
        let (files, labels): (Vec<_>, Vec<_>) = scanned.map(|scanned| (scanned.rows, scanned.mapping.labels)).unzip();
        AttemptTable::of(&files, &labels).expect("joined")
    }

    #[test]
    fn an_attempt_is_a_row_of_every_column_and_stands_there_once() {
        let table = table(&[
            (
                "ts,attempt_id,customer_id,outcome,latency_ms,region\n\
                 1970-01-01T00:00:02Z,a,x,failed,614.5,eu\n\
                 1970-01-01T00:00:01Z,b,y,completed,,\n\
                 1970-01-01T00:00:02Z,a,x,failed,614.5,eu\n",
                &["region"],
            ),
            (
                "ts,attempt_id,customer_id,outcome,app,region\n1970-01-01T00:00:03Z,c,x,completed,web,us\n1970-01-01T00:00:09Z,b,z,failed,web,us\n",
                &["app", "region"],
            ),
        ]);
        let word = |label: &Label, row: usize| label.words.get(label.of[row]).unwrap_or_default();
        let mut rows: Vec<_> = (0..table.len())
            .map(|row| {
                let customer = table.customers.get(table.customer[row]).expect("a customer");
                let latency = Some(table.latency_ms[row]).filter(|ms| !ms.is_nan());
                let labels = table.labels.iter().map(|label| word(label, row)).collect::<Vec<_>>().join(" ");
                (table.at[row], customer, table.failed[row], latency, labels)
            })
            .collect();
        rows.sort_by_key(|row| row.0);
        let expected =
            [(1000, "y", false, None, " "), (2000, "x", true, Some(614.5), "eu "), (3000, "x", false, None, "us web")];
        assert_eq!(rows, expected.map(|(at, who, failed, ms, l)| (at, who.to_owned(), failed, ms, l.to_owned())));
        assert_eq!(table.labels.iter().map(|label| label.name.as_str()).collect::<Vec<_>>(), ["region", "app"]);
        assert_eq!(table.customers.len(), 2);
    }

    #[test]
    fn the_example_has_each_of_its_attempts_once() {
        let example = include_str!("../../../../tests/data/checkout-events.csv");
        let table = table(&[(example, &[]), (example, &[])]);
        assert_eq!(table.len(), 20_554);
        assert_eq!([table.customer.len(), table.failed.len(), table.latency_ms.len()], [20_554; 3]);
    }
}
