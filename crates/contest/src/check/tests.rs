use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use kumite_formats::contest::{EXAMPLE, Loaded, Problem, Request, load};
use kumite_formats::settings::{Layer, Origin, Settings};
use kumite_models::{Domains, Native, Provider, supports};
use tempfile::TempDir;

use super::{Check, CheckMeans, Status, check, is_good, refused, to_json};

/// A project, its settings and its environment.
struct Stage {
    dir: TempDir,
    env: Vec<(&'static str, String)>,
    settings: &'static str,
}

impl Stage {
    fn new() -> Stage {
        Stage {
            dir: TempDir::new().unwrap(),
            env: vec![("PATH", "/nowhere".to_owned())],
            settings: "",
        }
    }

    fn env(mut self, name: &'static str, value: &str) -> Stage {
        self.env.push((name, value.to_owned()));
        self
    }

    fn file(self, path: &str, text: &str, mode: u32) -> Stage {
        let path = self.dir.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        self
    }

    /// In a directory of `PATH`. Another process writes it: while this process had it open, a child
    /// of another test could prevent its execution.
    fn program(mut self, name: &str, text: &str) -> Stage {
        let bin = self.dir.path().join("bin");
        let write = "mkdir -p \"$1\" && printf %s \"$3\" > \"$1/$2\" && chmod 755 \"$1/$2\"";
        let mut shell = std::process::Command::new("sh");
        shell.args(["-c", write, "sh"]).arg(&bin).args([name, text]);
        assert!(shell.status().unwrap().success());
        self.env[0].1 = format!("/nowhere:{}", bin.display());
        self
    }

    fn variable(&self, name: &str) -> Option<String> {
        let found = self.env.iter().rfind(|(known, _)| *known == name);
        found.map(|(_, value)| value.clone())
    }

    fn load(&self, text: &str) -> Result<Loaded, Vec<Problem>> {
        let request = Request {
            file: Path::new("contest.toml"),
            text: Some(text),
            workspace: None,
            dir: self.dir.path(),
            task: Some("task"),
            timeout: None,
            lenient: false,
        };
        load(&request, &|path| fs::read_to_string(path), &|_| None)
    }

    fn check(&self, text: &str) -> Vec<Check> {
        let loaded = self.load(text).unwrap();
        let layer = Layer {
            origin: Origin::Project("kumite.toml".into()),
            text: self.settings,
        };
        let settings = Settings::load(&[layer], &[], &[]).unwrap().settings;
        let means = CheckMeans {
            project: self.dir.path(),
            files: &loaded.files,
            places: &loaded.places,
            workspace: loaded.workspace.as_deref(),
            settings: &settings,
            env: &|name| self.variable(name),
        };
        check(&loaded.plan, &means)
    }

