//! All tools, in the order in which they are listed.

mod agents;
mod contests;
mod documents;
mod history;
mod runs;
mod specs;
mod steer;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::tool::Tool;

pub fn all() -> Vec<Tool> {
    let mut all = Vec::new();
    all.extend(specs::tools());
    all.extend(runs::tools());
    all.extend(steer::tools());
    all.extend(documents::tools());
    all.extend(agents::tools());
    all.extend(history::tools());
    all.extend(contests::tools());
    all
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct OfNothing {}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct OfSpec {
    /// Name of the spec.
    spec: String,
}

/// The names of phases and documents, from the rules.
mod names {
    use kumite_core::names::{Document, Phase};
    use schemars::{Schema, SchemaGenerator, json_schema};

    pub fn phases(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "string", "enum": Phase::ALL.map(Phase::name)})
    }

    /// What can wait for a person: a document, or the merge.
    pub fn approvable(_: &mut SchemaGenerator) -> Schema {
        let documents = Document::ALL.map(Document::name).into_iter();
        let names: Vec<&str> = documents.chain([Phase::Deploy.name()]).collect();
        json_schema!({"type": "string", "enum": names})
    }

    pub fn documents(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "string", "enum": Document::ALL.map(Document::name)})
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tool_has_a_name_of_its_own_and_says_what_it_takes() {
        let mut names = Vec::new();
        for tool in all() {
            let listed = tool.listed();
            assert!(
                listed.description.is_some_and(|about| about.len() > 20),
                "{}",
                tool.name
            );
            assert_eq!(listed.input_schema["type"], "object", "{}", tool.name);
            let properties = listed.input_schema["properties"].as_object().unwrap();
            for (name, property) in properties {
                let about = property["description"].as_str().unwrap_or_default();
                assert!(about.len() > 5, "{}: {name} is not described", tool.name);
                assert!(
                    property["type"].is_string(),
                    "{}: {name}: {property}",
                    tool.name
                );
            }
            names.push(tool.name);
        }
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
    }

    /// Every agent with kumite has this list in its context at every step.
    #[test]
    fn the_list_of_tools_is_short() {
        let listed: Vec<_> = all().iter().map(Tool::listed).collect();
        let bytes = serde_json::to_string(&listed).unwrap().len();
        assert!(bytes < 16 * 1024, "{bytes}");
    }
}
