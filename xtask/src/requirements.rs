//! `cargo xtask requirements`: which test checks which requirement. A test names requirements at
//! the beginning of its name: `a2_2_open_fixes_...`, `c6_1_c6_3_...`.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::run::{Done, fail, root};

/// Every requirement that a test must name, in our own words.
const REQUIREMENTS: &[(&str, &str)] = &[
    ("A1.1", "open fixes start the next round by themselves"),
    ("A1.2", "one place decides what follows a reply"),
    (
        "A1.3",
        "the round is state; finished rounds are in spec.json",
    ),
    ("A2.1", "at most 7 rounds in an allowance"),
    ("A2.2", "at the limit the run pauses"),
    ("A2.3", "a resume grants new rounds; numbers go on"),
    ("A3.1", "nothing left: approved, next phase"),
    ("A3.2", "only discussion left: paused"),
    ("A3.3", "fixes left: next round, also with discussion"),
    ("A3.4", "an agent that fails fails the run"),
    ("A4.1", "after a stop the rounds are in spec.json"),
    ("A4.2", "a restart goes on with the interrupted round"),
    ("A4.3", "finished rounds are never lost or run again"),
    ("A5.1", "a round is a review, then its reply"),
    ("A5.2", "--fix is for people; by hand it is one round"),
    ("A6.1", "the reply approves only when both counts are 0"),
    ("A6.2", "the reply writes both counts"),
    ("A6.3", "the reply carries the guideline for discussion"),
    ("A7.1", "the rounds of a spec are shown"),
    ("A7.2", "with their counts"),
    ("A7.3", "read from roundDetails"),
    ("A8", "errors pause or fail with their reason"),
    ("A9", "log records with levels"),
    ("A10", "in_progress while the loop runs"),
    ("B1.1", "tasks.md is counted when the agent ends"),
    ("B1.2", "all ticked, or no box: on to the inspection"),
    ("B1.3", "otherwise blocked"),
    ("B2.1", "impl runs again, without arguments"),
    ("B2.2", "retries are counted per spec"),
    ("B2.3", "in memory: a new process starts from 0"),
    ("B3.1", "at most 7 retries"),
    ("B3.2", "past them the run fails"),
    ("B3.3", "and nothing goes on by itself"),
    ("B3.4", "only a reset leaves it"),
    ("B4.1", "a retry is in the event log"),
    ("B4.2", "a retry reaches the person"),
    ("B4.3", "the limit is in the event log"),
    ("B4.4", "the limit reaches the person, as an error"),
    ("B5", "an unreadable tasks.md warns and passes"),
    ("C1.1", "one context per spec"),
    ("C1.2", "made when the run starts"),
    ("C1.3", "an agent's end finds its spec"),
    ("C1.4", "looking at another spec changes nothing"),
    ("C1.5", "decisions rest on the spec's own facts"),
    ("C1.6", "a context has its own state"),
    ("C2.1", "each agent belongs to one spec"),
    ("C2.2", "it is registered when it starts"),
    ("C2.3", "events are routed by the agent's id"),
    ("C2.4", "early events wait for the registration"),
    ("C2.5", "a stop forgets the agent"),
    ("C2.6", "review agents are routed the same way"),
    ("C3.1", "contexts are independent"),
    ("C3.2", "an end changes its own context only"),
    ("C3.3", "an error leaves the others running"),
    ("C3.4", "at most 5 at once by default"),
    ("C3.5", "the next one is told, and queues"),
    ("C3.6", "each has its own timeout"),
    ("C4.1", "never the selected spec"),
    ("C4.2", "permissions and approvals of the spec itself"),
    ("C4.3", "files are read afresh at every end"),
    ("C4.4", "auto-approval writes to the spec's own file"),
    ("C4.5", "a context knows its path"),
    ("C5.1", "the state of a chosen spec is shown"),
    ("C5.2", "another one at once"),
    ("C5.3", "and right again on return"),
    ("C5.4", "state by the spec's name"),
    ("C5.5", "a follower gets its own specs only"),
    ("C6.1", "a finished context lingers 2 s"),
    ("C6.2", "a failed one stays"),
    ("C6.3", "a stopped one goes at once"),
    ("C6.4", "shutdown ends all"),
    ("C6.5", "a clean-up can be forced"),
    ("C7.1", "start, stop, retry from a phase"),
    ("C7.2", "the settings of spec.json's autoExecution"),
    ("C7.3", "one engine per project"),
    ("C7.4", "notices as before"),
    ("C7.5", "a single spec runs as before"),
    (
        "D1",
        "teams in parallel, each through its rounds on its own",
    ),
    (
        "D2",
        "every prompt has task, history, feedback, board and rank",
    ),
    ("D3", "each round begins with a fresh context"),
    ("D4", "minimum, judge, maximum"),
    ("D5", "the best round is final; of equal ones the latest"),
    ("D6", "a score outside of 0 to 100 is an error"),
    ("D7", "round_status, from the start of a round on"),
    ("D8", "leader_board and the other tables"),
    ("D9", "failures: tried again, disqualified, told, stored"),
    ("D10", "defaults, and never more than 10 rounds"),
    ("D11", "every row exact, also after faults"),
    ("D12", "the judge agrees with people in 4 of 5 cases"),
    ("D13", "a round adds little to the models' time"),
    (
        "D14",
        "equal scores share a rank; only what was used is charged",
    ),
    // E: evidence and place.
    ("E1.1", "where a spec is implemented is a setting"),
    (
        "E1.2",
        "the project's own commands, and how they are run, are settings",
    ),
    (
        "E1.3",
        "without commands in the settings, those of verification-commands.md",
    ),
    (
        "E1.4",
        "init proposes the commands of the project, as comments",
    ),
    ("E1.5", "what an agent may reach is a setting"),
    ("E1.6", "when a review stalls is a setting"),
    (
        "E2.1",
        "a spec gets a worktree on a branch of its own, and a record of it",
    ),
    (
        "E2.2",
        "it begins with the right branch, and has the documents",
    ),
    (
        "E2.3",
        "where there can be none: in the checkout, with the reason",
    ),
    ("E2.4", "an existing worktree of the spec is taken over"),
    (
        "E2.5",
        "what belongs to something else is a conflict, and stays",
    ),
    (
        "E2.6",
        "uncommitted documents go to the branch; nothing is lost or touched",
    ),
    ("E2.7", "untracked files are copied, and never committed"),
    ("E2.8", "set-up commands run once; worktrees have a limit"),
    (
        "E2.9",
        "the content of a worktree; unchanged content costs nothing",
    ),
    ("E2.10", "a project below the root of its repository"),
    ("E2.11", "protected paths that changed are named"),
    ("E2.12", "damage is repaired, or told with the remedy"),
    (
        "E2.13",
        "submodules, filters, line ends, sparse, bare, odd paths",
    ),
    ("E2.14", "which checkout counts for a spec"),
    ("E2.15", "worktrees are listed, and removed without loss"),
    ("E2.16", "doctor names what has no owner"),
    (
        "E2.17",
        "kill -9 at any moment: finished or made again, never left",
    ),
    (
        "E2.18",
        "a spec that was begun in the checkout goes on there; mode = \"off\" makes no worktree",
    ),
    ("E2.19", "specs that must share a checkout take turns"),
    ("E3.1", "every writing step is between two checkpoints"),
    ("E3.2", "undo, which is itself a checkpoint"),
    ("E3.3", "what a step changed: kumite diff"),
    (
        "E4.1",
        "complete is boxes and a change and passing commands",
    ),
    (
        "E4.2",
        "a failing command is the next attempt, whose agent is told",
    ),
    ("E4.3", "a flaky command counts, and is marked"),
    ("E4.4", "failing commands use up the retries"),
    ("E4.5", "boxes without a change are a phantom"),
    ("E4.6", "a task that vanished asks a person"),
    ("E4.7", "protected files ask a person"),
    ("E4.8", "a place that cannot be read is no evidence"),
    ("E4.9", "evidence is of exactly the code that is there"),
    ("E4.10", "fixes and inspections are verified too"),
    ("E4.11", "without commands: not verified, and said"),
    ("E4.12", "a stop during a command goes on with the commands"),
    ("E4.13", "a command that cannot be started pays no agent"),
    ("E4.14", "the baseline comes before an agent is paid"),
    ("E4.15", "a red baseline pauses or warns"),
    ("E7.1", "without place and commands, a run is as it was"),
    (
        "E8.1",
        "simulated: nothing is complete on code that the commands have not passed",
    ),
    ("E8.2", "simulated: never two writers in one place"),
    (
        "E8.3",
        "simulated: a place with work is never lost, and checkpoints have every step",
    ),
    (
        "E8.4",
        "simulated: phantoms, vanished tasks and protected files never pass silently",
    ),
    ("E8.5", "simulated: failing commands use up the retries"),
    (
        "E8.6",
        "simulated: a bad baseline and an errand cost no money",
    ),
    ("E8.7", "simulated: all of that was really played"),
];

