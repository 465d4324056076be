use std::fs;
use std::path::Path;

use kumite_core::contest::Failure;
use kumite_formats::contest::{Command, Judge, MetricKind, Plugin};

use crate::evaluate::metrics;
use crate::evaluate::tests::stage::Stage;

const METRICS: &str = r#"
class Result:
    def __init__(self, score, evaluator_comment):
        self.score = score
        self.evaluator_comment = evaluator_comment

class Slow:
    async def evaluate(self, user_query, submission, execution_id=None, team_id=None, round_number=None):
        print("noise on stdout")
        return Result(61.5, f"{user_query}|{submission.strip()}|{execution_id}|{team_id}|{round_number}")

class Few:
    def evaluate(self, user_query, submission):
        return {"score": len(submission), "evaluator_comment": "short"}

class All:
    def evaluate(self, **known):
        return len(known)

class Unbounded:
    def evaluate(self, submission):
        return -3

class Nothing:
    def evaluate(self, submission):
        return float("nan")

class Broken:
    def evaluate(self, submission):
        raise ValueError("no prices for today")
"#;

fn plugin(module: Option<&str>, path: Option<&str>, class: &str) -> MetricKind {
    MetricKind::Plugin {
        plugin: Plugin {
            module: module.map(str::to_owned),
            path: path.map(str::to_owned),
            class: class.to_owned(),
            tool_settings: Default::default(),
        },
        timeout_ms: 60_000,
        max_retries: 0,
    }
}

fn stage() -> Stage {
    let stage = Stage::new();
    fs::create_dir(stage.project().join("mine")).unwrap();
    fs::write(stage.project().join("mine/metrics.py"), METRICS).unwrap();
    stage
}

#[test]
fn a_python_metric_is_measured_by_module_or_by_file() {
    let stage = stage();
    let about = "the task|the text|contest-1|team-1|3";
    for (module, path, class, hundredths, remark) in [
        (Some("mine.metrics"), None, "Slow", 6_150, about),
        (None, Some("mine/metrics.py"), "Slow", 6_150, about),
        (
            Some("not.there"),
            Some("mine/metrics.py"),
            "Few",
            900,
            "short",
        ),
        (Some("mine.metrics"), Some("not/there.py"), "All", 500, ""),
    ] {
        let measure = stage.measure(plugin(module, path, class)).unwrap().0;
        assert_eq!(
            (measure.score.hundredths(), measure.remark.as_str()),
            (hundredths, remark),
            "{class}"
        );
    }
}

#[test]
fn a_python_metric_that_breaks_is_quoted() {
    let stage = stage();
    for (class, failure, words) in [
        ("Broken", Failure::Passing, "no prices for today"),
        ("Nothing", Failure::Passing, "not JSON compliant"),
        (
            "Unbounded",
            Failure::Unusable,
            "score is -3.0, not a number from 0 to 100",
        ),
        ("Absent", Failure::Passing, "has no attribute 'Absent'"),
    ] {
        let missed = stage
            .measure(plugin(Some("mine.metrics"), None, class))
            .unwrap_err();
        assert_eq!(missed.failed.failure, failure, "{class}");
        assert!(missed.failed.why.contains(words), "{}", missed.failed.why);
    }
}

#[test]
fn a_plugin_needs_a_module_or_a_file() {
    let stage = Stage::new();
    let plan = stage.plan(plugin(None, None, "X"), Judge::Rules);
    let error = metrics(&plan, &stage.means()).err().unwrap().to_string();
    assert_eq!(
        error,
        "metric M: the plugin names neither a module nor a path"
    );
}

#[test]
fn the_example_of_a_python_metric_works_as_it_is() {
    let stage = Stage::new();
    let example =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/python/short_metric.py");
    let kind = MetricKind::Command {
        command: Command {
            argv: vec!["python3".to_owned(), example.to_string_lossy().into_owned()],
            timeout_ms: 60_000,
        },
        max_retries: 0,
        veto_below: None,
    };
    let measure = stage.measure(kind.clone()).unwrap().0;
    assert_eq!(measure.score.hundredths(), 10_000);
    assert_eq!(measure.remark, "2 words; up to 300 cost nothing");
    fs::write(stage.submission(), "word ".repeat(450)).unwrap();
    assert_eq!(
        stage.measure(kind.clone()).unwrap().0.score.hundredths(),
        5_000
    );
    fs::write(stage.submission(), "").unwrap();
    assert!(stage.measure(kind).unwrap().0.is_veto);
}
