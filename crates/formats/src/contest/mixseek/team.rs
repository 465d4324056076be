//! A team file: `[team]`, `[team.leader]` and `[[team.members]]`.

use super::super::llm::{self, Asked};
use super::super::loader::Loader;
use super::super::node::{Node, Value};
use super::super::places::Named;
use super::super::plan::{Leader, ModelTeam, Team, TeamKind};
use super::super::problem::FileLine;
use super::super::rules;
use super::super::scope::Scope;
use super::{environment, member};

const KEYS: [&str; 3] = ["team_id", "team_name", "max_concurrent_members"];
const LEADER_MODEL: &str = "google-gla:gemini-2.5-flash-lite";
const MEMBERS_AT_ONCE: u32 = 15;

/// The team, and the place of its id.
pub(in super::super) fn read(loader: &Loader<'_>, mut root: Node) -> Option<(Team, FileLine)> {
    put_environment(loader, &mut root);
    let file = Scope::of(loader.report, &root, "");
    if file.has("workflow") {
        let message = "workflow files are not supported";
        let help = "a team has `[team]`, a leader, and members that the leader calls".to_owned();
        file.problem("workflow", message, Some(help));
        return None;
    }
    if !file.has("team") {
        let help = "a team file begins with `[team]`".to_owned();
        let message = "this is no team file: it has no `[team]`";
        loader.report.problem(&file.at, message, Some(help));
        return None;
    }
    let scope = file.table("team")?;
    file.finish();

    let id = rules::team_id(&scope, "team_id");
    scope.need("team_name");
    let name = scope.some_text("team_name").unwrap_or_default();
    environment(&scope);
    let members_at_once = scope.count("max_concurrent_members", 1..=50);
    let members = scope.tables("members");
    let team = ModelTeam {
        leader: leader(scope.table("leader")),
        members: member::all(loader, members),
        max_concurrent_members: members_at_once.unwrap_or(MEMBERS_AT_ONCE),
    };
    let at = scope.place("team_id");
    scope.finish();
    let kind = TeamKind::Model(Box::new(team));
    Some((Team { id, name, kind }, at))
}

fn put_environment(loader: &Loader<'_>, root: &mut Node) {
    let Value::Table(file) = &mut root.value else {
        return;
    };
    let Some(team) = file.get_mut("team") else {
        return;
    };
    loader.variables.put_over(team, "MIXSEEK_TEAM__", &KEYS);
    let at = team.at.clone();
    let Value::Table(table) = &mut team.value else {
        return;
    };
    if let Some(Value::List(members)) = table.get_mut("members").map(|node| &mut node.value) {
        for member in members.iter_mut().filter(|member| !has_file(member)) {
            member::put_environment(loader, member);
        }
    }
    let leader = table.entry("leader".to_owned());
    let leader = leader.or_insert_with(|| Node::empty(at));
    for prefix in ["MIXSEEK_LEADER__", "MIXSEEK_TEAM__LEADER__"] {
        loader.variables.put_over(leader, prefix, &llm::KEYS);
        loader.variables.put_over(leader, prefix, &llm::TEXTS);
    }
}

fn has_file(member: &Node) -> bool {
    matches!(&member.value, Value::Table(keys) if keys.contains_key("config"))
}

fn leader(scope: Option<Scope<'_>>) -> Leader {
    let Some(scope) = scope else {
        return Leader {
            system_instruction: None,
            system_prompt: None,
            llm: Asked::default().build(LEADER_MODEL, rules::MODEL_TIMEOUT_MS),
        };
    };
    environment(&scope);
    let asked = Asked::mixseek(&scope, 10..=600).with_model(&scope, "model");
    let leader = Leader {
        system_instruction: instruction(&scope),
        system_prompt: scope.text("system_prompt"),
        llm: asked.build(LEADER_MODEL, rules::MODEL_TIMEOUT_MS),
    };
    let at = scope.place("model");
    scope.report.named(Named::Model, &leader.llm.model, &at);
    scope.finish();
    leader
}

/// `None`: the built-in instruction is used. A blank text means that there is no instruction.
pub(super) fn instruction(scope: &Scope<'_>) -> Option<String> {
    let key = "system_instruction";
    // A table such as `[agent.system_instruction]`, with the key `text`, means the same.
    let is_table = matches!(scope.node(key), Some(node) if matches!(node.value, Value::Table(_)));
    let text = match is_table {
        true => scope.table(key).and_then(|table| {
            table.need("text");
            let text = table.text("text");
            table.finish();
            text
        }),
        false => scope.text(key),
    };
    let text = text?;
    if !text.is_empty() && text.trim().is_empty() {
        let message = format!("`{}` is blank, so there is none", scope.label(key));
        scope.warn(key, message, None);
        return Some(String::new());
    }
    Some(text)
}
