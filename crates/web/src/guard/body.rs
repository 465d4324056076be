//! The body of a request, read before it is handed on: handlers never wait for one.

use std::time::Duration;

use axum::body::Body;
use axum::extract::Request;
use axum::http::{StatusCode, header};
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
    match tokio::time::timeout(TIMEOUT, collect(body)).await {
        Ok(bytes) => Ok(Request::from_parts(parts, Body::from(bytes?))),
        Err(_) => Err(No::new(
            StatusCode::REQUEST_TIMEOUT,
            "the body of the request did not come in time",
        )),
    }
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
