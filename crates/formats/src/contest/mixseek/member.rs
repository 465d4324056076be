//! Members of a team: in the team's file, or in separate `[agent]` files.

use super::super::llm::{self, Asked};
use super::super::loader::Loader;
use super::super::members;
use super::super::model_id;
use super::super::node::{Node, Value};
use super::super::places::Named;
use super::super::plan::{Member, MemberKind, Plugin};
use super::super::problem::FileLine;
use super::super::rules;
use super::super::scope::Scope;
use super::{environment, team, tools};

kumite_core::words! {
    pub(super) enum Type: name {
        Plain = "plain",
        WebSearch = "web_search",
        WebFetch = "web_fetch",
        CodeExecution = "code_execution",
        Custom = "custom",
    }
}

pub(super) fn all(loader: &Loader<'_>, entries: Vec<Scope<'_>>) -> Vec<Member> {
    let mut found: Vec<(Member, FileLine)> = Vec::new();
    for entry in entries {
        let at = entry.at.clone();
        let member = match entry.has("config") {
            true => by_reference(loader, &entry),
            false => Some(inline(entry, None, None)),
        };
        found.extend(member.map(|member| (member, at)));
    }
    members::distinct(loader.report, &found);
    found.into_iter().map(|(member, _)| member).collect()
}

/// `MIXSEEK_MEMBER__TEMPERATURE` and similar variables apply to members that do not set the key.
pub(super) fn put_environment(loader: &Loader<'_>, member: &mut Node) {
    for keys in [&llm::KEYS[..], &llm::TEXTS] {
        loader.variables.put_under(member, "MIXSEEK_MEMBER__", keys);
    }
}

fn by_reference(loader: &Loader<'_>, entry: &Scope<'_>) -> Option<Member> {
    let tool_name = entry.some_text("tool_name");
    let description = entry.some_text(entry.alias(["tool_description", "description"]));
    for (key, node) in entry.keys() {
        let counts = ["config", "tool_name", "tool_description", "description"];
        if !counts.contains(&key.as_str()) {
            let label = entry.label(key);
            let message =
                format!("`{label}` has no effect beside `config`: the agent's file counts");
            loader.report.warn(&node.at, message, None);
        }
    }
    let mut file = loader.file_of(entry, "config")?;
    if let Value::Table(table) = &mut file.value
        && let Some(agent) = table.get_mut("agent")
    {
        put_environment(loader, agent);
    }
    let root = Scope::of(loader.report, &file, "");
    let Some(agent) = root.table("agent") else {
        let help = "it begins with `[agent]`".to_owned();
        let message = "this is no agent file: it has no `[agent]`";
        loader.report.problem(&root.at, message, Some(help));
        return None;
    };
    root.finish();
    Some(inline(agent, tool_name, description))
}

/// A member with all keys in one table, except those that the team sets for its tool.
fn inline(scope: Scope<'_>, tool_name: Option<String>, description: Option<String>) -> Member {
    let name = members::name(&scope, scope.alias(["name", "agent_name"]));
    let tool_name = tool_name.or_else(|| scope.some_text("tool_name"));
    let described = scope.some_text(scope.alias(["tool_description", "description"]));
    let key = scope.alias(["type", "agent_type"]);
    scope.need(key);
    let kind = scope
        .word(key, &Type::ALL.map(|it| (it.name(), it)))
        .unwrap_or(Type::Plain);
    environment(&scope);
    scope.without_effect("capabilities", "nothing reads it");

    scope.need("model");
    let mut asked = Asked::mixseek(&scope, 0..=u64::MAX);
    // In mixseek, 0 means no limit of its own.
    asked.timeout_ms = asked.timeout_ms.filter(|ms| *ms > 0);
    asked.model = match kind {
        Type::Custom => model_id::read_any(&scope, "model"),
        _ => model_id::read(&scope, "model"),
    };
    if matches!(kind, Type::WebSearch | Type::CodeExecution) {
        members::check_tools(&scope, asked.model.as_deref(), key);
    }
    let tools = tools::read(&scope, kind);
    let member = Member {
        tool_name: members::tool_name(&scope, "tool_name", tool_name, &name),
        tool_description: members::description(description.or(described), &name),
        name,
        system_instruction: team::instruction(&scope),
        system_prompt: scope.text("system_prompt"),
        kind: match kind {
            Type::Plain => MemberKind::Plain,
            Type::WebSearch => MemberKind::WebSearch {
                max_results: tools.max_results,
            },
            Type::WebFetch => tools.fetch,
            Type::CodeExecution => MemberKind::CodeExecution,
            Type::Custom => MemberKind::Plugin(Plugin {
                tool_settings: tools.custom,
                ..plugin(&scope)
            }),
        },
        llm: asked.build("", rules::MODEL_TIMEOUT_MS),
    };
    if kind != Type::Custom && scope.has("plugin") {
        let help = "write `type = \"custom\"` if that is meant".to_owned();
        scope.problem(
            "plugin",
            "only a member of type \"custom\" has a `plugin`",
            Some(help),
        );
    }
    scope.finish();
    member
}

/// The Python class of a custom member.
fn plugin(scope: &Scope<'_>) -> Plugin {
    scope.need("plugin");
    let Some(table) = scope.table("plugin") else {
        return Plugin::default();
    };
    table.need("agent_class");
    if !table.has("agent_module") && !table.has("path") {
        let message = format!("`{}` or `path` is missing", table.label("agent_module"));
        table.report.problem(&table.at, message, None);
    }
    let plugin = Plugin {
        module: table.some_text("agent_module"),
        path: table.some_text("path"),
        class: table.some_text("agent_class").unwrap_or_default(),
        ..Plugin::default()
    };
    table.report.named(Named::Plugin, &plugin.class, &table.at);
    table.finish();
    plugin
}
