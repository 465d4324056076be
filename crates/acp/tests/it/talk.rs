//! The bridge and an agent that behaves: what is said, done and asked.

use kumite_agents::Said;
use kumite_core::outcome::{Outcome, Usage};

use crate::scene::{AGENT, Scene, failed, note, play, resume, text};

fn started(session: &str, model: &str) -> Said {
    Said::Started {
        session: Some(session.to_owned()),
        model: Some(model.to_owned()),
    }
}

#[test]
fn an_agent_that_answers_has_finished() {
    let played = play("");
    played.assert(Outcome::Finished, 0);
    assert_eq!(
        played.said,
        [started("s-1", "m-1"), text("You said: do it")]
    );
    assert_eq!(played.text, "You said: do it");
}

#[test]
fn thoughts_texts_tools_and_changes_are_told_in_order() {
    let played = play("tools");
    played.assert(Outcome::Finished, 0);
    let tool = |id: &str, name: &str, what: &str| Said::Tool {
        id: id.to_owned(),
        name: name.to_owned(),
        what: what.to_owned(),
    };
    let ended = |id: &str, ok, text: &str| Said::ToolEnded {
        id: id.to_owned(),
        ok,
        text: text.to_owned(),
    };
    let expected = [
        Said::Thought {
            text: "Hm.".to_owned(),
        },
        text("I will write it."),
        tool("1", "edit", "Write a"),
        ended("1", true, "written"),
        Said::Changed {
            path: "/p/a".to_owned(),
            diff: " one\n-two\n+2\n".to_owned(),
        },
        tool("2", "execute", "make"),
        ended("2", false, "no rule"),
        text("Done."),
    ];
    assert_eq!(played.rest(), expected);
    assert_eq!(played.text, "Done.");
}

#[test]
fn a_permission_is_given_once_and_noted() {
    let played = play("permission");
    played.assert(Outcome::Finished, 0);
    let answer = r#"{"outcome":{"outcome":"selected","optionId":"id of allow_once"}}"#;
    let [Said::Tool { what, .. }, said, told] = played.rest() else {
        panic!("{:?}", played.said);
    };
    assert_eq!(what, "rm -r x");
    assert_eq!(said, &note("permission given (allow_once): rm -r x"));
    assert_eq!(told, &text(answer));
}

#[test]
fn a_permission_is_denied_if_the_environment_says_so() {
    let scene = Scene::new("permission", &["--", AGENT]);
    let played = scene.env("KUMITE_ACP_PERMISSION", "deny").play();
    played.assert(Outcome::Finished, 0);
    assert!(played.text.contains("id of reject_once"), "{}", played.text);
    assert!(
        played
            .said
            .contains(&note("permission denied (reject_once): rm -r x"))
    );
}

#[test]
fn a_policy_that_is_neither_is_refused_before_anything_is_started() {
    let scene = Scene::new("", &["--", AGENT]);
    let played = scene.env("KUMITE_ACP_PERMISSION", "maybe").play();
    let sentence = "was given KUMITE_ACP_PERMISSION=maybe; set it to allow or deny";
    played.assert(failed(sentence), 1);
    assert_eq!(played.said, []);
}

#[test]
fn a_question_without_a_fitting_option_is_left_open() {
    let played = play("no option");
    assert_eq!(played.text, r#"{"outcome":{"outcome":"cancelled"}}"#);
}

#[test]
fn files_are_served_inside_the_project_only() {
    let played = play("files");
    played.assert(Outcome::Finished, 0);
    let [Said::Changed { path, diff }, told] = played.rest() else {
        panic!("{:?}", played.said);
    };
    assert!(path.ends_with("/project/dir/new"), "{path}");
    assert_eq!(diff, "+a\n+b\n");
    let answers = r#"{} {"content":"b\n"} -32602 -32602 -32002 -32602 "#;
    assert_eq!(told, &text(answers));
    let written = std::fs::read_to_string(played.project().join("dir/new")).unwrap();
    assert_eq!(written, "a\nb\n");
    assert!(!played.dir.path().join("outside").exists());
}

#[test]
fn what_we_cannot_do_is_answered_with_an_error() {
    let played = play("terminal");
    played.assert(Outcome::Finished, 0);
    assert_eq!(played.text, "-32601");
}

#[test]
fn an_agent_that_asks_without_reading_blocks_nobody() {
    let played = play("many questions");
    played.assert(Outcome::Finished, 0);
    assert_eq!(played.text, "1000 answers");
}

#[test]
fn pieces_that_come_slowly_are_one_text() {
    let played = play("slow");
    assert_eq!(played.rest(), [text("one two threeYou said: do it")]);
}

#[test]
fn money_and_tokens_are_reported() {
    let usage = Usage {
        usd_micros: 250_000,
        input_tokens: 100,
        output_tokens: 5,
    };
    assert_eq!(play("usage").usage, usage);
}

#[test]
fn what_follows_the_answer_still_counts() {
    let played = play("trailing");
    played.assert(Outcome::Finished, 0);
    assert_eq!(played.text, "One more thing.");
    assert_eq!(played.usage.usd_micros, 500_000);
}

#[test]
fn an_agent_that_exits_with_its_answer_is_heard_to_the_end() {
    let played = play("hasty");
    played.assert(Outcome::Finished, 0);
    assert_eq!(played.text, "x".repeat(300));
}

#[test]
fn an_agent_that_can_resume_is_resumed() {
    let played = resume("resume");
    played.assert(Outcome::Finished, 0);
    assert_eq!(
        played.said,
        [started("old", "m-2"), text("You said: do it")]
    );
}

#[test]
fn a_replay_is_not_told_again_and_its_price_is_not_paid_again() {
    let played = resume("load");
    played.assert(Outcome::Finished, 0);
    assert_eq!(played.rest(), [text("You said: do it")]);
    assert_eq!(played.usage.usd_micros, 250_000);
}

#[test]
fn an_agent_that_cannot_resume_says_so() {
    let gone = Outcome::SessionGone("the agent cannot resume sessions".to_owned());
    resume("").assert(gone, 1);
}

#[test]
fn a_session_that_is_not_there_is_gone() {
    let gone = |words: &str| Outcome::SessionGone(words.to_owned());
    resume("resume gone").assert(gone("Resource not found: old"), 1);
    let words = "No previous sessions found";
    resume("load gone").assert(gone(words), 1);
}
