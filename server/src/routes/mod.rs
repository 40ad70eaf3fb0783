//! The route table. One thin file a resource; no SQL here, and no rule that the domain could hold.

pub mod actions;
pub mod error;
pub mod extract;
mod headers;
mod health;
pub mod incidents;

use axum::Router;
use axum::middleware;
use domain::wire::paths::API;
use tower_http::compression::{CompressionLayer, Predicate, predicate::SizeAbove};
use tower_http::csrf::CsrfLayer;
use tower_http::limit::RequestBodyLimitLayer;
use utoipa::OpenApi;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::app::App;
use crate::web;

/// The most bytes a JSON body may have.
pub const BODY_LIMIT: usize = 256 * 1024;

#[derive(OpenApi)]
#[openapi(
    info(
        title = "Debrief",
        description = "Incidents with their impact, timeline, telemetry and action items. \
            Errors are RFC 9457 problem details. Edits name the version they were made on in `If-Match`."
    ),
    tags(
        (name = "incidents", description = "What happened, and how sure we are of it"),
        (name = "actions", description = "What changes, who owns it, and how it is proved"),
        (name = "machine", description = "For whoever runs the server")
    )
)]
struct Document;

/// The API's routes with their description.
fn api() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(incidents::list))
        .routes(routes!(incidents::read))
        .routes(routes!(incidents::signals))
        .routes(routes!(incidents::flags))
        .routes(routes!(incidents::export))
        .routes(routes!(incidents::source))
        .routes(routes!(actions::read, actions::patch))
        .routes(routes!(actions::list_notes, actions::add_note))
}

fn described() -> (Router<App>, utoipa::openapi::OpenApi) {
    OpenApiRouter::with_openapi(Document::openapi())
        .nest(API, api())
        .routes(routes!(health::live))
        .routes(routes!(health::ready))
        .split_for_parts()
}

/// The OpenAPI document, generated from the routes and the domain's own types.
pub fn openapi() -> utoipa::openapi::OpenApi {
    described().1
}

/// The whole server.
pub fn router(app: App) -> Router {
    let (router, document) = described();
    router
        .route("/openapi.json", axum::routing::get(move || async move { axum::Json(document) }))
        .method_not_allowed_fallback(error::method_not_allowed)
        .layer(CompressionLayer::new().compress_when(SizeAbove::new(860).and(NotYetCoded)))
        .fallback(web::serve_front_end)
        .layer(CsrfLayer::new())
        .layer(RequestBodyLimitLayer::new(BODY_LIMIT))
        .layer(middleware::from_fn(headers::speak_problems))
        .layer(middleware::from_fn(headers::require_loopback_host))
        .layer(middleware::from_fn(headers::secure))
        .layer(tower_http::catch_panic::CatchPanicLayer::custom(error::panicked))
        .layer(tower_http::trace::TraceLayer::new_for_http())
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
