//! The pages, a folder for each area. A page uses no other page.

pub mod actions;
pub mod incident;
pub mod incidents;
pub mod missing;
pub mod settings;
pub mod sign_in;

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use leptos::prelude::*;

use crate::client::{Answer, Call, Failure};
use crate::components::{Outcome, Refusal, Sending};

const STALE: &str = "Somebody else changed this meanwhile; behind this form it stands as it is now. Save again to set what \
                     you changed here.";

/// Sends what a dialog asked for; `again` then reads anew what the page shows.
fn deliver<T: Answer + 'static>(
    call: Call<T>,
    again: Callback<()>,
    then: impl FnOnce(T) -> Outcome + 'static,
) -> Sending {
    delivered(call.untyped(), again, None, Box::new(move |text| T::parsed(text).map(then)))
}

/// The same for an edit: a stale one takes the version that is current, for when it is sent again.
fn deliver_edit<T: Answer + 'static>(
    call: Call<T>,
    again: Callback<()>,
    version: Arc<AtomicI64>,
    then: impl FnOnce(T) -> Outcome + 'static,
) -> Sending {
    delivered(call.untyped(), again, Some(version), Box::new(move |text| T::parsed(text).map(then)))
}

/// Makes the outcome of the text of an answer.
type Reader = Box<dyn FnOnce(&str) -> Option<Outcome>>;

fn delivered(call: Call<()>, again: Callback<()>, version: Option<Arc<AtomicI64>>, then: Reader) -> Sending {
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
        if let (Failure::Refused(problem), Some(version)) = (&failure, version)
            && let Some(current) = problem.current_version
        {
            version.store(current, Ordering::Relaxed);
            return Err(Refusal { message: STALE.to_owned(), errors: Vec::new() });
        }
        Err(failure.refusal())
    })
}
