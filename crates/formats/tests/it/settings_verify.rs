//! `[verify]`: the project's own commands.

use std::path::PathBuf;

use kumite_formats::Settings;
use kumite_formats::settings::{Baseline, Layer, Loaded, Origin, VerifyCommand, VerifySettings};

use crate::settings::{env, load, project, said};

fn command(name: &str, run: &[&str]) -> VerifyCommand {
    VerifyCommand {
        name: name.to_owned(),
        run: run.iter().map(|word| (*word).to_owned()).collect(),
        dir: ".".to_owned(),
        at_impl: true,
        at_merge: true,
    }
}

fn commands(text: &str) -> Vec<VerifyCommand> {
    load(text).unwrap().settings.verify.commands
}

fn row(loaded: &Loaded) -> (String, Origin) {
    let found = loaded.origins.iter().find(|row| row.0 == "verify.command");
    let (_, value, origin) = found.unwrap().clone();
    (value, origin)
}

const TWO: &str = r#"
[verify]
timeout = "90s"
baseline = "warn"
flaky = 0
protect = ["tests/**"]

[[verify.command]]
name = "tests"
run = ["cargo", "test"]

[[verify.command]]
name = "web-2"
run = "npm ci && npm test"
dir = "web/app"
when = ["merge"]
"#;

#[test]
fn e1_2_every_key_of_verify_is_read() {
    let it = load(TWO).unwrap().settings.verify;
    assert_eq!(it.timeout.duration().as_secs(), 90);
    assert_eq!((it.baseline, it.flaky), (Baseline::Warn, 0));
    assert_eq!(it.protect, ["tests/**"]);
    let web = VerifyCommand {
        dir: "web/app".to_owned(),
        at_impl: false,
        ..command("web-2", &["sh", "-c", "npm ci && npm test"])
    };
    assert_eq!(it.commands, [command("tests", &["cargo", "test"]), web]);
}

#[test]
fn e1_2_without_settings_there_is_no_command() {
    let it = Settings::default().verify;
    let expected = VerifySettings {
        timeout: kumite_formats::settings::Span::parse("30m").unwrap(),
        baseline: Baseline::Pause,
        flaky: 1,
        protect: vec![],
        commands: vec![],
    };
    assert_eq!(it, expected);
    let loaded = load("").unwrap();
    assert_eq!(row(&loaded), ("[]".to_owned(), Origin::Default));
    assert!(!loaded.names_commands());
    let none = load("[verify]\ncommand = []\n").unwrap();
    assert_eq!(row(&none), ("[]".to_owned(), project()));
    assert!(none.names_commands());
}

#[test]
fn e1_2_commands_are_shown_as_toml_that_reads_back() {
    let loaded = load(TWO).unwrap();
    let (shown, origin) = row(&loaded);
    assert_eq!(origin, project());
    assert_eq!(
        shown,
        "[{ name = \"tests\", run = [\"cargo\", \"test\"], dir = \".\", when = [\"impl\", \"merge\"] }, \
         { name = \"web-2\", run = \"npm ci && npm test\", dir = \"web/app\", when = [\"merge\"] }]"
    );
    let again = commands(&format!("[verify]\ncommand = {shown}\n"));
    assert_eq!(again, loaded.settings.verify.commands);
    let secret = "[[verify.command]]\nname = \"a\"\nrun = [\"a\", \"--token=hush-hush\"]\n";
    let shown = row(&load(secret).unwrap()).0;
    assert!(!shown.contains("hush-hush"), "{shown}");
}

#[test]
fn e1_2_when_is_any_of_both_in_any_order() {
    for (when, expected) in [
        ("[\"impl\"]", (true, false)),
        ("[\"merge\"]", (false, true)),
        ("[\"merge\", \"impl\"]", (true, true)),
        ("[\"impl\", \"impl\"]", (true, false)),
    ] {
        let text = format!("[[verify.command]]\nname = \"a\"\nrun = \"a\"\nwhen = {when}\n");
        let found = &commands(&text)[0];
        assert_eq!((found.at_impl, found.at_merge), expected, "{when}");
    }
}

