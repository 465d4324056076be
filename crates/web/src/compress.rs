//! Compresses answers for clients that accept it: a page with 1,000 specs shrinks to a tenth.
//!
//! A foreign page could learn from the lengths only if our cookie came with its requests, and the
//! cookie is never sent from another site (SameSite=Strict).

use axum::body::HttpBody;
use axum::http::{HeaderMap, Response, header};
use tower_http::CompressionLevel;
use tower_http::compression::{CompressionLayer, Predicate};

/// Anything smaller fits into one packet anyway.
const MIN: u64 = 1024;
/// A higher level would take longer than it saves on the way to a phone.
const LEVEL: CompressionLevel = CompressionLevel::Precise(5);

pub fn layer() -> CompressionLayer<LongText> {
    CompressionLayer::new()
        .quality(LEVEL)
        .compress_when(LongText)
}

/// A text whose length is known. A stream has none: its parts are sent as they come.
#[derive(Clone, Copy)]
pub struct LongText;

impl Predicate for LongText {
    fn should_compress<B: HttpBody>(&self, response: &Response<B>) -> bool {
        let size = response.body().size_hint().exact().unwrap_or(0);
        size > MIN && is_text(response.headers())
    }
}

fn is_text(headers: &HeaderMap) -> bool {
    let kind = headers.get(header::CONTENT_TYPE);
    let kind = kind.and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let known = ["text/", "application/json", "image/svg+xml"];
    !kind.starts_with("text/event-stream") && known.iter().any(|known| kind.starts_with(known))
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use axum::Router;
    use axum::body::{Body, to_bytes};
    use axum::http::Request;
    use axum::response::{Html, IntoResponse, Response};
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
            .layer(layer());
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
    async fn a_browser_that_does_not_understand_it_gets_the_plain_page() {
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
