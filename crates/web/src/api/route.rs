//! One route: what it takes, what it answers, and its handler.

use std::pin::Pin;

use axum::Json;
use axum::extract::{Path, State};
use axum::handler::Handler;
use axum::routing::{self, MethodRouter};
use schemars::generate::SchemaGenerator;
use schemars::{JsonSchema, Schema};

use super::Refusal;
use crate::app::{App, Shared};

/// The answer of a handler that was made for a route.
pub type Later<T> = Pin<Box<dyn Future<Output = T> + Send>>;

/// Makes the schema of a type for a given document.
pub type Make = fn(&mut SchemaGenerator) -> Schema;

pub struct Route {
    /// `get` or `post`. Reading is always `get`, and open to everybody who is logged in.
    pub method: &'static str,
    /// As axum and OpenAPI write it, with `{spec}` for a name.
    pub path: &'static str,
    pub summary: &'static str,
    pub query: Option<Make>,
    pub body: Option<Make>,
    pub answer: Answer,
    /// The status of success.
    pub status: u16,
    /// Statuses besides those that every route has.
    pub refusals: &'static [u16],
    pub service: MethodRouter<Shared>,
}

#[derive(Clone, Copy)]
pub enum Answer {
    Json(Make),
    /// Any JSON; it describes itself.
    Any,
    Events,
}

pub fn get<H, T>(path: &'static str, summary: &'static str, handler: H) -> Route
where
    H: Handler<T, Shared>,
    T: 'static,
{
    Route::new("get", path, summary, routing::get(handler))
}

pub fn post<H, T>(path: &'static str, summary: &'static str, handler: H) -> Route
where
    H: Handler<T, Shared>,
    T: 'static,
{
    Route::new("post", path, summary, routing::post(handler))
}

/// The handler that reads something of one spec or one contest.
pub fn reads<S: 'static, T: Send + 'static>(
    find: fn(&App, &str) -> Result<S, Refusal>,
    read: fn(&App, &S) -> Result<T, Refusal>,
) -> impl Fn(State<Shared>, Path<String>) -> Later<Result<Json<T>, Refusal>> + Clone {
    move |State(app), Path(name)| {
        Box::pin(async move {
            let answer = app.read(move |app| read(app, &find(app, &name)?));
            answer.await?.map(Json)
        })
    }
}

impl Route {
    fn new(
        method: &'static str,
        path: &'static str,
        summary: &'static str,
        service: MethodRouter<Shared>,
    ) -> Route {
        Route {
            method,
            path,
            summary,
            query: None,
            body: None,
            answer: Answer::Any,
            status: 200,
            refusals: &[],
            service,
        }
    }

    /// Adds query parameters, all of them optional.
    pub fn asks<T: JsonSchema>(mut self) -> Route {
        self.query = Some(SchemaGenerator::subschema_for::<T>);
        self
    }

    /// Adds a body, which is optional if all its fields are.
    pub fn takes<T: JsonSchema>(mut self) -> Route {
        self.body = Some(SchemaGenerator::subschema_for::<T>);
        self
    }

    pub fn answers<T: JsonSchema>(mut self, status: u16) -> Route {
        self.answer = Answer::Json(SchemaGenerator::subschema_for::<T>);
        self.status = status;
        self
    }

    pub fn streams(mut self) -> Route {
        self.answer = Answer::Events;
        self
    }

    pub fn refuses(mut self, refusals: &'static [u16]) -> Route {
        self.refusals = refusals;
        self
    }
}