#[test]
fn e1_2_a_wrong_key_of_verify_is_named_with_its_line_and_what_is_allowed() {
    let list = "a list of tables: write `[[verify.command]]` for each command, and `name` and \
                `run` below it";
    let globs = "a list of patterns for paths inside the project, such as [\"tests/**\"]; \
                 none of them is empty, begins with `/` or contains `..`";
    for (key, value, words) in [
        (
            "timeout",
            "\"0s\"",
            "a duration above zero, such as \"90s\"",
        ),
        (
            "timeout",
            "30",
            "a duration such as \"500ms\", \"90s\", \"15m\", \"2h\" or \"8d\"",
        ),
        ("baseline", "\"fail\"", "\"pause\" or \"warn\" or \"off\""),
        ("flaky", "10", "a whole number from 0 to 9"),
        ("flaky", "-1", "a whole number from 0 to 9"),
        ("protect", "\"tests\"", globs),
        ("protect", "[\"../x\"]", globs),
        ("command", "\"cargo test\"", list),
        ("command", "[\"cargo\", \"test\"]", list),
        ("command", "[{ name = \"a\", run = \"a\" }, 5]", list),
        ("command", "{ name = \"a\", run = \"a\" }", list),
        ("command", "{}", list),
    ] {
        let said = said(&format!("\n[verify]\n{key} = {value}\n"));
        assert_eq!(
            said,
            format!(".kiro/kumite.toml: line 3, column 1: `verify.{key}` must be {words}")
        );
    }
    assert_eq!(
        said("[verify.command]\nname = \"a\"\nrun = \"a\"\n"),
        format!(".kiro/kumite.toml: line 1, column 1: `verify.command` must be {list}")
    );
}

#[test]
fn e1_2_a_wrong_command_is_named_with_its_own_line() {
    let name = "must be a name of small letters, digits and hyphens, at most 40, such as \"tests\"";
    let run = "must be a list of words, such as [\"cargo\", \"test\"], or a text for a shell, \
               such as \"npm ci && npm test\"; it must not be empty";
    let dir = "must be a directory inside the project, such as \".\" or \"web\": no `/` at its \
               beginning, no `..`";
    let when = "must be a list of \"impl\" or \"merge\" or both; it must not be empty";
    let long = format!("\"{}\"", "a".repeat(41));
    for (key, value, words) in [
        ("name", "\"\"", name),
        ("name", "\"Tests\"", name),
        ("name", "\"a b\"", name),
        ("name", "\"a/b\"", name),
        ("name", "\"a_b\"", name),
        ("name", "5", name),
        ("name", long.as_str(), name),
        ("run", "\"\"", run),
        ("run", "\"  \"", run),
        ("run", "[]", run),
        ("run", "[\"\"]", run),
        ("run", "[\"a\", 5]", run),
        ("run", "\"a\\u0000b\"", run),
        ("run", "true", run),
        ("dir", "\"\"", dir),
        ("dir", "\"/tmp\"", dir),
        ("dir", "\"..\"", dir),
        ("dir", "\"web/../..\"", dir),
        ("dir", "[\".\"]", dir),
        ("when", "[]", when),
        ("when", "\"impl\"", when),
        ("when", "[\"deploy\"]", when),
    ] {
        // The faulty command is the second one, and the line is that of its key.
        let text = format!(
            "[[verify.command]]\nname = \"ok\"\nrun = \"ok\"\n\n[[verify.command]]\n{key} = {value}\n"
        );
        assert_eq!(
            said(&text),
            format!(".kiro/kumite.toml: line 6, column 1: `verify.command.{key}` {words}")
        );
    }
    let name = format!(
        "[[verify.command]]\nname = \"{}\"\nrun = \"a\"\n",
        "a".repeat(40)
    );
    assert_eq!(commands(&name)[0].name.len(), 40);
}

#[test]
fn e1_2_a_missing_surplus_or_repeated_key_is_named_with_its_line() {
    let first = "[[verify.command]]\nname = \"a\"\nrun = \"a\"\n\n";
    for (second, words) in [
        (
            "[[verify.command]]\nrun = \"b\"\n",
            "line 5, column 1: `[[verify.command]]` needs `name = \"tests\"`",
        ),
        (
            "[[verify.command]]\nname = \"b\"\n",
            "line 5, column 1: `[[verify.command]]` needs `run = [\"cargo\", \"test\"]`",
        ),
        (
            "[[verify.command]]\n",
            "line 5, column 1: `[[verify.command]]` needs `name = \"tests\"`",
        ),
        (
            "[[verify.command]]\nrun = \"b\"\nname = \"a\"\n",
            "line 7, column 1: `verify.command.name` must be different for each command; two are \
             called \"a\"",
        ),
        (
            "[[verify.command]]\nname = \"b\"\nruns = \"b\"\n",
            "line 7, column 1: unknown key `verify.command.runs`; did you mean \
             `verify.command.run`?",
        ),
        (
            "[[verify.command]]\nworkdir = \"b\"\n",
            "line 6, column 1: unknown key `verify.command.workdir`; did you mean \
             `verify.command.dir`?",
        ),
        (
            "[[verify.commands]]\nname = \"b\"\n",
            "line 5, column 1: unknown key `verify.commands`; did you mean `verify.command`?",
        ),
    ] {
        let said = said(&format!("{first}{second}"));
        assert_eq!(said, format!(".kiro/kumite.toml: {words}"));
    }
}

