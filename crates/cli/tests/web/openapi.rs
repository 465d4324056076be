//! `/api/openapi.json` against the real server: every listed route exists and answers as described,
//! and there are no others.

use serde_json::{Map, Value, json};

use crate::served::Served;
use crate::world::{World, text, until};

/// Every operation: method, path, and its description.
fn operations(document: &Value) -> Vec<(String, String, Value)> {
    let paths = document["paths"].as_object().unwrap();
    let all = paths.iter().flat_map(|(path, methods)| {
        let methods = methods.as_object().unwrap().iter();
        methods.map(|(method, operation)| (method.clone(), path.clone(), operation.clone()))
    });
    all.collect()
}

/// A project with some of everything, and names that can replace `{spec}` and the like.
fn lived_in(world: &World, served: &Served) -> Map<String, Value> {
    world.spec_with_documents("login");
    served
        .post("/api/specs/login/run", &json!({}))
        .assert_status(202);
    world.write(
        "contest.toml",
        "task = \"x\"\n[contest]\nrounds_min = 1\nrounds_max = 1\n[[team]]\n\
        id = \"a\"\nscripted = \"flat\"\n[[metric]]\nname = \"m\"\nwords = [\"x\"]\n",
    );
    let begun = served.post("/api/contests", &json!({"file": "contest.toml"}));
    let id = text(&begun.assert_status(202).json()["execution_id"]);
    until("the contest to end", || {
        served.get(&format!("/api/contests/{id}")).json()["state"] == "done"
    });
    world.wait_for_state("login", "done");
    let agents = served.get("/api/specs/login/agents").json();
    let names =
        json!({"spec": "login", "name": "design.md", "agent": agents["agents"][0]["id"], "id": id});
    names.as_object().unwrap().clone()
}

fn filled(path: &str, names: &Map<String, Value>) -> String {
    names.iter().fold(path.to_owned(), |path, (name, value)| {
        path.replace(&format!("{{{name}}}"), &text(value))
    })
}

#[test]
fn the_document_is_whole_and_holds_the_contract() {
    let world = World::new();
    let served = world.serve();
    let document = served.get("/api/openapi.json").json();
    assert_eq!(document["openapi"], "3.1.0");
    assert!(document["info"]["title"].is_string() && document["info"]["version"].is_string());
    let schemes = document["components"]["securitySchemes"]
        .as_object()
        .unwrap();
    let mut ids = Vec::new();
    for (method, path, operation) in operations(&document) {
        let place = format!("{method} {path}");
        assert!(["get", "post"].contains(&method.as_str()), "{place}");
        ids.push(text(&operation["operationId"]));
        assert!(operation["summary"].is_string(), "{place}");
        let in_path = path
            .split('/')
            .filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'));
        let parameters = operation["parameters"].as_array().unwrap();
        let told = parameters.iter().filter(|it| it["in"] == "path");
        let told: Vec<&str> = told.map(|it| it["name"].as_str().unwrap()).collect();
        assert_eq!(in_path.collect::<Vec<_>>(), told, "{place}");
        let responses = operation["responses"].as_object().unwrap();
        assert!(
            responses.keys().any(|status| status.starts_with('2')),
            "{place}"
        );
        for response in responses.values() {
            assert!(response["description"].is_string(), "{place}");
        }
        for one_of in operation["security"].as_array().unwrap() {
            for scheme in one_of.as_object().unwrap().keys() {
                assert!(schemes.contains_key(scheme), "{place}: {scheme}");
            }
        }
        assert_eq!(
            operation["requestBody"].is_object(),
            method == "post",
            "{place}"
        );
    }
    let count = ids.len();
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), count, "every operation has an id of its own");
    // Every reference leads somewhere.
    fn references(value: &Value, found: &mut Vec<String>) {
        match value {
            Value::Object(map) => {
                found.extend(map.get("$ref").map(text));
                map.values().for_each(|value| references(value, found));
            }
            Value::Array(all) => all.iter().for_each(|value| references(value, found)),
            _ => {}
        }
    }
    let mut found = Vec::new();
    references(&document, &mut found);
    assert!(!found.is_empty());
    for reference in found {
        assert!(document.pointer(&reference[1..]).is_some(), "{reference}");
    }
    let contract = [
        "get /api/specs",
        "post /api/specs",
        "post /api/specs/{spec}/run",
        "post /api/specs/{spec}/stop",
        "post /api/specs/{spec}/pause",
        "post /api/specs/{spec}/resume",
        "post /api/specs/{spec}/reset",
        "post /api/specs/{spec}/approve",
        "post /api/specs/{spec}/reject",
        "get /api/events",
        "get /api/contests",
    ];
    for route in contract {
        let (method, path) = route.split_once(' ').unwrap();
        assert!(document["paths"][path][method].is_object(), "{route}");
    }
    let events = &document["paths"]["/api/events"]["get"]["responses"]["200"]["content"];
    assert!(events["text/event-stream"].is_object());
}

