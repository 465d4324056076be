use std::path::PathBuf;

use kumite_core::names::Phase;
use kumite_formats::Settings;
use kumite_formats::settings::{self, Error, Flag, Guard, KEYS, Layer, Loaded, Origin};

pub fn project() -> Origin {
    Origin::Project(PathBuf::from(".kiro/kumite.toml"))
}

pub fn load(text: &str) -> Result<Loaded, Error> {
    Settings::load(
        &[Layer {
            origin: project(),
            text,
        }],
        &[],
        &[],
    )
}

pub fn said(text: &str) -> String {
    load(text).unwrap_err().to_string()
}

pub fn env(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
    pairs.iter().map(owned).collect()
}

fn with_env(pairs: &[(&str, &str)]) -> Result<Loaded, Error> {
    Settings::load(&[], &env(pairs), &[])
}

fn origin_of(loaded: &Loaded, key: &str) -> (String, Origin) {
    let found = loaded.origins.iter().find(|(name, _, _)| name == key);
    let (_, value, origin) = found.unwrap().clone();
    (value, origin)
}

#[test]
fn nothing_given_means_the_defaults() {
    let loaded = load("").unwrap();
    assert_eq!(loaded.settings, Settings::default());
    assert_eq!(
        load("[run]\n[agents.claude]\n[agent.phase]\n")
            .unwrap()
            .settings,
        Settings::default()
    );
    let jobs = ("5".to_owned(), Origin::Default);
    assert_eq!(origin_of(&loaded, "run.jobs"), jobs);
}

#[test]
fn every_default_that_is_shown_can_be_read_back() {
    let loaded = load("").unwrap();
    for key in KEYS {
        assert!(settings::doc(key.name).is_some_and(|doc| !doc.is_empty()));
        let (section, name) = key.name.split_once('.').unwrap();
        let (value, _) = origin_of(&loaded, key.name);
        let again = load(&format!("[{section}]\n{name} = {value}\n"));
        assert_eq!(again.unwrap().settings, Settings::default(), "{}", key.name);
    }
}

#[test]
fn every_key_of_the_contract_is_read() {
    let text = r#"
        [run]
        jobs = 3
        auto_approve = false
        step_timeout = "90s"
        [review]
        rounds_max = 2
        [impl]
        retries_max = 0
        guard = "strict"
        [inspection]
        rounds_max = 9
        [agent]
        default = "scripted"
        silence_timeout = "500ms"
        exit_grace = "0s"
        term_grace = "1m"
        spawn_retries = 2
        [agent.phase]
        impl = "claude"
        [limit]
        wait = false
        min_wait = "1s"
        max_wait = "2d"
        jitter = "0s"
        [budget]
        usd_per_run = 2.5
        usd_per_day = 40
        [log]
        max_size = "500MB"
        max_total = "1GiB"
        [notify]
        webhook = "https://hooks.example.com/T0/secret"
        desktop = false
    "#;
    let loaded = load(text).unwrap();
    let it = &loaded.settings;
    assert_eq!((it.run.jobs, it.run.auto_approve), (3, false));
    assert_eq!(it.run.step_timeout.duration().as_secs(), 90);
    assert_eq!(
        (it.review.rounds_max, it.implementation.retries_max),
        (2, 0)
    );
    assert_eq!(
        (it.implementation.guard, it.inspection.rounds_max),
        (Guard::Strict, 9)
    );
    assert_eq!(it.agent.silence_timeout.duration().as_millis(), 500);
    assert_eq!(
        (it.agent_for(Phase::Impl), it.agent_for(Phase::Design)),
        ("claude", "scripted")
    );
    assert_eq!(it.limit.max_wait.to_string(), "2d");
    let budget = (
        it.budget.usd_per_run.micros(),
        it.budget.usd_per_day.micros(),
    );
    assert_eq!(budget, (2_500_000, 40_000_000));
    let log = (it.log.max_size.bytes(), it.log.max_total.bytes());
    assert_eq!(log, (500_000_000, 1 << 30));
    assert!(!it.notify.desktop && it.notify.webhook[0].ends_with("secret"));
    let shown = origin_of(&loaded, "notify.webhook").0;
    assert_eq!(shown, "\"https://hooks.example.com/…\"");
}

