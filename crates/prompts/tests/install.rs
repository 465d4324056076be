//! Installing into real directories.

use std::fs;
use std::path::Path;

use kumite_prompts::{
    Command, Installed, What, command_file, expanded, install, is_installed, whole,
};
use tempfile::TempDir;

const DESIGN: &str = ".claude/commands/kiro/spec-design.md";
const FILES: usize = 12;

fn project() -> TempDir {
    tempfile::tempdir().expect("a temporary directory")
}

fn what(installed: &[Installed], path: &str) -> What {
    installed
        .iter()
        .find(|one| one.path == Path::new(path))
        .expect("a file that install cares for")
        .what
}

#[track_caller]
fn all_are(installed: &[Installed], what: What) {
    assert_eq!(installed.len(), FILES);
    assert!(
        installed.iter().all(|one| one.what == what),
        "{installed:?}"
    );
}

#[test]
fn a_fresh_project_gets_every_file() {
    let project = project();
    assert!(!is_installed(project.path(), Command::Design));
    all_are(&install(project.path()).unwrap(), What::Written);
    for command in Command::ALL {
        assert!(is_installed(project.path(), command), "{}", command.name());
    }
    assert_eq!(
        fs::read_to_string(project.path().join(DESIGN)).unwrap(),
        command_file(Command::Design)
    );
    for template in ["requirements.md", "design.md", "tasks.md"] {
        assert!(
            project
                .path()
                .join(".kiro/settings/templates/specs")
                .join(template)
                .is_file()
        );
    }
}

#[test]
fn no_temporary_file_is_left() {
    let project = project();
    install(project.path()).unwrap();
    let count = |directory| {
        fs::read_dir(project.path().join(directory))
            .unwrap()
            .count()
    };
    assert_eq!(
        count(".claude/commands/kiro") + count(".kiro/settings/templates/specs"),
        FILES
    );
}

#[test]
fn the_second_time_nothing_changes() {
    let project = project();
    install(project.path()).unwrap();
    all_are(&install(project.path()).unwrap(), What::Unchanged);
}

#[test]
fn other_line_ends_are_no_change() {
    let project = project();
    install(project.path()).unwrap();
    let path = project.path().join(DESIGN);
    fs::write(&path, command_file(Command::Design).replace('\n', "\r\n")).unwrap();
    all_are(&install(project.path()).unwrap(), What::Unchanged);
}

#[test]
fn an_edited_file_is_kept() {
    let project = project();
    install(project.path()).unwrap();
    let path = project.path().join(DESIGN);
    let edited = command_file(Command::Design).replace("# Write the design", "# Write OUR design");
    fs::write(&path, &edited).unwrap();
    assert_eq!(what(&install(project.path()).unwrap(), DESIGN), What::Kept);
    assert_eq!(fs::read_to_string(&path).unwrap(), edited);
}

#[test]
fn a_file_that_kumite_did_not_write_is_kept() {
    for content in [&b"my own design command\n"[..], b"", b"\xff\xfe not text"] {
        let project = project();
        let path = project.path().join(DESIGN);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, content).unwrap();
        let installed = install(project.path()).unwrap();
        assert_eq!(what(&installed, DESIGN), What::Kept);
        assert_eq!(
            installed
                .iter()
                .filter(|one| one.what == What::Written)
                .count(),
            FILES - 1
        );
        assert_eq!(fs::read(&path).unwrap(), content);
    }
}

#[test]
fn an_older_file_of_ours_is_updated() {
    let project = project();
    install(project.path()).unwrap();
    let path = project.path().join(DESIGN);
    // Written by an earlier kumite: another text, with its correct hash.
    fs::write(&path, "foobar\n<!-- kumite:1 345316a7168b8506 -->\n").unwrap();
    assert_eq!(
        what(&install(project.path()).unwrap(), DESIGN),
        What::Updated
    );
    assert_eq!(
        fs::read_to_string(&path).unwrap(),
        command_file(Command::Design)
    );
}

#[test]
fn a_missing_project_is_an_error_that_names_it() {
    let project = project();
    let error = install(&project.path().join("gone")).unwrap_err();
    assert!(error.to_string().contains("gone"), "{error}");
}

#[cfg(unix)]
mod links {
    use super::*;
    use kumite_prompts::Error;
    use std::os::unix::fs::symlink;

    #[test]
    fn a_link_out_of_the_project_is_refused_before_anything_is_written() {
        let (project, outside) = (project(), project());
        fs::create_dir(project.path().join(".kiro")).unwrap();
        symlink(outside.path(), project.path().join(".kiro/settings")).unwrap();
        assert!(matches!(
            install(project.path()),
            Err(Error::LeadsOut { .. })
        ));
        assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 0);
        assert!(!project.path().join(".claude").exists());
    }

    #[test]
    fn a_link_to_nowhere_is_refused() {
        let project = project();
        symlink("/nowhere/at/all", project.path().join(".claude")).unwrap();
        assert!(matches!(
            install(project.path()),
            Err(Error::LeadsOut { .. })
        ));
    }

    #[test]
    fn a_link_within_the_project_is_followed() {
        let project = project();
        fs::create_dir(project.path().join("settings")).unwrap();
        symlink("settings", project.path().join(".claude")).unwrap();
        all_are(&install(project.path()).unwrap(), What::Written);
        assert!(
            project
                .path()
                .join("settings/commands/kiro/spec-design.md")
                .is_file()
        );
    }

    #[test]
    fn a_file_that_is_a_link_is_kept_and_not_written_through() {
        let (project, outside) = (project(), project());
        let (path, real) = (project.path().join(DESIGN), outside.path().join("mine.md"));
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&real, "mine\n").unwrap();
        symlink(&real, &path).unwrap();
        assert_eq!(what(&install(project.path()).unwrap(), DESIGN), What::Kept);
        assert_eq!(fs::read_to_string(&real).unwrap(), "mine\n");
        assert!(path.is_symlink());
    }

    #[test]
    fn a_project_reached_through_a_link_is_fine() {
        let (project, elsewhere) = (project(), project());
        let link = elsewhere.path().join("link");
        symlink(project.path(), &link).unwrap();
        all_are(&install(&link).unwrap(), What::Written);
    }
}

#[test]
fn an_agent_without_slash_commands_gets_the_text_of_the_file() {
    let project = tempfile::tempdir().unwrap();
    assert_eq!(expanded(project.path(), Command::Design, "login -y"), None);
    install(project.path()).unwrap();
    let text = expanded(project.path(), Command::Design, "login -y").unwrap();
    assert_eq!(text, whole(Command::Design, "login -y").trim());
}

#[test]
fn a_persons_own_command_file_counts_with_or_without_a_place_for_arguments() {
    let project = tempfile::tempdir().unwrap();
    let dir = project.path().join(".claude/commands/kiro");
    fs::create_dir_all(&dir).unwrap();
    for (file, expected) in [
        (
            "---\nmodel: x\n---\nDesign $ARGUMENTS well.\n",
            "Design login well.",
        ),
        ("Design it.\n", "Design it.\n\nArguments: login"),
    ] {
        fs::write(dir.join("spec-design.md"), file).unwrap();
        let text = expanded(project.path(), Command::Design, "login");
        assert_eq!(text.as_deref(), Some(expected));
    }
}
