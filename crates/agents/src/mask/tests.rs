use proptest::prelude::*;

use super::*;

const KEY: &str = "sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789AA";

fn secrets(values: &[&str]) -> Rc<Secrets> {
    let env: Vec<_> = values
        .iter()
        .enumerate()
        .map(|(index, value)| (format!("TOKEN_{index}"), (*value).to_owned()))
        .collect();
    Rc::new(Secrets::of(&env))
}

fn streamed<'a>(secrets: &Rc<Secrets>, pieces: impl IntoIterator<Item = &'a [u8]>) -> Vec<u8> {
    let mut mask = Mask::new(Rc::clone(secrets));
    let mut out = Vec::new();
    for piece in pieces {
        out.extend_from_slice(&mask.feed(piece));
    }
    out.extend_from_slice(&mask.finish());
    out
}

#[track_caller]
fn check(values: &[&str], text: &str, expected: &str) {
    let secrets = secrets(values);
    let whole = streamed(&secrets, [text.as_bytes()]);
    assert_eq!(String::from_utf8_lossy(&whole), expected);
    for size in 1..text.len() {
        let pieces = streamed(&secrets, text.as_bytes().chunks(size));
        let pieces = String::from_utf8_lossy(&pieces).into_owned();
        assert_eq!(pieces, expected, "in pieces of {size}");
    }
}

#[test]
fn values_of_the_environment_are_masked_also_where_json_escapes_them() {
    let value = "top \"secret\"\nof two lines";
    check(
        &[value],
        "it is top \"secret\"\nof two lines!",
        "it is ***!",
    );
    let json = serde_json::json!({"text": format!("it is {value}!")}).to_string();
    check(&[value], &json, r#"{"text":"it is ***!"}"#);
    check(&[value], "top \"secret\"\nof two", "top \"secret\"\nof two");
}

#[test]
fn of_two_that_begin_alike_the_longer_one_is_masked() {
    let values = ["hunter22", "hunter2222"];
    check(&values, "a hunter2222.", "a ***.");
    check(&values, "a hunter222.", "a ***2.");
    check(&values, "a hunter22", "a ***");
}

#[test]
fn overlapping_secrets_are_masked_as_one_and_neighbours_as_two() {
    let values = ["abcdefgh", "efghijkl"];
    check(&values, "-abcdefghijkl-", "-***-");
    check(&values, "-abcdefghefghijkl-", "-******-");
}

#[test]
fn keys_are_known_by_their_looks() {
    let bearer = "Authorization: Bearer eyJhbGciOi.JIUzI1NiIsIn-R5c_CI6I/kpX+VCJ9==";
    check(&[], &format!("-H '{bearer}'"), "-H 'Authorization: ***'");
    check(&[], &format!("key={KEY}&x"), "key=***&x");
    check(
        &[],
        &format!("{{\"t\":\"a\\n{KEY}\\n\"}}"),
        r#"{"t":"a\n***\n"}"#,
    );
    let plain = "sk-abcdefghijklmnopqrstuvwx";
    check(&[], &format!("a\\n{plain}"), "a\\n***");
    check(
        &[],
        &format!("\x1b[31m{plain}\x1b[0m"),
        "\x1b[31m***\x1b[0m",
    );
    for key in [
        "AIzaSyA-1234567890abcdefghijklmnopqrstu",
        "ghp_abcdefghijklmnopqrstuvwxyz0123456789",
        "github_pat_11ABCDEFG0abcdefghijkl_mnopqrstu",
        "xoxb-123456789012-abcdefghijkl",
        "sk_live_4eC39HqLyjWDarjtT1zdp7dc",
        "rk_live_4eC39HqLyjWDarjtT1zdp7dc",
        "whsec_4eC39HqLyjWDarjtT1zdp7dc",
        "glpat-abcdefghij0123456789",
        "npm_abcdefghijklmnopqrstuvwxyz0123456789",
        "AKIAIOSFODNN7EXAMPLE",
        "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
        "hf_abcdefghijklmnopqrstuvwxyzABCDEFGH",
        "pypi-AgEIcHlwaS5vcmcCJDAwMDAwMDAwLTAwMDAtMDAwMC0wMDAwLTAwMDAwMDAwMDAwMA",
        "SG.abcdefghijklmnopqrstuv.abcdefghijklmnopqrstuvwxyz0123456789ABCDEFG",
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N",
        "dckr_pat_abcdefghijklmnopqrstuvwxyz0",
    ] {
        check(&[], &format!("<{key}>"), "<***>");
    }
}

#[test]
fn a_private_key_is_masked_up_to_its_end_also_escaped_and_with_numbers() {
    let line = "MIIEowIBAAKCAQEA75iPBHjBAtVbPxRfiCYEXAMPLEKEY+/0123456789abcdefgh";
    for end in ["\n", "\\n", "\n     2\t", "\r\n"] {
        let lines = [line; 3].join(end);
        let text = format!(
            "a -----BEGIN RSA PRIVATE KEY-----{end}{lines}{end}-----END RSA PRIVATE KEY----- b"
        );
        check(&[], &text, "a ***-----END RSA PRIVATE KEY----- b");
    }
}

#[test]
fn ordinary_words_stay() {
    for text in [
        "npm_config_user_agent_is_the_name_of_a_variable",
        "AKIA and ASIA, as in EURASIAN or ASIAPACIFIC; hf_hub_download_and_more",
        "-----BEGIN CERTIFICATE----- and then -----BEGIN PRIVATE KEY-----",
        "the task-list-of-everything-that-is-to-do is long",
        "sk-short and sk-",
        "Bearer tokens are sent in a header",
        "ghp_ and AIza are prefixes; Bearer ",
        "a Bearer",
    ] {
        check(&["hunter22"], text, text);
    }
}

#[test]
fn a_key_may_be_as_long_as_it_likes() {
    let long = format!("{KEY}{}", "x".repeat(300_000));
    let secrets = secrets(&[KEY]);
    let text = format!("a {long} b");
    let out = streamed(&secrets, text.as_bytes().chunks(4096));
    assert_eq!(String::from_utf8_lossy(&out), "a *** b");
}

#[test]
fn a_secret_that_begins_inside_another_and_goes_on_is_masked_to_its_end() {
    let value = "tail9876 of a passphrase";
    check(&[value], &format!("{KEY}{value}."), "***.");
    check(
        &[],
        &format!("{KEY}Bearer abcdefghijklmnopqrstuvwxyz end"),
        "*** end",
    );
}

#[test]
fn nothing_is_copied_when_nothing_is_found() {
    let mut mask = Mask::new(secrets(&["hunter22"]));
    assert!(matches!(mask.feed(b"plain words\n"), Cow::Borrowed(_)));
    assert_eq!(&*mask.feed(b"it is hunt"), b"it is ");
    assert_eq!(&*mask.feed(b"ing time\n"), b"hunting time\n");
    assert!(mask.finish().is_empty());
}

#[test]
fn what_was_cut_off_does_not_show_the_beginning_of_a_secret() {
    let secrets = secrets(&["correct horse battery"]);
    assert_eq!(secrets.mask("it is correct horse…"), "it is ***…");
    assert_eq!(secrets.mask("it is correct horse"), "it is correct horse");
    assert_eq!(secrets.mask("it is co…"), "it is co…");
    assert_eq!(
        secrets.mask("… correct horse battery… (3 more bytes)"),
        "… ***… (3 more bytes)"
    );
}

#[test]
fn sentences_of_outcomes_are_masked() {
    let masked = secrets(&[]).mask_outcome(Outcome::Failed(format!("401 for {KEY}")));
    assert_eq!(masked, Outcome::Failed("401 for ***".to_owned()));
}

/// Few letters, so that parts of secrets are frequent.
fn words() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        4 => "[abk\\-\" \n]{1,6}",
        1 => Just(KEY.to_owned()),
        1 => Just("sk-".to_owned()),
        1 => Just("sk-ant-".to_owned()),
        1 => Just("Bearer ".to_owned()),
        1 => "[ab]{15,25}",
    ];
    proptest::collection::vec(part, 0..12).prop_map(|parts| parts.concat())
}

