//! A long log: scrolled from its end to its start and back, followed, and jumped through.

use std::collections::BTreeSet;
use std::fs;
use std::io::Write;

use kumite_browser::Page;
use serde_json::json;

use crate::scene::Scene;
use crate::world::{World, text, until};

const SAID: usize = 10_000;
/// No page contains more entries than this, however long the log is.
const HELD_MAX: u64 = 2_000;

/// An agent that has said a lot, and waits. Real output would be too slow, so the lines are written
/// into its transcript as they would have come.
fn talkative() -> (Scene, Page, String) {
    let world = World::new();
    world.spec_ready_for_impl("login");
    world.play(json!({"steps": {"impl": {"wait_for": "go"}}}));
    let scene = Scene::of(world);
    scene
        .served
        .post("/api/specs/login/run", &json!({}))
        .assert_status(202);
    scene.world.wait_for_step("login", "impl 1");
    let agent = text(&scene.world.status("login")["agents"][0]["id"]);
    let transcript = scene
        .world
        .path(&format!(".kiro/specs/login/logs/{agent}.jsonl"));
    until("the agent to be up", || {
        fs::read_to_string(&transcript).is_ok_and(|text| text.lines().count() == 2)
    });
    let line = |number| json!({"at_ms": 1_790_000_000_000_u64, "kind": "note", "text": format!("word {number} of many")});
    let lines: String = (1..=SAID)
        .map(|number| format!("{}\n", line(number)))
        .collect();
    let mut file = fs::OpenOptions::new()
        .append(true)
        .open(&transcript)
        .unwrap();
    file.write_all(lines.as_bytes()).unwrap();
    let path = format!("/specs/login/agents/{agent}");
    let page = scene.enter_at(&path);
    page.until_text(".log-view", &format!("word {SAID} of many"));
    is_ready(&page);
    (scene, page, path)
}

/// Before the script is ready, forms reload the page.
fn is_ready(page: &Page) {
    page.until("document.querySelector('.log-view[aria-live]')");
}

/// The line numbers in the view; it throws if they have gaps or repeat, or if the text of a line
/// does not match its number.
const HELD: &str = "(() => {
    const entries = [...document.querySelectorAll('.log-view > [id^=line-]')];
    const numbers = entries.map(it => Number(it.id.slice(5)));
    entries.forEach((entry, index) => {
        if (index > 0 && numbers[index] !== numbers[index - 1] + 1)
            throw new Error(`line ${numbers[index]} follows ${numbers[index - 1]}`);
        const word = entry.querySelector('.says, p')?.textContent.match(/^\\s*word (\\d+) of/);
        if (word && Number(word[1]) !== numbers[index] - 2)
            throw new Error(`line ${numbers[index]} says ${word[0]}`);
    });
    return numbers;
})()";

fn held(page: &Page) -> Vec<u64> {
    serde_json::from_value(page.eval(HELD).unwrap()).unwrap()
}

/// Turns the wheel until this line is visible; returns all lines seen on the way.
fn scroll_to(page: &Page, line: u64, by: f64) -> BTreeSet<u64> {
    let mut all = BTreeSet::new();
    let is_seen = format!(
        "(() => {{ const line = document.getElementById('line-{line}')?.getBoundingClientRect();
            const view = document.querySelector('.log-view').getBoundingClientRect();
            return !!line && line.bottom > view.top && line.top < view.bottom; }})()"
    );
    for _ in 0..200 {
        let now = held(page);
        assert!(now.len() as u64 <= HELD_MAX, "{} entries", now.len());
        let edge = if by < 0.0 { now[0] } else { now[now.len() - 1] };
        all.extend(now);
        if page.eval(&is_seen).unwrap() == true {
            return all;
        }
        page.scroll(".log-view", by);
        // Either more lines have come, or the end is visible.
        page.until(&format!(
            "(() => {{ const numbers = [...document.querySelectorAll('.log-view > [id^=line-]')].map(it => Number(it.id.slice(5)));
                const edge = {by} < 0 ? numbers[0] : numbers.at(-1);
                return edge !== {edge} || {is_seen}; }})()"
        ));
    }
    panic!("line {line} never came");
}

/// The last line of the log is present, at the bottom.
fn is_at_end(page: &Page, last: &str) {
    page.until(&format!(
        "(() => {{ const view = document.querySelector('.log-view');
            const line = document.querySelector({last:?});
            return line.checkVisibility() && view.scrollHeight - view.scrollTop - view.clientHeight < 8; }})()"
    ));
}

