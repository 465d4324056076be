use std::path::PathBuf;

use kumite_formats::Settings;
use kumite_formats::settings::{self, AGENT_KEYS, AgentKind, Layer, Origin, ProgramKind, Prompt};

use crate::settings::{env, load, project, said};

const MINE: &str = "[agents.my-agent]\nkind = \"command\"\ncommand = [\"./agent.sh\", \"{step}\", \"{\\\"a\\\":1}\"]\n";

/// The agent of a program without further settings.
fn plain(kind: ProgramKind, permission_mode: &str) -> AgentKind {
    AgentKind::Program {
        kind,
        program: kind.name().to_owned(),
        args: vec![],
        model: String::new(),
        permission_mode: permission_mode.to_owned(),
    }
}

fn two_layers(person: &str, project_text: &str) -> Result<settings::Loaded, settings::Error> {
    let layers = [
        Layer {
            origin: Origin::Person(PathBuf::from("/home/a/config.toml")),
            text: person,
        },
        Layer {
            origin: project(),
            text: project_text,
        },
    ];
    Settings::load(&layers, &[], &[])
}

#[test]
fn known_programs_and_scripted_are_there_without_being_named() {
    let agents = load("").unwrap().settings.agents;
    let built_in = [
        ("claude", plain(ProgramKind::Claude, "acceptEdits")),
        ("codex", plain(ProgramKind::Codex, "workspace-write")),
        ("gemini", plain(ProgramKind::Gemini, "yolo")),
        ("opencode", plain(ProgramKind::Opencode, "auto")),
        ("scripted", AgentKind::Scripted { script: None }),
    ];
    assert_eq!(agents.len(), built_in.len());
    for (name, kind) in built_in {
        assert_eq!(agents[name].kind, kind, "{name}");
        assert!(load(&format!("[agent]\ndefault = \"{name}\"\n")).is_ok());
        let empty = load(&format!("[agents.{name}]\n")).unwrap();
        assert_eq!(empty.settings, Settings::default(), "{name}");
    }
}

#[test]
fn each_kind_of_agent_is_read() {
    let text = "[agents.mine]\nkind = \"command\"\ncommand = [\"./a\", \"{spec}\", \"{round}\", \"{prompt_file}\"]\nprompt = \"file\"\nenv = { A = \"1\" }\n\
                [agents.play]\nkind = \"scripted\"\nscript = \"demo.toml\"\n[agents.opus]\nkind = \"claude\"\nmodel = \"opus\"\n\
                [agents.talk]\nkind = \"acp\"\ncommand = [\"my-agent\", \"--acp\", \"{any}\"]\n[agents.codex]\nargs = [\"-c\", \"a=1\"]\npermission_mode = \"read-only\"\n";
    let loaded = load(text).unwrap();
    let agents = &loaded.settings.agents;
    let AgentKind::Command { command, prompt } = &agents["mine"].kind else {
        panic!("a command");
    };
    assert_eq!((command.len(), *prompt), (4, Prompt::File));
    assert_eq!(agents["mine"].env["A"], "1");
    let script = AgentKind::Scripted {
        script: Some(PathBuf::from("demo.toml")),
    };
    assert_eq!(agents["play"].kind, script);
    let opus = AgentKind::Program {
        kind: ProgramKind::Claude,
        program: "claude".into(),
        args: vec![],
        model: "opus".into(),
        permission_mode: "acceptEdits".into(),
    };
    assert_eq!(agents["opus"].kind, opus);
    let talk = AgentKind::Acp {
        command: ["my-agent", "--acp", "{any}"].map(str::to_owned).into(),
    };
    assert_eq!(agents["talk"].kind, talk);
    let codex = AgentKind::Program {
        kind: ProgramKind::Codex,
        program: "codex".into(),
        args: ["-c", "a=1"].map(str::to_owned).into(),
        model: String::new(),
        permission_mode: "read-only".into(),
    };
    assert_eq!(agents["codex"].kind, codex);
}

#[test]
fn every_kind_of_program_takes_its_own_modes_and_no_others() {
    let table: [(&str, &[&str]); 4] = [
        (
            "claude",
            &[
                "default",
                "acceptEdits",
                "plan",
                "dontAsk",
                "bypassPermissions",
                "auto",
            ],
        ),
        (
            "codex",
            &["read-only", "workspace-write", "danger-full-access"],
        ),
        ("gemini", &["default", "auto_edit", "yolo", "plan"]),
        ("opencode", &["auto", "default"]),
    ];
    let all = table.iter().flat_map(|(_, modes)| modes.iter());
    let all: Vec<&str> = all.copied().chain(["", "Yolo", "full"]).collect();
    for (kind, modes) in table {
        let words = modes.iter().map(|mode| format!("\"{mode}\""));
        let words = words.collect::<Vec<_>>().join(" or ");
        for mode in &all {
            let text = format!("[agents.x]\npermission_mode = \"{mode}\"\nkind = \"{kind}\"\n");
            let loaded = load(&text);
            let Err(error) = loaded else {
                assert!(modes.contains(mode), "{text}");
                continue;
            };
            assert!(!modes.contains(mode), "{text}: {error}");
            assert_eq!(
                error.to_string(),
                format!(
                    ".kiro/kumite.toml: line 2, column 1: `agents.x.permission_mode` must be \
                     {words} for an agent of kind \"{kind}\""
                )
            );
        }
    }
}

