//! The log of an agent as a file to download.

use std::fs::File;
use std::io::{self, Read, Take};
use std::path::{Path, PathBuf};

use axum::body::{Body, Bytes};
use axum::extract::{self, State};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use futures_util::stream;
use kumite_agents::{AgentLogs, rotated};

use super::{find, unknown};
use crate::api::Refusal;
use crate::app::{App, Shared};
use crate::{inside, log};

const CHUNK: usize = 256 * 1024;

/// Files one after the other, each with the size it had when we opened it.
struct Files {
    name: String,
    bytes: u64,
    /// In reverse order: the next file is the last.
    rest: Vec<Take<File>>,
}

pub async fn raw(
    State(app): State<Shared>,
    extract::Path((spec, agent)): extract::Path<(String, String)>,
) -> Result<Response, Refusal> {
    let files = app.read(move |app| open(app, &spec, &agent)).await??;
    let headers = [
        (header::CONTENT_TYPE, "text/plain; charset=utf-8".to_owned()),
        (header::CONTENT_LENGTH, files.bytes.to_string()),
        // An agent's id never needs quoting.
        (
            header::CONTENT_DISPOSITION,
            format!("attachment; filename=\"{}\"", files.name),
        ),
    ];
    let chunks = stream::unfold(files.rest, |files| async {
        let read = tokio::task::spawn_blocking(move || next(files)).await;
        read.unwrap_or_else(|error| Some((Err(io::Error::other(error)), Vec::new())))
    });
    Ok((headers, Body::from_stream(chunks)).into_response())
}

/// The next chunk, and the files that are left.
fn next(mut files: Vec<Take<File>>) -> Option<(io::Result<Bytes>, Vec<Take<File>>)> {
    loop {
        let mut chunk = vec![0; CHUNK];
        match files.last_mut()?.read(&mut chunk) {
            Ok(0) => drop(files.pop()),
            Ok(count) => {
                chunk.truncate(count);
                return Some((Ok(chunk.into()), files));
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Some((Err(error), Vec::new())),
        }
    }
}

/// The raw output, or the transcript if that is gone.
fn open(app: &App, spec: &str, agent: &str) -> Result<Files, Refusal> {
    let (spec, agent) = find(app, spec, agent)?;
    let logs = AgentLogs::new(&spec.logs(), agent);
    for path in [logs.raw(), logs.transcript()] {
        let files = open_all(spec.main_dir(), &path);
        let files = files.map_err(|source| log::Error {
            path: path.clone(),
            source,
        })?;
        if !files.is_empty() {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            return Ok(Files {
                name: name.into_owned(),
                bytes: files.iter().map(Take::limit).sum(),
                rest: files,
            });
        }
    }
    Err(unknown(&spec, agent))
}

fn open_all(root: &Path, path: &PathBuf) -> io::Result<Vec<Take<File>>> {
    let mut files = Vec::new();
    for path in [path, &rotated(path)] {
        match inside::open(root, path) {
            Ok(file) => {
                let bytes = file.metadata()?.len();
                files.push(file.take(bytes));
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
    }
    Ok(files)
}
