//! Merges the layers, and checks what only the complete settings can show.

use std::collections::BTreeMap;

use kumite_core::names::Phase;

use super::agent_draft::Draft;
use super::command_draft::{COMMAND_KEYS, Commands};
use super::error::nearest;
use super::source::{self, Given, Where};
use super::value::{Allowed, Plain, quoted};
use super::{AGENT_KEYS, Error, Flag, KEYS, Layer, Loaded, Origin, Settings, env};

/// The meaning of a setting; None for a name that is not a setting.
pub fn doc(key: &str) -> Option<&'static str> {
    let fixed = KEYS
        .iter()
        .find(|known| known.name == key)
        .map(|known| known.doc);
    let parts: Vec<&str> = key.split('.').collect();
    fixed.or_else(|| match parts.as_slice() {
        ["agent", "phase", phase] => Phase::from_name(phase).map(|_| "the agent for this phase"),
        ["agents", _, key] => Some(AGENT_KEYS.iter().find(|known| known.name == *key)?.doc),
        _ => None,
    })
}

pub(super) fn load(
    layers: &[Layer<'_>],
    variables: &[(String, String)],
    flags: &[Flag],
) -> Result<Loaded, Error> {
    let mut pile = Pile::default();
    for layer in layers {
        source::read(layer)?
            .into_iter()
            .try_for_each(|given| pile.add(given))?;
    }
    let agents: Vec<String> = pile.agents.keys().cloned().collect();
    env::read(variables, &agents)
        .into_iter()
        .try_for_each(|given| pile.add(given))?;
    env::read_flags(flags)
        .into_iter()
        .try_for_each(|given| pile.add(given))?;
    pile.finish()
}

/// Settings while the layers are added.
#[derive(Default)]
struct Pile {
    settings: Settings,
    agents: BTreeMap<String, Draft>,
    commands: Commands,
    /// Where each setting was last given.
    from: BTreeMap<String, Where>,
}

impl Pile {
    fn add(&mut self, given: Given) -> Result<(), Error> {
        // A command belongs to its list, whose place is known already.
        if let Some(item) = given.item {
            return self.commands.add(&given, item);
        }
        let key = given.path.join(".");
        let parts: Vec<&str> = given.path.iter().map(String::as_str).collect();
        match parts.as_slice() {
            ["agent", "phase", phase] => {
                let known = Phase::from_name(phase);
                let phase = known.ok_or_else(|| unknown_phase(&given, &key, phase))?;
                let agent = first_of(&given, &key, Plain::some_text)?;
                self.settings.agent.phase.insert(phase, agent);
            }
            ["agents", name, agent_key] => self.add_agent(&given, &key, name, agent_key)?,
            ["agents", name] if is_empty_table(&given) => {
                self.draft(&given, &key, name)?;
            }
            ["verify", "command"] => self.commands.begin(&given)?,
            _ if is_empty_table(&given) && is_section(&key) => {}
            _ => {
                let known = KEYS.iter().find(|known| known.name == key);
                let known = known.ok_or_else(|| unknown(&given, &key))?;
                first_of(&given, &key, |value| {
                    (known.read)(&mut self.settings, value)
                })?;
            }
        }
        self.from.insert(key, given.from);
        Ok(())
    }

    fn add_agent(
        &mut self,
        given: &Given,
        key: &str,
        name: &str,
        agent_key: &str,
    ) -> Result<(), Error> {
        let known = AGENT_KEYS.iter().find(|known| known.name == agent_key);
        let known = known.ok_or_else(|| unknown(given, key))?;
        let draft = self.draft(given, key, name)?;
        first_of(given, key, |value| draft.read(known, value))?;
        draft.given.push((known.name, given.from.clone()));
        Ok(())
    }

    fn draft(&mut self, given: &Given, key: &str, name: &str) -> Result<&mut Draft, Error> {
        let is_name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
        if name.is_empty() || name.len() > 50 || !name.bytes().all(is_name) {
            let message =
                "the name of an agent is made of letters, digits, `-` and `_`, at most 50";
            return Err(given.from.error(Some(key), message));
        }
        let draft = self.agents.entry(name.to_owned()).or_default();
        draft.first.get_or_insert_with(|| given.from.clone());
        Ok(draft)
    }

    fn finish(mut self) -> Result<Loaded, Error> {
        for (name, draft) in std::mem::take(&mut self.agents) {
            let agent = draft.finish(&name)?;
            self.settings.agents.insert(name, agent);
        }
        self.settings.verify.commands = std::mem::take(&mut self.commands).finish()?;
        self.check_agent("agent.default", &self.settings.agent.default)?;
        for (phase, agent) in &self.settings.agent.phase {
            self.check_agent(&format!("agent.phase.{}", phase.name()), agent)?;
        }
        self.check_waits()?;
        let origins = self.origins();
        Ok(Loaded {
            settings: self.settings,
            origins,
        })
    }

    fn check_agent(&self, key: &str, agent: &str) -> Result<(), Error> {
        if self.settings.agents.contains_key(agent) {
            return Ok(());
        }
        let known: Vec<&str> = self.settings.agents.keys().map(String::as_str).collect();
        let message = format!(
            "`{key}` names the agent \"{agent}\", which is not defined; \
             add `[agents.{agent}]` or use one of: {}",
            known.join(", ")
        );
        Err(self.place(&[key]).error(Some(key), message))
    }

    fn check_waits(&self) -> Result<(), Error> {
        let limit = &self.settings.limit;
        if limit.min_wait <= limit.max_wait {
            return Ok(());
        }
        let (low, high) = (limit.min_wait, limit.max_wait);
        let message =
            format!("`limit.min_wait` ({low}) must not be above `limit.max_wait` ({high})");
        let place = self.place(&["limit.min_wait", "limit.max_wait"]);
        Err(place.error(Some("limit.min_wait"), message))
    }

    fn place(&self, keys: &[&str]) -> Where {
        let given = keys.iter().find_map(|key| self.from.get(*key));
        given.cloned().unwrap_or_else(Where::nowhere)
    }

    fn origins(&self) -> Vec<(String, String, Origin)> {
        let mut shown: Vec<(String, String)> = Vec::new();
        for key in KEYS {
            shown.push((key.name.to_owned(), (key.show)(&self.settings)));
        }
        for (phase, agent) in &self.settings.agent.phase {
            shown.push((format!("agent.phase.{}", phase.name()), quoted(agent)));
        }
        for (name, agent) in &self.settings.agents {
            let keys = agent.show().into_iter();
            shown.extend(keys.map(|(key, value)| (format!("agents.{name}.{key}"), value)));
        }
        let with_origin = shown.into_iter().map(|(key, value)| {
            let origin = self.place(&[&key]).origin;
            (key, value, origin)
        });
        with_origin.collect()
    }
}

/// The first reading that fits; if none fits, the error of the likeliest one.
pub(super) fn first_of<T>(
    given: &Given,
    key: &str,
    mut read: impl FnMut(&Plain) -> Result<T, Allowed>,
) -> Result<T, Error> {
    let mut wrong: Option<Allowed> = None;
    for value in &given.values {
        match read(value) {
            Ok(value) => return Ok(value),
            Err(allowed) => wrong = wrong.or(Some(allowed)),
        }
    }
    let message = format!("`{key}` must be {}", wrong.unwrap_or_default());
    Err(given.from.error(Some(key), message))
}

fn unknown_phase(given: &Given, key: &str, phase: &str) -> Error {
    let names = Phase::ALL.map(|phase| phase.name().to_owned());
    let all = names.join(", ");
    let near = nearest(phase, names.into_iter()).unwrap_or_default();
    let message =
        format!("`{key}`: there is no phase \"{phase}\"; did you mean `{near}`? Phases: {all}");
    given.from.error(Some(key), message)
}

pub(super) fn unknown(given: &Given, key: &str) -> Error {
    let is_agent = matches!(given.path.as_slice(), [first, _] if first == "agents");
    if is_section(key) || is_agent {
        let message = format!("`{key}` is a section: write `[{key}]` and its keys below it");
        return given.from.error(Some(key), message);
    }
    // Only a variable can name a part of the list without saying which of its tables.
    if key.starts_with("verify.command.") && given.item.is_none() {
        let message = "`verify.command` is a list, which is set as a whole: \
                       [{ name = \"tests\", run = \"make test\" }]";
        return given.from.error(Some(key), message);
    }
    let fixed = KEYS.iter().map(|known| known.name.to_owned());
    let phases = Phase::ALL.map(|phase| format!("agent.phase.{}", phase.name()));
    let agent = given.path.get(1).filter(|_| given.path[0] == "agents");
    // A very long name would only make the search slow.
    let agent = agent.filter(|name| name.len() <= 50);
    let agent = agent.map_or("claude", String::as_str);
    let agents = AGENT_KEYS
        .iter()
        .map(|known| format!("agents.{agent}.{}", known.name));
    let commands = COMMAND_KEYS
        .iter()
        .map(|known| format!("verify.command.{}", known.name));
    let all = fixed.chain(phases).chain(agents).chain(commands);
    let near = nearest(key, all).unwrap_or_default();
    given.from.error(
        Some(key),
        format!("unknown key `{key}`; did you mean `{near}`?"),
    )
}

/// `[run]` with nothing below it.
fn is_empty_table(given: &Given) -> bool {
    matches!(given.values.as_slice(), [Plain::Table(members)] if members.is_empty())
}

fn is_section(key: &str) -> bool {
    let mut sections = KEYS.iter().map(|known| known.name.split('.').next());
    matches!(key, "agents" | "agent.phase") || sections.any(|section| section == Some(key))
}
