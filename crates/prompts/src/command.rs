//! The commands: their names and their texts.

/// The mark that Claude Code replaces by the arguments in a command file; our prompts use it too.
pub(crate) const ARGUMENTS: &str = "$ARGUMENTS";

/// A text; its templates, each with a heading and in a block of its language; what is said to every
/// agent.
macro_rules! text {
    ($text:literal, $($heading:literal, $language:literal, $template:literal;)*) => {
        concat!(
            include_str!(concat!("../texts/", $text, ".md")),
            $(
                "\n## ", $heading, "\n\n~~~", $language, "\n",
                include_str!(concat!("../templates/", $template)),
                "~~~\n",
            )*
            include_str!("../texts/common.md"),
        )
    };
}

/// What kumite can ask of an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Command {
    /// Give a description a name and a directory.
    Init,
    /// Write `requirements.md`.
    Requirements,
    /// Write `design.md`.
    Design,
    /// Write `tasks.md`.
    Tasks,
    /// Review the three documents.
    Review,
    /// Judge a review, and with a flag apply its fixes.
    Reply,
    /// Do the open tasks.
    Impl,
    /// Inspect the implementation, or with `--fix` repair what an inspection found.
    Inspection,
    /// Bring the work into the main checkout.
    Merge,
}

impl Command {
    pub const ALL: [Command; 9] = [
        Command::Init,
        Command::Requirements,
        Command::Design,
        Command::Tasks,
        Command::Review,
        Command::Reply,
        Command::Impl,
        Command::Inspection,
        Command::Merge,
    ];

    /// The name of the slash command, without its `kiro:`.
    pub fn name(self) -> &'static str {
        match self {
            Command::Init => "spec-init",
            Command::Requirements => "spec-requirements",
            Command::Design => "spec-design",
            Command::Tasks => "spec-tasks",
            Command::Review => "document-review",
            Command::Reply => "document-review-reply",
            Command::Impl => "spec-impl",
            Command::Inspection => "spec-inspection",
            Command::Merge => "spec-merge",
        }
    }

    /// Accepts the command names, kumite's words for steps (`KUMITE_STEP`) and those for phases.
    pub fn from_name(name: &str) -> Option<Command> {
        let by_word = || match name {
            "init" => Some(Command::Init),
            "requirements" => Some(Command::Requirements),
            "design" => Some(Command::Design),
            "tasks" => Some(Command::Tasks),
            "review" => Some(Command::Review),
            "reply" => Some(Command::Reply),
            "impl" => Some(Command::Impl),
            "inspect" | "inspection" | "fix" => Some(Command::Inspection),
            "merge" | "deploy" => Some(Command::Merge),
            _ => None,
        };
        Command::ALL
            .into_iter()
            .find(|command| command.name() == name)
            .or_else(by_word)
    }

    /// The text, with `$ARGUMENTS` in place of the arguments.
    pub fn text(self) -> &'static str {
        match self {
            Command::Init => text!(
                "spec-init",
                "The template of `spec.json`", "json", "init.json";
                "The template of `requirements.md`", "markdown", "requirements-stub.md";
            ),
            Command::Requirements => text!(
                "spec-requirements",
                "The structure of `requirements.md`", "markdown", "requirements.md";
            ),
            Command::Design => text!(
                "spec-design",
                "The structure of `design.md`", "markdown", "design.md";
            ),
            Command::Tasks => text!(
                "spec-tasks",
                "The structure of `tasks.md`", "markdown", "tasks.md";
            ),
            Command::Review => text!("document-review",),
            Command::Reply => text!("document-review-reply",),
            Command::Impl => text!("spec-impl",),
            Command::Inspection => text!("spec-inspection",),
            Command::Merge => text!("spec-merge",),
        }
    }
}