#[test]
fn e1_2_the_list_of_the_project_replaces_that_of_the_person() {
    let person = "[verify]\nflaky = 3\n[[verify.command]]\nname = \"a\"\nrun = \"a\"\n\
                  [[verify.command]]\nname = \"b\"\nrun = \"b\"\n";
    let home = Origin::Person(PathBuf::from("/home/a/config.toml"));
    for (project_text, names, from) in [
        ("", &["a", "b"][..], home.clone()),
        ("[verify]\ntimeout = \"1m\"\n", &["a", "b"], home.clone()),
        (
            "[[verify.command]]\nname = \"b\"\nrun = \"c\"\n",
            &["b"],
            project(),
        ),
        ("[verify]\ncommand = []\n", &[], project()),
    ] {
        let layers = [(home.clone(), person), (project(), project_text)];
        let layers = layers.map(|(origin, text)| Layer { origin, text });
        let loaded = Settings::load(&layers, &[], &[]).unwrap();
        assert_eq!(row(&loaded).1, from, "{project_text}");
        let verify = loaded.settings.verify;
        let found: Vec<&str> = verify.commands.iter().map(|it| it.name.as_str()).collect();
        assert_eq!(found, names, "{project_text}");
        assert_eq!(verify.flaky, 3);
    }
}

#[test]
fn e1_2_the_environment_sets_commands_too() {
    let layers = [Layer {
        origin: project(),
        text: TWO,
    }];
    let with = |value: &str| {
        let variables = env(&[
            ("KUMITE_VERIFY__COMMAND", value),
            ("KUMITE_VERIFY__FLAKY", "2"),
        ]);
        Settings::load(&layers, &variables, &[])
    };
    let loaded = with("[{ name = \"a\", run = [\"b\", \"c\"] }]").unwrap();
    assert_eq!(loaded.settings.verify.commands, [command("a", &["b", "c"])]);
    assert_eq!(loaded.settings.verify.flaky, 2);
    let origin = Origin::Env("KUMITE_VERIFY__COMMAND".to_owned());
    assert_eq!(row(&loaded).1, origin);
    assert_eq!(with("[]").unwrap().settings.verify.commands, []);
    for (value, words) in [
        ("cargo test", "`verify.command` must be a list of tables"),
        ("[{ name = \"a\" }]", "`[[verify.command]]` needs `run ="),
        (
            "[{ name = \"A\", run = \"b\" }]",
            "`verify.command.name` must be a name",
        ),
        ("[{ nam = \"a\" }]", "did you mean `verify.command.name`?"),
    ] {
        let said = with(value).unwrap_err().to_string();
        let start = "environment variable KUMITE_VERIFY__COMMAND: ";
        assert!(said.starts_with(start) && said.contains(words), "{said}");
    }
    let part = env(&[("KUMITE_VERIFY__COMMAND__NAME", "a")]);
    let said = Settings::load(&[], &part, &[]).unwrap_err().to_string();
    assert_eq!(
        said,
        "environment variable KUMITE_VERIFY__COMMAND__NAME: `verify.command` is a list, which is \
         set as a whole: [{ name = \"tests\", run = \"make test\" }]"
    );
}

#[test]
fn e1_3_commands_from_elsewhere_are_taken_only_if_no_layer_has_a_list() {
    let file = Origin::Project(PathBuf::from(".kiro/steering/verification-commands.md"));
    let table = vec![command("test", &["sh", "-c", "make test"])];
    let loaded = load("[verify]\nflaky = 2\n").unwrap();
    let loaded = loaded.or_commands(table.clone(), file.clone());
    assert_eq!(loaded.settings.verify.commands, table);
    assert_eq!(loaded.settings.verify.flaky, 2);
    let (shown, origin) = row(&loaded);
    assert!(
        shown.contains("run = \"make test\"") && origin == file,
        "{shown}"
    );
    for text in [TWO, "[verify]\ncommand = []\n"] {
        let before = load(text).unwrap();
        let after = load(text).unwrap().or_commands(table.clone(), file.clone());
        assert_eq!(after.settings, before.settings);
        assert_eq!(after.origins, before.origins);
    }
}
