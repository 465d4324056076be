//! Ids of models (`provider:name`), as far as they can be checked offline.

use super::node::Value;
use super::places::Named;
use super::problem::{FileLine, Report};
use super::scope::Scope;
use crate::settings::nearest;

struct Provider {
    name: &'static str,
    /// Whether its API can search the web and run code on its own side.
    has_tools: bool,
}

const PROVIDERS: [Provider; 9] = [
    provider("openai", false),
    provider("openai-responses", true),
    provider("anthropic", true),
    provider("google-gla", true),
    provider("google-vertex", true),
    provider("grok", false),
    provider("grok-responses", true),
    provider("groq", false),
    provider("ollama", false),
];

/// Names that people use elsewhere.
const OTHER_NAMES: [(&str, &str); 5] = [
    ("xai", "grok"),
    ("google", "google-gla"),
    ("gemini", "google-gla"),
    ("claude", "anthropic"),
    ("gpt", "openai"),
];

const ALLOWED: &str = "a model as `provider:name`, such as \"openai:gpt-4o\"";

const fn provider(name: &'static str, has_tools: bool) -> Provider {
    Provider { name, has_tools }
}

/// Reads an id of a known provider. Any model name is allowed: new ones appear every week.
pub(super) fn read(scope: &Scope<'_>, key: &'static str) -> Option<String> {
    let id = read_any(scope, key)?;
    check(
        scope.report,
        &scope.place(key),
        &format!("`{}`", scope.label(key)),
        &id,
    );
    Some(id)
}

/// Reports an id that is malformed or has an unknown provider. `what` names the setting.
pub(super) fn check(report: &Report, at: &FileLine, what: &str, id: &str) {
    if !is_well_formed(id) {
        let message = format!("{what} must be {ALLOWED}, not {id:?}");
        report.problem(at, message, None);
        return;
    }
    let name = provider_of(id);
    if find(name).is_none() {
        let message = format!("{what} names the provider {name:?}, which is not known");
        let help = format!(
            "did you mean `{}`? Known are {}",
            near(name),
            names().join(", ")
        );
        report.problem(at, message, Some(help));
    }
}

/// Reads an id of any provider, for members that bring their own.
pub(super) fn read_any(scope: &Scope<'_>, key: &'static str) -> Option<String> {
    let id = scope.get(key, ALLOWED, |node| match &node.value {
        Value::Text(id) => Some(id.trim().to_owned()).filter(|id| is_well_formed(id)),
        _ => None,
    })?;
    scope.report.named(Named::Model, &id, &scope.place(key));
    Some(id)
}

/// Whether the provider can search the web and run code. An unknown provider is assumed to.
pub(super) fn has_tools(id: &str) -> bool {
    find(provider_of(id)).is_none_or(|provider| provider.has_tools)
}

pub(super) fn with_tools() -> String {
    let able = PROVIDERS.iter().filter(|one| one.has_tools);
    able.map(|one| one.name).collect::<Vec<_>>().join(", ")
}

fn is_well_formed(id: &str) -> bool {
    let is_odd = |letter: char| letter.is_whitespace() || letter.is_control();
    let parts = id.split_once(':');
    let has_parts = parts.is_some_and(|(provider, name)| !provider.is_empty() && !name.is_empty());
    has_parts && !id.contains(is_odd)
}

fn provider_of(id: &str) -> &str {
    id.split(':').next().unwrap_or_default()
}

fn find(name: &str) -> Option<&'static Provider> {
    PROVIDERS.iter().find(|provider| provider.name == name)
}

fn near(name: &str) -> String {
    let name = name.to_lowercase();
    let other = OTHER_NAMES.iter().find(|(other, _)| *other == name);
    let known = names().into_iter().map(str::to_owned);
    other
        .map(|(_, known)| (*known).to_owned())
        .or_else(|| nearest(&name, known))
        .unwrap_or_default()
}

fn names() -> Vec<&'static str> {
    PROVIDERS.iter().map(|one| one.name).collect()
}
