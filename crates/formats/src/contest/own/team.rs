//! `[[team]]`: an agent of kumite, a model with members, a scripted one, or a team file of mixseek.

use super::super::llm::Asked;
use super::super::loader::Loader;
use super::super::members;
use super::super::mixseek;
use super::super::node::{Node, Value};
use super::super::places::Named;
use super::super::plan::{
    Agent, Command, Leader, Member, MemberKind, ModelTeam, Source, Style, Team, TeamKind, Worktree,
};
use super::super::problem::FileLine;
use super::super::rules;
use super::super::scope::Scope;

const KINDS: [&str; 4] = ["agent", "model", "scripted", "config"];
const MEMBERS_AT_ONCE: u32 = 15;
const COMMAND_TIMEOUT_MS: u64 = 300_000;

kumite_core::words! {
    /// What a member is.
    enum Kind: name {
        Plain = "plain",
        WebSearch = "web_search",
        WebFetch = "web_fetch",
        CodeExecution = "code_execution",
        Command = "command",
    }
}

/// The team, and the place of its id.
pub(super) fn read(loader: &Loader<'_>, scope: Scope<'_>) -> Option<(Team, FileLine)> {
    let given: Vec<&'static str> = KINDS.into_iter().filter(|key| scope.has(key)).collect();
    let &[kind] = given.as_slice() else {
        let what = match given.is_empty() {
            true => "nobody works in this team".to_owned(),
            false => format!("this team has `{}` at once", given.join("` and `")),
        };
        let help = "give it exactly one of `agent`, `model`, `scripted` and `config`".to_owned();
        scope.report.problem(&scope.at, what, Some(help));
        return None;
    };
    if kind == "config" {
        let file = loader.file_of(&scope, "config");
        scope.finish_as("a team with `config`, which has its id in that file");
        return mixseek::team(loader, file?);
    }
    let id = rules::team_id(&scope, "id");
    let name = scope.some_text("name").unwrap_or_else(|| id.clone());
    let at = scope.place("id");
    let what = format!("a team with `{kind}`");
    let kind = match kind {
        "agent" => TeamKind::Agent(agent(&scope)),
        "scripted" => TeamKind::Scripted {
            style: scope
                .word("scripted", &Style::ALL.map(|style| (style.name(), style)))
                .unwrap_or(Style::Steady),
            pace_ms: scope.span("pace").unwrap_or(0),
        },
        _ => TeamKind::Model(Box::new(model(&scope))),
    };
    scope.finish_as(&what);
    Some((Team { id, name, kind }, at))
}

fn agent(scope: &Scope<'_>) -> Agent {
    let agent = scope.some_text("agent").unwrap_or_default();
    scope
        .report
        .named(Named::Agent, &agent, &scope.place("agent"));
    let allowed = "\"text\", \"diff\", or \"file:PATH\" with a path inside the worktree";
    Agent {
        agent,
        submission: scope
            .get("submission", allowed, source)
            .unwrap_or(Source::Text),
        worktree: scope
            .word("worktree", &Worktree::ALL.map(|it| (it.name(), it)))
            .unwrap_or(Worktree::Fresh),
    }
}

fn source(node: &Node) -> Option<Source> {
    let Value::Text(text) = &node.value else {
        return None;
    };
    match text.as_str() {
        "text" => Some(Source::Text),
        "diff" => Some(Source::Diff),
        other => {
            let path = other.strip_prefix("file:")?.trim();
            let parts = std::path::Path::new(path).components();
            let is_normal = |part| matches!(part, std::path::Component::Normal(_));
            let stays_inside = !path.is_empty() && !path.contains('\0');
            let stays_inside = stays_inside && parts.into_iter().all(is_normal);
            stays_inside.then(|| Source::File(path.to_owned()))
        }
    }
}

fn model(scope: &Scope<'_>) -> ModelTeam {
    let asked = Asked::own(scope).with_model(scope, "model");
    let at_once = scope.count("members_at_once", 1..=50);
    let entries = scope.tables("member");
    let found: Vec<(Member, FileLine)> = entries
        .into_iter()
        .map(|entry| {
            let at = entry.at.clone();
            (member(entry, &asked), at)
        })
        .collect();
    members::distinct(scope.report, &found);
    ModelTeam {
        leader: Leader {
            system_instruction: scope.text("system"),
            system_prompt: None,
            llm: asked.build("", rules::MODEL_TIMEOUT_MS),
        },
        members: found.into_iter().map(|(member, _)| member).collect(),
        max_concurrent_members: at_once.unwrap_or(MEMBERS_AT_ONCE),
    }
}

/// A member uses the model of its leader unless it names another.
fn member(scope: Scope<'_>, leader: &Asked) -> Member {
    let name = members::name(&scope, "name");
    scope.need("kind");
    let kind = scope
        .word("kind", &Kind::ALL.map(|kind| (kind.name(), kind)))
        .unwrap_or(Kind::Plain);
    let tool_name = scope.some_text("tool");
    let mut asked = Asked::default();
    let mut system_instruction = None;
    if kind != Kind::Command {
        asked = Asked::own(&scope).with_model(&scope, "model");
        if !scope.has("model") {
            asked.model.clone_from(&leader.model);
            asked.base_url = asked.base_url.or_else(|| leader.base_url.clone());
        }
        system_instruction = scope.text("system");
    }
    if matches!(kind, Kind::WebSearch | Kind::CodeExecution) {
        members::check_tools(&scope, asked.model.as_deref(), "kind");
    }
    let what = format!("a member of kind \"{}\"", kind.name());
    let member = Member {
        tool_name: members::tool_name(&scope, "tool", tool_name, &name),
        tool_description: members::description(scope.some_text("description"), &name),
        name,
        system_instruction,
        system_prompt: None,
        kind: match kind {
            Kind::Plain => MemberKind::Plain,
            Kind::WebSearch => MemberKind::WebSearch {
                max_results: scope.count("max_results", 1..=50),
            },
            Kind::WebFetch => members::fetch(Some(&scope)),
            Kind::CodeExecution => MemberKind::CodeExecution,
            Kind::Command => MemberKind::Command(command(&scope)),
        },
        llm: asked.build("", rules::MODEL_TIMEOUT_MS),
    };
    scope.finish_as(&what);
    member
}

/// A program and how long it may take.
pub(super) fn command(scope: &Scope<'_>) -> Command {
    scope.need("command");
    let argv = scope.texts("command");
    let program = argv
        .as_ref()
        .map(|argv| argv.first().map(|program| program.trim()));
    if matches!(program, Some(None | Some(""))) {
        let message = format!("`{}` names no program", scope.label("command"));
        let help = "write a list: [\"./score.sh\", \"argument\"]".to_owned();
        scope.problem("command", message, Some(help));
    }
    let argv = argv.unwrap_or_default();
    if let Some(program) = argv.first() {
        scope
            .report
            .named(Named::Program, program, &scope.place("command"));
    }
    Command {
        argv,
        timeout_ms: scope.span("timeout").unwrap_or(COMMAND_TIMEOUT_MS),
    }
}
