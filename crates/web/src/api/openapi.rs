//! `/api/openapi.json`, made from the table of routes and from the Rust types.

use axum::Json;
use axum::extract::State;
use schemars::generate::{SchemaGenerator, SchemaSettings};
use serde_json::{Map, Value, json};

use super::refusal::Body;
use super::route::{Answer, Make, Route};
use super::routes;
use crate::app::Shared;

pub async fn show(State(app): State<Shared>) -> Json<Value> {
    Json(document(&routes::all(), &app.auth.cookie))
}

/// OpenAPI 3.1. `cookie` is the name of the browser's cookie.
pub fn document(routes: &[Route], cookie: &str) -> Value {
    let mut made = Schemas::new();
    let mut paths = Map::new();
    for route in routes {
        let operation = operation(route, &mut made);
        let path = paths.entry(route.path).or_insert_with(|| json!({}));
        path[route.method] = operation;
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "kumite",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "See and steer the specs and contests of a project.",
        },
        "paths": paths,
        "components": {
            "schemas": made.all(),
            "securitySchemes": {
                "bearer": {
                    "type": "http",
                    "scheme": "bearer",
                    "description": "The token in .kiro/runtime/kumite/token, for programs.",
                },
                "cookie": {
                    "type": "apiKey",
                    "in": "cookie",
                    "name": cookie,
                    "description": "What a one-time link gives to a browser.",
                },
                "csrf": {
                    "type": "apiKey",
                    "in": "header",
                    "name": "X-CSRF-Token",
                    "description": "What a page sends with every change, besides its cookie.",
                },
            },
        },
    })
}

fn operation(route: &Route, made: &mut Schemas) -> Value {
    let is_change = route.method == "post";
    let mut operation = json!({
        "operationId": name(route),
        "summary": route.summary,
        "description": match is_change {
            true => "A change: read-only links may not.",
            false => "Changes nothing: read-only links may, too.",
        },
        "parameters": parameters(route, made),
        "responses": responses(route, made),
        "security": match is_change {
            true => json!([{"bearer": []}, {"cookie": [], "csrf": []}]),
            false => json!([{"bearer": []}, {"cookie": []}]),
        },
    });
    if let Some(body) = route.body {
        let schema = made.taken(body);
        let is_required = !made.required(&schema).is_empty();
        operation["requestBody"] = json!({
            "required": is_required,
            "content": {"application/json": {"schema": schema}},
        });
    }
    operation
}

/// `post /api/specs/{spec}/run` is `post_specs_run`.
fn name(route: &Route) -> String {
    let parts = route.path.trim_start_matches("/api").split('/');
    let words = parts.filter(|part| !part.is_empty());
    let words = words.map(|part| match part.strip_prefix('{') {
        Some(name) => format!("by_{}", name.trim_end_matches('}')),
        None => part.replace('.', "_"),
    });
    let words: Vec<String> = [route.method.to_owned()].into_iter().chain(words).collect();
    words.join("_")
}

fn parameters(route: &Route, made: &mut Schemas) -> Vec<Value> {
    let in_path = route.path.split('/').filter_map(|part| {
        let name = part.strip_prefix('{')?.strip_suffix('}')?;
        Some(json!({"name": name, "in": "path", "required": true, "schema": {"type": "string"}}))
    });
    let mut parameters: Vec<Value> = in_path.collect();
    if let Some(query) = route.query {
        let schema = made.taken(query);
        for (name, schema) in made.properties(&schema) {
            parameters.push(json!({"name": name, "in": "query", "schema": schema}));
        }
    }
    parameters
}

/// The statuses that every route has come from the guard, before the route is called.
fn responses(route: &Route, made: &mut Schemas) -> Value {
    let mut all = Map::new();
    let good = match route.answer {
        Answer::Json(make) => json!({"application/json": {"schema": made.told(make)}}),
        Answer::Any => json!({"application/json": {"schema": {"type": "object"}}}),
        Answer::Events => json!({"text/event-stream": {"schema": {"type": "string"}}}),
    };
    let put = |all: &mut Map<String, Value>, status: u16, content: Value| {
        let description = axum::http::StatusCode::from_u16(status).ok();
        let description = description.and_then(|status| status.canonical_reason());
        let response = json!({"description": description.unwrap_or("Answer"), "content": content});
        all.insert(status.to_string(), response);
    };
    put(&mut all, route.status, good);
    let refusal = made.told(SchemaGenerator::subschema_for::<Body>);
    let for_bodies: &[u16] = match route.method == "post" {
        true => &[413, 415],
        false => &[],
    };
    let all_refuse = [401, 403, 429, 500];
    for status in route.refusals.iter().chain(for_bodies).chain(&all_refuse) {
        let content = json!({"application/json": {"schema": refusal}});
        put(&mut all, *status, content);
    }
    Value::Object(all)
}

/// The schemas of what we receive and of what we send. A field that is optional in a request is
/// always present in an answer.
struct Schemas {
    taken: SchemaGenerator,
    told: SchemaGenerator,
}

const PLACE: &str = "/components/schemas";

impl Schemas {
    fn new() -> Schemas {
        let settings =
            || SchemaSettings::draft2020_12().with(|it| it.definitions_path = PLACE.into());
        Schemas {
            taken: settings().for_deserialize().into_generator(),
            told: settings().for_serialize().into_generator(),
        }
    }

    fn taken(&mut self, make: Make) -> Value {
        make(&mut self.taken).to_value()
    }

    fn told(&mut self, make: Make) -> Value {
        make(&mut self.told).to_value()
    }

    /// The definition that a request schema refers to.
    fn resolved<'a>(&'a self, schema: &'a Value) -> &'a Value {
        let name = schema["$ref"].as_str().and_then(|it| it.rsplit('/').next());
        let definitions = self.taken.definitions();
        name.and_then(|name| definitions.get(name))
            .unwrap_or(schema)
    }

    fn properties(&self, schema: &Value) -> Map<String, Value> {
        let properties = self.resolved(schema)["properties"].as_object();
        properties.cloned().unwrap_or_default()
    }

    fn required(&self, schema: &Value) -> Vec<Value> {
        let required = self.resolved(schema)["required"].as_array();
        required.cloned().unwrap_or_default()
    }

    fn all(mut self) -> Map<String, Value> {
        let mut all = self.taken.take_definitions(true);
        all.extend(self.told.take_definitions(true));
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_in_the_order_in_which_they_were_written() {
        let document = document(&routes::all(), "kumite");
        let keys: Vec<&String> = document.as_object().unwrap().keys().collect();
        assert_eq!(keys, ["openapi", "info", "paths", "components"]);
    }
}