    /// The messages of one category, with the project's directory as `~`.
    fn of(&self, category: &str, text: &str) -> Vec<(Status, String)> {
        let project = self.dir.path().display().to_string();
        let checks = self
            .check(text)
            .into_iter()
            .filter(|one| one.category == category);
        checks
            .map(|one| (one.status, one.message.replace(&project, "~")))
            .collect()
    }
}

fn ok(message: &str) -> (Status, String) {
    (Status::Ok, message.to_owned())
}

fn error(message: &str) -> (Status, String) {
    (Status::Error, message.to_owned())
}

/// Lines after a metric.
fn with_metric(text: &str) -> String {
    format!("metric = [{{ name = \"m\", words = [\"w\"] }}]\n{text}\n")
}

fn with_team(text: &str) -> String {
    format!("team = [{{ id = \"a\", scripted = \"flat\" }}]\n{text}\n")
}

const LEADER: &str = "[[team]]\nid = \"a\"\nmodel = \"openai:x\"";

#[test]
fn the_example_needs_nothing() {
    let checks = Stage::new().check(EXAMPLE);
    assert!(is_good(&checks), "{checks:?}");
    let categories: Vec<&str> = checks.iter().map(|one| one.category).collect();
    assert_eq!(categories, ["settings", "prompts", "prompts", "prompts"]);
}

#[test]
fn a_model_without_its_key_is_named_with_its_place() {
    let text = with_metric(&format!("{LEADER}\n[judge]\nmodel = \"ollama:y\""));
    assert_eq!(
        Stage::new().of("credentials", &text),
        [
            error("contest.toml:4: openai needs a key in the environment variable OPENAI_API_KEY"),
            ok("would be asked at http://127.0.0.1:11434, without a key"),
        ]
    );
    let stage = Stage::new()
        .env("OPENAI_API_KEY", "sk-hidden")
        .env("OPENAI_BASE_URL", "http://127.0.0.1:9/v1");
    let checks = stage.check(&text);
    assert!(is_good(&checks));
    let said = format!("{checks:?}");
    assert!(
        said.contains("would be asked at http://127.0.0.1:9/v1, with the key in OPENAI_API_KEY"),
        "{said}"
    );
    assert!(!said.contains("hidden"), "{said}");
}

#[test]
fn the_models_of_python_members_are_their_own_business() {
    let team = "[team]\nteam_id = \"a\"\nteam_name = \"A\"\n[team.leader]\nmodel = \"ollama:x\"\n\
        [[team.members]]\nname = \"c\"\ntype = \"custom\"\nmodel = \"mine:x\"\n\
        plugin = { path = \"c.py\", agent_class = \"C\" }\n";
    let stage = Stage::new()
        .file("a.toml", team, 0o644)
        .file("c.py", "", 0o644)
        .program("python3", "");
    let text = with_metric("[[team]]\nconfig = \"a.toml\"");
    assert!(is_good(&stage.check(&text)));
    let said = stage.of("credentials", &text);
    assert_eq!(
        said[1],
        (
            Status::Skipped,
            "a Python member asks it by itself".to_owned()
        )
    );
}

#[test]
fn what_settings_know_of_providers_is_what_models_know() {
    let domains = Domains::All;
    let search = Native::WebSearch {
        max_uses: None,
        domains,
    };
    for provider in Provider::ALL {
        for (kind, native) in [
            ("web_search", &search),
            ("code_execution", &Native::CodeExecution),
        ] {
            let text = format!(
                "[[team]]\nid = \"a\"\nmodel = \"{provider}:x\"\n\
                 [[team.member]]\nname = \"m\"\nkind = \"{kind}\""
            );
            let loaded = Stage::new().load(&with_metric(&text));
            assert_eq!(
                loaded.is_ok(),
                supports(provider, native),
                "{provider} {kind}"
            );
        }
    }
    let problems = Stage::new()
        .load(&with_metric(&LEADER.replace("openai", "x")))
        .unwrap_err();
    let known = Provider::ALL.map(Provider::name).join(", ");
    assert!(
        problems[0]
            .to_string()
            .ends_with(&format!("Known are {known}"))
    );
}

#[test]
fn a_budget_needs_the_price_of_every_model() {
    let stage = Stage::new().env("OPENAI_API_KEY", "k");
    let priced = "[price.\"openai:x\"]\ninput = 1\noutput = 2";
    let text = |rest: &str| with_metric(&format!("{LEADER}\n[contest]\nbudget_usd = 5\n{rest}"));
    assert_eq!(
        stage.of("budget", &text("")),
        [error(
            "contest.toml:4: openai:x has no price, so nobody knows when the budget of $5 is spent; \
             add `[price.\"openai:x\"]` with `input` and `output`, in dollars for a million tokens"
        )]
    );
    assert_eq!(
        stage.of("budget", &text(priced)),
        [ok("$1 and $2 for a million tokens in and out")]
    );
    assert_eq!(stage.of("budget", &with_metric(LEADER)), []);
}

#[test]
fn programs_of_commands_are_there_and_can_be_executed() {
    let text = with_team(
        "[[metric]]\nname = \"a\"\ncommand = [\"./a.sh\"]\n[[metric]]\nname = \"b\"\n\
         command = [\"bee\", \"x\"]\n[[metric]]\nname = \"c\"\ncommand = [\"./c.sh\"]",
    );
    let stage = Stage::new().file("a.sh", "", 0o644);
    assert_eq!(
        stage.of("programs", &text),
        [
            error("contest.toml:4: the program ~/./a.sh cannot be executed; run chmod +x on it"),
            error("contest.toml:10: the program ~/./c.sh: No such file or directory (os error 2)"),
            error("contest.toml:7: the program \"bee\" was not found in PATH"),
        ]
    );
    let stage = stage
        .file("a.sh", "", 0o755)
        .file("c.sh", "", 0o755)
        .program("bee", "");
    assert_eq!(
        stage.of("programs", &text),
        [ok("~/./a.sh"), ok("~/./c.sh"), ok("~/bin/bee")]
    );
}

#[test]
fn agents_are_known_and_have_programs_and_a_commit_to_begin_with() {
    let text = with_metric(
        "[[team]]\nid = \"a\"\nagent = \"cloude\"\n[[team]]\nid = \"b\"\nagent = \"mine\"\n\
         [[team]]\nid = \"c\"\nagent = \"scripted\"",
    );
    let mut stage = Stage::new();
    stage.settings = "[agents.mine]\nkind = \"command\"\ncommand = [\"mine\"]\n";
    let said = stage.of("agents", &text);
    assert_eq!(
        said[..3],
        [
            error(
                "contest.toml:4: there is no agent cloude; known are claude, codex, gemini, mine, \
                 opencode, scripted; [agents.cloude] in .kiro/kumite.toml would define it"
            ),
            error("contest.toml:7: agent mine: the program \"mine\" was not found in PATH"),
            ok("built in"),
        ]
    );
    assert_eq!(said[3].0, Status::Error);
    assert!(said[3].1.contains("is not in a git repository"), "{said:?}");
    let stage = stage.program("mine", "");
    assert_eq!(stage.of("agents", &text)[1], ok("~/bin/mine"));
}

#[test]
fn python_is_asked_whether_it_finds_a_plugin() {
    // A stand-in for Python that knows one module.
    let python = "#!/bin/sh\n[ \"$3\" = known ]\n";
    let text = "[orchestrator]\nteams = [{ config = \"a.toml\" }]\nevaluator_config = \"e.toml\"\n";
    let evaluator = "[[metrics]]\nname = \"A\"\n[[metrics]]\nname = \"B\"\n[custom_metrics]\n\
        A = { module = \"known\", class = \"A\" }\nB = { module = \"unknown\", class = \"B\" }\n";
    let team = "[team]\nteam_id = \"a\"\nteam_name = \"A\"\n[[team.members]]\nname = \"c\"\n\
        type = \"custom\"\nmodel = \"x:y\"\n\
        plugin = { agent_module = \"unknown\", path = \"c.py\", agent_class = \"C\" }\n";
    let stage = Stage::new()
        .file("a.toml", team, 0o644)
        .file("e.toml", evaluator, 0o644);
    let without = "e.toml:6: the class A is written in Python, and the program \"python3\" was not \
        found in PATH";
    assert_eq!(stage.of("plugins", text)[0], error(without));
    let stage = stage.program("python3", python);
    assert_eq!(
        stage.of("plugins", text),
        [
            ok("python3 finds known"),
            error(
                "e.toml:7: python3 does not find the module unknown of B; install it, or set \
                 PYTHONPATH"
            ),
            error("a.toml:8: ~/c.py, the file of C, is not there"),
        ]
    );
    let stage = stage.file("c.py", "", 0o644);
    assert_eq!(stage.of("plugins", text)[2], ok("~/c.py"));
}

#[test]
fn templates_are_tried_out_each_by_itself() {
    let text = with_team(
        "metric = [{ name = \"m\", words = [\"w\"] }]\n[prompts]\nteam = \"{{ user_promt }}\"\n\
         evaluator = \"{% if %}\"\njudge = \"{{ user_prompt | shout }}\"",
    );
    let said = Stage::new().of("prompts", &text);
    let places: Vec<(Status, &str)> = said
        .iter()
        .map(|(status, message)| (*status, message.split(": ").next().unwrap()))
        .collect();
    let wrong = |place| (Status::Error, place);
    let expected = ["contest.toml:4", "contest.toml:5", "contest.toml:6"].map(wrong);
    assert_eq!(places, expected, "{said:?}");
    assert!(
        said[0].1.contains("no placeholder \"user_promt\""),
        "{said:?}"
    );
    let zone = Stage::new()
        .env("TZ", "Mars/Olympus")
        .of("prompts", EXAMPLE);
    assert!(zone[3].1.contains("Mars/Olympus"), "{zone:?}");
}

#[test]
fn a_workspace_is_a_directory() {
    let stage = Stage::new().file(
        "a.toml",
        "[team]\nteam_id = \"a\"\nteam_name = \"A\"\n",
        0o644,
    );
    let text = |path: &str| {
        let team = stage.dir.path().join("a.toml");
        format!(
            "[orchestrator]\nworkspace_path = \"{path}\"\nteams = [{{ config = \"{}\" }}]\n",
            team.display()
        )
    };
    assert_eq!(
        stage.of("workspace", &text(".")),
        [ok("it can be written to")]
    );
    assert_eq!(
        stage.of("workspace", &text("gone")),
        [error("the workspace ~/gone: there is no such directory")]
    );
}

#[test]
fn the_result_has_the_form_of_mixseeks_dry_run() {
    let stage = Stage::new();
    let json = to_json(&stage.check(&with_metric(LEADER)));
    let categories = json["categories"].as_array().unwrap();
    let names: Vec<&str> = categories
        .iter()
        .map(|one| one["category"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["settings", "credentials", "prompts"]);
    let key = &categories[1]["checks"][0];
    assert_eq!(
        (&key["name"], &key["status"]),
        (&"openai:x".into(), &"error".into())
    );
    assert_eq!(key["source_file"], "contest.toml");
    assert!(key["message"].as_str().unwrap().contains("OPENAI_API_KEY"));
    let problems = stage.load("tsk = 1").unwrap_err();
    let checks = refused(&problems);
    assert!(!is_good(&checks));
    assert_eq!(checks.len(), problems.len());
    let json = to_json(&checks);
    assert_eq!(
        json["categories"][0]["checks"][0]["source_file"],
        "contest.toml"
    );
}