pub fn requirements(args: &[String]) -> Done {
    let tests = tests()?;
    let table = table(&tests);
    let path = root().join("docs/requirements.md");
    if args.iter().any(|arg| arg == "--write") {
        return fs::write(&path, table).or_else(|error| fail(&error.to_string()));
    }
    let unnamed: Vec<&str> = REQUIREMENTS
        .iter()
        .map(|(id, _)| *id)
        .filter(|id| !tests.contains_key(*id))
        .collect();
    if !unnamed.is_empty() {
        return fail(&format!("no test names {}", unnamed.join(", ")));
    }
    let unseen: Vec<&str> = ON_THE_PAGE
        .into_iter()
        .filter(|id| !tests[*id].iter().any(|(_, file)| file.starts_with(BROWSER)))
        .collect();
    if !unseen.is_empty() {
        return fail(&format!("no browser test names {}", unseen.join(", ")));
    }
    match fs::read_to_string(&path) {
        Ok(written) if written == table => {}
        _ => return fail("docs/requirements.md is old; run `cargo xtask requirements --write`"),
    }
    defects()
}

/// Each test that docs/defects.md names exists.
fn defects() -> Done {
    let written = fs::read_to_string(root().join("docs/defects.md")).unwrap_or_default();
    let known: Vec<String> = sources()?
        .into_iter()
        .flat_map(|(_, text)| test_names(&text))
        .collect();
    let named = named(&written);
    let gone: Vec<&str> = named
        .iter()
        .copied()
        .filter(|name| !known.iter().any(|known| known == name))
        .collect();
    match (named.is_empty(), gone.is_empty()) {
        (true, _) => fail("docs/defects.md names no test"),
        (false, true) => Ok(()),
        (false, false) => fail(&format!(
            "docs/defects.md: there is no test {}",
            gone.join(", ")
        )),
    }
}

