//! What the model does for each of kumite's prompts.

use kumite_fake_model::{Act, Rule, Script};

const SPEC: &str = ".kiro/specs/login";

pub fn script() -> Script {
    let review =
        |round: u32| format!("# Review the documents of a spec\n\nArguments: login {round}");
    let reply = |round: u32| format!("# Reply to a document review\n\nArguments: login {round}");
    let rules = vec![
        rule(
            "# Write the requirements",
            vec![write(
                "requirements.md",
                "# Requirements\n\n1.1 It works.\n",
            )],
        ),
        rule(
            "# Write the design",
            vec![write("design.md", "# Design\n\nOne file.\n")],
        ),
        rule(
            "# Write the implementation plan",
            vec![write("tasks.md", &tasks(' '))],
        ),
        rule(
            &review(1),
            vec![write(
                "document-review-1.md",
                "# Review 1\n\nC1: the design is thin.\n",
            )],
        ),
        rule(
            &reply(1),
            vec![
                write("design.md", "# Design\n\nOne file, product.txt.\n"),
                write("document-review-1-reply.md", &summary(1)),
            ],
        ),
        rule(
            &review(2),
            vec![write(
                "document-review-2.md",
                "# Review 2\n\nNothing left.\n",
            )],
        ),
        rule(
            &reply(2),
            vec![write("document-review-2-reply.md", &summary(0))],
        ),
        rule(
            "# Implement the tasks of a spec",
            vec![
                Act::Write {
                    path: "product.txt".to_owned(),
                    content: "It works.\n".to_owned(),
                },
                Act::Limit {
                    resets_in_s: Some(3600),
                    times: Some(1),
                },
                write("tasks.md", &tasks('x')),
            ],
        ),
        rule(
            "# Inspect an implementation",
            vec![write(
                "inspection-1.md",
                "# Inspection\n\n- **Judgment**: GO\n",
            )],
        ),
    ];
    Script {
        rules,
        ..Script::default()
    }
}

fn rule(when: &str, mut acts: Vec<Act>) -> Rule {
    acts.push(Act::Say {
        text: "It is done.".to_owned(),
    });
    Rule {
        when: when.to_owned(),
        acts,
        ..Rule::default()
    }
}

fn write(name: &str, content: &str) -> Act {
    Act::Write {
        path: format!("{SPEC}/{name}"),
        content: content.to_owned(),
    }
}

fn tasks(mark: char) -> String {
    format!("# Tasks\n\n- [{mark}] 1. First\n- [{mark}] 2. Second\n")
}

fn summary(fix: u32) -> String {
    format!(
        "# Reply\n\n## Response Summary\n\n\
         | Severity | Issues | Fix Required | No Fix Needed | Needs Discussion |\n\
         |---|---|---|---|---|\n| Critical | {fix} | {fix} | 0 | 0 |\n"
    )
}
