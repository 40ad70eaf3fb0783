//! Light or dark: the system's, unless the reader chose.

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::Closure;

const KEPT_AS: &str = "debrief-theme";

/// What the reader chose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Theme {
    /// As the system has it.
    System,
    /// Always light.
    Light,
    /// Always dark.
    Dark,
}

impl Theme {
    /// Every choice.
    pub const ALL: [Self; 3] = [Self::System, Self::Light, Self::Dark];

    /// The spelling in the page and in the browser's storage.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }

    /// The spelling for people.
    pub const fn label(self) -> &'static str {
        match self {
            Self::System => "System",
            Self::Light => "Light",
            Self::Dark => "Dark",
        }
    }

    /// The choice of this spelling.
    pub fn parse(text: &str) -> Self {
        Self::ALL.into_iter().find(|theme| theme.as_str() == text).unwrap_or(Self::System)
    }
}

/// The theme, for the whole application.
#[derive(Clone, Copy)]
pub struct ThemeState {
    /// What the reader chose.
    pub chosen: RwSignal<Theme>,
    /// Whether the page is dark now.
    pub is_dark: Memo<bool>,
}

/// Sets the theme up: what was chosen before, and the system's wish as it changes.
pub fn provide() -> ThemeState {
    // A browser may refuse its storage; the system's theme does then.
    let storage = window().local_storage().ok().flatten();
    let kept = storage.as_ref().and_then(|storage| storage.get_item(KEPT_AS).ok().flatten());
    let chosen = RwSignal::new(Theme::parse(&kept.unwrap_or_default()));
    let system = RwSignal::new(false);
    if let Ok(Some(query)) = window().match_media("(prefers-color-scheme: dark)") {
        system.set(query.matches());
        let asked = query.clone();
        let changed = Closure::<dyn FnMut()>::new(move || system.set(asked.matches()));
        query.set_onchange(Some(changed.as_ref().unchecked_ref()));
        // It listens as long as the page lives.
        changed.forget();
    }
    Effect::new(move || {
        let theme = chosen.get();
        if let Some(root) = document().document_element() {
            let _ = match theme {
                Theme::System => root.remove_attribute("data-theme"),
                Theme::Light | Theme::Dark => root.set_attribute("data-theme", theme.as_str()),
            };
        }
        if let Some(storage) = &storage {
            let _ = storage.set_item(KEPT_AS, theme.as_str());
        }
    });
    let is_dark = Memo::new(move |_| match chosen.get() {
        Theme::System => system.get(),
        Theme::Light => false,
        Theme::Dark => true,
    });
    let state = ThemeState { chosen, is_dark };
    provide_context(state);
    state
}