proptest! {
    #[test]
    fn pieces_of_any_size_give_the_same(
        values in proptest::collection::vec("[abk\\-\"\n]{8,10}", 0..4),
        text in words(),
        inserted in any::<prop::sample::Index>(),
        cuts in proptest::collection::vec(any::<prop::sample::Index>(), 0..6),
    ) {
        let values: Vec<&str> = values.iter().map(|value| value.trim()).collect();
        let mut text = text;
        for value in &values {
            text.insert_str(inserted.index(text.len() + 1), value);
        }
        let secrets = secrets(&values);
        let whole = streamed(&secrets, [text.as_bytes()]);
        let mut places: Vec<usize> = cuts.iter().map(|cut| cut.index(text.len() + 1)).collect();
        places.sort_unstable();
        let mut pieces = Vec::new();
        let mut last = 0;
        for place in places {
            pieces.push(&text.as_bytes()[last..place]);
            last = place;
        }
        pieces.push(&text.as_bytes()[last..]);
        prop_assert_eq!(&streamed(&secrets, pieces), &whole);
        prop_assert_eq!(&streamed(&secrets, text.as_bytes().chunks(1)), &whole);

        let shown = String::from_utf8(whole).unwrap();
        for value in values.iter().filter(|value| value.len() >= 8) {
            prop_assert!(!shown.contains(value), "{:?} in {:?}", value, shown);
        }
        prop_assert!(!shown.contains(KEY));
        if !shown.contains("***") {
            prop_assert_eq!(shown, text);
        }
    }

    #[test]
    fn bytes_without_secrets_are_unchanged(pieces in proptest::collection::vec(
        proptest::collection::vec(any::<u8>(), 0..40), 0..10
    )) {
        let secrets = secrets(&["a value that no random bytes hold"]);
        let text = pieces.concat();
        prop_assert_eq!(streamed(&secrets, pieces.iter().map(Vec::as_slice)), text);
    }
}
