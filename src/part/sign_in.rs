//! Signing in.

use leptos::prelude::*;

use super::{Here, Part};
use crate::pages::sign_in::SignInPage;
use crate::view::view;

/// The part.
pub struct SignIn;

impl Part for SignIn {
    const NAME: &'static str = "sign_in";
}

/// The page.
#[inline(never)]
pub fn page(_: Here<SignIn>) -> AnyView {
    view! { <SignInPage/> }
}
