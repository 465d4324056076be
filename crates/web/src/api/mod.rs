//! The HTTP API: what the command line can do, as JSON. [`routes::all`] is the table of routes; the
//! router and `/api/openapi.json` are both made from it.

mod agents;
mod change;
mod contests;
mod events;
mod openapi;
mod overview;
mod refusal;
mod route;
mod routes;
mod specs;
mod steer;

use axum::Router;

use crate::app::Shared;

pub use events::Streams;
pub use refusal::Refusal;

pub fn routes() -> Router<Shared> {
    let all = routes::all().into_iter();
    all.fold(Router::new(), |router, route| {
        router.route(route.path, route.service)
    })
}
