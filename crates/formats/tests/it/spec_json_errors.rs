use kumite_formats::SpecJson;
use kumite_formats::spec_json::Problem;

fn said(bytes: &[u8]) -> String {
    SpecJson::parse(bytes).unwrap_err().to_string()
}

fn place(bytes: &[u8]) -> (usize, usize) {
    let place = SpecJson::parse(bytes).unwrap_err().place.unwrap();
    (place.line, place.column)
}

#[test]
fn an_empty_file_is_called_empty() {
    for empty in ["", " \n", "\u{feff}\n"] {
        let error = SpecJson::parse(empty.as_bytes()).unwrap_err();
        assert_eq!(error.problem, Problem::Empty);
    }
}

#[test]
fn a_file_that_ends_too_early_is_called_cut_off_wherever_it_is_cut() {
    let whole = r#"{"a": [true, -1.5e3, "x\u00e9\n", {"b": null}], "c": {}}"#;
    assert!(SpecJson::parse(whole.as_bytes()).is_ok());
    for end in 1..whole.len() {
        let error = SpecJson::parse(&whole.as_bytes()[..end]).unwrap_err();
        assert!(
            matches!(error.problem, Problem::CutOff(_)),
            "{end}: {error}"
        );
    }
}

#[test]
fn bytes_that_are_no_text_are_named_with_their_place() {
    assert_eq!(place(b"{\n \"a\": \"\xff\"}"), (2, 8));
    assert!(said(b"\xff\xfe{\0}\0").contains("UTF-8"));
}

#[test]
fn a_byte_order_mark_is_accepted() {
    assert!(SpecJson::parse("\u{feff}{}".as_bytes()).is_ok());
}

#[test]
fn anything_but_an_object_is_refused_by_name() {
    assert!(said(b"[]").contains("an array instead of an object"));
    assert!(said(b"\"x\"").contains("a text"));
    assert!(said(b"null").contains("null"));
    assert!(said(b"12").contains("a number"));
}

#[test]
fn common_slips_are_named_with_their_remedy() {
    for (text, words, at) in [
        ("{\"a\": 1,}", "remove the comma", (1, 9)),
        ("{\"a\": [1,]}", "remove the comma", (1, 10)),
        ("{\n  \"a\": 1\n  \"b\": 2\n}", "comma is missing", (3, 3)),
        ("{'a': 1}", "double quotes", (1, 2)),
        ("{\"a\": 'x'}", "double quotes", (1, 7)),
        ("{\"a\" 1}", "`:`", (1, 6)),
        ("{// no\n}", "no comments", (1, 2)),
        ("{\"a\": tru }", "did you mean `true`", (1, 7)),
        ("{\"a\": 01}", "must not start with 0", (1, 8)),
        ("{\"a\": \"x\ny\"}", "line break", (1, 9)),
        ("{\"a\": \"\\x\"}", "unknown escape", (1, 8)),
        ("{\"a\": \"\\u12g4\"}", "four hexadecimal", (1, 8)),
        ("{} {}", "after the end", (1, 4)),
        ("{\"判\": ?}", "should be here", (1, 7)),
        ("{\"a\": }", "value is missing", (1, 7)),
    ] {
        assert!(
            said(text.as_bytes()).contains(words),
            "{text}: {}",
            said(text.as_bytes())
        );
        assert_eq!(place(text.as_bytes()), at, "{text}");
    }
}

#[test]
fn too_large_and_too_deep_files_are_refused() {
    let large = vec![b' '; 10 * 1024 * 1024 + 1];
    assert!(said(&large).contains("10 MB"));
    let deep = format!("{{\"a\":{}{}}}", "[".repeat(200_000), "]".repeat(200_000));
    assert!(said(deep.as_bytes()).contains("too deeply"));
    let fine = format!("{{\"a\":{}{}}}", "[".repeat(127), "]".repeat(127));
    assert!(SpecJson::parse(fine.as_bytes()).is_ok());
}