#[test]
fn every_answer_has_the_form_that_the_document_says() {
    let world = World::new();
    let served = world.serve();
    let names = lived_in(&world, &served);
    let document = served.get("/api/openapi.json").json();
    let mut seen = 0;
    for (method, path, operation) in operations(&document) {
        if method != "get" || path == "/api/events" {
            continue;
        }
        let answer = served.get(&filled(&path, &names));
        let content = &operation["responses"]["200"]["content"]["application/json"];
        let found = Check {
            document: &document,
        }
        .check(&answer.assert_status(200).json(), &content["schema"], &path);
        assert_eq!(found, Vec::<String>::new());
        seen += 1;
    }
    assert!(seen >= 15, "{seen}");
    // Refusals and changes have schemas too.
    let refusal = &document["paths"]["/api/specs/{spec}"]["get"]["responses"]["404"]["content"];
    let answer = served.get("/api/specs/nobody").assert_status(404).json();
    let check = Check {
        document: &document,
    };
    assert_eq!(
        check.check(&answer, &refusal["application/json"]["schema"], "404"),
        Vec::<String>::new()
    );
    let stop = &document["paths"]["/api/specs/{spec}/stop"]["post"]["responses"]["200"]["content"];
    let answer = served
        .post("/api/specs/login/stop", &json!({}))
        .assert_status(200)
        .json();
    assert_eq!(
        check.check(&answer, &stop["application/json"]["schema"], "stop"),
        Vec::<String>::new()
    );
}

#[test]
fn every_route_of_the_document_is_there_and_no_other() {
    let world = World::new();
    let served = world.serve();
    let names = lived_in(&world, &served);
    let document = served.get("/api/openapi.json").json();
    for (method, path, _) in operations(&document) {
        // None of it is accepted, so nothing is changed, but every route must answer.
        let path = filled(&path, &names);
        let status = match (method.as_str(), path.as_str()) {
            (_, "/api/events") => continue,
            ("get", path) => served.get(path).status,
            (_, path) => served.post(path, &json!({"nonsense": 1})).status,
        };
        let wanted = if method == "get" { 200 } else { 400 };
        assert_eq!(status, wanted, "{method} {path}");
        let other = if method == "get" { "DELETE" } else { "PUT" };
        let refused = served.send(other, &path, &[&served.bearer()], "");
        assert_eq!(refused.status, 405, "{other} {path}");
    }
    for path in [
        "/api",
        "/api/",
        "/api/nothing",
        "/api/specs/login/nothing",
        "/api/specs/login/run/x",
        "/api/openapi.yaml",
    ] {
        let answer = served.get(path);
        assert_eq!(answer.status, 404, "{path}");
    }
    served
        .post("/api/specs/login/nothing", &json!({}))
        .assert_status(404);
}

/// The part of JSON Schema that the document uses; an unknown keyword is a failure.
struct Check<'a> {
    document: &'a Value,
}

impl Check<'_> {
    fn check(&self, value: &Value, schema: &Value, place: &str) -> Vec<String> {
        let mut wrong = Vec::new();
        let Some(schema) = schema.as_object() else {
            // `true`: anything.
            if schema != &json!(true) {
                wrong.push(format!("{place}: {schema} is no schema"));
            }
            return wrong;
        };
        for (keyword, rule) in schema {
            match keyword.as_str() {
                "$ref" => {
                    let rule = self.document.pointer(&text(rule)[1..]).unwrap();
                    wrong.extend(self.check(value, rule, place));
                }
                "type" => {
                    let kinds = rule
                        .as_array()
                        .cloned()
                        .unwrap_or_else(|| vec![rule.clone()]);
                    if !kinds.iter().any(|kind| is(value, kind.as_str().unwrap())) {
                        wrong.push(format!("{place}: {value} is not {rule}"));
                    }
                }
                "required" => {
                    for key in rule.as_array().unwrap() {
                        if value.get(key.as_str().unwrap()).is_none() {
                            wrong.push(format!("{place}: {key} is missing in {value}"));
                        }
                    }
                }
                "properties" => {
                    for (key, rule) in rule.as_object().unwrap() {
                        if let Some(value) = value.get(key) {
                            wrong.extend(self.check(value, rule, &format!("{place}.{key}")));
                        }
                    }
                    // A field that is not in the document is a gap in it.
                    for key in value.as_object().into_iter().flat_map(Map::keys) {
                        if rule.get(key).is_none() {
                            wrong.push(format!("{place}: {key} is not in the document"));
                        }
                    }
                }
                "items" => {
                    for (index, value) in value.as_array().into_iter().flatten().enumerate() {
                        wrong.extend(self.check(value, rule, &format!("{place}[{index}]")));
                    }
                }
                "enum" | "const" => {
                    let allowed = rule
                        .as_array()
                        .cloned()
                        .unwrap_or_else(|| vec![rule.clone()]);
                    if !allowed.contains(value) {
                        wrong.push(format!("{place}: {value} is none of {rule}"));
                    }
                }
                "anyOf" | "oneOf" => {
                    let mut rules = rule.as_array().unwrap().iter();
                    if !rules.any(|rule| self.check(value, rule, place).is_empty()) {
                        wrong.push(format!("{place}: {value} fits none of {rule}"));
                    }
                }
                "minimum" => {
                    if value.as_f64() < rule.as_f64() && value.is_number() {
                        wrong.push(format!("{place}: {value} is less than {rule}"));
                    }
                }
                "maximum" => {
                    if value.as_f64() > rule.as_f64() && value.is_number() {
                        wrong.push(format!("{place}: {value} is more than {rule}"));
                    }
                }
                "format" | "description" | "title" | "default" => {}
                _ => wrong.push(format!("{place}: nobody checks {keyword}")),
            }
        }
        wrong
    }
}

fn is(value: &Value, kind: &str) -> bool {
    match kind {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        _ => false,
    }
}
