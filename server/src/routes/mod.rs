//! The route table. One thin file a resource; no SQL here, and no rule that the domain could hold.

pub mod actions;
pub mod answer;
pub mod changes;
pub mod claims;
pub mod cohort;
pub mod error;
pub mod evidence;
pub mod extract;
pub mod files;
mod headers;
mod health;
pub mod history;
pub mod imports;
pub mod incidents;
pub mod lists;
pub mod oidc;
mod once;
mod refusals;
pub mod session;
pub mod shares;
pub mod signals;
pub mod teams;
pub mod tokens;
pub mod tracker;
pub mod users;
pub mod values;
pub mod verifications;
mod who;

use axum::Router;
use axum::middleware;
use domain::wire::paths::API;
use tower_http::compression::predicate::{NotForContentType, SizeAbove};
use tower_http::compression::{CompressionLayer, CompressionLevel, Predicate};
use tower_http::csrf::CsrfLayer;
use tower_http::limit::RequestBodyLimitLayer;
use tower_http::timeout::RequestBodyTimeoutLayer;
use tower_http::trace::TraceLayer;
use utoipa::OpenApi;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::app::App;
use crate::web;

/// The most bytes a JSON body may have.
pub const BODY_LIMIT: usize = 256 * 1024;

/// The most bytes a load test's file may have: some tools put their whole script into it.
pub const LOAD_TEST_LIMIT: usize = 8 * 1024 * 1024;

#[derive(OpenApi)]
#[openapi(
    info(
        title = "Debrief",
        description = "Incidents with their impact, timeline, telemetry and action items. \
            Errors are RFC 9457 problem details. Edits name the version they were made on in `If-Match`."
    ),
    components(schemas(domain::wire::changes::Change, domain::filter::ActionSort, domain::filter::Direction)),
    modifiers(&SignsIn),
    security(("token" = []), ("session" = [])),
    tags(
        (name = "incidents", description = "What happened, and how sure we are of it"),
        (name = "actions", description = "What changes, who owns it, and how it is proved"),
        (name = "access", description = "Who is who, and who may see what"),
        (name = "changes", description = "What changes, as it happens"),
        (name = "machine", description = "For whoever runs the server")
    )
)]
struct Document;

/// How a program and a browser show who they are.
struct SignsIn;

impl utoipa::Modify for SignsIn {
    fn modify(&self, document: &mut utoipa::openapi::OpenApi) {
        use utoipa::openapi::security::{ApiKey, ApiKeyValue, HttpAuthScheme, HttpBuilder, SecurityScheme};
        let components = document.components.get_or_insert_default();
        let token = HttpBuilder::new().scheme(HttpAuthScheme::Bearer).build();
        components.add_security_scheme("token", SecurityScheme::Http(token));
        let session = ApiKey::Cookie(ApiKeyValue::new(who::COOKIE));
        components.add_security_scheme("session", SecurityScheme::ApiKey(session));
    }
}