/// The last line that the agent has said before it waits.
const LAST: &str = "#line-10002";

#[test]
#[ignore = "needs Chromium: cargo xtask test"]
fn a_log_of_ten_thousand_lines_is_scrolled_to_its_start_and_back_without_gaps_or_doubles() {
    let (scene, page, _) = talkative();
    is_at_end(&page, LAST);
    let last = *held(&page).last().unwrap();
    assert_eq!(last, SAID as u64 + 2, "launched, up, and all that was said");
    let whole: BTreeSet<u64> = (1..=last).collect();
    let before = page.metrics()["Nodes"];
    assert_eq!(scroll_to(&page, 1, -100_000.0), whole);
    page.until_text("#line-1", "Launched");
    page.until_text(".log-position", "of 10,002");
    assert_eq!(scroll_to(&page, last, 100_000.0), whole);
    is_at_end(&page, LAST);
    let after = page.metrics()["Nodes"];
    assert!(after < before + 40_000.0, "{before} nodes became {after}");
    // A gap would have been noticed.
    page.eval("document.querySelectorAll('.log-view > [id^=line-]')[20].remove()")
        .unwrap();
    assert!(page.eval(HELD).is_err());
    scene.assert_calm(&page);
}

#[test]
#[ignore = "needs Chromium: cargo xtask test"]
fn who_is_at_the_end_of_a_log_follows_it_and_who_reads_elsewhere_is_left_alone() {
    let (scene, page, path) = talkative();
    let reader = page.another();
    scene.go(&reader, &path);
    is_ready(&reader);
    is_at_end(&page, LAST);
    is_at_end(&reader, LAST);
    reader.scroll(".log-view", -3000.0);
    reader.until("!document.querySelector('.log-follow').hidden");
    let top = "(() => { const top = document.querySelector('.log-view').getBoundingClientRect().top;
        const seen = [...document.querySelectorAll('.log-view > [id^=line-]')].find(it => it.getBoundingClientRect().bottom > top);
        return seen.id + ' ' + Math.round(seen.getBoundingClientRect().top - top); })()";
    reader.until(&format!(
        "window.was === {top} || (window.was = {top}, false)"
    ));
    let read = reader.eval(top).unwrap();

    scene.world.go();
    page.until_text(".log-view .end", "finished");
    is_at_end(&page, ".log-view .end");
    assert!(
        page.eval("document.querySelector('.log-follow').hidden")
            .unwrap()
            == true
    );
    reader.until_text(".log-follow", "new");
    assert_eq!(
        reader.eval(top).unwrap(),
        read,
        "what is read does not move"
    );
    reader.click(".log-follow");
    reader.until_text(".log-view .end", "finished");
    is_at_end(&reader, ".log-view .end");

    // A tool is one folded line, with its answer inside.
    page.until("document.querySelector('.entry.call details:not([open])')");
    page.until("document.querySelector('.entry.answer[hidden]')");
    page.click(".entry.call summary");
    page.until("document.querySelector('.entry.call details[open] pre.result').checkVisibility()");
    page.until_text(".entry.call details[open]", "succeeded");
    assert_eq!(page.count(".entry.call details[open]"), 1);
    held(&page);
    for page in [&page, &reader] {
        scene.assert_calm(page);
    }
}

#[test]
#[ignore = "needs Chromium: cargo xtask test"]
fn a_line_is_jumped_to_by_its_number_and_found_by_its_words() {
    let (scene, page, path) = talkative();
    let in_view = |line: u64| {
        page.until(&format!(
            "(() => {{ const line = document.querySelector('#line-{line}.is-found').getBoundingClientRect();
                const view = document.querySelector('.log-view').getBoundingClientRect();
                return line.top >= view.top - 1 && line.bottom <= view.bottom + 1; }})()"
        ));
        held(&page);
    };
    page.click(".log-line input");
    page.type_text("5000");
    page.press("Enter");
    in_view(5000);
    page.until_text("#line-5000", "word 4998 of many");
    page.click_text(".log-jump button", "Start");
    in_view(1);
    page.click_text(".log-jump button", "End");
    is_at_end(&page, LAST);
    page.click(".log-search input");
    page.type_text("word 7123 of");
    page.press("Shift+Enter");
    in_view(7125);
    // The address of a place works without the script, and so does the page.
    scene.go(&page, &format!("{path}?from=3000"));
    page.until_text("#line-3000", "word 2998 of many");
    held(&page);
    scene.assert_calm(&page);
}
