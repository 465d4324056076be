//! The agent programs that kumite knows by name, and what is special about each of them.
//!
//! How a program is started, and the format of its output, is in `agents/src/programs`.
//! CONTRIBUTING lists everything that a new program needs.

use serde::{Deserialize, Serialize};

/// A program with a driver of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProgramKind {
    Claude,
    Codex,
    Gemini,
    Opencode,
}

/// What is special about one program.
#[derive(Debug)]
pub struct ProgramInfo {
    /// Its word in the settings, which is also the name of the program.
    pub name: &'static str,
    /// The values that `permission_mode` can have, in the program's own words.
    pub modes: &'static [&'static str],
    /// No person is there to answer questions, so in this mode it may write into the project.
    pub default_mode: &'static str,
    /// The mode in which it may do everything.
    pub free_mode: &'static str,
    /// Where it keeps its login.
    pub account: Account,
    /// Whether it reports its cost. The others count only tokens.
    pub tells_price: bool,
    /// Whether it understands `/kiro:...` as a slash command.
    pub knows_slash: bool,
    /// How a person installs it, and logs in.
    pub install: &'static str,
    pub login: &'static str,
    pub signs: Signs,
}

/// How to find out whether the program is logged in, without reading credentials. The first sign
/// that gives an answer counts.
#[derive(Debug)]
pub struct Signs {
    /// Variables with a key that the program uses.
    pub variables: &'static [&'static str],
    /// The arguments of a command whose exit code tells it; empty: there is no such command.
    pub ask: &'static [&'static str],
    /// The file in its account's directory that a login leaves.
    pub file: &'static str,
    /// Without a login it can do nothing.
    pub is_needed: bool,
}

/// A directory: the one that the variable names, or else `home` below the person's home; then
/// `folder`.
#[derive(Debug)]
pub struct Account {
    pub variable: &'static str,
    pub home: &'static str,
    pub folder: &'static str,
}

impl ProgramKind {
    pub const ALL: [ProgramKind; 4] = [
        ProgramKind::Claude,
        ProgramKind::Codex,
        ProgramKind::Gemini,
        ProgramKind::Opencode,
    ];

    pub fn info(self) -> &'static ProgramInfo {
        match self {
            ProgramKind::Claude => &CLAUDE,
            ProgramKind::Codex => &CODEX,
            ProgramKind::Gemini => &GEMINI,
            ProgramKind::Opencode => &OPENCODE,
        }
    }

    pub fn name(self) -> &'static str {
        self.info().name
    }

    pub fn named(name: &str) -> Option<ProgramKind> {
        ProgramKind::ALL
            .into_iter()
            .find(|program| program.name() == name)
    }
}

static CLAUDE: ProgramInfo = ProgramInfo {
    name: "claude",
    modes: &[
        "default",
        "acceptEdits",
        "plan",
        "dontAsk",
        "bypassPermissions",
        "auto",
    ],
    default_mode: "acceptEdits",
    free_mode: "bypassPermissions",
    account: Account {
        variable: "CLAUDE_CONFIG_DIR",
        home: ".claude",
        folder: "",
    },
    tells_price: true,
    knows_slash: true,
    install: "npm install -g @anthropic-ai/claude-code",
    login: "claude",
    signs: Signs {
        variables: &[],
        ask: &["auth", "status"],
        file: "",
        is_needed: true,
    },
};

static CODEX: ProgramInfo = ProgramInfo {
    name: "codex",
    modes: &["read-only", "workspace-write", "danger-full-access"],
    default_mode: "workspace-write",
    free_mode: "danger-full-access",
    account: Account {
        variable: "CODEX_HOME",
        home: ".codex",
        folder: "",
    },
    tells_price: false,
    knows_slash: false,
    install: "npm install -g @openai/codex",
    login: "codex login",
    signs: Signs {
        // `login status` ignores keys in the environment, although the program uses them.
        variables: &["CODEX_API_KEY"],
        ask: &["login", "status"],
        file: "",
        is_needed: true,
    },
};

static GEMINI: ProgramInfo = ProgramInfo {
    name: "gemini",
    modes: &["default", "auto_edit", "yolo", "plan"],
    default_mode: "yolo",
    free_mode: "yolo",
    account: Account {
        variable: "GEMINI_CLI_HOME",
        home: "",
        folder: ".gemini",
    },
    tells_price: false,
    knows_slash: false,
    install: "npm install -g @google/gemini-cli",
    login: "gemini",
    signs: Signs {
        variables: &["GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_GENAI_USE_GCA"],
        ask: &[],
        file: "oauth_creds.json",
        is_needed: true,
    },
};

static OPENCODE: ProgramInfo = ProgramInfo {
    name: "opencode",
    modes: &["auto", "default"],
    default_mode: "auto",
    free_mode: "auto",
    account: Account {
        variable: "XDG_DATA_HOME",
        home: ".local/share",
        folder: "opencode",
    },
    tells_price: true,
    knows_slash: false,
    install: "npm install -g opencode-ai",
    login: "opencode auth login",
    signs: Signs {
        variables: &["ANTHROPIC_API_KEY", "OPENAI_API_KEY"],
        ask: &[],
        file: "auth.json",
        // Some of its models need no login, and it accepts keys of any provider.
        is_needed: false,
    },
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_program_is_found_by_its_name_and_its_modes_are_its_own() {
        for program in ProgramKind::ALL {
            let info = program.info();
            assert_eq!(ProgramKind::named(info.name), Some(program));
            assert!(info.modes.contains(&info.default_mode), "{program:?}");
            assert!(info.modes.contains(&info.free_mode), "{program:?}");
            // Journals and requests on disk use this word.
            let word = serde_json::to_value(program).unwrap();
            assert_eq!(word, info.name);
        }
        assert_eq!(ProgramKind::named("vim"), None);
    }
}
