//! `[log]` and `[budget]`: sizes and money.

use std::path::PathBuf;

use kumite_formats::Settings;
use kumite_formats::settings::{Layer, Origin, Size, Usd};
use proptest::prelude::*;

use crate::settings::{env, load, project, said};

fn shown(text: &str, key: &str) -> String {
    let loaded = load(text).unwrap();
    let found = loaded.origins.iter().find(|(name, _, _)| name == key);
    found.unwrap().1.clone()
}

#[test]
fn a_size_is_read_in_bytes_and_shown_as_a_person_would_write_it() {
    for (written, bytes, shown) in [
        ("2GB", 2_000_000_000, "2GB"),
        ("500MB", 500_000_000, "500MB"),
        ("64KB", 64_000, "64KB"),
        ("128KB", 128_000, "128KB"),
        ("1000B", 1000, "1KB"),
        ("1024B", 1024, "1KiB"),
        ("1001B", 1001, "1001B"),
        ("1024MB", 1_024_000_000, "1024MB"),
        ("500MiB", 524_288_000, "500MiB"),
        ("64KiB", 65_536, "64KiB"),
        ("2GiB", 2_147_483_648, "2GiB"),
        (" 10 mb ", 10_000_000, "10MB"),
        ("0", 0, "0"),
        ("0GB", 0, "0"),
        ("1000000GB", 1_000_000_000_000_000, "1000000GB"),
    ] {
        let size = Size::parse(written).expect(written);
        assert_eq!((size.bytes(), size.to_string()), (bytes, shown.to_owned()));
    }
}

#[test]
fn a_text_that_is_no_size_is_refused() {
    for text in [
        "",
        "GB",
        "5",
        "-1GB",
        "+1GB",
        "1.5GB",
        "2G",
        "2GBs",
        "2TB",
        "1 000MB",
        "1MB1",
        "1000001GB",
        "99999999999999999999B",
        "18446744073709551615KB",
        "२GB",
    ] {
        assert_eq!(Size::parse(text), None, "{text}");
    }
}

#[test]
fn logs_have_limits_that_can_be_set_and_lifted() {
    let log = load("").unwrap().settings.log;
    assert_eq!(
        (log.max_size.to_string(), log.max_total.to_string()),
        ("2GB".to_owned(), "4GB".to_owned())
    );
    let log = load("[log]\nmax_size = \"1MB\"\nmax_total = \"64KB\"\n");
    let log = log.unwrap().settings.log;
    assert_eq!(
        (log.max_size.bytes(), log.max_total.bytes()),
        (1_000_000, 64_000)
    );
    for none in ["0", "\"0\"", "\"0MB\""] {
        let log = load(&format!("[log]\nmax_size = {none}\nmax_total = {none}\n"));
        let log = log.unwrap().settings.log;
        assert_eq!((log.max_size.bytes(), log.max_total.bytes()), (0, 0));
    }
    assert_eq!(
        shown("[log]\nmax_size = \"1500MB\"", "log.max_size"),
        "\"1500MB\""
    );
    assert_eq!(shown("[log]\nmax_total = 0", "log.max_total"), "\"0\"");
}

#[test]
fn a_budget_is_kept_in_millionths_of_a_dollar() {
    for (written, micros, shown_as) in [
        ("0", 0, "0"),
        ("0.0", 0, "0"),
        ("-0.0", 0, "0"),
        ("5", 5_000_000, "5"),
        ("5.50", 5_500_000, "5.5"),
        ("0.1", 100_000, "0.1"),
        ("0.07", 70_000, "0.07"),
        ("1_000", 1_000_000_000, "1000"),
        ("1_000.25", 1_000_250_000, "1000.25"),
        ("1e3", 1_000_000_000, "1000"),
        ("0.000001", 1, "0.000001"),
        ("1e-300", 1, "0.000001"),
        ("1_000_000", 1_000_000_000_000, "1000000"),
    ] {
        for key in ["usd_per_run", "usd_per_day"] {
            let text = format!("[budget]\n{key} = {written}\n");
            let budget = load(&text).unwrap().settings.budget;
            let (usd, other) = match key {
                "usd_per_run" => (budget.usd_per_run, budget.usd_per_day),
                _ => (budget.usd_per_day, budget.usd_per_run),
            };
            assert_eq!((usd.micros(), other), (micros, Usd::ZERO), "{text}");
            assert_eq!(shown(&text, &format!("budget.{key}")), shown_as);
        }
    }
}

#[test]
fn a_wrong_amount_is_named_with_its_line_and_what_is_allowed() {
    let usd = "a number of US dollars from 0 to 1000000, where 0 means no budget";
    let size = "a size such as \"500MB\", \"2GB\" or \"64KiB\", or 0 for no limit";
    let log = "at least \"1MB\", or 0 for no limit";
    for (section, key, value, words) in [
        ("budget", "usd_per_run", "-1", usd),
        ("budget", "usd_per_run", "-0.01", usd),
        ("budget", "usd_per_run", "nan", usd),
        ("budget", "usd_per_day", "inf", usd),
        ("budget", "usd_per_day", "-inf", usd),
        ("budget", "usd_per_day", "1_000_001", usd),
        ("budget", "usd_per_day", "1000000.5", usd),
        ("budget", "usd_per_day", "99999999999999999999", usd),
        ("budget", "usd_per_day", "\"5\"", usd),
        ("budget", "usd_per_day", "true", usd),
        ("log", "max_size", "5", size),
        ("log", "max_size", "\"2G\"", size),
        ("log", "max_size", "0.0", size),
        ("log", "max_size", "\"999KB\"", log),
        ("log", "max_size", "\"1B\"", log),
        ("log", "max_total", "-1", size),
        ("log", "max_total", "\"\"", size),
        ("log", "max_total", "[\"2GB\"]", size),
    ] {
        let said = said(&format!("\n[{section}]\n{key} = {value}\n"));
        assert_eq!(
            said,
            format!(".kiro/kumite.toml: line 3, column 1: `{section}.{key}` must be {words}")
        );
    }
}

