//! The pages, a folder for each area. A page uses no other page.

pub mod actions;
pub mod incident;
pub mod incidents;
pub mod missing;
pub mod settings;
pub mod sign_in;

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use domain::wire::problem::ProblemKind;
use leptos::prelude::*;

use crate::client::{Answer, Call, Failure};
use crate::components::{Outcome, Refusal, Sending};

const STALE: &str = "Somebody else changed this meanwhile; what only they changed is taken over. Look at it, then press \
                     again.";

/// Sends what a dialog asked for; `again` then reads anew what the page shows.
fn deliver<T: Answer + 'static>(
    call: Call<T>,
    again: Callback<()>,
    then: impl FnOnce(T) -> Outcome + 'static,
) -> Sending {
    delivered(call.untyped(), again, None, Box::new(move |text| T::parsed(text).map(then)))
}

/// The thing that an edit is made on: its version, and how it is read where somebody else was faster.
struct Edited<T> {
    /// The version that the form was opened on, or last met.
    version: Arc<AtomicI64>,
    /// Reads the thing as it now is.
    read: Call<T>,
    /// The version it then has, and what then stands in the form's fields.
    fields: fn(&T) -> (i64, Vec<String>),
}

/// The same for an edit: a stale one meets the thing as it now is, for when it is sent again.
fn deliver_edit<T: Answer + 'static, U: Answer + 'static>(
    call: Call<U>,
    again: Callback<()>,
    edited: Edited<T>,
    then: impl FnOnce(U) -> Outcome + 'static,
) -> Sending {
    let Edited { version, read, fields } = edited;
    let newer: Newer = Box::new(move |text| {
        let (current, values) = T::parsed(text).map(|thing| fields(&thing))?;
        version.store(current, Ordering::Relaxed);
        Some(values)
    });
    delivered(call.untyped(), again, Some((read.untyped(), newer)), Box::new(move |text| U::parsed(text).map(then)))
}

/// Makes the outcome of the text of an answer.
type Reader = Box<dyn FnOnce(&str) -> Option<Outcome>>;

/// Makes the fields' values of the text of the thing as it now is.
type Newer = Box<dyn FnOnce(&str) -> Option<Vec<String>>>;

fn delivered(call: Call<()>, again: Callback<()>, newer: Option<(Call<()>, Newer)>, then: Reader) -> Sending {
    Box::pin(async move {
        let answer = call.text().await;
        again.run(());
        let failure = match answer {
            Ok(text) => match then(&text) {
                Some(outcome) => return Ok(outcome),
                None => Failure::Unreadable(None),
            },
            Err(failure) => failure,
        };
        if let (true, Some((read, newer))) = (failure.is(ProblemKind::Stale), newer)
            && let Some(now) = read.text().await.ok().and_then(|text| newer(&text))
        {
            return Err(Refusal { message: STALE.to_owned(), errors: Vec::new(), now: Some(now) });
        }
        Err(failure.refusal())
    })
}
