use kumite_core::facts::TaskFacts;
use kumite_formats::tasks_md::{Node, Task, legacy_count, parse, tree};

fn counted(text: &str) -> (u32, u32) {
    match parse(text.as_bytes()).facts() {
        TaskFacts::Counted { done, total } => (done, total),
        TaskFacts::Unreadable => panic!("text is readable"),
    }
}

fn tasks(text: &str) -> Vec<Task> {
    parse(text.as_bytes()).items
}

#[test]
fn a_file_without_boxes_has_no_tasks() {
    assert_eq!(counted(""), (0, 0));
    assert_eq!(counted("# Tasks\n\n- plain\n1. numbered\n"), (0, 0));
}

#[test]
fn boxes_count_at_any_depth_with_any_bullet_and_any_line_end() {
    let text = "- [x] 1. Major\r\n  - [ ] 1.1 Sub\r\n    - [X] detail\r\n* [ ] star\r\n+ [x] plus\r\n1. [ ] numbered\r\n2) [x] numbered too\r\n";
    assert_eq!(counted(text), (4, 7));
    assert_eq!(counted("-   [ ] three spaces\n\n> - [x] quoted\n"), (1, 2));
}

#[test]
fn plain_boxes_without_numbers_are_tasks() {
    assert_eq!(counted("- [ ] write it\n- [x] test it\n"), (1, 2));
}

#[test]
fn optional_boxes_do_not_count() {
    let text = "- [x] 1. Do\n- [ ]* 1.2 Test more\n- [ ] **bold** is not optional\n";
    assert_eq!(counted(text), (1, 2));
    let optional = &tasks(text)[1];
    assert!(optional.optional && !optional.counts);
    assert_eq!(optional.id.as_deref(), Some("1.2"));
}

#[test]
fn a_box_that_is_not_ticked_with_x_is_open() {
    for mark in [
        "-",
        "~",
        "!",
        "/",
        ">",
        "?",
        "✓",
        "✔\u{fe0f}",
        "1",
        "",
        " ",
        "  ",
    ] {
        let text = format!("- [x] 1. A\n  - [{mark}] 1.1 B\n* [{mark}]* 1.2 C\n");
        assert_eq!(counted(&text), (1, 2), "[{mark}]");
    }
    assert_eq!(counted("- [-] 1. A\n- [~] 2. B\n"), (0, 2));
    assert_eq!(counted("- [ x] 1. A\n- [X ] 2. B\n"), (2, 2));
}

#[test]
fn a_star_after_the_number_makes_a_task_optional() {
    for number in ["7.9*", "7.9.*", "7.9*.", "7*", "T001*"] {
        let text = format!("- [x] 1. Do\n- [ ] {number} Test more\n");
        assert_eq!(counted(&text), (1, 1), "{number}");
        let last = &tasks(&text)[1];
        assert!(last.optional, "{number}");
        assert_eq!(last.title, "Test more");
    }
    let id = tasks("- [~] 7.9* Test more\n")[0].id.clone();
    assert_eq!(id.as_deref(), Some("7.9"));
    for text in [
        "- [ ] *7.9* x\n",
        "- [ ] **7.9** x\n",
        "- [ ] word* x\n",
        "- [ ] 7.9 *x*\n",
    ] {
        assert_eq!(counted(text), (0, 1), "{text}");
    }
}

#[test]
fn boxes_in_code_and_comments_are_no_tasks() {
    let text = "- [x] 1. Real\n\n```md\n- [ ] fenced\n```\n\n~~~\n- [ ] also\n```\n- [ ] still\n~~~\n\n\
                para\n\n    - [ ] indented code\n\n<!-- - [ ] hidden -->\n<!--\n- [ ] hidden too\n-->\n\n`- [ ] inline`\n";
    assert_eq!(counted(text), (1, 1));
}

#[test]
fn a_fence_that_is_never_closed_hides_the_rest() {
    assert_eq!(counted("- [x] 1\n\n```\n- [ ] 2\n"), (1, 1));
}

#[test]
fn boxes_in_an_appendix_or_checklist_do_not_count() {
    for heading in [
        "## Appendix",
        "## Appendix: Requirements Coverage Matrix",
        "## Coverage Validation Checklist",
        "## Requirements Coverage",
        "## 5. Checklist",
        "## Final checklist (before merge)",
        "## 付録",
        "## 付録A: 要件カバレッジ",
        "## チェックリスト",
        "## 完了チェックリスト",
        "Appendix\n--------",
    ] {
        let text = format!(
            "# Tasks\n\n- [x] 1. Real\n\n{heading}\n\n### Sub\n\n- [ ] not work\n\n## After\n\n- [ ] 2. Real again\n"
        );
        assert_eq!(counted(&text), (1, 2), "{heading}");
    }
}

#[test]
fn a_heading_about_coverage_or_checklists_as_work_is_no_appendix() {
    for heading in [
        "## Improve test coverage",
        "## Phase 2: Checklists",
        "## Build the checklist page",
    ] {
        assert_eq!(
            counted(&format!("{heading}\n- [ ] 1. Work\n")),
            (0, 1),
            "{heading}"
        );
    }
}

#[test]
fn dates_links_and_words_are_no_boxes() {
    let text = "- [2026-01-29] note\n- [x](https://example.com)\n- [-][ref]\n- [x]: def\n- [P] beside others\n- [US1] story\n- [xx] no\n[ ] no item\n";
    assert_eq!(counted(text), (0, 0));
}

