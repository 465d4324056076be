//! What the texts must contain, because kumite relies on it.

use kumite_prompts::{Command, command_file, slash, whole};

/// The text of `command` on one line, so that a check does not depend on line breaks.
fn flat(command: Command) -> String {
    command
        .text()
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
}

#[track_caller]
fn says(command: Command, words: &[&str]) {
    let text = flat(command);
    for word in words {
        assert!(
            text.contains(word),
            "{} does not say: {word}",
            command.name()
        );
    }
}

#[test]
fn a6_1_the_reply_approves_only_when_both_counts_are_zero() {
    says(
        Command::Reply,
        &[
            "Set `documentReview.status` to `\"approved\"` only when `fixRequiredCount` is 0 and `needsDiscussionCount` is 0.",
            "In every other case do not set it: not with 0 fixes and an open discussion, not after fixes were applied.",
        ],
    );
}

#[test]
fn a6_2_the_reply_writes_both_counts_into_the_details_of_its_round() {
    says(
        Command::Reply,
        &[
            "`documentReview.roundDetails[n-1]` is the entry of round n",
            "\"fixRequiredCount\": 2",
            "\"needsDiscussionCount\": 0",
            "\"status\": \"reply_complete\"",
            "sums of the columns `Fix Required` and `Needs Discussion` of your table",
        ],
    );
}

#[test]
fn a6_3_the_reply_says_what_needs_discussion_and_what_does_not() {
    says(
        Command::Reply,
        &[
            "| several sound approaches exist",
            "| the business meaning is unclear",
            "| there is a trade-off without a stated priority",
            "| a correction would be a breaking change",
            "| security or compliance is at stake",
            "It is not `Needs Discussion` when",
            "| a plain technical error |",
            "| an omission:",
            "| an inconsistency with a known pattern",
            "| mere information,",
        ],
    );
}

#[test]
fn an_open_discussion_is_carried_into_the_next_round() {
    says(
        Command::Review,
        &[
            "What a reply judged `Needs Discussion` stays open until a person has decided. List it again",
        ],
    );
    says(
        Command::Reply,
        &["is `Needs Discussion` in this round as well, even if the review no longer mentions it"],
    );
}

#[test]
fn a_reply_that_was_interrupted_does_not_approve_its_own_fixes() {
    says(
        Command::Reply,
        &["a true finding that the earlier attempt has corrected is still `Fix Required`"],
    );
}

#[test]
fn the_reply_has_the_table_that_kumite_counts() {
    let table = "| Severity | Issues | Fix Required | No Fix Needed | Needs Discussion |\n|---|---|---|---|---|\n| Critical | 0 | 0 | 0 | 0 |\n| Warning | 0 | 0 | 0 | 0 |\n| Info | 0 | 0 | 0 | 0 |\n";
    assert!(Command::Reply.text().contains(table));
    says(
        Command::Reply,
        &[
            "# Response to Document Review #{n}",
            "Judgment: Fix Required",
            "## Applied Fixes",
        ],
    );
    says(
        Command::Reply,
        &[
            "Applying a fix does not lower the counts.",
            "| none | judge every finding and write the reply; change no document |",
        ],
    );
}

#[test]
fn the_review_writes_its_report_and_nothing_else() {
    says(
        Command::Review,
        &[
            "# Specification Review Report #{n}",
            "Write this one file and nothing else",
        ],
    );
    for section in [
        "1. Document Consistency Analysis",
        "2. Gap Analysis",
        "3. Ambiguities",
        "4. Alignment with Steering",
        "5. Recommendations",
        "6. Action Items",
    ] {
        says(Command::Review, &[&format!("## {section}")]);
    }
}

#[test]
fn the_tasks_text_has_the_whole_grammar() {
    says(
        Command::Tasks,
        &[
            "`- [ ] 1. Title`",
            "`- [ ] 1.1 Title`",
            "`- [ ] 1.2 Title (P)`",
            "`- [ ]* 1.3 Title`",
            "_Requirements: 1.1, 2.3_",
            "_Depends: 1.1_",
            "_Boundary: Importer_",
            "only tasks have check boxes",
        ],
    );
}

