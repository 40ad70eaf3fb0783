//! Views without their types.

/// Markup as leptos' macro of this name has it, as a view of the one type that stands for all.
///
/// Each type of view brings its own copies of what builds, changes and removes it; the hundreds that markup makes would
/// be a tenth of the pages' weight.
macro_rules! view {
    ($($markup:tt)*) => { ::leptos::prelude::IntoAny::into_any(::leptos::view! { $($markup)* }.into_inner()) };
}
pub(crate) use view;