#[test]
fn a_mode_is_judged_by_the_kind_of_all_layers_together() {
    let mode = "[agents.x]\npermission_mode = \"read-only\"\n";
    let codex = two_layers(mode, "[agents.x]\nkind = \"codex\"\n");
    let AgentKind::Program {
        permission_mode, ..
    } = &codex.unwrap().settings.agents["x"].kind
    else {
        panic!("a program");
    };
    assert_eq!(permission_mode, "read-only");

    let gemini = two_layers(mode, "[agents.x]\nkind = \"gemini\"\n").unwrap_err();
    assert_eq!(
        gemini.key.as_deref(),
        Some("agents.x.permission_mode"),
        "{gemini}"
    );
    let said = gemini.to_string();
    assert!(
        said.starts_with("/home/a/config.toml: line 2, column 1: ")
            && said.contains("\"default\" or \"auto_edit\" or \"yolo\" or \"plan\""),
        "{said}"
    );
    // The later mode counts, so the error names it; a wrong earlier mode does no harm.
    let said = two_layers(
        "[agents.codex]\npermission_mode = \"read-only\"\n",
        "\n\n[agents.codex]\npermission_mode = \"plan\"\n",
    );
    let said = said.unwrap_err().to_string();
    assert!(said.starts_with(".kiro/kumite.toml: line 4"), "{said}");
    assert!(
        two_layers(
            "[agents.codex]\npermission_mode = \"plan\"\n",
            "[agents.codex]\npermission_mode = \"read-only\"\n",
        )
        .is_ok()
    );
}

#[test]
fn everything_that_is_shown_of_an_agent_can_be_read_back() {
    let text = format!(
        "{MINE}[agents.talk]\nkind = \"acp\"\ncommand = [\"a\"]\n[agents.play]\nkind = \"scripted\"\nscript = \"s\"\n"
    );
    let loaded = load(&text).unwrap();
    let mut again = String::new();
    for (key, value, _) in &loaded.origins {
        assert!(settings::doc(key).is_some_and(|doc| !doc.is_empty()));
        // A script that is not set is shown as empty.
        if key.starts_with("agents.") && value != "\"\"" {
            again.push_str(&format!("{key} = {value}\n"));
        }
    }
    for key in AGENT_KEYS {
        assert!(again.contains(&format!(".{} = ", key.name)) || key.name == "model");
    }
    assert_eq!(load(&again).unwrap().settings, loaded.settings);
}

#[test]
fn the_values_of_an_agents_environment_are_not_shown() {
    let loaded = load("[agents.claude]\nenv = { KEY = \"sk-secret\" }\n").unwrap();
    assert!(!format!("{:?}", loaded.origins).contains("sk-secret"));
    assert!(format!("{:?}", loaded.origins).contains("KEY"));
}

