//! What every answer wears, errors included.

use axum::body::{Body, to_bytes};
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};

use crate::api::Refusal;
use crate::assets;

pub const API: &str = "/api/";

const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; \
    connect-src 'self'; font-src 'self'; form-action 'self'; base-uri 'none'; \
    frame-ancestors 'none'";

const ALWAYS: [(HeaderName, &str); 7] = [
    (header::CONTENT_SECURITY_POLICY, POLICY),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::REFERRER_POLICY, "no-referrer"),
    (header::X_FRAME_OPTIONS, "DENY"),
    (
        HeaderName::from_static("cross-origin-opener-policy"),
        "same-origin",
    ),
    (
        HeaderName::from_static("cross-origin-resource-policy"),
        "same-origin",
    ),
    (
        HeaderName::from_static("permissions-policy"),
        "camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()",
    ),
];

/// A reason that fits on a page; what is longer is no reason.
const REASON_MAX: usize = 4096;

pub fn dress(path: &str, is_tls: bool, response: &mut Response) {
    let status = response.status();
    let may_be_kept = path.starts_with(assets::ROOT) && status.is_success();
    let headers = response.headers_mut();
    for (name, value) in ALWAYS {
        headers.insert(name, HeaderValue::from_static(value));
    }
    if !may_be_kept {
        let never = HeaderValue::from_static("no-store");
        headers.insert(header::CACHE_CONTROL, never);
    }
    if status == StatusCode::UNAUTHORIZED {
        let how = HeaderValue::from_static("Bearer");
        headers.insert(header::WWW_AUTHENTICATE, how);
    }
    if is_tls {
        let day = HeaderValue::from_static("max-age=86400");
        headers.insert(header::STRICT_TRANSPORT_SECURITY, day);
    }
}

/// The API speaks JSON, also where a route or a parser refuses before a handler does.
pub async fn words(path: &str, response: Response) -> Response {
    let status = response.status();
    let is_error = status.is_client_error() || status.is_server_error();
    let kind = response.headers().get(header::CONTENT_TYPE).cloned();
    let is = |name: &str| {
        let kind = kind.as_ref().and_then(|kind| kind.to_str().ok());
        kind.is_some_and(|kind| kind.starts_with(name))
    };
    if !path.starts_with(API) || !is_error || is("application/json") {
        return response;
    }
    let (mut parts, body) = response.into_parts();
    let is_plain = is("text/plain") && !parts.headers.contains_key(header::CONTENT_ENCODING);
    let message = match is_plain {
        true => to_bytes(body, REASON_MAX).await.ok(),
        false => None,
    };
    let message = message.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    let reason = status.canonical_reason().unwrap_or("refused");
    let refusal = Refusal {
        status,
        message: message.unwrap_or_else(|| reason.to_lowercase()),
    };
    let body = refusal.into_response().into_body();
    for stale in [header::CONTENT_LENGTH, header::CONTENT_ENCODING] {
        parts.headers.remove(stale);
    }
    let json = HeaderValue::from_static("application/json");
    parts.headers.insert(header::CONTENT_TYPE, json);
    Response::from_parts(parts, Body::new(body))
}
