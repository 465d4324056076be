//! Reads the body of a request before the handler is called: handlers never wait for one.

use std::time::Duration;

use axum::body::Body;
use axum::extract::Request;
use axum::http::{HeaderMap, StatusCode, header};
use futures_util::StreamExt;

use super::No;
use super::verdict::is_change;

const BYTES_MAX: usize = 256 * 1024;
const TIMEOUT: Duration = Duration::from_secs(15);

pub async fn read(request: Request) -> Result<Request, No> {
    let (parts, body) = request.into_parts();
    let told = parts.headers.get(header::CONTENT_LENGTH);
    let length: Option<u64> = told.and_then(|it| it.to_str().ok()?.parse().ok());
    if length.is_some_and(|length| length > BYTES_MAX as u64) {
        return Err(too_large());
    }
    if !is_change(&parts.method) {
        return Ok(Request::from_parts(parts, Body::empty()));
    }
    let Ok(bytes) = tokio::time::timeout(TIMEOUT, collect(body)).await else {
        return Err(No::new(
            StatusCode::REQUEST_TIMEOUT,
            "the body of the request did not come in time",
        ));
    };
    let bytes = bytes?;
    if !bytes.is_empty() && !is_json(&parts.headers) {
        return Err(No::new(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "the body of a request is JSON: `Content-Type: application/json`",
        ));
    }
    Ok(Request::from_parts(parts, Body::from(bytes)))
}

/// A request without a content type counts as JSON.
fn is_json(headers: &HeaderMap) -> bool {
    let kind = headers.get(header::CONTENT_TYPE);
    kind.is_none_or(|kind| {
        let kind = kind.to_str().unwrap_or_default();
        let (name, _) = kind.split_once(';').unwrap_or((kind, ""));
        name.trim().eq_ignore_ascii_case("application/json")
    })
}

async fn collect(body: Body) -> Result<Vec<u8>, No> {
    let mut bytes = Vec::new();
    let mut stream = body.into_data_stream();
    while let Some(chunk) = stream.next().await {
        let broken = |_| No::new(StatusCode::BAD_REQUEST, "the body of the request is broken");
        bytes.extend_from_slice(&chunk.map_err(broken)?);
        if bytes.len() > BYTES_MAX {
            return Err(too_large());
        }
    }
    Ok(bytes)
}

fn too_large() -> No {
    No::new(
        StatusCode::PAYLOAD_TOO_LARGE,
        "the body of the request is larger than 256 KiB",
    )
}
