//! `[verify]`: the project's own commands, which show whether the work is good.

use kumite_core::place::Baseline;
use kumite_core::secret::shown_args;

use super::value::{Allowed, Plain, quoted, quoted_list};
use super::{Loaded, Origin, Span};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifySettings {
    /// For one command.
    pub timeout: Span,
    pub baseline: Baseline,
    /// How often a command that failed is run again.
    pub flaky: u8,
    /// Globs, relative to the project: what impl and fix may not change.
    pub protect: Vec<String>,
    /// In the order in which they are run.
    pub commands: Vec<VerifyCommand>,
}

/// One command of the project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifyCommand {
    /// Part of the names of files: small letters, digits and hyphens, at most 40. Each name is
    /// there once.
    pub name: String,
    /// Program and arguments.
    pub run: Vec<String>,
    /// Relative to the project, and inside it.
    pub dir: String,
    /// Run after impl, and after each fix.
    pub at_impl: bool,
    /// Run before a merge.
    pub at_merge: bool,
}

impl Default for VerifySettings {
    fn default() -> VerifySettings {
        VerifySettings {
            timeout: Span::from_secs(30 * 60),
            baseline: Baseline::Pause,
            flaky: 1,
            protect: Vec::new(),
            commands: Vec::new(),
        }
    }
}

/// The setting that lists the commands.
const COMMAND: &str = "verify.command";

/// The longest name of a command.
pub(crate) const NAME_MAX: usize = 40;

/// How a text is run that needs a shell.
pub(crate) fn through_shell(text: &str) -> Vec<String> {
    ["sh", "-c", text].map(str::to_owned).into()
}

/// Where a command is run, in the words of `when`.
#[derive(Clone, Copy)]
enum When {
    Impl,
    Merge,
}

const WHEN: [(&str, When); 2] = [("impl", When::Impl), ("merge", When::Merge)];

impl Plain {
    /// The list itself; its commands are read one by one, each at its own place in the file.
    pub(super) fn command_list(&self) -> Result<Vec<VerifyCommand>, Allowed> {
        match self {
            Plain::List(items) if items.is_empty() => Ok(Vec::new()),
            _ => Err(
                "a list of tables: write `[[verify.command]]` for each command, and \
                 `name` and `run` below it"
                    .to_owned(),
            ),
        }
    }

    pub(super) fn command_name(&self) -> Result<String, Allowed> {
        let is_part = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        let is_name =
            |name: &String| (1..=NAME_MAX).contains(&name.len()) && name.bytes().all(is_part);
        self.text().ok().filter(is_name).ok_or_else(|| {
            format!(
                "a name of small letters, digits and hyphens, at most {NAME_MAX}, such as \"tests\""
            )
        })
    }

    /// A list of words, or a text for a shell.
    pub(super) fn run(&self) -> Result<Vec<String>, Allowed> {
        let run = match self {
            Plain::Text(_) => self.some_text().map(|text| through_shell(&text)),
            _ => self.command(),
        };
        run.map_err(|_| {
            "a list of words, such as [\"cargo\", \"test\"], or a text for a shell, such as \
             \"npm ci && npm test\"; it must not be empty"
                .to_owned()
        })
    }

    /// Whether it is run after impl, and before a merge.
    pub(super) fn when(&self) -> Result<(bool, bool), Allowed> {
        let allowed = || "a list of \"impl\" or \"merge\" or both; it must not be empty".to_owned();
        let Plain::List(items) = self else {
            return Err(allowed());
        };
        let words: Result<Vec<When>, Allowed> =
            items.iter().map(|item| item.value.word(&WHEN)).collect();
        let words = words.map_err(|_| allowed())?;
        let has = |wanted: fn(&When) -> bool| words.iter().any(wanted);
        match (
            has(|it| matches!(it, When::Impl)),
            has(|it| matches!(it, When::Merge)),
        ) {
            (false, false) => Err(allowed()),
            both => Ok(both),
        }
    }
}

/// The commands as TOML, without arguments that look secret.
pub(super) fn show(commands: &[VerifyCommand]) -> String {
    let shown: Vec<String> = commands.iter().map(show_one).collect();
    format!("[{}]", shown.join(", "))
}

fn show_one(command: &VerifyCommand) -> String {
    let run = shown_args(&command.run);
    let run = match run.as_slice() {
        [sh, c, text] if sh == "sh" && c == "-c" => quoted(text),
        words => quoted_list(words),
    };
    let when = [("impl", command.at_impl), ("merge", command.at_merge)];
    let when = when.into_iter().filter(|(_, is_run)| *is_run);
    let when: Vec<String> = when.map(|(word, _)| word.to_owned()).collect();
    format!(
        "{{ name = {}, run = {run}, dir = {}, when = {} }}",
        quoted(&command.name),
        quoted(&command.dir),
        quoted_list(&when)
    )
}

impl Loaded {
    /// Whether a file, the environment or a flag has a list of commands, even an empty one.
    pub fn names_commands(&self) -> bool {
        let mut rows = self.origins.iter();
        rows.any(|(key, _, origin)| key == COMMAND && *origin != Origin::Default)
    }

    /// Takes these commands if no setting has any. An empty list in a file means that there are
    /// none, whatever else there is.
    #[must_use]
    pub fn or_commands(mut self, commands: Vec<VerifyCommand>, origin: Origin) -> Loaded {
        if self.names_commands() {
            return self;
        }
        let row = self.origins.iter_mut().find(|(key, _, _)| key == COMMAND);
        if let Some((_, value, from)) = row {
            (*value, *from) = (show(&commands), origin);
        }
        self.settings.verify.commands = commands;
        self
    }
}
