//! Compresses answers for clients that accept it: a page with 1,000 specs shrinks to a tenth.
//!
//! A foreign page could learn from the lengths only if our cookie came with its requests, and the
//! cookie is never sent from another site (SameSite=Strict).

use std::io::Write;

use axum::body::{Body, HttpBody, to_bytes};
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderValue, header};
use axum::middleware::Next;
use axum::response::Response;
use flate2::Compression;
use flate2::write::GzEncoder;

/// Anything smaller fits into one packet anyway.
const MIN: u64 = 1024;
/// A higher level would take longer than it saves on the way to a phone.
const LEVEL: Compression = Compression::new(5);

pub async fn compress(request: Request, next: Next) -> Response {
    let is_understood = understands(request.headers());
    let response = next.run(request).await;
    // A stream has no size: its parts are sent as they come.
    let size = response.body().size_hint().exact().unwrap_or(0);
    match is_understood && size > MIN && is_text(response.headers()) {
        true => compressed(response).await,
        false => response,
    }
}

fn understands(headers: &HeaderMap) -> bool {
    let accepted = headers.get_all(header::ACCEPT_ENCODING).iter();
    let mut names = accepted
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','));
    names.any(|name| {
        let (name, quality) = name.split_once(';').unwrap_or((name, ""));
        let refused = ["q=0", "q=0.0", "q=0.00", "q=0.000"].contains(&quality.trim());
        name.trim().eq_ignore_ascii_case("gzip") && !refused
    })
}

fn is_text(headers: &HeaderMap) -> bool {
    let kind = headers.get(header::CONTENT_TYPE);
    let kind = kind.and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let known = ["text/", "application/json", "image/svg+xml"];
    !headers.contains_key(header::CONTENT_ENCODING)
        && !kind.starts_with("text/event-stream")
        && known.iter().any(|known| kind.starts_with(known))
}

async fn compressed(response: Response) -> Response {
    let (mut head, body) = response.into_parts();
    // The size is known, so the body is already in memory.
    let Ok(plain) = to_bytes(body, usize::MAX).await else {
        return Response::from_parts(head, Body::empty());
    };
    let whole = plain.clone();
    let work = tokio::task::spawn_blocking(move || gzip(&whole).ok());
    let Ok(Some(small)) = work.await else {
        return Response::from_parts(head, Body::from(plain));
    };
    let set = [
        (header::CONTENT_ENCODING, "gzip"),
        (header::VARY, "accept-encoding"),
    ];
    for (name, value) in set {
        head.headers.insert(name, HeaderValue::from_static(value));
    }
    head.headers.remove(header::CONTENT_LENGTH);
    Response::from_parts(head, Body::from(small))
}

fn gzip(plain: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::with_capacity(plain.len() / 6), LEVEL);
    encoder.write_all(plain)?;
    encoder.finish()
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use axum::Router;
    use axum::http::Request;
    use axum::response::{Html, IntoResponse};
    use axum::routing::get;
    use tower::ServiceExt;

    use super::*;

    const LONG: usize = 5000;

    async fn answer(path: &str, accepts: &str) -> Response {
        let stream = || async {
            let kind = [(header::CONTENT_TYPE, "text/event-stream")];
            (kind, "x".repeat(LONG)).into_response()
        };
        let image = || async {
            let kind = [(header::CONTENT_TYPE, "image/png")];
            (kind, "x".repeat(LONG)).into_response()
        };
        let router = Router::new()
            .route("/long", get(|| async { Html("x".repeat(LONG)) }))
            .route("/short", get(|| async { Html("x".repeat(100)) }))
            .route("/stream", get(stream))
            .route("/image", get(image))
            .layer(axum::middleware::from_fn(compress));
        let request = Request::get(path).header(header::ACCEPT_ENCODING, accepts);
        router
            .oneshot(request.body(Body::empty()).unwrap())
            .await
            .unwrap()
    }

    fn encoding(response: &Response) -> Option<&str> {
        let encoding = response.headers().get(header::CONTENT_ENCODING);
        encoding.map(|value| value.to_str().unwrap())
    }

    #[tokio::test]
    async fn a_long_page_is_smaller_on_its_way_and_whole_on_arrival() {
        let response = answer("/long", "br, gzip;q=0.8").await;
        assert_eq!(encoding(&response), Some("gzip"));
        let small = to_bytes(response.into_body(), usize::MAX).await.unwrap();
        assert!(small.len() < 200, "{}", small.len());
        let mut plain = String::new();
        let mut decoder = flate2::read::GzDecoder::new(&small[..]);
        decoder.read_to_string(&mut plain).unwrap();
        assert_eq!(plain, "x".repeat(LONG));
    }

    #[tokio::test]
    async fn who_does_not_understand_it_gets_the_plain_page() {
        for accepts in ["", "br", "gzip;q=0", "gzipped"] {
            let response = answer("/long", accepts).await;
            assert_eq!(encoding(&response), None, "{accepts}");
            let body = to_bytes(response.into_body(), usize::MAX).await.unwrap();
            assert_eq!(body.len(), LONG);
        }
    }

    #[tokio::test]
    async fn streams_images_and_short_answers_stay_as_they_are() {
        for path in ["/stream", "/image", "/short"] {
            assert_eq!(encoding(&answer(path, "gzip").await), None, "{path}");
        }
    }
}
