//! `kumite agent list`.

use console::style;
use kumite_check::Listed;
use kumite_project::clock::local_moment;
use kumite_project::settings::Flags;
use serde_json::json;

use super::agent::project;
use crate::args::Setting;
use crate::out::out;
use crate::trouble::Result;

pub fn list(setting: &Setting) -> Result {
    let project = project(setting)?;
    let loader = setting.loader(&project, Flags::default())?;
    let listed = kumite_check::list(&loader.loaded.settings.agents, project.root());
    setting.answer(&json!({ "agents": listed }), || print(&listed))
}

fn login_words(agent: &Listed) -> &'static str {
    match (agent.installed, agent.is_own, agent.logged_in) {
        (false, ..) => "-",
        (_, true, _) => "no login needed",
        (_, _, Some(true)) => "logged in",
        (_, _, Some(false)) => "not logged in",
        (_, _, None) => "login unknown",
    }
}

fn print(listed: &[Listed]) {
    let names = listed.iter().map(|agent| agent.name.len()).max();
    let names = names.unwrap_or(0);
    for agent in listed {
        let installed = match agent.installed {
            true => style("installed").green(),
            false => style("missing").red(),
        };
        let limit = match (agent.limited_until_ms, &agent.limit) {
            (Some(until_ms), Some(words)) => {
                format!("limited until {}: {words}", local_moment(until_ms))
            }
            _ => String::new(),
        };
        let line = format!(
            "{:names$}  {:8}  {installed:9}  {:10}  {:15}  {limit}",
            style(&agent.name).bold(),
            agent.kind,
            agent.version.as_deref().unwrap_or("-"),
            login_words(agent),
        );
        out!("{}", line.trim_end());
    }
}
