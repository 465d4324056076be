//! Headers that every answer gets, errors included.

use std::sync::LazyLock;

use axum::body::to_bytes;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};

use crate::api::Refusal;
use crate::{assets, pages};

pub const API: &str = "/api/";

/// Nothing from elsewhere, and no style or script that is not ours.
static POLICY: LazyLock<HeaderValue> = LazyLock::new(|| {
    let policy = format!(
        "default-src 'none'; script-src 'self'; style-src {}; img-src 'self'; \
         connect-src 'self'; font-src 'self'; form-action 'self'; base-uri 'none'; \
         frame-ancestors 'none'",
        assets::style_source()
    );
    HeaderValue::from_maybe_shared(policy).expect("the policy has only ASCII letters")
});

const ALWAYS: [(HeaderName, &str); 6] = [
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

/// A longer body is not taken as a reason.
const REASON_MAX: usize = 4096;

pub fn dress(path: &str, is_tls: bool, response: &mut Response) {
    let status = response.status();
    let may_be_kept = path.starts_with(assets::ROOT) && status.is_success();
    let headers = response.headers_mut();
    for (name, value) in ALWAYS {
        headers.insert(name, HeaderValue::from_static(value));
    }
    headers.insert(header::CONTENT_SECURITY_POLICY, POLICY.clone());
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

/// A route or a parser may refuse before a handler runs, with a plain text or none. The API then
/// answers JSON, and a page answers HTML.
pub async fn words(path: &str, response: Response) -> Response {
    let status = response.status();
    let is_error = status.is_client_error() || status.is_server_error();
    if !is_error || !is_bare(path, &response) {
        return response;
    }
    let (mut parts, body) = response.into_parts();
    let is_plain = is(&parts.headers, "text/plain");
    let message = match is_plain && !parts.headers.contains_key(header::CONTENT_ENCODING) {
        true => to_bytes(body, REASON_MAX).await.ok(),
        false => None,
    };
    let message = message.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    let reason = status.canonical_reason().unwrap_or("refused");
    let refusal = Refusal {
        status,
        message: message.unwrap_or_else(|| reason.to_lowercase()),
    };
    let (dressed, body) = match path.starts_with(API) {
        true => refusal.into_response(),
        false => pages::refused(&refusal, None),
    }
    .into_parts();
    for stale in [header::CONTENT_LENGTH, header::CONTENT_ENCODING] {
        parts.headers.remove(stale);
    }
    parts.headers.extend(dressed.headers);
    Response::from_parts(parts, body)
}

fn is_bare(path: &str, response: &Response) -> bool {
    let headers = response.headers();
    match path {
        api if api.starts_with(API) => !is(headers, "application/json"),
        // Nobody reads the text of a missing script or style.
        asset if asset.starts_with(assets::ROOT) => false,
        _ => is(headers, "text/plain") || !headers.contains_key(header::CONTENT_TYPE),
    }
}

fn is(headers: &HeaderMap, kind: &str) -> bool {
    let told = headers.get(header::CONTENT_TYPE);
    told.and_then(|told| told.to_str().ok())
        .is_some_and(|told| told.starts_with(kind))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words_of(path: &str, response: impl IntoResponse) -> (StatusCode, String, String) {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .build()
            .unwrap();
        runtime.block_on(async {
            let (parts, body) = words(path, response.into_response()).await.into_parts();
            let kind = parts.headers[header::CONTENT_TYPE].to_str().unwrap();
            let body = to_bytes(body, usize::MAX).await.unwrap();
            let text = String::from_utf8_lossy(&body).into_owned();
            (parts.status, kind.to_owned(), text)
        })
    }

    #[test]
    fn a_bare_error_becomes_json_in_the_api_and_a_page_elsewhere() {
        let bare = (StatusCode::BAD_REQUEST, "no <b>text</b>");
        let (status, kind, text) = words_of("/api/specs", bare);
        assert_eq!((status, &*kind), (bare.0, "application/json"));
        assert_eq!(text, r#"{"error":"no <b>text</b>"}"#);
        let (status, kind, text) = words_of("/specs/x", bare);
        assert_eq!((status, &*kind), (bare.0, "text/html; charset=utf-8"));
        assert!(text.contains("No &lt;b&gt;text&lt;/b&gt;"), "{text}");
        let (status, kind, text) = words_of("/specs/x", StatusCode::METHOD_NOT_ALLOWED);
        assert_eq!(status, StatusCode::METHOD_NOT_ALLOWED);
        assert_eq!(kind, "text/html; charset=utf-8");
        assert!(text.contains("Method not allowed"), "{text}");
    }

    #[test]
    fn what_is_no_bare_error_is_left_alone() {
        for (path, status) in [
            ("/specs/x/agents/1/raw", StatusCode::OK),
            ("/assets/x/app.js", StatusCode::NOT_FOUND),
        ] {
            let (_, kind, text) = words_of(path, (status, "text"));
            assert_eq!((&*kind, &*text), ("text/plain; charset=utf-8", "text"));
        }
    }
}