/// The routes of whoever is signed in.
fn signed_in() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(incidents::list))
        .routes(routes!(incidents::read))
        .routes(routes!(signals::read))
        .routes(routes!(signals::csv))
        .routes(routes!(incidents::flags))
        .routes(routes!(incidents::export))
        .routes(routes!(incidents::source))
        .routes(routes!(shares::read_access, shares::set_access))
        .routes(routes!(actions::list_of_incident, actions::create))
        .routes(routes!(actions::advise))
        .routes(routes!(changes::listen))
        .routes(routes!(tracker::list, tracker::patch))
        .routes(routes!(tracker::counts))
        .routes(routes!(tracker::csv))
        .routes(routes!(actions::read, actions::patch))
        .routes(routes!(actions::list_notes, actions::add_note))
        .routes(routes!(verifications::list, verifications::create))
        .routes(routes!(history::of_action))
        .routes(routes!(history::of_incident))
        .routes(routes!(cohort::read))
        .routes(routes!(cohort::customers))
        .routes(routes!(cohort::csv))
        .routes(routes!(cohort::contacted))
        .routes(routes!(cohort::message, cohort::set_message))
        .routes(routes!(cohort::check_message))
        .routes(routes!(claims::list, claims::create))
        .routes(routes!(claims::patch, claims::remove))
        .routes(routes!(evidence::list, evidence::create))
        .routes(routes!(evidence::read, evidence::patch, evidence::remove))
        .routes(routes!(evidence::import_load_test))
        .routes(routes!(files::read))
        .routes(routes!(imports::mappings))
        .routes(routes!(values::servers))
        .routes(routes!(values::remove))
        .routes(routes!(imports::remove_mapping))
        .routes(routes!(lists::list))
        .routes(routes!(lists::remove))
        .routes(routes!(session::read, session::sign_out))
        .routes(routes!(session::set_password))
        .routes(routes!(session::list))
        .routes(routes!(session::end))
        .routes(routes!(users::people))
        .routes(routes!(users::list, users::create))
        .routes(routes!(users::read, users::patch))
        .routes(routes!(users::link))
        .routes(routes!(teams::list, teams::create))
        .routes(routes!(teams::read, teams::patch, teams::delete))
        .routes(routes!(tokens::list, tokens::create))
        .routes(routes!(tokens::end))
        .routes(routes!(shares::list, shares::create))
        .routes(routes!(shares::revoke))
}

/// The routes that take files of any size; each says itself how much it takes.
fn uploads() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(imports::import_events))
        .routes(routes!(lists::import_flags))
        .routes(routes!(lists::import_deploys_of))
        .routes(routes!(values::import))
        .routes(routes!(files::add))
}

/// The routes of anybody: signing in, and what a share link opens.
fn open() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(session::sign_in))
        .routes(routes!(session::options))
        .routes(routes!(oidc::start))
        .routes(routes!(oidc::callback))
        .routes(routes!(shares::shared))
        .routes(routes!(signals::shared))
        .routes(routes!(signals::shared_csv))
}

fn described(app: &App) -> (Router<App>, utoipa::openapi::OpenApi) {
    let limit = RequestBodyLimitLayer::new(LOAD_TEST_LIMIT);
    let signed_in = signed_in()
        .layer(limit)
        .merge(uploads())
        .route_layer(middleware::from_fn_with_state(app.clone(), who::require_sign_in));
    OpenApiRouter::with_openapi(Document::openapi())
        .nest(API, signed_in.merge(open().layer(limit)))
        .routes(routes!(health::live))
        .routes(routes!(health::ready))
        .split_for_parts()
}

/// The whole server.
pub fn router(app: App) -> Router {
    let (router, document) = described(&app);
    let patience = app.patience;
    router
        .route("/openapi.json", axum::routing::get(move || async move { axum::Json(document) }))
        .method_not_allowed_fallback(error::method_not_allowed)
        // The pages were compressed when they were built; an answer is sent once.
        .layer(CompressionLayer::new().quality(CompressionLevel::Fastest).compress_when(
            SizeAbove::new(860).and(NotYetCoded).and(NotForContentType::SSE).and(NotForContentType::IMAGES),
        ))
        .fallback(web::serve_front_end)
        .layer(RequestBodyTimeoutLayer::new(patience))
        .layer(CsrfLayer::new())
        .layer(middleware::from_fn(headers::speak_problems))
        .layer(middleware::from_fn(headers::secure))
        .layer(tower_http::catch_panic::CatchPanicLayer::custom(error::panicked))
        .layer(TraceLayer::new_for_http().make_span_with(headers::span))
        .with_state(app)
}

/// Leaves answers alone that came out of the binary compressed.
#[derive(Clone, Copy)]
struct NotYetCoded;

impl Predicate for NotYetCoded {
    fn should_compress<B: axum::body::HttpBody>(&self, response: &axum::http::Response<B>) -> bool {
        !response.headers().contains_key(axum::http::header::CONTENT_ENCODING)
    }
}
