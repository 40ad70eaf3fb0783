//! Signing in: with a link, a password, or the identity provider.

use domain::wire::access::{Me, SignInByLink, SignInProblem};
use domain::wire::paths;
use domain::wire::problem::ProblemKind;
use leptos::ev::{self, SubmitEvent};
use leptos::prelude::*;
use leptos::task::spawn_local;
use wasm_bindgen::JsValue;

use crate::client::{self, Failure};
use crate::route;
use crate::state::address::{self, Address};
use crate::state::place::Title;
use crate::state::session::Session;
use crate::view::view;

const USED: &str = "This link was used before or has expired. Ask an administrator for another; whoever runs the server \
                    makes one with: debrief user link";

/// Opens the link in the address at once; otherwise asks for address and password.
#[component]
pub fn SignInPage() -> impl IntoView {
    Title::get().set("Sign in");
    let session = Session::get();
    let (here, to) = (Address::get(), address::query(route::TO));
    let (email, password) = (RwSignal::new(String::new()), RwSignal::new(String::new()));
    let problem = address::query(route::PROBLEM).get_untracked().and_then(|word| word.parse::<SignInProblem>().ok());
    let failure = RwSignal::new(problem.map(|problem| problem.label().to_owned()));
    let (busy, opening) = (RwSignal::new(false), RwSignal::new(false));
    // A link that is somebody else's than whoever is signed in, and whose it is.
    let anothers = RwSignal::new(None::<(String, String)>);
    let provider = RwSignal::new(None::<String>);
    let finish = move |answer: Result<Me, Failure>, refused: fn(&Failure) -> String| {
        busy.set(false);
        opening.set(false);
        match answer {
            Ok(me) => {
                let to = route::after_sign_in(to.get_untracked());
                session.begin(me);
                here.replace(&to);
            }
            Err(why) => failure.set(Some(refused(&why))),
        }
    };
    let use_link = move |link: SignInByLink| {
        busy.set(true);
        opening.set(true);
        failure.set(None);
        anothers.set(None);
        spawn_local(async move {
            match client::access::sign_in_by_link(&link).await {
                Err(Failure::Refused(problem)) if problem.kind == ProblemKind::Conflict => {
                    busy.set(false);
                    opening.set(false);
                    anothers.set(Some((link.link, client::sentence(&problem.detail))));
                }
                answer => finish(answer, |why| if why.is_signed_out() { USED.to_owned() } else { why.message() }),
            }
        });
    };
    let open = move || {
        let location = window().location();
        let link = location.hash().unwrap_or_default().trim_start_matches('#').to_owned();
        if link.is_empty() || busy.get_untracked() {
            return;
        }
        // The secret stays neither in the address nor in the history.
        if let Ok(history) = window().history() {
            let _ = history.replace_state_with_url(&JsValue::NULL, "", Some(&address::here()));
        }
        use_link(SignInByLink { link, instead: false });
    };
    open();
    let another_link = window_event_listener(ev::hashchange, move |_| open());
    on_cleanup(move || another_link.remove());
    spawn_local(async move {
        if let Ok(options) = client::access::sign_in_options().await {
            let _ = provider.try_set(options.oidc);
        }
    });
    let submit = move |event: SubmitEvent| {
        event.prevent_default();
        if busy.get_untracked() {
            return;
        }
        busy.set(true);
        failure.set(None);
        let (email, password) = (email.get_untracked(), password.get_untracked());
        spawn_local(async move {
            let answer = client::access::sign_in_by_password(email, password).await;
            finish(answer, |why| match why {
                Failure::Refused(problem) => client::sentence(&problem.detail),
                _ => why.message(),
            });
        });
    };
    let oidc = move || {
        let to = route::after_sign_in(to.get());
        provider.get().map(|name| {
            let start = format!("{}?{}={}", paths::oidc_start(), route::TO, paths::segment(&to));
            view! {
                <p><a class="primary wide" rel="external" href=start>{format!("Sign in with {name}")}</a></p>
                <p class="or">"or"</p>
            }
        })
    };
    view! {
        <section class="sign-in">
            <h1>"Sign in"</h1>
            {move || opening.get().then(|| view! { <p role="status">"Opening your link…"</p> })}
            <div class="error-box" role="alert" hidden=move || failure.read().is_none()>{failure}</div>
            {move || anothers.get().map(|(link, whose)| view! {
                <div class="stack" role="alert">
                    <p>{whose}</p>
                    <p>"Go on only if you expected this link. It stays unused otherwise."</p>
                    <p class="row">
                        <button class="primary" on:click=move |_| use_link(SignInByLink { link: link.clone(), instead: true })>
                            "Sign out, and sign in with the link"
                        </button>
                        <a class="ghost" href=route::INCIDENTS>"Stay signed in as you are"</a>
                    </p>
                </div>
            })}
            <div class="stack" hidden=move || opening.get() || anothers.read().is_some()>
                {oidc}
                <form on:submit=submit novalidate>
                    <Entry label="Address" kind="email" autocomplete="username" value=email/>
                    <Entry label="Password" kind="password" autocomplete="current-password" value=password/>
                    <button class="primary wide" aria-disabled=move || busy.get().then_some("true")>
                        {move || if busy.get() { "Signing in…" } else { "Sign in" }}
                    </button>
                </form>
                <p class="meta">
                    "No password yet, or forgotten? An administrator can make you a link that signs you in. \
                     Whoever runs the server makes one with "<code>"debrief user link"</code>"."
                </p>
            </div>
        </section>
    }
}

#[component]
fn Entry(
    label: &'static str,
    kind: &'static str,
    autocomplete: &'static str,
    value: RwSignal<String>,
) -> impl IntoView {
    view! {
        <label>
            {label}
            <input
                type=kind
                name=autocomplete
                autocomplete=autocomplete
                autocapitalize="none"
                spellcheck="false"
                prop:value=value
                on:input=move |event| value.set(event_target_value(&event))
            />
        </label>
    }
}
