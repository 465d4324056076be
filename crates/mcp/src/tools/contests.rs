//! Contests: several teams, one task, a leader board.

use std::path::PathBuf;

use kumite_contest::home::Home;
use kumite_contest::listing;
use kumite_contest::place::Workspace;
use kumite_contest::prepare;
use kumite_contest::report::{self, Listed, RoundReport};
use kumite_contest::view::Board;
use kumite_host::{Request, client, contests};
use kumite_project::project::Project;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::page::{Part, clipped, page};
use crate::refusal::{Refusal, Result};
use crate::tool::{Answer, Call, Reach, Tool, tool};

/// The most bytes of one text that are shown.
const TEXT_MAX: usize = 16 * 1024;

pub fn tools() -> [Tool; 6] {
    [
        tool(
            "list_contests",
            Reach::Reads,
            "The contests of the project, newest first: state, task, winner, cost.",
            list_contests,
        ),
        tool(
            "get_contest",
            Reach::Reads,
            "The leader board of a contest, also while it runs: rank, score, round and state of \
             every team.",
            get_contest,
        ),
        tool(
            "get_contest_report",
            Reach::Reads,
            "The rounds of a contest: scores, what the evaluators said, what the judge decided; \
             with texts also submissions and prompts.",
            get_contest_report,
        ),
        tool(
            "start_contest",
            Reach::Starts,
            "Plays a contest in the background and returns its id. The file is a contest.toml of the \
             project, or mixseek's orchestrator file.",
            start_contest,
        ),
        tool(
            "cancel_contest",
            Reach::Ends,
            "Ends a contest and its agents; what is finished stays on the board.",
            cancel_contest,
        ),
        tool(
            "resume_contest",
            Reach::Starts,
            "Goes on in the background with a contest that was interrupted.",
            resume_contest,
        ),
    ]
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ListContests {
    /// Number of the first one, from 1, the newest.
    from: Option<u64>,
    /// How many; default 20, at most 1000.
    count: Option<u64>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct OneContest {
    /// Its id, or the beginning of it; by default the newest one.
    contest: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ThisContest {
    /// Its id, or the beginning of it.
    contest: String,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct GetContestReport {
    /// Its id, or the beginning of it; by default the newest one.
    contest: Option<String>,
    /// Only this team, by its id or name.
    team: Option<String>,
    /// Only this round.
    round: Option<u32>,
    /// Include submissions and prompts.
    #[serde(default)]
    texts: bool,
    /// Number of the first matching round, from 1.
    from: Option<u64>,
    /// How many; default 50, at most 1000.
    count: Option<u64>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct StartContest {
    /// Path of the file in the project.
    file: String,
    /// What the teams have to do, if the file does not say it.
    task: Option<String>,
}

/// A contest needs no project: without one it uses the current directory.
fn root(call: &Call<'_>) -> PathBuf {
    let project = call
        .access
        .project()
        .map(|project| project.root().to_owned());
    project.unwrap_or_else(|_| call.access.place.clone())
}

fn pick(call: &Call<'_>, id: Option<&str>) -> Result<Listed> {
    Ok(Workspace::of_project(&root(call))?.pick(id)?)
}

fn list_contests(call: &Call<'_>, args: ListContests) -> Result<Answer> {
    let all = listing::all(&Workspace::of_project(&root(call))?)?;
    let part = Part::new(args.from.or(Some(1)), args.count);
    let page = page(all, part, 20)?;
    Answer::of(&json!({"total": page.total, "next": page.next, "contests": page.items}))
}

fn get_contest(call: &Call<'_>, args: OneContest) -> Result<Answer> {
    let listed = pick(call, args.contest.as_deref())?;
    Answer::of(&report::board_of(&listed)?)
}

fn get_contest_report(call: &Call<'_>, args: GetContestReport) -> Result<Answer> {
    let report = report::report(&pick(call, args.contest.as_deref())?)?;
    let (board, mut rounds) = (report.board, report.rounds);
    if let Some(team) = &args.team {
        let id = team_id(&board, team)?;
        rounds.retain(|round| round.team_id == id);
    }
    if let Some(number) = args.round {
        rounds.retain(|round| round.round == number);
        if rounds.is_empty() {
            return Err(Refusal(format!(
                "round: there is no round {number} in contest {}",
                board.execution_id
            )));
        }
    }
    for round in &mut rounds {
        shorten(round, args.texts);
    }
    let part = Part::new(args.from.or(Some(1)), args.count);
    let page = page(rounds, part, 50)?;
    Answer::of(&json!({
        "execution_id": board.execution_id,
        "state": board.state,
        "winner": board.winner,
        "task": clipped(&board.task, TEXT_MAX),
        "total": page.total,
        "next": page.next,
        "rounds": page.items,
    }))
}

fn team_id(board: &Board, team: &str) -> Result<String> {
    let mut teams = board.teams.iter();
    let found = teams.find(|line| line.team_id == team || line.team_name == team);
    found.map(|line| line.team_id.clone()).ok_or_else(|| {
        let ids: Vec<&str> = board.teams.iter().map(|it| it.team_id.as_str()).collect();
        Refusal(format!(
            "team: there is no team {team:?} in contest {}; there are: {}",
            board.execution_id,
            ids.join(", ")
        ))
    })
}

fn shorten(round: &mut RoundReport, texts: bool) {
    for text in [&mut round.submission, &mut round.prompt] {
        *text = text
            .take()
            .filter(|_| texts)
            .map(|text| clipped(&text, TEXT_MAX));
    }
    for metric in &mut round.metrics {
        metric.remark = clipped(&metric.remark, TEXT_MAX);
    }
}

fn start_contest(call: &Call<'_>, args: StartContest) -> Result<Answer> {
    let home = prepare::in_project(&root(call), &args.file, args.task.as_deref())?;
    on_its_way(call, &home)
}

fn resume_contest(call: &Call<'_>, args: ThisContest) -> Result<Answer> {
    on_its_way(call, &pick(call, Some(&args.contest))?.own()?)
}

fn cancel_contest(call: &Call<'_>, args: ThisContest) -> Result<Answer> {
    let listed = pick(call, Some(&args.contest))?;
    let message = contests::cancel(listed.clone().own()?)?.words(&listed.id);
    let state = report::board_of(&listed)?.state;
    Answer::of(&json!({"message": message, "execution_id": listed.id, "state": state}))
}

/// An engine without a terminal plays it, and does not need us.
fn on_its_way(call: &Call<'_>, home: &Home) -> Result<Answer> {
    let dir = home.dir().to_owned();
    let request = Request::Contest { dir, by: None };
    client::detach(&Project::at(root(call)), request, None)?;
    let id = home.id();
    let message = format!("contest {id} is being played");
    Answer::of(&json!({"message": message, "execution_id": id}))
}
