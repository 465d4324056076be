//! Why a request was refused.

use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use kumite_contest::{apply, place, prepare};
use kumite_host::{RequestError, client};
use kumite_project::spec_file::sentence;
use kumite_project::{cost, documents, new_spec, project};
use schemars::JsonSchema;
use serde::Serialize;

#[derive(Clone, Debug)]
pub struct Refusal {
    pub status: StatusCode,
    pub message: String,
}

/// The body of a refusal.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Refusal")]
pub struct Body {
    /// What is wrong, and what would help.
    pub error: String,
}

impl Refusal {
    fn new(status: StatusCode, message: impl Into<String>) -> Refusal {
        Refusal {
            status,
            message: message.into(),
        }
    }

    /// The request itself is wrong.
    pub fn invalid(message: impl Into<String>) -> Refusal {
        Refusal::new(StatusCode::BAD_REQUEST, message)
    }

    pub fn not_found(message: impl Into<String>) -> Refusal {
        Refusal::new(StatusCode::NOT_FOUND, message)
    }

    /// The request does not fit the present state.
    pub fn conflict(message: impl Into<String>) -> Refusal {
        Refusal::new(StatusCode::CONFLICT, message)
    }

    /// The server failed.
    pub fn broken(message: impl Into<String>) -> Refusal {
        Refusal::new(StatusCode::INTERNAL_SERVER_ERROR, message)
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let body = Body {
            error: self.message,
        };
        (self.status, Json(body)).into_response()
    }
}

/// What each error of the crates below means for the client.
macro_rules! refusals {
    ($($error:path { $($kind:pat $(if $fits:expr)? => $meaning:expr,)* })*) => {
        $(impl From<$error> for Refusal {
            fn from(error: $error) -> Refusal {
                let message = sentence(&error);
                let meaning: fn(String) -> Refusal = match &error { $($kind $(if $fits)? => $meaning,)* };
                meaning(message)
            }
        })*
    };
}

refusals! {
    kumite_formats::spec_name::Error {
        _ => Refusal::invalid,
    }
    project::Error {
        project::Error::Read { .. } => Refusal::broken,
        project::Error::NoSpec { .. } | project::Error::NotAProject { .. } => Refusal::not_found,
    }
    client::Error {
        client::Error::Refused(_) | client::Error::Settings(_) => Refusal::conflict,
        client::Error::Failed(_) | client::Error::Lock(_) | client::Error::Start(_) => Refusal::broken,
    }
    kumite_project::settings::Error {
        _ => Refusal::conflict,
    }
    kumite_project::journal::Error {
        _ => Refusal::broken,
    }
    std::io::Error {
        _ => Refusal::broken,
    }
    new_spec::Error {
        new_spec::Error::Name(_) => Refusal::invalid,
        new_spec::Error::Exists { .. } => Refusal::conflict,
        new_spec::Error::Write { .. } => Refusal::broken,
    }
    documents::Error {
        documents::Error::None { .. } => Refusal::not_found,
        documents::Error::Read { .. } => Refusal::broken,
    }
    place::Error {
        place::Error::NoSuch { .. } | place::Error::None { .. } => Refusal::not_found,
        place::Error::Several { .. } => Refusal::invalid,
        place::Error::NoWorkspace { .. } | place::Error::NotOurs { .. } => Refusal::conflict,
        place::Error::Home(_) | place::Error::Report(_) => Refusal::broken,
    }
    kumite_contest::report::Error {
        _ => Refusal::broken,
    }
    prepare::Error {
        prepare::Error::File(_) => Refusal::invalid,
        _ => Refusal::conflict,
    }
    kumite_contest::Error {
        error if error.is_of_the_machine() => Refusal::broken,
        _ => Refusal::conflict,
    }
    apply::Error {
        error if error.is_refusal() => Refusal::conflict,
        _ => Refusal::broken,
    }
}

impl From<RequestError> for Refusal {
    fn from(error: RequestError) -> Refusal {
        match error {
            RequestError::Name(error) => error.into(),
            RequestError::Project(error) => error.into(),
            RequestError::Backwards { .. } => Refusal::invalid(sentence(&error)),
            RequestError::File(_) | RequestError::NoSpecs { .. } => {
                Refusal::conflict(sentence(&error))
            }
        }
    }
}

impl From<cost::Error> for Refusal {
    fn from(error: cost::Error) -> Refusal {
        match error {
            cost::Error::Project(error) => error.into(),
            cost::Error::Read { .. } => Refusal::broken(sentence(&error)),
        }
    }
}