#[test]
fn a_mistyped_amount_is_met_with_the_nearest_key() {
    for (text, near) in [
        ("[log]\nmaxsize = \"2GB\"", "log.max_size"),
        ("[logs]\nmax_total = \"2GB\"", "log.max_total"),
        ("[log]\nsize = \"2GB\"", "log.max_size"),
        ("[log]\nmax = \"2GB\"", "log.max_size"),
        ("[log]\ntotal = \"2GB\"", "log.max_total"),
        ("[budget]\nusd_per_runs = 1", "budget.usd_per_run"),
        ("[budget]\nper_day = 1", "budget.usd_per_day"),
        ("[budget]\nusd = 1", "budget.usd_per_run"),
        ("usd_per_day = 1", "budget.usd_per_day"),
    ] {
        let said = said(text);
        let hint = format!("did you mean `{near}`?");
        assert!(
            said.contains("column 1: unknown key") && said.contains(&hint),
            "{text}: {said}"
        );
    }
    assert!(said("log = \"2GB\"").contains("`log` is a section"));
}

#[test]
fn the_environment_sets_amounts_over_the_files() {
    let layers = [Layer {
        origin: project(),
        text: "[log]\nmax_size = \"5MB\"\n[budget]\nusd_per_run = 9\n",
    }];
    let variables = env(&[
        ("KUMITE_LOG__MAX_SIZE", "10MB"),
        ("KUMITE_LOG__MAX_TOTAL", "0"),
        ("KUMITE_BUDGET__USD_PER_RUN", "2.5"),
        ("KUMITE_BUDGET__USD_PER_DAY", "30"),
    ]);
    let it = Settings::load(&layers, &variables, &[]).unwrap();
    let (log, budget) = (&it.settings.log, &it.settings.budget);
    assert_eq!(
        (log.max_size.bytes(), log.max_total.bytes()),
        (10_000_000, 0)
    );
    assert_eq!(budget.usd_per_run.micros(), 2_500_000);
    assert_eq!(budget.usd_per_day.micros(), 30_000_000);
    let row = (
        "budget.usd_per_run".to_owned(),
        "2.5".to_owned(),
        Origin::Env("KUMITE_BUDGET__USD_PER_RUN".to_owned()),
    );
    assert!(it.origins.contains(&row));
    for (name, value, words) in [
        ("KUMITE_LOG__MAX_SIZE", "10", "a size such as"),
        ("KUMITE_LOG__MAX_SIZE", "10KB", "at least \"1MB\""),
        ("KUMITE_BUDGET__USD_PER_RUN", "$5", "from 0 to 1000000"),
        ("KUMITE_BUDGET__USD_PER_DAY", "", "from 0 to 1000000"),
        (
            "KUMITE_BUDGET__USD",
            "5",
            "did you mean `budget.usd_per_run`",
        ),
    ] {
        let wrong = Settings::load(&layers, &env(&[(name, value)]), &[]).unwrap_err();
        let said = wrong.to_string();
        assert!(said.contains(name) && said.contains(words), "{said}");
    }
}

#[test]
fn an_amount_of_the_project_goes_before_that_of_the_person() {
    let layers = [
        Layer {
            origin: Origin::Person(PathBuf::from("/home/a/config.toml")),
            text: "[budget]\nusd_per_run = 1\nusd_per_day = 2\n",
        },
        Layer {
            origin: project(),
            text: "[budget]\nusd_per_run = 0\n",
        },
    ];
    let budget = Settings::load(&layers, &[], &[]).unwrap().settings.budget;
    assert_eq!(budget.usd_per_run, Usd::ZERO);
    assert_eq!(budget.usd_per_day.micros(), 2_000_000);
}

proptest! {
    #[test]
    fn a_size_that_is_shown_reads_back(number in 0_u64..5000, unit in "(GB|MB|KB|GiB|MiB|KiB|B)") {
        let size = Size::parse(&format!("{number}{unit}")).unwrap();
        prop_assert_eq!(Size::parse(&size.to_string()), Some(size));
    }

    #[test]
    fn money_that_is_shown_reads_back(micros in 0_u64..=1_000_000_000_000) {
        let written = format!("{}.{:06}", micros / 1_000_000, micros % 1_000_000);
        let usd = Usd::from_dollars(written.parse().unwrap()).unwrap();
        prop_assert_eq!(usd.micros(), micros);
        prop_assert_eq!(Usd::from_dollars(usd.to_string().parse().unwrap()), Some(usd));
    }
}
