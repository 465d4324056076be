use std::path::PathBuf;

use kumite_formats::Settings;
use kumite_formats::settings::{AgentKind, Layer, Prompt};

use crate::settings::{env, load, project, said};

const MINE: &str = "[agents.my-agent]\nkind = \"command\"\ncommand = [\"./agent.sh\", \"{step}\", \"{\\\"a\\\":1}\"]\n";

#[test]
fn claude_and_scripted_are_there_without_being_named() {
    let agents = load("").unwrap().settings.agents;
    assert_eq!(agents.keys().collect::<Vec<_>>(), ["claude", "scripted"]);
    assert_eq!(
        agents["scripted"].kind,
        AgentKind::Scripted { script: None }
    );
}

#[test]
fn each_kind_of_agent_is_read() {
    let text = "[agents.mine]\nkind = \"command\"\ncommand = [\"./a\", \"{spec}\", \"{round}\", \"{prompt_file}\"]\nprompt = \"file\"\nenv = { A = \"1\" }\n\
                [agents.play]\nkind = \"scripted\"\nscript = \"demo.toml\"\n[agents.opus]\nkind = \"claude\"\nmodel = \"opus\"\n";
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
    let opus = AgentKind::Claude {
        program: "claude".into(),
        args: vec![],
        model: "opus".into(),
        permission_mode: "acceptEdits".into(),
    };
    assert_eq!(agents["opus"].kind, opus);
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
            "[agents.codex]\nmodel = \"x\"\n",
            "not supported by this version",
        ),
        (
            "[agents.x]\nkind = \"codex\"\n",
            "\"codex\" is not supported by this version",
        ),
        (
            "[agents.x]\nkind = \"acp\"\n",
            "not supported by this version",
        ),
        (
            "[agents.x]\nkind = \"robot\"\n",
            "line 2, column 1: `agents.x.kind` must be \"claude\" or \"command\" or \"scripted\"",
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
            "[agents.x]\nkind = \"command\"\ncommand = [\"a\", \"{prompt}\"]\n",
            "{prompt} is unknown",
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
    let phase = said("[agent.phase]\nimpl = \"codex\"\n");
    assert!(
        phase.contains("line 2") && phase.contains("\"codex\"") && phase.contains("not defined"),
        "{phase}"
    );
    let default = said("[agent]\ndefault = \"none\"\n");
    assert!(
        default.contains("line 2") && default.contains("claude, scripted"),
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
