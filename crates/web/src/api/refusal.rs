//! Why a request was not answered as it hoped.

use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use schemars::JsonSchema;
use serde::Serialize;

#[derive(Clone, Debug)]
pub struct Refusal {
    pub status: StatusCode,
    pub message: String,
}

#[derive(Serialize, JsonSchema)]
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

    /// What was asked for is wrong.
    pub fn invalid(message: impl Into<String>) -> Refusal {
        Refusal::new(StatusCode::BAD_REQUEST, message)
    }

    pub fn not_found(message: impl Into<String>) -> Refusal {
        Refusal::new(StatusCode::NOT_FOUND, message)
    }

    /// It does not fit the state that it met.
    pub fn conflict(message: impl Into<String>) -> Refusal {
        Refusal::new(StatusCode::CONFLICT, message)
    }

    /// We could not.
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

impl From<kumite_host::project::Error> for Refusal {
    fn from(error: kumite_host::project::Error) -> Refusal {
        let message = kumite_host::spec_file::sentence(&error);
        match error {
            kumite_host::project::Error::Read { .. } => Refusal::broken(message),
            _ => Refusal::not_found(message),
        }
    }
}

impl From<kumite_formats::spec_name::Error> for Refusal {
    fn from(error: kumite_formats::spec_name::Error) -> Refusal {
        Refusal::invalid(kumite_host::spec_file::sentence(&error))
    }
}

impl From<kumite_host::attend::Error> for Refusal {
    fn from(error: kumite_host::attend::Error) -> Refusal {
        let message = kumite_host::spec_file::sentence(&error);
        match error {
            kumite_host::attend::Error::Refused(_) => Refusal::conflict(message),
            _ => Refusal::broken(message),
        }
    }
}
