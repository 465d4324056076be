//! The files that a project gets: their paths and their content.

use std::path::{Path, PathBuf};

use crate::command::ARGUMENTS;
use crate::{Command, marker};

pub(crate) const COMMANDS: &str = ".claude/commands/kiro";
pub(crate) const TEMPLATES: &str = ".kiro/settings/templates/specs";

const DOCUMENT_TEMPLATES: [(&str, &str); 3] = [
    (
        "requirements.md",
        include_str!("../templates/requirements.md"),
    ),
    ("design.md", include_str!("../templates/design.md")),
    ("tasks.md", include_str!("../templates/tasks.md")),
];

/// The content of `.claude/commands/kiro/<name>.md`: front matter, text, and our mark.
pub fn command_file(command: Command) -> String {
    let front = front(command);
    marker::seal(&format!(
        "---\ndescription: {}\nallowed-tools: {}\nargument-hint: {}\n---\n\n{}",
        front.description,
        front.tools,
        front.arguments,
        command.text(),
    ))
}

/// Whether the project has a file for this slash command, ours or a person's.
pub fn is_installed(project: &Path, command: Command) -> bool {
    project.join(command_path(command)).is_file()
}

/// The text of the project's own command file with the arguments inserted, for agents that do not
/// know slash commands. None: there is no such file.
pub fn expanded(project: &Path, command: Command, arguments: &str) -> Option<String> {
    let file = std::fs::read_to_string(project.join(command_path(command))).ok()?;
    let text = without_front(marker::strip(&file)).trim();
    let arguments = arguments.trim();
    Some(match text.contains(ARGUMENTS) {
        true => text.replace(ARGUMENTS, arguments),
        false => format!("{text}\n\nArguments: {arguments}"),
    })
}

/// The text after the front matter, which is between two `---` lines.
fn without_front(text: &str) -> &str {
    let Some(rest) = text.strip_prefix("---\n") else {
        return text;
    };
    rest.split_once("\n---\n").map_or(text, |(_, body)| body)
}

/// All files that `install` manages: the path below the project, and the content.
pub(crate) fn all() -> impl Iterator<Item = (PathBuf, String)> {
    let commands = Command::ALL
        .into_iter()
        .map(|command| (command_path(command), command_file(command)));
    let templates = DOCUMENT_TEMPLATES
        .into_iter()
        .map(|(name, text)| (Path::new(TEMPLATES).join(name), marker::seal(text)));
    commands.chain(templates)
}

fn command_path(command: Command) -> PathBuf {
    Path::new(COMMANDS).join(format!("{}.md", command.name()))
}

struct Front {
    description: &'static str,
    /// What the command may use without asking, because nobody is there to answer.
    tools: &'static str,
    arguments: &'static str,
}

fn front(command: Command) -> Front {
    let row = |description, tools, arguments| Front {
        description,
        tools,
        arguments,
    };
    match command {
        Command::Init => row(
            "Create a new spec from a description",
            "Read, Write, Glob, Grep, Bash(date:*)",
            "<description>",
        ),
        Command::Requirements => row(
            "Write the requirements of a spec, with testable acceptance criteria",
            "Read, Write, Edit, Glob, Grep",
            "<spec>",
        ),
        Command::Design => row(
            "Write the design of a spec",
            "Read, Write, Edit, Glob, Grep, WebSearch, WebFetch",
            "<spec> [-y]",
        ),
        Command::Tasks => row(
            "Write the implementation plan of a spec",
            "Read, Write, Edit, Glob, Grep",
            "<spec> [-y] [--sequential]",
        ),
        Command::Review => row(
            "Review the documents of a spec and report findings",
            "Read, Write, Glob, Grep, Bash(date:*), Bash(printenv KUMITE_ROUND)",
            "<spec> [n]",
        ),
        Command::Reply => row(
            "Judge the findings of a document review, and apply the fixes if asked to",
            "Read, Write, Edit, Glob, Grep, Bash(date:*), Bash(printenv KUMITE_ROUND)",
            "<spec> <n> [--autofix | --fix]",
        ),
        Command::Impl => row(
            "Implement the open tasks of a spec, test first",
            "Read, Write, Edit, Glob, Grep, Bash",
            "<spec> [task ids]",
        ),
        Command::Inspection => row(
            "Inspect the implementation of a spec, or repair what an inspection found",
            "Read, Write, Edit, Glob, Grep, Bash",
            "<spec> [--autofix | --fix]",
        ),
        Command::Merge => row(
            "Bring a finished spec into the main checkout as one commit",
            "Read, Write, Edit, Glob, Grep, Bash",
            "<spec>",
        ),
    }
}
