//! Every request passes here before anything of it is looked at.

use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use crate::app::Shared;
use crate::auth::Who;
use crate::{assets, pages};

/// Sent by pages with every change.
pub const CSRF: &str = "x-csrf-token";

const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; \
    connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

pub async fn guard(State(app): State<Shared>, mut request: Request, next: Next) -> Response {
    let path = request.uri().path();
    let is_open = path == pages::LOGIN || path.starts_with(assets::ROOT);
    let mut response = match known(&app, request.headers()) {
        Some(who) if allowed(&who, request.method(), request.headers()) => {
            request.extensions_mut().insert(who);
            next.run(request).await
        }
        Some(_) => (StatusCode::FORBIDDEN, "refused").into_response(),
        None if is_open => next.run(request).await,
        None => pages::unknown(),
    };
    let headers = response.headers_mut();
    let mut set = |name, value: &'static str| {
        headers.insert(name, HeaderValue::from_static(value));
    };
    set(header::CONTENT_SECURITY_POLICY, POLICY);
    set(header::X_CONTENT_TYPE_OPTIONS, "nosniff");
    set(header::REFERRER_POLICY, "no-referrer");
    headers
        .entry(header::CACHE_CONTROL)
        .or_insert(HeaderValue::from_static("no-store"));
    response
}

fn known(app: &Shared, headers: &HeaderMap) -> Option<Who> {
    let text = |name| headers.get(name).and_then(|value| value.to_str().ok());
    if let Some(bearer) = text(header::AUTHORIZATION).and_then(|it| it.strip_prefix("Bearer ")) {
        return app.auth.program(bearer);
    }
    let cookies = text(header::COOKIE)?.split(';');
    let mut named = cookies.filter_map(|it| it.trim().split_once('='));
    let (_, cookie) = named.find(|(name, _)| *name == app.auth.cookie)?;
    app.auth.browser(cookie)
}

fn allowed(who: &Who, method: &Method, headers: &HeaderMap) -> bool {
    if matches!(*method, Method::GET | Method::HEAD) {
        return true;
    }
    let csrf = headers.get(CSRF).and_then(|value| value.to_str().ok());
    who.may_change() && (who.csrf.is_none() || who.csrf.as_deref() == csrf)
}