#[test]
fn a_box_without_a_space_behind_it_still_has_to_be_done() {
    assert_eq!(counted("- [ ]1.1 squeezed\n- [x]\n"), (1, 2));
}

#[test]
fn a_task_has_its_number_title_and_trailers() {
    let text = "# Plan\n\n- [ ] 1. Major\n- [x] 1.1 (P) Write the parser\n  - detail: more\n  - _Requirements: 1.1, 2.3_\n  - _Depends: 1.0_\n  - _Boundary: Parser_\n  - [ ] FIX-2.1 nested (P)\n";
    let items = tasks(text);
    assert_eq!(items[0].id.as_deref(), Some("1"));
    assert_eq!(items[0].title, "Major");
    let parser = Task {
        line: 4,
        done: true,
        optional: false,
        id: Some("1.1".to_owned()),
        title: "Write the parser".to_owned(),
        parallel: true,
        requirements: vec!["1.1".to_owned(), "2.3".to_owned()],
        depends: vec!["1.0".to_owned()],
        boundary: Some("Parser".to_owned()),
        depth: 0,
        counts: true,
    };
    assert_eq!(items[1], parser);
    assert_eq!(
        (items[2].line, items[2].depth, items[2].parallel),
        (9, 1, true)
    );
    assert_eq!(items[2].id.as_deref(), Some("FIX-2.1"));
}

#[test]
fn spec_kit_numbers_are_numbers() {
    assert_eq!(
        tasks("- [ ] T001 [P] [US1] do\n")[0].id.as_deref(),
        Some("T001")
    );
    assert_eq!(tasks("- [ ] Two things\n")[0].id, None);
}

#[test]
fn bytes_that_are_no_text_hide_no_box() {
    assert_eq!(
        parse(b"- [ ] \xff\n- [x] b\n").facts(),
        TaskFacts::Counted { done: 1, total: 2 }
    );
}

#[test]
fn the_predecessor_counts_only_column_zero() {
    let text = b"- [x] 1\n  - [ ] nested\n- [ ]* optional\n```\n- [X] code\n```\n* [ ] star\n";
    assert_eq!(legacy_count(text), (2, 3));
}

#[test]
fn a_byte_order_mark_hides_no_box() {
    assert_eq!(counted("\u{feff}- [ ] 1. A\n- [x] 2. B\n"), (1, 2));
}

#[test]
fn the_title_of_the_file_is_no_checklist_section() {
    assert_eq!(
        counted("# Implementation Checklist\n\n- [ ] 1. A\n- [x] 2. B\n"),
        (1, 2)
    );
    assert_eq!(
        counted("# Tasks\n\n- [ ] 1. A\n\n# Checklist\n\n- [ ] z\n"),
        (0, 1)
    );
}

/// The tree as one line: `1(1.1 1.2) 2`.
fn drawn(nodes: &[Node<'_>]) -> String {
    let one = |node: &Node<'_>| {
        let name = node.task.id.clone().unwrap_or(node.task.title.clone());
        match node.below.is_empty() {
            true => name,
            false => format!("{name}({})", drawn(&node.below)),
        }
    };
    nodes.iter().map(one).collect::<Vec<_>>().join(" ")
}

#[test]
fn tasks_nest_by_number_and_by_indentation() {
    let rows = [
        (
            "- [x] 1. A\n- [ ] 1.1 B\n- [ ] 1.2 C\n- [ ] 2. D\n- [ ] 10. E\n",
            "1(1.1 1.2) 2 10",
        ),
        (
            "- [x] 1. A\n  - [ ] 1.1 B\n    - [ ] 1.1.1 C\n  - [ ] 1.2 D\n",
            "1(1.1(1.1.1) 1.2)",
        ),
        (
            "- [x] 1. A\n- [ ] 1.1 B\n  - [ ] x\n  - [ ] y\n- [ ] 1.2 C\n",
            "1(1.1(x y) 1.2)",
        ),
        ("- [ ] a\n- [ ] b\n", "a b"),
        ("- [ ] 4.1 alone\n- [ ] 4.2 too\n", "4.1 4.2"),
        ("- [ ] FIX-1 A\n- [ ] FIX-1.1 B\n", "FIX-1(FIX-1.1)"),
        ("", ""),
    ];
    for (text, wanted) in rows {
        assert_eq!(drawn(&tree(&tasks(text))), wanted, "{text}");
    }
}

#[test]
fn a_group_is_done_when_all_of_it_is() {
    let done = |text: &str| tree(&tasks(text))[0].is_done();
    assert!(done("- [x] 1. A\n- [x] 1.1 B\n"));
    assert!(!done("- [x] 1. A\n- [ ] 1.1 B\n"));
    assert!(!done("- [ ] 1. A\n- [x] 1.1 B\n"));
}

#[test]
fn a_tower_of_tasks_is_not_deeper_than_anybody_can_read() {
    let ids = (1..500).map(|depth| format!("- [ ] {} x\n", vec!["1"; depth].join(".")));
    let text: String = ids.collect();
    let all = tasks(&text);
    let mut nodes = tree(&all);
    let mut depth = 0;
    while !nodes.is_empty() {
        depth += 1;
        nodes = nodes.pop().map(|last| last.below).unwrap_or_default();
    }
    assert_eq!(depth, 8);
}
