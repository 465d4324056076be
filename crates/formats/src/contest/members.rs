//! Rules for every member of a model team, in whichever file it is.

use std::collections::BTreeMap;

use super::model_id;
use super::node::Value;
use super::plan::{Member, MemberKind};
use super::problem::{FileLine, Report};
use super::scope::Scope;

/// The longest tool name that the providers' APIs accept.
const TOOL_NAME_MAX: usize = 64;

/// The leader distinguishes its members by name, and its tools too.
pub(super) fn distinct(report: &Report, members: &[(Member, FileLine)]) {
    let mut names: BTreeMap<&str, &FileLine> = BTreeMap::new();
    let mut tools: BTreeMap<&str, &FileLine> = BTreeMap::new();
    // A missing name is already reported.
    for (member, at) in members.iter().filter(|(member, _)| !member.name.is_empty()) {
        let same_name = names.insert(&member.name, at);
        let same_tool = tools.insert(&member.tool_name, at);
        let (what, name, first) = match (same_name, same_tool) {
            (Some(first), _) => ("member", &member.name, first),
            (None, Some(first)) => ("tool", &member.tool_name, first),
            (None, None) => continue,
        };
        let message = format!("{what} {name:?} is there twice in this team");
        report.problem(at, message, Some(format!("it is also at {first}")));
    }
}

pub(super) fn name(scope: &Scope<'_>, key: &'static str) -> String {
    scope.need(key);
    let allowed = "a name of letters, digits, `-`, `_` and `.`";
    let is_plain = |letter: char| letter.is_alphanumeric() || "-_.".contains(letter);
    let is_good =
        |name: &String| name.contains(char::is_alphanumeric) && name.chars().all(is_plain);
    let name = scope.get(key, allowed, |node| match &node.value {
        Value::Text(name) => Some(name.clone()).filter(is_good),
        _ => None,
    });
    name.unwrap_or_default()
}

/// The name that the leader calls the member by: given, or made from the member's name.
pub(super) fn tool_name(
    scope: &Scope<'_>,
    key: &'static str,
    given: Option<String>,
    name: &str,
) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "-_.".contains(letter);
    let is_given = given.is_some();
    let tool = given.unwrap_or_else(|| {
        // APIs allow fewer characters in tool names than we allow in member names.
        let is_safe = |letter: &char| letter.is_ascii_alphanumeric() || *letter == '-';
        let safe = |letter: char| Some(letter).filter(is_safe).unwrap_or('_');
        format!("delegate_to_{}", name.chars().map(safe).collect::<String>())
    });
    if tool.len() > TOOL_NAME_MAX || !tool.chars().all(is_plain) {
        let message = format!("no model takes a tool of the name {tool:?}");
        let allowed = format!("at most {TOOL_NAME_MAX} ASCII letters, digits, `-`, `_` and `.`");
        let help = match is_given {
            true => format!("`{}` may have {allowed}", scope.label(key)),
            false => format!("set `{}`: {allowed}", scope.label(key)),
        };
        scope.problem(key, message, Some(help));
    }
    tool
}

pub(super) fn description(given: Option<String>, name: &str) -> String {
    given.unwrap_or_else(|| format!("Delegate task to {name}"))
}

/// Only the provider can search and run code, so its API must support it.
pub(super) fn check_tools(scope: &Scope<'_>, model: Option<&str>, key: &'static str) {
    if let Some(model) = model.filter(|model| !model_id::has_tools(model))
        && let Some(kind) = scope.node(key)
    {
        let (provider, name) = model.split_once(':').unwrap_or_default();
        let message = format!(
            "a member of kind {} cannot have the model {model}",
            kind.shown()
        );
        let other = match provider {
            "openai" | "grok" => format!("write `{provider}-responses:{name}`, or "),
            _ => String::new(),
        };
        let help = format!("{other}use one of {}", model_id::with_tools());
        scope.problem("model", message, Some(help));
    }
}

pub(super) fn fetch(scope: Option<&Scope<'_>>) -> MemberKind {
    let texts = |key| scope.and_then(|scope| scope.texts(key)).unwrap_or_default();
    let (allowed_domains, blocked_domains) = (texts("allowed_domains"), texts("blocked_domains"));
    if let Some(scope) = scope
        && !allowed_domains.is_empty()
        && !blocked_domains.is_empty()
    {
        let message = "`allowed_domains` and `blocked_domains` exclude each other";
        scope.problem(
            "blocked_domains",
            message,
            Some("use one of them".to_owned()),
        );
    }
    MemberKind::WebFetch {
        max_uses: scope.and_then(|scope| scope.count("max_uses", 1..=1000)),
        allowed_domains,
        blocked_domains,
    }
}
