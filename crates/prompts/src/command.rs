//! The commands: their names and their texts.

/// The mark that Claude Code replaces by the arguments in a command file; our prompts use it too.
pub(crate) const ARGUMENTS: &str = "$ARGUMENTS";

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
            Command::Init => concat!(
                include_str!("../texts/spec-init.md"),
                "\n## The template of `spec.json`\n\n~~~json\n",
                include_str!("../templates/init.json"),
                "~~~\n\n## The template of `requirements.md`\n\n~~~markdown\n",
                include_str!("../templates/requirements-stub.md"),
                "~~~\n",
                include_str!("../texts/common.md"),
            ),
            Command::Requirements => concat!(
                include_str!("../texts/spec-requirements.md"),
                "\n## The structure of `requirements.md`\n\n~~~markdown\n",
                include_str!("../templates/requirements.md"),
                "~~~\n",
                include_str!("../texts/common.md"),
            ),
            Command::Design => concat!(
                include_str!("../texts/spec-design.md"),
                "\n## The structure of `design.md`\n\n~~~markdown\n",
                include_str!("../templates/design.md"),
                "~~~\n",
                include_str!("../texts/common.md"),
            ),
            Command::Tasks => concat!(
                include_str!("../texts/spec-tasks.md"),
                "\n## The structure of `tasks.md`\n\n~~~markdown\n",
                include_str!("../templates/tasks.md"),
                "~~~\n",
                include_str!("../texts/common.md"),
            ),
            Command::Review => concat!(
                include_str!("../texts/document-review.md"),
                include_str!("../texts/common.md")
            ),
            Command::Reply => {
                concat!(
                    include_str!("../texts/document-review-reply.md"),
                    include_str!("../texts/common.md")
                )
            }
            Command::Impl => concat!(
                include_str!("../texts/spec-impl.md"),
                include_str!("../texts/common.md")
            ),
            Command::Inspection => {
                concat!(
                    include_str!("../texts/spec-inspection.md"),
                    include_str!("../texts/common.md")
                )
            }
            Command::Merge => concat!(
                include_str!("../texts/spec-merge.md"),
                include_str!("../texts/common.md")
            ),
        }
    }
}
