//! What is fetched: loading, failed and there, drawn once for every page.

use std::sync::Arc;

use leptos::prelude::*;

use crate::view::view;

/// How far a fetch has come.
#[derive(Debug)]
pub enum Fetched<T> {
    /// Under way.
    Loading,
    /// It failed, with a sentence that says why.
    Failed(String),
    /// It is there.
    There(Arc<T>),
}

impl<T> Clone for Fetched<T> {
    fn clone(&self) -> Self {
        match self {
            Self::Loading => Self::Loading,
            Self::Failed(reason) => Self::Failed(reason.clone()),
            Self::There(value) => Self::There(value.clone()),
        }
    }
}

impl<T> Fetched<T> {
    /// The value, if it is there.
    pub fn value(&self) -> Option<Arc<T>> {
        match self {
            Self::There(value) => Some(value.clone()),
            Self::Loading | Self::Failed(_) => None,
        }
    }
}

/// Draws the states of a fetch; the content itself is drawn once it is there, and stays while it is refreshed.
#[component]
pub fn Loaded<T, V>(
    /// What is fetched.
    fetched: RwSignal<Fetched<T>>,
    /// Tries again.
    retry: impl Fn() + Clone + Send + Sync + 'static,
    /// What is being fetched, for the sentences ("incident").
    what: &'static str,
    /// Draws the content.
    content: impl Fn() -> V + Send + Sync + 'static,
) -> impl IntoView
where
    T: Send + Sync + 'static,
    V: IntoView + 'static,
{
    let state = Memo::new(move |_| match &*fetched.read() {
        Fetched::Loading => Ok(false),
        Fetched::There(_) => Ok(true),
        Fetched::Failed(reason) => Err(reason.clone()),
    });
    move || match state.get() {
        Ok(true) => content().into_any(),
        Ok(false) => view! {
            <div class="skeleton" aria-busy="true" role="status">
                <p>{format!("Loading the {what}…")}</p>
                <i></i><i></i><i></i>
            </div>
        }
        .into_any(),
        Err(reason) => {
            let retry = retry.clone();
            view! {
                <div class="failed" role="alert">
                    <h1>{format!("The {what} cannot be shown")}</h1>
                    <p>{reason}</p>
                    <button class="ghost" on:click=move |_| retry()>"Try again"</button>
                </div>
            }
            .into_any()
        }
    }
}
