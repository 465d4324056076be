//! How many streams are open, and how many may be.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};

use crate::api::Refusal;
use crate::auth::Who;

/// The limits for one browser with many tabs, for all programs, and for everything together.
const SESSION_MAX: usize = 32;
const TOKEN_MAX: usize = 256;
const ALL_MAX: usize = 512;
/// Seconds after which another try makes sense.
const RETRY: &str = "5";

#[derive(Clone, Default)]
pub struct Streams {
    open: Arc<Mutex<HashMap<String, usize>>>,
}

/// Held while a stream is open.
pub struct OpenStream {
    streams: Streams,
    name: String,
}

/// Too many streams are open.
#[derive(Debug, PartialEq, Eq)]
pub enum Full {
    /// Too many of the same browser, or of all programs.
    Own,
    All,
}

impl Streams {
    pub fn enter(&self, who: &Who) -> Result<OpenStream, Full> {
        let max = match who.csrf {
            Some(_) => SESSION_MAX,
            None => TOKEN_MAX,
        };
        self.enter_as(&who.name, max)
    }

    fn enter_as(&self, name: &str, max: usize) -> Result<OpenStream, Full> {
        let mut open = self.open();
        if open.get(name).is_some_and(|own| *own >= max) {
            return Err(Full::Own);
        }
        if open.values().sum::<usize>() >= ALL_MAX {
            return Err(Full::All);
        }
        *open.entry(name.to_owned()).or_default() += 1;
        Ok(OpenStream {
            streams: self.clone(),
            name: name.to_owned(),
        })
    }

    fn open(&self) -> MutexGuard<'_, HashMap<String, usize>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for OpenStream {
    fn drop(&mut self) {
        let mut open = self.streams.open();
        if let Some(own) = open.get_mut(&self.name) {
            *own -= 1;
            if *own == 0 {
                open.remove(&self.name);
            }
        }
    }
}

impl IntoResponse for Full {
    fn into_response(self) -> Response {
        let status = match self {
            Full::Own => StatusCode::TOO_MANY_REQUESTS,
            Full::All => StatusCode::SERVICE_UNAVAILABLE,
        };
        let message = "too many streams are open; close some, or try again in a moment".to_owned();
        let refusal = Refusal { status, message };
        ([(header::RETRY_AFTER, RETRY)], refusal).into_response()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_takes_all_streams_and_whoever_leaves_makes_room() {
        let streams = Streams::default();
        let mut open_streams: Vec<OpenStream> = (0..SESSION_MAX)
            .map(|_| streams.enter_as("session a", SESSION_MAX).ok().unwrap())
            .collect();
        let full = streams.enter_as("session a", SESSION_MAX).err();
        assert_eq!(full, Some(Full::Own));
        assert!(streams.enter_as("session b", SESSION_MAX).is_ok());
        open_streams.pop();
        open_streams.push(streams.enter_as("session a", SESSION_MAX).ok().unwrap());
        for number in 0..ALL_MAX - SESSION_MAX {
            let name = format!("session {}", number / SESSION_MAX);
            open_streams.push(streams.enter_as(&name, SESSION_MAX).ok().unwrap());
        }
        let full = streams.enter_as("session c", SESSION_MAX).err();
        assert_eq!(full, Some(Full::All));
        open_streams.clear();
        assert!(streams.open().is_empty());
    }
}
