//! Settings of a project, with the commands of its steering file.

use std::fs;
use std::path::Path;

use kumite_formats::settings::Origin;
use kumite_project::project::Project;
use kumite_project::settings::{Flags, Loaded, Loader};
use kumite_project::spec_file::sentence;
use tempfile::TempDir;

const TABLE: &str = "# Verification Commands\n\n| Type | Command | Workdir | Description |\n\
                     |---|---|---|---|\n| test | `make test` | web | all of them |\n";

fn write(root: &Path, path: &str, text: &str) {
    let path = root.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// The settings of a project with this kumite.toml and this table.
fn load(settings: &str, table: Option<&str>) -> (TempDir, Result<Loaded, String>) {
    let dir = TempDir::new().unwrap();
    write(dir.path(), ".kiro/kumite.toml", settings);
    if let Some(table) = table {
        let path = ".kiro/steering/verification-commands.md";
        write(dir.path(), path, table);
    }
    let loader = Loader::load(&Project::at(dir.path()), Flags::default());
    let loaded = loader.map(|it| it.loaded).map_err(|it| sentence(&it));
    (dir, loaded)
}

fn names(loaded: &Loaded) -> Vec<&str> {
    let commands = loaded.settings.verify.commands.iter();
    commands.map(|it| it.name.as_str()).collect()
}

fn origin(loaded: &Loaded) -> Origin {
    let mut rows = loaded.origins.iter();
    rows.find(|row| row.0 == "verify.command")
        .unwrap()
        .2
        .clone()
}

#[test]
fn e1_3_without_commands_in_the_settings_those_of_the_steering_file_count() {
    let (dir, loaded) = load("[verify]\nflaky = 4\ntimeout = \"1m\"\n", Some(TABLE));
    let loaded = loaded.unwrap();
    let verify = &loaded.settings.verify;
    assert_eq!((verify.flaky, verify.timeout.to_string()), (4, "1m".into()));
    let command = &verify.commands[0];
    assert_eq!(
        (command.name.as_str(), command.dir.as_str()),
        ("test", "web")
    );
    assert_eq!(command.run, ["sh", "-c", "make test"]);
    let file = dir.path().join(".kiro/steering/verification-commands.md");
    assert_eq!(origin(&loaded), Origin::Project(file.clone()));
    let rows = loaded.rows();
    let row = rows.iter().find(|row| row.key == "verify.command").unwrap();
    assert_eq!(row.origin, file.display().to_string());
    assert!(row.value.contains("run = \"make test\""), "{}", row.value);
}

#[test]
fn e1_3_a_list_in_the_settings_goes_before_the_steering_file_even_if_it_is_broken() {
    let own = "[[verify.command]]\nname = \"own\"\nrun = [\"true\"]\n";
    for table in [TABLE, "| Type | Command |\n|---|---|\n| test | |\n"] {
        let (_dir, loaded) = load(own, Some(table));
        assert_eq!(names(&loaded.unwrap()), ["own"]);
        let (_dir, loaded) = load("[verify]\ncommand = []\n", Some(table));
        assert_eq!(names(&loaded.unwrap()), [""; 0]);
    }
}

#[test]
fn e1_3_no_file_or_no_table_means_no_command() {
    for table in [None, Some(""), Some("# Verification\n\nAsk Ada.\n")] {
        let (_dir, loaded) = load("", table);
        let loaded = loaded.unwrap();
        assert_eq!(names(&loaded), [""; 0]);
        assert_eq!(origin(&loaded), Origin::Default);
    }
}

#[test]
fn e1_3_a_table_that_cannot_be_understood_is_named_with_file_and_line() {
    let (dir, loaded) = load("", Some(&format!("{TABLE}| lint | | . | |\n")));
    let file = dir.path().join(".kiro/steering/verification-commands.md");
    let expected = format!(
        "{}: line 6: this row has no command; add one, or remove the row",
        file.display()
    );
    assert_eq!(loaded.unwrap_err(), expected);
    fs::write(&file, b"\xff").unwrap();
    let again = Loader::load(&Project::at(dir.path()), Flags::default());
    let said = sentence(&again.unwrap_err());
    assert_eq!(said, format!("{} is not UTF-8", file.display()));
}