#[test]
fn a_box_is_ticked_only_when_its_tests_pass() {
    says(
        Command::Impl,
        &[
            "its tests exist and pass",
            "**Never tick what is not done**",
            "all open tasks, which you find yourself",
        ],
    );
}

#[test]
fn an_inspection_judges_once_and_repairs_nothing() {
    says(
        Command::Inspection,
        &[
            "# Inspection Report - <spec>",
            "- Judgment: GO",
            "GO if and only if there is no Critical finding and there are at most 2 Major ones",
            "**inspect** once, write the report and the verdict; repair nothing",
            "\"number\": 1, \"result\": \"nogo\", \"inspectedAt\":",
            "## Inspection Fixes",
            "### Round {n}",
            "`fixedAt`",
        ],
    );
}

#[test]
fn every_text_names_its_evidence() {
    let evidence = |command| match command {
        Command::Init => "`.kiro/specs/<spec>/spec.json`",
        Command::Requirements => "`.kiro/specs/<spec>/requirements.md`",
        Command::Design => "`.kiro/specs/<spec>/design.md`",
        Command::Tasks | Command::Impl | Command::Merge => "`.kiro/specs/<spec>/tasks.md`",
        Command::Review => "`.kiro/specs/<spec>/document-review-{n}.md`",
        Command::Reply => "`.kiro/specs/<spec>/document-review-{n}-reply.md`",
        Command::Inspection => "`.kiro/specs/<spec>/inspection-{n}.md`",
    };
    for command in Command::ALL {
        says(command, &["**Evidence", evidence(command)]);
    }
}

#[test]
fn every_text_carries_the_ground_rules() {
    for command in Command::ALL {
        says(
            command,
            &[
                "**Nobody is there to answer.**",
                "Do not touch any other directory below `.kiro/specs/`",
                "kumite owns the fields `phase`, `approvals` and `documentReview.status`",
                "in the language that `language` in the spec's `spec.json` names",
            ],
        );
    }
}

#[test]
fn a_whole_prompt_has_its_arguments_in_place() {
    for command in Command::ALL {
        let prompt = whole(command, " login 2 --autofix ");
        assert!(
            prompt.contains("\nArguments: login 2 --autofix\n"),
            "{}",
            command.name()
        );
        assert!(!prompt.contains("$ARGUMENTS"), "{}", command.name());
    }
}

#[test]
fn claude_code_finds_nothing_else_to_expand() {
    for command in Command::ALL {
        let text = command.text();
        assert_eq!(
            text.matches('$').count(),
            1,
            "{}: only $ARGUMENTS",
            command.name()
        );
        assert!(
            !text.contains("!`") && !text.contains('@'),
            "{}: no commands, no file references",
            command.name()
        );
    }
}

#[test]
fn fences_are_closed() {
    for command in Command::ALL {
        assert_eq!(
            command.text().matches("~~~").count() % 2,
            0,
            "{}",
            command.name()
        );
    }
}

#[test]
fn a_slash_command_is_one_line() {
    assert_eq!(
        slash(Command::Reply, "login 2 --autofix"),
        "/kiro:document-review-reply login 2 --autofix"
    );
    assert_eq!(slash(Command::Impl, "login"), "/kiro:spec-impl login");
    assert_eq!(slash(Command::Init, ""), "/kiro:spec-init");
}

#[test]
fn commands_are_known_by_name_and_by_step() {
    for command in Command::ALL {
        assert_eq!(Command::from_name(command.name()), Some(command));
    }
    let steps = [
        "init",
        "requirements",
        "design",
        "tasks",
        "review",
        "reply",
        "impl",
        "inspect",
        "merge",
    ];
    assert_eq!(steps.map(Command::from_name), Command::ALL.map(Some));
    assert_eq!(Command::from_name("fix"), Some(Command::Inspection));
    assert_eq!(Command::from_name("Design"), None);
}

#[test]
fn a_command_file_begins_with_its_front_matter() {
    let file = command_file(Command::Reply);
    assert!(file.starts_with("---\ndescription: Judge"));
    assert!(file.contains("\nallowed-tools: Read, Write, Edit,"));
    assert!(file.contains(
        "\nargument-hint: <spec> <n> [--autofix | --fix]\n---\n\n# Reply to a document review\n"
    ));
    assert!(file.contains(Command::Reply.text()));
}