/// The tests in the second column of the tables, one per line of a cell.
fn named(text: &str) -> Vec<&str> {
    let cells = text.lines().filter_map(|line| {
        line.strip_prefix("| ")?
            .strip_suffix(" |")?
            .split(" | ")
            .nth(1)
    });
    let names = cells.flat_map(|cell| cell.split("<br>"));
    names
        .filter_map(|name| name.strip_prefix('`')?.strip_suffix('`'))
        .collect()
}

/// What a person sees must be tested in a browser.
const ON_THE_PAGE: [&str; 10] = [
    "A7.1", "A7.2", "A7.3", "B4.2", "B4.4", "C5.1", "C5.2", "C5.3", "C5.4", "C5.5",
];
const BROWSER: &str = "crates/cli/tests/browser/";

/// Tests, by the requirement that they name.
type Tests = BTreeMap<String, Vec<(String, String)>>;

const HEAD: &str = "| requirement | in short | tests |\n|---|---|---|\n";

fn table(tests: &Tests) -> String {
    let mut text = String::from(
        "# Requirements and their tests\n\n\
         Made by `cargo xtask requirements --write`; `cargo xtask test` checks that it is current and\n\
         that no requirement is without a test, and none that a person sees on the page without one in\n\
         a real browser.\n\n",
    );
    text.push_str(HEAD);
    let mut is_in_evidence = false;
    for (id, words) in REQUIREMENTS {
        if id.starts_with('E') && !is_in_evidence {
            text.push_str(&format!("\n## E: evidence and place\n\n{HEAD}"));
            is_in_evidence = true;
        }
        let known = tests.get(*id).map(Vec::as_slice).unwrap_or_default();
        let shown = known
            .iter()
            .map(|(name, file)| format!("`{name}` ({file})"));
        let shown: Vec<String> = shown.collect();
        text.push_str(&format!("| {id} | {words} | {} |\n", shown.join("<br>")));
    }
    text
}

