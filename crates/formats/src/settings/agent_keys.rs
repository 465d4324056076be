//! The keys of `[agents.<name>]`, and the kinds of agents that have them.

use kumite_core::program::ProgramKind;

use super::Prompt;
use super::agent_draft::Draft;
use super::value::{Allowed, Plain};

const PLACEHOLDERS: [&str; 4] = ["step", "spec", "round", "prompt_file"];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Program(ProgramKind),
    Acp,
    Command,
    Scripted,
}

/// All kinds with their words, the known programs first.
pub(super) fn kinds() -> Vec<(&'static str, Kind)> {
    let programs = ProgramKind::ALL.into_iter().map(Kind::Program);
    let others = [Kind::Acp, Kind::Command, Kind::Scripted];
    let all = programs.chain(others);
    all.map(|kind| (kind.name(), kind)).collect()
}

/// One key of `[agents.<name>]`.
pub struct AgentKey {
    pub name: &'static str,
    pub doc: &'static str,
    /// Whether agents of this kind have this key.
    pub(super) is_of: fn(Kind) -> bool,
    pub(super) read: fn(&mut Draft, &Plain) -> Result<(), Allowed>,
}

/// Each row has a key, the kinds that have it, how it is read (a method of [`Plain`]), and its
/// meaning.
macro_rules! agent_keys {
    ($($name:ident, $is_of:expr, $read:ident($($arg:expr)?): $doc:literal;)*) => {
        pub const AGENT_KEYS: &[AgentKey] = &[$(AgentKey {
            name: stringify!($name),
            doc: $doc,
            is_of: $is_of,
            read: |it, value| put(&mut it.$name, value.$read($($arg)?)),
        }),*];
    };
}

agent_keys! {
    kind, |_| true, word(&kinds()):
        "what the program is: one that kumite knows by name, such as \"claude\", or \"acp\", \
         \"command\" or \"scripted\"";
    env, |_| true, text_map():
        "added to the environment of the program";
    env_allow, |_| true, variables():
        "if not empty, the only variables of your environment that reach the program, beside \
         KUMITE_*, HOME, PATH and LANG";
    program, Kind::is_program, some_text():
        "name or path of the program";
    args, Kind::is_program, texts():
        "more arguments for the program";
    model, Kind::is_program, text():
        "the model to ask for; empty: the program's own choice";
    permission_mode, Kind::is_program, text():
        "what the program may do without asking, in its own words";
    command, |kind| matches!(kind, Kind::Acp | Kind::Command), command():
        "program and arguments; for kind \"command\", {step}, {spec}, {round} and \
         {prompt_file} are filled in";
    prompt, |kind| kind == Kind::Command, word(&Prompt::ALL.map(|it| (it.name(), it))):
        "how the program gets its prompt: \"stdin\", \"file\" or \"none\"";
    script, |kind| kind == Kind::Scripted, some_text():
        "path of the script that a scripted agent plays";
}

impl Kind {
    pub fn name(self) -> &'static str {
        match self {
            Kind::Program(program) => program.name(),
            Kind::Acp => "acp",
            Kind::Command => "command",
            Kind::Scripted => "scripted",
        }
    }

    fn is_program(self) -> bool {
        matches!(self, Kind::Program(_))
    }
}

fn put<T>(slot: &mut Option<T>, value: Result<T, Allowed>) -> Result<(), Allowed> {
    *slot = Some(value?);
    Ok(())
}

impl Plain {
    /// Program and arguments.
    pub(super) fn command(&self) -> Result<Vec<String>, Allowed> {
        let command = self.texts()?;
        let program = command.first().filter(|program| !program.trim().is_empty());
        match program {
            Some(_) => Ok(command),
            None => Err("a list with at least a program, such as [\"./agent.sh\"]".to_owned()),
        }
    }
}

/// The first unknown placeholder in the command. Only `{name}` is a placeholder; other braces, such
/// as those of JSON, are ignored.
pub(super) fn unknown_placeholder(command: &[String]) -> Option<&str> {
    let opened = command.iter().flat_map(|word| word.split('{').skip(1));
    let mut names = opened.filter_map(|rest| Some(rest.split_once('}')?.0));
    names.find(|name| {
        let is_name = name
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte == b'_');
        !name.is_empty() && is_name && !PLACEHOLDERS.contains(name)
    })
}
