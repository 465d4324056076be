//! `kumite agent list`.

use std::process::ExitCode;
use std::thread;

use console::style;
use kumite_check::{Agent, Login, Probe, probe};
use kumite_host::clock::local_moment;
use kumite_host::limits::{self, Held};
use kumite_host::settings::Flags;
use serde_json::{Value, json};

use super::agent::project;
use crate::args::Setting;
use crate::out::out;
use crate::trouble::Result;

/// An agent and what could be found out about it.
struct Found {
    name: String,
    kind: &'static str,
    program: String,
    /// `None`: it is kumite itself.
    probe: Option<Probe>,
    held: Option<Held>,
}

pub fn list(setting: &Setting) -> Result {
    let project = project(setting)?;
    let loader = setting.loader(&project, Flags::default())?;
    let agents = &loader.loaded.settings.agents;
    let held = limits::all_held(agents);
    let root = project.root();
    // Programs take their time to say who they are.
    let found: Vec<Found> = thread::scope(|scope| {
        let asked: Vec<_> = agents
            .iter()
            .map(|(name, settings)| {
                let agent = Agent::new(name, settings);
                let held = held.iter().find(|(limited, _)| limited == name);
                let held = held.map(|(_, held)| held.clone());
                let program = agent.as_ref().map_or("kumite", Agent::program).to_owned();
                let kind = agent.as_ref().map_or("scripted", |agent| agent.kind.name());
                let answer = scope.spawn(move || Some(probe(&agent?, root)));
                (name.clone(), kind, program, answer, held)
            })
            .collect();
        let found = asked
            .into_iter()
            .map(|(name, kind, program, answer, held)| Found {
                name,
                kind,
                program,
                // A thread that panicked has told why.
                probe: answer.join().unwrap_or_default(),
                held,
            });
        found.collect()
    });
    match setting.json() {
        true => {
            let agents: Vec<Value> = found.iter().map(Found::json).collect();
            out!("{}", json!({ "agents": agents }));
        }
        false => print(&found),
    }
    Ok(ExitCode::SUCCESS)
}

impl Found {
    fn installed(&self) -> bool {
        self.probe.as_ref().is_none_or(|probe| probe.path.is_some())
    }

    fn version(&self) -> Option<&str> {
        match &self.probe {
            Some(probe) => probe.version.as_deref(),
            None => Some(env!("CARGO_PKG_VERSION")),
        }
    }

    /// `None`: that cannot be told.
    fn logged_in(&self) -> Option<bool> {
        match self.probe.as_ref()?.login {
            Login::Yes => Some(true),
            Login::No => Some(false),
            Login::Unknown => None,
        }
    }

    fn json(&self) -> Value {
        json!({
            "name": self.name,
            "kind": self.kind,
            "program": self.program,
            "installed": self.installed(),
            "version": self.version(),
            "logged_in": self.logged_in(),
            "limited_until": self.held.as_ref().map(|held| &held.until),
            "limit": self.held.as_ref().map(|held| &held.words),
        })
    }

    fn login_words(&self) -> &'static str {
        match (self.installed(), &self.probe, self.logged_in()) {
            (false, ..) => "-",
            (_, None, _) => "no login needed",
            (_, _, Some(true)) => "logged in",
            (_, _, Some(false)) => "not logged in",
            (_, _, None) => "login unknown",
        }
    }
}

fn print(found: &[Found]) {
    let width = |of: fn(&Found) -> usize| found.iter().map(of).max().unwrap_or(0);
    let names = width(|found| found.name.len());
    for found in found {
        let installed = match found.installed() {
            true => style("installed").green(),
            false => style("missing").red(),
        };
        let limit = match &found.held {
            Some(held) => format!(
                "limited until {}: {}",
                local_moment(held.until_ms),
                held.words
            ),
            None => String::new(),
        };
        let line = format!(
            "{:names$}  {:8}  {installed:9}  {:10}  {:15}  {limit}",
            style(&found.name).bold(),
            found.kind,
            found.version().unwrap_or("-"),
            found.login_words(),
        );
        out!("{}", line.trim_end());
    }
}
