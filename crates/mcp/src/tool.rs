//! A tool: its name, its purpose, its arguments, and its function.

use std::sync::Arc;

use rmcp::model::{self, JsonObject, ToolAnnotations};
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::access::ProjectAccess;
use crate::refusal::{Refusal, Result};

/// What a call may do to the project.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Nothing changes.
    Reads,
    /// Adds something; a repeated call changes nothing more.
    Adds,
    /// Ends something or gives it up; a repeated call changes nothing more.
    Ends,
    /// Starts agents: they change files, and each call may start some.
    Starts,
}

/// One call: what it works on, and whether the client no longer waits for the answer.
pub struct Call<'a> {
    pub access: &'a ProjectAccess,
    pub is_over: &'a dyn Fn() -> bool,
}

/// The result of a tool: data, and a text where that reads better.
#[derive(Debug)]
pub struct Answer {
    pub data: Value,
    pub text: Option<String>,
}

type Run = dyn Fn(&Call<'_>, JsonObject) -> Result<Answer> + Send + Sync;

pub struct Tool {
    pub name: &'static str,
    pub reach: Reach,
    about: &'static str,
    takes: Arc<JsonObject>,
    run: Box<Run>,
}

/// A tool whose arguments are `A`.
pub fn tool<A: DeserializeOwned + JsonSchema>(
    name: &'static str,
    reach: Reach,
    about: &'static str,
    run: impl Fn(&Call<'_>, A) -> Result<Answer> + Send + Sync + 'static,
) -> Tool {
    Tool {
        name,
        reach,
        about,
        takes: Arc::new(schema::<A>()),
        run: Box::new(move |call, arguments| run(call, parse(name, arguments)?)),
    }
}

impl Answer {
    pub fn of(data: &impl Serialize) -> Result<Answer> {
        Ok(Answer {
            data: serde_json::to_value(data)?,
            text: None,
        })
    }

    pub fn with_text(data: &impl Serialize, text: String) -> Result<Answer> {
        Ok(Answer {
            text: Some(text),
            ..Answer::of(data)?
        })
    }
}

impl Tool {
    pub fn run(&self, call: &Call<'_>, arguments: JsonObject) -> Result<Answer> {
        (self.run)(call, arguments)
    }

    pub fn changes(&self) -> bool {
        self.reach != Reach::Reads
    }

    /// As the protocol lists it.
    pub fn listed(&self) -> model::Tool {
        let hints = ToolAnnotations::new().read_only(!self.changes());
        let hints = match self.reach {
            Reach::Reads | Reach::Adds => hints.destructive(false).idempotent(true),
            Reach::Ends => hints.destructive(true).idempotent(true),
            Reach::Starts => hints.destructive(true).idempotent(false),
        };
        let hints = hints.open_world(self.reach == Reach::Starts);
        model::Tool::new(self.name, self.about, Arc::clone(&self.takes)).with_annotations(hints)
    }
}

/// An error about the arguments names the field.
fn parse<A: DeserializeOwned>(tool: &str, arguments: JsonObject) -> Result<A> {
    serde_path_to_error::deserialize(Value::Object(arguments)).map_err(|error| {
        let place = match error.path().to_string() {
            whole if whole == "." => String::new(),
            field => format!("{field}: "),
        };
        Refusal(format!(
            "wrong arguments for {tool}: {place}{}",
            error.inner()
        ))
    })
}

/// The schema of the arguments, in a plain form that every client understands: an optional argument
/// is "not required", instead of "something or null".
fn schema<A: JsonSchema>() -> JsonObject {
    let generator = SchemaSettings::draft2020_12().with(|it| it.inline_subschemas = true);
    let mut schema = generator.into_generator().into_root_schema_for::<A>();
    for key in ["$schema", "title", "description"] {
        schema.remove(key);
    }
    let mut object = match schema.to_value() {
        Value::Object(object) => object,
        _ => JsonObject::new(),
    };
    let properties = object
        .entry("properties")
        .or_insert_with(|| Value::Object(JsonObject::new()));
    for property in properties
        .as_object_mut()
        .into_iter()
        .flat_map(|all| all.values_mut())
    {
        simplify(property);
    }
    object
}

fn simplify(property: &mut Value) {
    let Some(property) = property.as_object_mut() else {
        return;
    };
    property.remove("format");
    if property.get("default").is_some_and(Value::is_null) {
        property.remove("default");
    }
    if let Some(Value::Array(types)) = property.get_mut("type") {
        types.retain(|name| name != "null");
        if let [only] = types.as_slice() {
            let only = only.clone();
            property.insert("type".to_owned(), only);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;
    use serde_json::json;

    use super::*;

    #[derive(Debug, Deserialize, JsonSchema)]
    #[serde(deny_unknown_fields)]
    struct Args {
        /// Name of the spec
        #[allow(dead_code)]
        spec: String,
        /// How many
        #[allow(dead_code)]
        count: Option<u32>,
    }

    fn wrong(arguments: Value) -> String {
        let arguments = arguments.as_object().cloned().unwrap_or_default();
        parse::<Args>("x", arguments).unwrap_err().0
    }

    #[test]
    fn wrong_arguments_are_told_with_the_name_of_the_field() {
        let rows = [
            (json!({}), "missing field `spec`"),
            (
                json!({"spec": 5}),
                "spec: invalid type: integer `5`, expected a string",
            ),
            (
                json!({"spec": "a", "count": -1}),
                "count: invalid value: integer `-1`, expected u32",
            ),
            (
                json!({"spec": "a", "more": 1}),
                "more: unknown field `more`, expected `spec` or `count`",
            ),
        ];
        for (arguments, words) in rows {
            assert_eq!(wrong(arguments), format!("wrong arguments for x: {words}"));
        }
    }

    #[test]
    fn a_schema_is_an_object_with_plain_types_and_described_properties() {
        let wanted = json!({
            "type": "object",
            "properties": {
                "spec": {"description": "Name of the spec", "type": "string"},
                "count": {"description": "How many", "type": "integer", "minimum": 0},
            },
            "required": ["spec"],
            "additionalProperties": false,
        });
        assert_eq!(Value::Object(schema::<Args>()), wanted);
    }
}
