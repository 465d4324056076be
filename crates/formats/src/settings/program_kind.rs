//! The agent programs that kumite knows by name.

/// A program with a driver of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ProgramKind {
    Claude,
    Codex,
    Gemini,
    Opencode,
}

impl ProgramKind {
    pub const ALL: [ProgramKind; 4] = [
        ProgramKind::Claude,
        ProgramKind::Codex,
        ProgramKind::Gemini,
        ProgramKind::Opencode,
    ];

    /// Its word in the settings, which is also the name of the program.
    pub fn name(self) -> &'static str {
        match self {
            ProgramKind::Claude => "claude",
            ProgramKind::Codex => "codex",
            ProgramKind::Gemini => "gemini",
            ProgramKind::Opencode => "opencode",
        }
    }

    /// The values that `permission_mode` can have, in the program's own words.
    pub(super) fn modes(self) -> &'static [&'static str] {
        match self {
            ProgramKind::Claude => &[
                "default",
                "acceptEdits",
                "plan",
                "dontAsk",
                "bypassPermissions",
                "auto",
            ],
            ProgramKind::Codex => &["read-only", "workspace-write", "danger-full-access"],
            ProgramKind::Gemini => &["default", "auto_edit", "yolo", "plan"],
            ProgramKind::Opencode => &["auto", "default"],
        }
    }

    /// Nobody is there to answer questions, so each may write into the project.
    pub(super) fn default_mode(self) -> &'static str {
        match self {
            ProgramKind::Claude => "acceptEdits",
            ProgramKind::Codex => "workspace-write",
            ProgramKind::Gemini => "yolo",
            ProgramKind::Opencode => "auto",
        }
    }
}