fn tests() -> Result<Tests, crate::run::Stop> {
    let mut tests = Tests::new();
    for (file, text) in sources()? {
        for name in test_names(&text) {
            for id in ids(&name) {
                let known = tests.entry(id).or_default();
                known.push((name.clone(), file.clone()));
            }
        }
    }
    Ok(tests)
}

/// All Rust files of the crates, by path, and their text.
fn sources() -> Result<Vec<(String, String)>, crate::run::Stop> {
    let mut files = Vec::new();
    if let Err(error) = rust_files(&root().join("crates"), &mut files) {
        return fail(&error.to_string());
    }
    files.sort();
    let read = files.into_iter().map(|file| {
        let text = fs::read_to_string(&file).unwrap_or_default();
        let short = file.strip_prefix(root()).unwrap_or(&file);
        (short.display().to_string(), text)
    });
    Ok(read.collect())
}

fn rust_files(dir: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in fs::read_dir(dir)? {
        let path = entry?.path();
        match path.extension() {
            _ if path.is_dir() => rust_files(&path, files)?,
            Some(end) if end == "rs" => files.push(path),
            _ => {}
        }
    }
    Ok(())
}

/// The functions marked `#[test]`.
fn test_names(text: &str) -> Vec<String> {
    let mut lines = text.lines().map(str::trim);
    let mut names = Vec::new();
    while let Some(line) = lines.next() {
        if line != "#[test]" {
            continue;
        }
        let function = lines.by_ref().find(|line| line.starts_with("fn "));
        let name = function.and_then(|line| line.strip_prefix("fn ")?.split('(').next());
        names.extend(name.map(str::to_owned));
    }
    names
}

/// `a2_2_c3_1_rest` names A2.2 and C3.1; so does the scenario `s22_a2_2_c3_1_rest`. A group
/// without a part, `a6_rest`, names no requirement.
fn ids(name: &str) -> Vec<String> {
    let words: Vec<&str> = name.split('_').collect();
    let is_scenario = |word: &&&str| word.strip_prefix(['s', 'f']).is_some_and(is_number);
    let mut ids = Vec::new();
    let mut at = words.iter().take_while(is_scenario).count();
    while let Some(word) = words.get(at) {
        let Some(group) = group(word) else { break };
        // Requirements of contests have no parts.
        let has_parts = !group.starts_with('D');
        let part = words
            .get(at + 1)
            .filter(|word| has_parts && is_number(word));
        ids.push(match part {
            Some(part) => format!("{group}.{part}"),
            None => group,
        });
        at += 1 + usize::from(part.is_some());
    }
    ids
}

fn group(word: &str) -> Option<String> {
    let number = word
        .strip_prefix(['a', 'b', 'c', 'd', 'e'])
        .filter(|rest| is_number(rest))?;
    Some(format!("{}{number}", word.get(..1)?.to_uppercase()))
}

fn is_number(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_names_requirements_at_the_beginning_of_its_name() {
        assert_eq!(ids("a2_2_open_fixes_pause"), ["A2.2"]);
        assert_eq!(ids("c6_1_c6_3_contexts_go"), ["C6.1", "C6.3"]);
        assert_eq!(ids("a10_in_progress"), ["A10"]);
        assert_eq!(ids("s29_f8_b3_1_b3_2_never"), ["B3.1", "B3.2"]);
        assert_eq!(ids("s18_a_stop"), Vec::<String>::new());
        assert_eq!(ids("d4_d9_s7_a_judge"), ["D4", "D9"]);
        assert_eq!(ids("d11_5_teams"), ["D11"]);
        assert_eq!(ids("e1_2_e1_3_e2e_commands"), ["E1.2", "E1.3"]);
        assert_eq!(ids("an_agent_ends"), Vec::<String>::new());
    }

    #[test]
    fn only_tests_count() {
        let text =
            "#[test]\nfn a1_1_x() {}\nfn b1_1_helper() {}\n#[test]\n#[cfg(x)]\nfn c1_1_y() {}";
        assert_eq!(test_names(text), ["a1_1_x", "c1_1_y"]);
    }

    #[test]
    fn the_tests_of_a_table_of_defects_are_found() {
        let text = "| defect | tests |\n|---|---|\n| a `word` | `one`<br>`two` |\n| b | by clippy (`x`) |\n\
            | c | `three` | `no_test` |\n";
        assert_eq!(named(text), ["one", "two", "three"]);
    }
}
