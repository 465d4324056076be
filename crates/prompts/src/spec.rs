//! The first files of a spec, as `kumite new` writes them.

/// The `spec.json` of a new spec. All phases but deploy are permitted.
pub fn init_spec_json(spec: &str, language: &str, description: &str, now_rfc3339: &str) -> String {
    let template = include_str!("../templates/init.json");
    let template = match description.trim() {
        "" => template.replace("  \"description\": \"{{DESCRIPTION}}\",\n", ""),
        _ => template.to_owned(),
    };
    // The description comes last, so that nothing in it is taken for a placeholder.
    template
        .replace("{{SPEC}}", &in_json(spec))
        .replace("{{NOW}}", &in_json(now_rfc3339))
        .replace("{{LANGUAGE}}", &in_json(language))
        .replace("{{DESCRIPTION}}", &in_json(description.trim()))
}

/// The `requirements.md` of a new spec: the unchanged description, and room for the rest.
pub fn requirements_stub(spec: &str, description: &str) -> String {
    include_str!("../templates/requirements-stub.md")
        .replace("{{SPEC}}", spec)
        .replace("{{DESCRIPTION}}", description.trim())
}

/// `text` as it is written between the quotes of a JSON string.
fn in_json(text: &str) -> String {
    let quoted = serde_json::Value::from(text).to_string();
    quoted[1..quoted.len() - 1].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: &str = "2026-01-31T09:30:00Z";

    #[test]
    fn a_new_spec_permits_everything_but_deploy() {
        let json = init_spec_json("login", "ja", "ログイン画面", NOW);
        assert!(json.starts_with(
            "{\n  \"feature_name\": \"login\",\n  \"created_at\": \"2026-01-31T09:30:00Z\",\n"
        ));
        assert!(json.contains("  \"language\": \"ja\",\n  \"description\": \"ログイン画面\",\n"));
        for phase in [
            "requirements",
            "design",
            "tasks",
            "document-review",
            "impl",
            "inspection",
        ] {
            assert!(
                json.contains(&format!("      \"{phase}\": true,\n")),
                "{phase}"
            );
        }
        assert!(json.contains("      \"deploy\": false\n"));
        assert!(json.ends_with("}\n") && !json.contains("{{"));
    }

    #[test]
    fn a_description_cannot_break_out_of_its_json_string() {
        let json = init_spec_json("login", "en", "say \"hi\"\\\n\t{{SPEC}}\u{1}", NOW);
        assert!(
            json.contains(r#""description": "say \"hi\"\\\n\t{{SPEC}}\u0001","#),
            "{json}"
        );
    }

    #[test]
    fn an_empty_description_is_left_out() {
        assert!(!init_spec_json("login", "en", " \n", NOW).contains("description"));
    }

    #[test]
    fn the_stub_holds_the_description_word_for_word() {
        let stub = requirements_stub("login", "First line.\n\nSecond {{SPEC}} line.\n");
        assert!(stub.contains("## Project Description (Input)\n\nFirst line.\n\nSecond {{SPEC}} line.\n\n## Requirements\n"));
        assert!(stub.contains("requirements of login"));
    }
}
