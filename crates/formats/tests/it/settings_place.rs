//! `[worktree]`, `[sandbox]`, `review.stall_rounds` and `env_allow`: where agents work, and what
//! they may reach.

use kumite_formats::Settings;
use kumite_formats::settings::{Network, SandboxMode, WorktreeMode, WorktreeSettings};

use crate::settings::{env, load, said};

/// What `config show` prints for this key.
fn shown(text: &str, key: &str) -> String {
    let loaded = load(text).unwrap();
    let found = loaded.origins.iter().find(|(name, _, _)| name == key);
    found.unwrap().1.clone()
}

#[test]
fn e1_1_every_key_of_worktree_is_read() {
    let text = r#"
        [worktree]
        mode = "off"
        branch = "work/{spec}-{spec}"
        base = "origin/main"
        setup = [["npm", "ci"], ["make", "a b"]]
        copy = [".env.test", "data/**/*.bin"]
        max = "500MB"
    "#;
    let it = load(text).unwrap().settings.worktree;
    assert_eq!(it.mode, WorktreeMode::Off);
    assert_eq!(it.branch_of("login"), "work/login-login");
    assert_eq!(it.base, "origin/main");
    assert_eq!(it.setup, [["npm", "ci"], ["make", "a b"]]);
    assert_eq!(it.copy, [".env.test", "data/**/*.bin"]);
    assert_eq!(it.max.bytes(), 500_000_000);
    let setup = shown(text, "worktree.setup");
    assert_eq!(setup, r#"[["npm", "ci"], ["make", "a b"]]"#);
    assert_eq!(
        shown(text, "worktree.copy"),
        r#"[".env.test", "data/**/*.bin"]"#
    );
}

#[test]
fn e1_1_without_settings_each_spec_has_a_worktree_and_a_branch_of_its_own() {
    let it = Settings::default().worktree;
    assert_eq!(
        (it.mode, it.branch_of("login").as_str(), it.base.as_str()),
        (WorktreeMode::Auto, "feature/login", "")
    );
    assert!(it.setup.is_empty() && it.copy.is_empty());
    assert_eq!(it.max.to_string(), "20GB");
    let unlimited = load("[worktree]\nmax = 0\n").unwrap().settings.worktree;
    assert_eq!(unlimited.max.bytes(), 0);
    assert_eq!(
        load("[worktree]\n").unwrap().settings.worktree,
        WorktreeSettings::default()
    );
}

#[test]
fn e1_1_a_branch_is_one_per_spec_and_has_a_name_that_git_accepts() {
    for good in [
        "{spec}",
        "a/b/{spec}",
        "{spec}/work",
        "ü-{spec}.x",
        "@{spec}x",
    ] {
        // `@{` is what git refuses, and the braces of a placeholder are no part of the name.
        let text = format!("[worktree]\nbranch = \"{good}\"\n");
        assert_eq!(load(&text).unwrap().settings.worktree.branch, good);
    }
    let name = "a name that git accepts for a branch; it";
    for (branch, words) in [
        (
            "feature",
            "a name that contains {spec}, such as \"feature/{spec}\"".to_owned(),
        ),
        (
            "",
            "a name that contains {spec}, such as \"feature/{spec}\"".to_owned(),
        ),
        (
            "{spec}-{user}",
            "free of braces, except for those of {spec}".to_owned(),
        ),
        ("a b/{spec}", format!("{name} contains a space")),
        ("a\\t{spec}", format!("{name} contains a control character")),
        ("a~{spec}", format!("{name} contains `~`")),
        ("a^{spec}", format!("{name} contains `^`")),
        ("a:{spec}", format!("{name} contains `:`")),
        ("a?{spec}", format!("{name} contains `?`")),
        ("*{spec}", format!("{name} contains `*`")),
        ("a[{spec}", format!("{name} contains `[`")),
        ("a\\\\{spec}", format!("{name} contains `\\`")),
        ("{spec}..x", format!("{name} contains `..`")),
        ("a//{spec}", format!("{name} contains `//`")),
        ("-{spec}", format!("{name} begins with `-`")),
        ("/{spec}", format!("{name} begins with `/`")),
        ("{spec}/", format!("{name} ends with `/`")),
        ("{spec}.", format!("{name} ends with `.`")),
        (
            ".a/{spec}",
            format!("{name} has a part that begins with `.`"),
        ),
        (
            "a/.{spec}",
            format!("{name} has a part that begins with `.`"),
        ),
        (
            "{spec}.lock",
            format!("{name} has a part that ends with `.lock`"),
        ),
        (
            "a.lock/{spec}",
            format!("{name} has a part that ends with `.lock`"),
        ),
    ] {
        let said = said(&format!("\n[worktree]\nbranch = \"{branch}\"\n"));
        assert_eq!(
            said,
            format!(".kiro/kumite.toml: line 3, column 1: `worktree.branch` must be {words}")
        );
    }
    for (base, fault) in [
        ("a b", "contains a space"),
        ("HEAD", "is `HEAD`"),
        ("-x", "begins with `-`"),
        ("a@{1}", "contains `@{`"),
    ] {
        let said = said(&format!("[worktree]\nbase = \"{base}\"\n"));
        assert_eq!(
            said,
            format!(".kiro/kumite.toml: line 2, column 1: `worktree.base` must be {name} {fault}")
        );
    }
}

#[test]
fn e1_5_every_key_of_sandbox_is_read() {
    let text = "[sandbox]\nmode = \"bwrap\"\nwrite = [\"/opt/cache\", \"~/.cache\", \"target\"]\n\
                deny_read = []\nnetwork = \"none\"\n";
    let it = load(text).unwrap().settings.sandbox;
    assert_eq!((it.mode, it.network), (SandboxMode::Bwrap, Network::None));
    assert_eq!(it.write, ["/opt/cache", "~/.cache", "target"]);
    assert!(it.deny_read.is_empty());
    let it = Settings::default().sandbox;
    assert_eq!((it.mode, it.network), (SandboxMode::Off, Network::Open));
    assert_eq!(
        it.deny_read,
        ["~/.ssh", "~/.aws", "~/.gnupg", "~/.config/gh"]
    );
    let agent = load("[sandbox]\nmode = \"agent\"\n").unwrap().settings;
    assert_eq!(agent.sandbox.mode, SandboxMode::Agent);
}

#[test]
fn e1_5_the_variables_that_reach_an_agent_are_read_and_shown() {
    let text = "[agents.claude]\nenv_allow = [\"ANTHROPIC_API_KEY\", \"TERM\"]\n\
                [agents.talk]\nkind = \"acp\"\ncommand = [\"a\"]\nenv_allow = [\"A\"]\n";
    let agents = load(text).unwrap().settings.agents;
    assert_eq!(agents["claude"].env_allow, ["ANTHROPIC_API_KEY", "TERM"]);
    assert_eq!(agents["talk"].env_allow, ["A"]);
    assert!(agents["codex"].env_allow.is_empty());
    let allowed = shown(text, "agents.claude.env_allow");
    assert_eq!(allowed, r#"["ANTHROPIC_API_KEY", "TERM"]"#);
}

#[test]
fn e1_6_the_rounds_of_a_review_that_stalls_are_counted_only_if_asked() {
    assert_eq!(Settings::default().review.stall_rounds, 0);
    let it = load("[review]\nstall_rounds = 7\n").unwrap().settings;
    assert_eq!((it.review.stall_rounds, it.review.rounds_max), (7, 7));
}

#[test]
fn e1_1_e1_5_e1_6_a_wrong_value_is_named_with_its_line_and_what_is_allowed() {
    let setup = "a list of commands, each of them a list of words, such as [[\"npm\", \"ci\"]]";
    let globs = "a list of patterns for paths inside the project, such as [\"tests/**\"]; \
                 none of them is empty, begins with `/` or contains `..`";
    let size = "a size such as \"500MB\", \"2GB\" or \"64KiB\", or 0 for no limit";
    let places = "a list of paths, such as [\"/opt/cache\", \"~/.cache\", \"target\"]; \
                  none of them is empty, and `~` is followed by `/`";
    let variables = "a list of names of variables, such as [\"ANTHROPIC_API_KEY\"]";
    for (section, key, value, words) in [
        ("worktree", "mode", "\"on\"", "\"auto\" or \"off\""),
        ("worktree", "mode", "true", "\"auto\" or \"off\""),
        ("worktree", "branch", "5", "text in quotes"),
        ("worktree", "base", "[]", "text in quotes"),
        ("worktree", "setup", "\"npm ci\"", setup),
        ("worktree", "setup", "[\"npm\", \"ci\"]", setup),
        ("worktree", "setup", "[[]]", setup),
        ("worktree", "setup", "[[\"\"]]", setup),
        ("worktree", "setup", "[[\"a\", 5]]", setup),
        ("worktree", "copy", "\".env\"", globs),
        ("worktree", "copy", "[\"\"]", globs),
        ("worktree", "copy", "[\"/etc/passwd\"]", globs),
        ("worktree", "copy", "[\"a/../../b\"]", globs),
        ("worktree", "max", "\"20G\"", size),
        ("worktree", "max", "20", size),
        (
            "sandbox",
            "mode",
            "\"on\"",
            "\"off\" or \"agent\" or \"bwrap\"",
        ),
        ("sandbox", "network", "false", "\"open\" or \"none\""),
        ("sandbox", "write", "\"/opt\"", places),
        ("sandbox", "write", "[\"~root/x\"]", places),
        ("sandbox", "deny_read", "[\" \"]", places),
        ("review", "stall_rounds", "8", "a whole number from 0 to 7"),
        ("review", "stall_rounds", "-1", "a whole number from 0 to 7"),
        ("agents.claude", "env_allow", "\"TERM\"", variables),
        ("agents.claude", "env_allow", "[\"A=1\"]", variables),
        ("agents.claude", "env_allow", "[\"\"]", variables),
    ] {
        let said = said(&format!("\n[{section}]\n{key} = {value}\n"));
        assert_eq!(
            said,
            format!(".kiro/kumite.toml: line 3, column 1: `{section}.{key}` must be {words}")
        );
    }
}

#[test]
fn e1_1_e1_5_e1_6_a_mistyped_key_is_met_with_the_nearest_one() {
    for (text, key, near) in [
        (
            "[worktree]\nbranches = 1",
            "worktree.branches",
            "worktree.branch",
        ),
        (
            "[worktrees]\nsetup = []",
            "worktrees.setup",
            "worktree.setup",
        ),
        ("[sandbox]\nread = []", "sandbox.read", "sandbox.deny_read"),
        ("[review]\nstall = 1", "review.stall", "review.stall_rounds"),
        (
            "[agents.codex]\nenv_alow = []",
            "agents.codex.env_alow",
            "agents.codex.env_allow",
        ),
    ] {
        assert_eq!(
            said(text),
            format!(
                ".kiro/kumite.toml: line 2, column 1: unknown key `{key}`; did you mean `{near}`?"
            )
        );
    }
    assert!(said("worktree = \"off\"").contains("`worktree` is a section"));
}

#[test]
fn e1_1_e1_5_e1_6_the_environment_sets_these_too() {
    let variables = env(&[
        ("KUMITE_WORKTREE__MODE", "off"),
        ("KUMITE_WORKTREE__BRANCH", "x/{spec}"),
        ("KUMITE_WORKTREE__SETUP", "[[\"npm\", \"ci\"]]"),
        ("KUMITE_WORKTREE__MAX", "0"),
        ("KUMITE_SANDBOX__MODE", "bwrap"),
        ("KUMITE_SANDBOX__DENY_READ", "[\"~/.ssh\"]"),
        ("KUMITE_REVIEW__STALL_ROUNDS", "2"),
        ("KUMITE_AGENTS__CLAUDE__ENV_ALLOW", "[\"TERM\"]"),
    ]);
    let it = Settings::load(&[], &variables, &[]).unwrap().settings;
    assert_eq!(it.worktree.mode, WorktreeMode::Off);
    assert_eq!(it.worktree.branch, "x/{spec}");
    assert_eq!(it.worktree.setup, [["npm", "ci"]]);
    assert_eq!(it.worktree.max.bytes(), 0);
    assert_eq!(it.sandbox.mode, SandboxMode::Bwrap);
    assert_eq!(it.sandbox.deny_read, ["~/.ssh"]);
    assert_eq!(it.review.stall_rounds, 2);
    assert_eq!(it.agents["claude"].env_allow, ["TERM"]);

    let wrong = env(&[("KUMITE_WORKTREE__BRANCH", "main")]);
    let said = Settings::load(&[], &wrong, &[]).unwrap_err().to_string();
    assert_eq!(
        said,
        "environment variable KUMITE_WORKTREE__BRANCH: `worktree.branch` must be a name that \
         contains {spec}, such as \"feature/{spec}\""
    );
}
