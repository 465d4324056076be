//! Large and unusual input takes time in proportion to its size. This is not a benchmark: normal
//! runs stay ten times below the limits unless something grows with the square of the input. The
//! limits are in processor time, so that a busy machine changes nothing.

use std::time::Duration;

use kumite_core::change::Change;
use kumite_core::facts::TaskFacts;
use kumite_formats::{SpecJson, inspection_report, review_reply, tasks_md};

fn quick<T>(what: &str, work: impl FnOnce() -> T) -> T {
    let began = processor_time();
    let result = work();
    let took = processor_time().saturating_sub(began);
    assert!(took < Duration::from_secs(20), "{what} took {took:?}");
    result
}

fn processor_time() -> Duration {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(now.tv_sec as u64, now.tv_nsec as u32)
}

#[test]
fn a_hundred_thousand_tasks_are_counted_at_once() {
    let text = "- [x] 1.1 (P) A task\n  - _Requirements: 1.1, 2.3_\n".repeat(50_000);
    let tasks = quick("tasks", || tasks_md::parse(text.as_bytes()));
    assert_eq!(
        tasks.facts(),
        TaskFacts::Counted {
            done: 50_000,
            total: 50_000
        }
    );
}

#[test]
fn twisted_markdown_is_read_at_once() {
    let deep = "- ".repeat(20_000) + "[ ] x\n" + &"\n".repeat(20_000) + "- [ ] y\n";
    let stairs: String = (0..1500)
        .map(|depth| format!("{}- [ ] x\n", "  ".repeat(depth)))
        .collect();
    let quotes = ">".repeat(50_000) + "\n" + &"> - [ ] x\n".repeat(10_000);
    let brackets = "[".repeat(50_000) + &"](".repeat(50_000) + &"*_`".repeat(50_000);
    let pipes = "|".repeat(200_000) + "\n" + &"|-".repeat(100_000);
    let labels = "## Judgment\n\n\n".repeat(30_000);
    let comments = "<!--".repeat(50_000) + "\n" + &"x <!-- ".repeat(50_000);
    for (name, text) in [
        ("deep", deep),
        ("stairs", stairs),
        ("quotes", quotes),
        ("brackets", brackets),
        ("pipes", pipes),
        ("labels", labels),
        ("comments", comments),
    ] {
        quick(&format!("tasks {name}"), || {
            tasks_md::parse(text.as_bytes())
        });
        quick(&format!("reply {name}"), || {
            review_reply::parse(text.as_bytes())
        });
        quick(&format!("report {name}"), || {
            inspection_report::parse(text.as_bytes())
        });
    }
}

#[test]
fn a_spec_of_many_megabytes_is_read_and_changed() {
    let items = "{\"roundNumber\":1,\"x\":[0,1]},".repeat(100_000);
    let text = format!(
        "{{\"documentReview\":{{\"roundDetails\":[{items}{{}}]}},\"junk\":[{}0]}}",
        "0,".repeat(3_000_000)
    );
    let spec = quick("parse", || SpecJson::parse(text.as_bytes()).unwrap());
    quick("review", || spec.review());
    quick("apply", || {
        spec.apply(&[Change::ReviewStarted(2), Change::Deployed], "T")
            .unwrap()
    });
}

#[test]
fn a_contest_of_many_wrong_lines_is_refused_at_once() {
    use kumite_formats::contest::{Request, load};
    let team = |index: usize| format!("[[team]]\nid = \"{index}\"\nscripted = \"steady\"\nx = 1\n");
    let metric = |index: usize| format!("[[metric]]\nname = \"{index}\"\nwords = [\"w\"]\n");
    let teams: String = (0..20_000).map(team).collect();
    let metrics: String = (0..20_000).map(metric).collect();
    let text = format!("task = \"t\"\n{teams}{metrics}");
    let request = Request {
        file: "contest.toml".as_ref(),
        text: Some(&text),
        workspace: None,
        dir: "/".as_ref(),
        task: None,
        timeout: None,
        lenient: false,
    };
    let nothing = |_: &std::path::Path| Err(std::io::ErrorKind::NotFound.into());
    let problems = quick("contest", || {
        load(&request, &nothing, &|_| None).unwrap_err()
    });
    assert_eq!(problems.len(), 20_000);
}
