//! `.kiro/steering/verification-commands.md`.

use kumite_formats::verification_commands::parse;
use proptest::prelude::*;

/// Name, text for the shell, and directory of each command.
fn read(text: &str) -> Vec<(String, String, String)> {
    let commands = parse(text).unwrap().into_iter().map(|it| {
        assert!(it.at_impl && it.at_merge);
        assert_eq!((it.run.len(), &*it.run[0], &*it.run[1]), (3, "sh", "-c"));
        (it.name, it.run[2].clone(), it.dir)
    });
    commands.collect()
}

fn row(name: &str, run: &str, dir: &str) -> (String, String, String) {
    (name.to_owned(), run.to_owned(), dir.to_owned())
}

/// A table with these rows; the first one is in line 3.
fn table(rows: &str) -> String {
    format!("| Type | Command | Workdir | Description |\n|---|---|---|---|\n{rows}\n")
}

#[test]
fn e1_3_the_table_of_a_steering_file_becomes_commands() {
    let text = "# Verification Commands\n\nFor agents.\n\n## Commands\n\n\
                | Type | Command | Workdir | Description |\n\
                |:-----|:-------:|--------:|-------------|\n\
                | build | npm run build | . | Builds it |\n\
                | Type Check | `npx tsc --noEmit` | `web/app` | |\n\
                | **test** | `npm test` | | tests |\n\n\
                ## Notes\n\n| a | b |\n|---|---|\n| 1 | 2 |\n";
    let expected = [
        row("build", "npm run build", "."),
        row("type-check", "npx tsc --noEmit", "web/app"),
        row("test", "npm test", "."),
    ];
    assert_eq!(read(text), expected);
    assert_eq!(read(&text.replace('\n', "\r\n")), expected);
    assert_eq!(read(&format!("\u{feff}{text}")), expected);
}

#[test]
fn e1_3_a_text_without_such_a_table_has_no_command() {
    for text in [
        "",
        "\n\n",
        "# Verification Commands\n\nnone yet\n",
        "| Name | Command |\n|---|---|\n| test | make |\n",
        "```\n| Type | Command |\n|---|---|\n| test | make |\n```\n",
        "<!--\n| Type | Command |\n|---|---|\n| test | make |\n-->\n",
        "| Type | Command |\n|---|---|\n",
        "| Type | Command |\n|---|---|\n| | |\n",
        "| Type | Command |\n|---|---|\n\n| test | make |\n",
    ] {
        assert_eq!(read(text), [], "{text}");
    }
}

#[test]
fn e1_3_columns_are_found_by_their_names_and_may_be_missing_or_more() {
    let two = "Type | Command\n--- | ---\ntest | make\n";
    assert_eq!(read(two), [row("test", "make", ".")]);
    let odd =
        "| # | command | TYPE | `Workdir` | When |\n|-|-|-|-|-|\n| 1 | make | Lint | a | x |\n";
    assert_eq!(read(odd), [row("lint", "make", "a")]);
    let short = table("| test | make |");
    assert_eq!(read(&short), [row("test", "make", ".")]);
    let twice = format!("{}\n{}", table("| a | b | - | |"), table("| a | c | . | |"));
    assert_eq!(read(&twice), [row("a", "b", "."), row("a-2", "c", ".")]);
}

#[test]
fn e1_3_pipes_and_back_ticks_are_those_of_markdown() {
    for (cell, run) in [
        ("a \\| b", "a | b"),
        ("`a \\| b`", "a | b"),
        ("`a \\|\\| b`", "a || b"),
        ("``echo `date` ``", "echo `date`"),
        ("` make `", "make"),
        ("a && b > c_d*e", "a && b > c_d*e"),
        ("printf '\\\\n'", "printf '\\\\n'"),
    ] {
        let text = table(&format!("| test | {cell} | . | |"));
        assert_eq!(read(&text), [row("test", run, ".")], "{cell}");
    }
}