#[test]
fn a_webhook_may_be_several_in_a_file_and_in_the_environment() {
    let both = r#"["https://a.example/1", "http://b.example"]"#;
    let file = load(&format!("[notify]\nwebhook = {both}")).unwrap();
    let variable = env(&[("KUMITE_NOTIFY__WEBHOOK", both)]);
    let env = Settings::load(&[], &variable, &[]).unwrap();
    for loaded in [file, env] {
        let addresses = &loaded.settings.notify.webhook;
        assert_eq!(*addresses, ["https://a.example/1", "http://b.example"]);
        let shown = origin_of(&loaded, "notify.webhook").0;
        assert_eq!(shown, r#"["https://a.example/…", "http://b.example"]"#);
    }
    assert!(
        load("[notify]\nwebhook = []")
            .unwrap()
            .settings
            .notify
            .webhook
            .is_empty()
    );
}

#[test]
fn an_unknown_key_is_named_with_its_line_and_the_nearest_one() {
    let error = load("[run]\n\njob = 3\n").unwrap_err();
    assert_eq!(
        error.to_string(),
        ".kiro/kumite.toml: line 3, column 1: unknown key `run.job`; did you mean `run.jobs`?"
    );
    assert_eq!(error.key.as_deref(), Some("run.job"));
    for (text, near) in [
        ("jobs = 3", "run.jobs"),
        ("[runs]\njobs = 3", "run.jobs"),
        ("[reviews]\nrounds_max = 3", "review.rounds_max"),
        ("[agent]\nsilence-timeout = \"3s\"", "agent.silence_timeout"),
        ("[agents.claude]\nmodle = \"x\"", "agents.claude.model"),
        (
            "[agents.claude.permission]\nmode = \"x\"",
            "agents.claude.permission_mode",
        ),
        ("[agent.phases]\nimpl = \"claude\"", "agent.phase."),
        ("[notify]\nwebhok = \"\"", "notify.webhook"),
        ("[foo]", "budget.usd_per_run"),
    ] {
        let said = said(text);
        assert!(said.contains("did you mean `"), "{text}: {said}");
        assert!(text == "[foo]" || said.contains(near), "{text}: {said}");
    }
}

#[test]
fn a_wrong_value_is_named_with_its_line_and_what_is_allowed() {
    for (text, words) in [
        (
            "[run]\njobs = 0",
            "`run.jobs` must be a whole number from 1 to 1000",
        ),
        ("[run]\njobs = 1001", "from 1 to 1000"),
        ("[run]\njobs = \"3\"", "a whole number"),
        ("[run]\njobs = 3.0", "a whole number"),
        ("[run]\njobs = 99999999999999999999", "a whole number"),
        ("[run]\nauto_approve = 1", "true or false"),
        ("[run]\nstep_timeout = 90", "a duration such as"),
        ("[run]\nstep_timeout = \"90\"", "a duration such as"),
        ("[run]\nstep_timeout = \"-1s\"", "a duration such as"),
        ("[run]\nstep_timeout = \"0s\"", "above zero"),
        (
            "[limit]\nmax_wait = \"99999999999999d\"",
            "a duration such as",
        ),
        ("[review]\nrounds_max = 8", "from 1 to 7"),
        ("[impl]\nretries_max = -1", "from 0 to 7"),
        ("[impl]\nguard = \"loose\"", "\"seed\" or \"strict\""),
        ("[inspection]\nrounds_max = 10", "from 1 to 9"),
        ("[notify]\nwebhook = \"ftp://x\"", "https://"),
        ("[notify]\nwebhook = [\"https://x\", \"\"]", "https://"),
        ("[run]\njobs = [1]", "a whole number"),
        ("[run]\njobs = 2026-01-01", "a whole number"),
    ] {
        let said = said(text);
        assert!(
            said.contains("line 2, column 1") && said.contains(words),
            "{text}: {said}"
        );
    }
}

#[test]
fn a_section_that_is_no_table_is_explained() {
    assert!(said("run = 5").contains("`run` is a section"));
    assert!(said("[[run]]\njobs = 1").contains("`run` is a section"));
    assert!(said("agents = 5").contains("`agents` is a section"));
}

#[test]
fn a_text_that_is_no_toml_is_named_with_its_place() {
    let said = said("[run]\njobs = = 3\n");
    assert!(
        said.contains("line 2") && said.contains("not valid TOML"),
        "{said}"
    );
    assert!(load("\u{feff}[run]\njobs = 3\n").is_ok());
}

#[test]
fn an_unknown_phase_is_named() {
    let said = said("[agent.phase]\nimplement = \"claude\"\n");
    assert!(
        said.contains("line 2") && said.contains("did you mean `impl`"),
        "{said}"
    );
}

#[test]
fn the_shortest_wait_is_not_above_the_longest() {
    let said = said("[limit]\nmin_wait = \"2h\"\nmax_wait = \"1h\"\n");
    assert!(
        said.contains("line 2") && said.contains("must not be above"),
        "{said}"
    );
}

#[test]
fn later_layers_go_before_earlier_ones() {
    let person = Origin::Person(PathBuf::from("/home/a/config.toml"));
    let layers = [
        Layer {
            origin: person.clone(),
            text: "[run]\njobs = 2\nauto_approve = false\n[review]\nrounds_max = 3\n[impl]\nretries_max = 1\n",
        },
        Layer {
            origin: project(),
            text: "[run]\njobs = 4\n[review]\nrounds_max = 4\n[impl]\nretries_max = 2\n",
        },
    ];
    let variables = env(&[
        ("KUMITE_REVIEW__ROUNDS_MAX", "5"),
        ("KUMITE_IMPL__RETRIES_MAX", "3"),
    ]);
    let flag = Flag {
        name: "--retries".into(),
        key: "impl.retries_max".into(),
        value: "4".into(),
    };
    let loaded = Settings::load(&layers, &variables, &[flag]).unwrap();
    let shown = |key| origin_of(&loaded, key);
    assert_eq!(shown("run.auto_approve"), ("false".to_owned(), person));
    assert_eq!(shown("run.jobs"), ("4".to_owned(), project()));
    let variable = Origin::Env("KUMITE_REVIEW__ROUNDS_MAX".to_owned());
    assert_eq!(shown("review.rounds_max"), ("5".to_owned(), variable));
    let flag = Origin::Flag("--retries".to_owned());
    assert_eq!(shown("impl.retries_max"), ("4".to_owned(), flag));
    assert_eq!(
        shown("inspection.rounds_max"),
        ("3".to_owned(), Origin::Default)
    );
}

#[test]
fn the_environment_sets_every_kind_of_value() {
    let it = with_env(&[
        ("KUMITE_AGENT__SILENCE_TIMEOUT", "3s"),
        ("KUMITE_RUN__AUTO_APPROVE", "false"),
        ("KUMITE_AGENTS__CLAUDE__PROGRAM", "/opt/claude"),
        ("KUMITE_AGENTS__CLAUDE__MODEL", "123"),
        ("KUMITE_AGENTS__CLAUDE__ARGS", "[\"--verbose\"]"),
        ("KUMITE_AGENT__PHASE__DOCUMENT_REVIEW", "scripted"),
        ("KUMITE_AGENT__DEFAULT", "\"claude\""),
    ]);
    let it = it.unwrap().settings;
    assert_eq!(it.agent.silence_timeout.duration().as_secs(), 3);
    assert!(!it.run.auto_approve);
    assert_eq!(it.agent_for(Phase::Review), "scripted");
    let kind = format!("{:?}", it.agents["claude"].kind);
    assert!(kind.contains("/opt/claude") && kind.contains("\"123\"") && kind.contains("--verbose"));
}

#[test]
fn an_unknown_or_wrong_variable_is_named_and_the_agents_own_are_ignored() {
    let unknown = with_env(&[("KUMITE_RUN__JOB", "3")])
        .unwrap_err()
        .to_string();
    assert!(
        unknown.contains("KUMITE_RUN__JOB") && unknown.contains("run.jobs"),
        "{unknown}"
    );
    for value in ["", "abc", "0", "1\n[run]"] {
        let wrong = with_env(&[("KUMITE_RUN__JOBS", value)])
            .unwrap_err()
            .to_string();
        assert!(
            wrong.contains("KUMITE_RUN__JOBS") && wrong.contains("1 to 1000"),
            "{wrong}"
        );
    }
    let ignored = [
        ("KUMITE_SPEC", "x"),
        ("KUMITE_STEP", "impl"),
        ("PATH", "a__b"),
        ("XKUMITE_A__B", ""),
    ];
    assert_eq!(with_env(&ignored).unwrap().settings, Settings::default());
}

/// All keys that 8530ba0 offered, with its own defaults.
#[test]
fn settings_of_8530ba0_mean_the_same() {
    let loaded = load(include_str!("fixtures/kumite-8530ba0.toml")).unwrap();
    let settings = loaded.settings;
    let default = Settings::default();
    assert_eq!(settings.run, default.run);
    assert_eq!(settings.review, default.review);
    assert_eq!(settings.implementation, default.implementation);
    assert_eq!(settings.inspection, default.inspection);
    assert_eq!(settings.limit, default.limit);
    assert_eq!(settings.log, default.log);
    assert_eq!(settings.budget, default.budget);
    assert_eq!(settings.notify, default.notify);
    assert_eq!(settings.agents["claude"], default.agents["claude"]);
    assert!(settings.agents.contains_key("other") && settings.agents.contains_key("mine"));
}
