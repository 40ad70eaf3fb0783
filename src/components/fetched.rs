//! What is fetched: loading, failed and there, drawn once for every page.

use std::sync::Arc;

use leptos::prelude::*;

use crate::state::live::Live;
use crate::state::place;
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
    /// Whether the page has a heading of its own above it.
    #[prop(optional)]
    below: bool,
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
    // Every answer counts, also one that says the same again.
    let answered = Signal::derive(move || matches!(&*fetched.read(), Fetched::There(_)));
    drawn(state, answered, Arc::new(retry), (what, below), Arc::new(move || content().into_any()))
}

type Act = Arc<dyn Fn() + Send + Sync>;

/// The same whatever is fetched: once in the program.
fn drawn(
    state: Memo<Result<bool, String>>,
    answered: Signal<bool>,
    retry: Act,
    (what, below): (&'static str, bool),
    content: Arc<dyn Fn() -> AnyView + Send + Sync>,
) -> AnyView {
    let trying = RwSignal::new(false);
    // What failed while the server was away heals when it is back.
    let (reached, heal) = (expect_context::<Live>().reached, retry.clone());
    Effect::new(move |before: Option<()>| {
        reached.track();
        if before.is_some() && !trying.get_untracked() && state.get_untracked().is_err() {
            heal();
        }
    });
    Effect::new(move || {
        let is_there = answered.get();
        if trying.get_untracked() {
            trying.set(false);
            // The button that had the focus went with the failure.
            if is_there {
                place::focus_content();
            }
        }
    });
    let draw = move || match state.get() {
        Ok(true) => content(),
        Ok(false) => view! {
            <div class="skeleton" aria-busy="true" role="status">
                <p>{format!("Loading the {what}…")}</p>
                <i></i><i></i><i></i>
            </div>
        },
        Err(reason) => {
            let retry = retry.clone();
            let try_again = move |_| {
                if !trying.get_untracked() {
                    trying.set(true);
                    retry();
                }
            };
            let heading = format!("The {what} cannot be shown");
            // What is said changes while it is tried, so that the same failure is told anew.
            view! {
                <div class="failed">
                    <div role="alert">
                        {if below { view! { <h2>{heading}</h2> } } else { view! { <h1>{heading}</h1> } }}
                        <p>{move || if trying.get() { "Trying again…".to_owned() } else { reason.clone() }}</p>
                    </div>
                    <button class="ghost" aria-disabled=move || trying.get().then_some("true") on:click=try_again>"Try again"</button>
                </div>
            }
        }
    };
    draw.into_any()
}