#[test]
fn e1_3_names_fit_into_file_names_and_are_there_once() {
    let long = "x".repeat(50);
    let types = [
        "Unit  Tests!",
        "test",
        "TEST",
        "test-2",
        "test",
        "テスト",
        "",
        "e2e/ui",
        &long,
        &long,
        "ＵＩ",
    ];
    let rows: Vec<String> = types
        .iter()
        .map(|it| format!("| {it} | make | . | |"))
        .collect();
    let found = read(&table(&rows.join("\n")));
    let found: Vec<&str> = found.iter().map(|(name, _, _)| name.as_str()).collect();
    let (cut, next) = ("x".repeat(40), format!("{}-2", "x".repeat(38)));
    let expected = [
        "unit-tests",
        "test",
        "test-2",
        "test-2-2",
        "test-3",
        "check",
        "check-2",
        "e2e-ui",
        &cut,
        &next,
        "ui",
    ];
    assert_eq!(found, expected);
}

#[test]
fn e1_3_an_odd_row_is_named_with_its_line_and_the_remedy() {
    let ticks = "the back-ticks of this row are not around a whole cell; write the command as one \
                 code span, with `$(...)` for what a shell should fill in";
    let none = "this row has no command; add one, or remove the row";
    let dir = |dir: &str| {
        format!(
            "the Workdir \"{dir}\" is not inside the project; write a path without `/` at its \
             beginning and without `..`, such as `.` or `web`"
        )
    };
    for (row, words) in [
        ("| test | | . | |", none.to_owned()),
        ("| test | - | . | |", none.to_owned()),
        ("| test |", none.to_owned()),
        (
            "| test | a | b | . | text |",
            "this row has 5 cells, but the table has 4 columns; write `\\|` for a pipe in a command"
                .to_owned(),
        ),
        ("| test | `a` && `b` | . | |", ticks.to_owned()),
        ("| test | echo `date` | . | |", ticks.to_owned()),
        ("| test | `a | . | |", ticks.to_owned()),
        ("| test | `` | . | |", ticks.to_owned()),
        ("| --- | --- | --- | --- |", none.to_owned()),
        ("| test | make | /srv | |", dir("/srv")),
        ("| test | make | ../a | |", dir("../a")),
        ("| test | a\0b | . | |", "a command must not contain a NUL character".to_owned()),
    ] {
        let text = table(&format!("| ok | make | . | |\n{row}"));
        let error = parse(&text).unwrap_err();
        assert_eq!(error.to_string(), format!("line 4: {words}"), "{row}");
    }
}

#[test]
fn e1_3_a_table_without_the_line_below_its_head_is_not_passed_over() {
    for text in [
        "\n| Type | Command |",
        "\n| Type | Command |\n| test | make |\n",
    ] {
        assert_eq!(
            parse(text).unwrap_err().to_string(),
            "line 2: this is the head of a table, but the line below it is missing; add \
             `|---|---|` there"
        );
    }
}

proptest! {
    #[test]
    fn e1_3_no_text_makes_the_reader_panic(text in any::<String>()) {
        let _ = parse(&text);
    }

    #[test]
    fn e1_3_what_is_read_can_be_run_and_fits_into_file_names(
        rows in prop::collection::vec("[|`\\\\ a-cテ./0\n-]{0,30}", 0..8)
    ) {
        let text = table(&rows.join("\n"));
        match parse(&text) {
            Err(error) => prop_assert!((1..=text.lines().count()).contains(&error.line)),
            Ok(commands) => {
                let mut names: Vec<&str> = commands.iter().map(|it| it.name.as_str()).collect();
                for command in &commands {
                    let is_part = |it: u8| it.is_ascii_lowercase() || it.is_ascii_digit() || it == b'-';
                    prop_assert!((1..=40).contains(&command.name.len()));
                    prop_assert!(command.name.bytes().all(is_part), "{}", command.name);
                    prop_assert!(!command.run[2].trim().is_empty());
                    prop_assert!(!command.dir.starts_with('/'));
                    prop_assert!(command.dir.split('/').all(|part| part != ".."));
                }
                names.sort_unstable();
                names.dedup();
                prop_assert_eq!(names.len(), commands.len());
            }
        }
    }
}