#[test]
fn an_agent_that_cannot_work_is_refused_with_its_line() {
    for (text, words) in [
        (
            "\n[agents.mine]\n",
            "line 2, column 1: `agents.mine` needs `kind",
        ),
        ("[agents.mine]\nmodel = \"x\"\n", "needs `kind"),
        (
            "[agents.acp]\ncommand = [\"a\"]\n",
            "line 2, column 1: `agents.acp` needs `kind`: \"claude\" or",
        ),
        (
            "[agents.x]\nkind = \"acp\"\n",
            "line 2, column 1: `agents.x` needs `command =",
        ),
        (
            "[agents.x]\nkind = \"acp\"\ncommand = []\n",
            "line 3, column 1: `agents.x.command` must be a list with at least a program",
        ),
        (
            "[agents.x]\nkind = \"acp\"\ncommand = [\"a\"]\nprompt = \"file\"\n",
            "line 4, column 1: `agents.x` is of kind \"acp\", which has no `prompt`; it has `kind`, `env`, `env_allow`, `command`",
        ),
        (
            "[agents.x]\nkind = \"acp\"\ncommand = [\"a\"]\npermission_mode = \"auto\"\n",
            "line 4, column 1: `agents.x` is of kind \"acp\", which has no `permission_mode`",
        ),
        (
            "[agents.codex]\ncommand = [\"a\"]\n",
            "line 2, column 1: `agents.codex` is of kind \"codex\", which has no `command`; it has `kind`, `env`, `env_allow`, `program`, `args`, `model`, `permission_mode`",
        ),
        (
            "[agents.gemini]\npermission_mode = true\n",
            "line 2, column 1: `agents.gemini.permission_mode` must be text in quotes",
        ),
        (
            "[agents.opencode]\nmodle = \"m\"\n",
            "line 2, column 1: unknown key `agents.opencode.modle`; did you mean `agents.opencode.model`?",
        ),
        (
            "[agents.x]\nkind = \"robot\"\n",
            "line 2, column 1: `agents.x.kind` must be \"claude\" or \"codex\" or \"gemini\" or \"opencode\" or \"acp\" or \"command\" or \"scripted\"",
        ),
        ("[agents.x]\nkind = \"command\"\n", "needs `command ="),
        (
            "[agents.x]\nkind = \"command\"\ncommand = []\n",
            "at least a program",
        ),
        (
            "[agents.x]\nkind = \"command\"\ncommand = [\"\"]\n",
            "at least a program",
        ),
        (
            "[agents.x]\nkind = \"command\"\ncommand = \"a b\"\n",
            "a list of texts",
        ),
        (
            "[agents.x]\ncommand = [\"a\", \"{prompt}\"]\nkind = \"command\"\n",
            "line 2, column 1: `agents.x.command` must be free of placeholders but {step}, {spec}, {round} and {prompt_file}; {prompt} is unknown",
        ),
        (
            "[agents.x]\nkind = \"command\"\ncommand = [\"a\"]\nprompt = \"argv\"\n",
            "\"stdin\" or \"file\" or \"none\"",
        ),
        (
            "[agents.x]\nkind = \"command\"\ncommand = [\"a\"]\nmodel = \"m\"\n",
            "line 4, column 1: `agents.x` is of kind \"command\", which has no `model`",
        ),
        (
            "[agents.claude]\npermission_mode = \"yolo\"\n",
            "\"acceptEdits\"",
        ),
        ("[agents.claude]\nenv = { A = 1 }\n", "a table of texts"),
        ("[agents.claude]\nprogram = \"\"\n", "not empty"),
        (
            "[agents.\"a b\"]\nkind = \"claude\"\n",
            "the name of an agent",
        ),
        ("[agents]\nclaude = 5\n", "`agents.claude` is a section"),
    ] {
        let said = said(text);
        assert!(said.contains(words), "{text}: {said}");
    }
}

#[test]
fn an_agent_that_is_named_must_be_defined() {
    let phase = said("[agent.phase]\nimpl = \"acp\"\n");
    assert!(
        phase.contains("line 2") && phase.contains("\"acp\"") && phase.contains("not defined"),
        "{phase}"
    );
    let default = said("[agent]\ndefault = \"none\"\n");
    assert!(
        default.contains("line 2") && default.contains("claude, codex, gemini, opencode, scripted"),
        "{default}"
    );
    assert!(load(&format!("{MINE}[agent]\ndefault = \"my-agent\"\n")).is_ok());
}

#[test]
fn a_variable_finds_an_agent_with_a_hyphen() {
    let layers = [Layer {
        origin: project(),
        text: MINE,
    }];
    let variables = env(&[("KUMITE_AGENTS__MY_AGENT__PROMPT", "none")]);
    let agents = Settings::load(&layers, &variables, &[])
        .unwrap()
        .settings
        .agents;
    let AgentKind::Command { prompt, .. } = agents["my-agent"].kind else {
        panic!("a command");
    };
    assert_eq!(prompt, Prompt::None);
}

#[test]
fn a_variable_sets_a_program_that_no_file_names() {
    let variables = env(&[
        ("KUMITE_AGENTS__CODEX__PROGRAM", "/opt/codex"),
        ("KUMITE_AGENTS__CODEX__PERMISSION_MODE", "read-only"),
        ("KUMITE_AGENTS__TALK__KIND", "acp"),
        ("KUMITE_AGENTS__TALK__COMMAND", "[\"my-agent\", \"--acp\"]"),
        ("KUMITE_AGENT__DEFAULT", "codex"),
    ]);
    let loaded = Settings::load(&[], &variables, &[]).unwrap();
    let codex = AgentKind::Program {
        kind: ProgramKind::Codex,
        program: "/opt/codex".into(),
        args: vec![],
        model: String::new(),
        permission_mode: "read-only".into(),
    };
    assert_eq!(loaded.settings.agents["codex"].kind, codex);
    let talk = AgentKind::Acp {
        command: ["my-agent", "--acp"].map(str::to_owned).into(),
    };
    assert_eq!(loaded.settings.agents["talk"].kind, talk);

    let wrong = env(&[("KUMITE_AGENTS__GEMINI__PERMISSION_MODE", "auto")]);
    let said = Settings::load(&[], &wrong, &[]).unwrap_err().to_string();
    assert!(
        said.starts_with("environment variable KUMITE_AGENTS__GEMINI__PERMISSION_MODE: ")
            && said.contains("\"auto_edit\""),
        "{said}"
    );
}
