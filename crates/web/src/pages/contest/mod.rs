//! The pages of contests.

mod agent;
mod board;
mod compare;
mod foreign;
mod happened;
mod head;
mod list;
mod rounds;
mod seen;
mod text;

use axum::Router;
use axum::extract::{Path, Query, State};
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use maud::{Markup, html};
use serde::Deserialize;

use self::seen::SeenContest;
use self::text::What;
use super::layout::Visit;
use crate::api::Refusal;
use crate::app::{App, Shared};
use crate::render::words::cut;

pub use list::ended;

/// How much of a text is shown on a page with many rounds.
const TEXT_MAX: u64 = 4_000;
/// How much of a text is shown on a page with few rounds.
const LONG_TEXT_MAX: u64 = 64_000;
/// The limit for all texts of one page: it is loaded again with every piece of news.
const PAGE_TEXT_MAX: u64 = 160_000;
/// A whole text is sent from memory.
const WHOLE_TEXT_MAX: u64 = 64_000_000;
const TITLE_CHARS: usize = 60;
const PLACE: &str = "/contests";

pub fn routes() -> Router<Shared> {
    let text = "/contests/{id}/teams/{team}/rounds/{round}/{text}";
    let agent = "/contests/{id}/teams/{team}/rounds/{round}/agents/{agent}";
    Router::new()
        .route("/contests", get(contests))
        .route("/contests/{id}", get(contest))
        .route("/contests/{id}/compare", get(compare))
        .route("/contests/{id}/teams/{team}", get(team))
        .route(text, get(whole_text))
        .route(agent, get(agent_page))
}

#[derive(Deserialize)]
struct ListQuery {
    /// Include contests that only the database knows, and old ones.
    all: Option<String>,
}

async fn contests(
    State(app): State<Shared>,
    visit: Visit,
    Query(query): Query<ListQuery>,
) -> Response {
    let may_change = visit.who.may_change();
    let wants_all = query.all.is_some();
    let body = app.read(move |app| list::page(app, may_change, wants_all));
    visit.answer(PLACE, "*", body.await.flatten())
}

/// A page of one contest.
async fn of_contest(
    app: &Shared,
    visit: &Visit,
    id: String,
    body: impl FnOnce(&SeenContest) -> Result<Markup, Refusal> + Send + 'static,
) -> Response {
    let topics = format!("contest:{id}");
    let page = app.render(move |app| -> Result<_, Refusal> {
        let seen = SeenContest::read(app, &id)?;
        Ok((title(&seen), body(&seen)?))
    });
    visit.answer(PLACE, &topics, page.await.flatten())
}

async fn contest(State(app): State<Shared>, visit: Visit, Path(id): Path<String>) -> Response {
    let may_change = visit.who.may_change();
    of_contest(&app, &visit, id, move |seen| Ok(whole(seen, may_change))).await
}

fn title(seen: &SeenContest) -> String {
    cut(&seen.report.board.task, TITLE_CHARS)
}

fn whole(seen: &SeenContest, may_change: bool) -> Markup {
    html! {
        (head::head(seen, may_change))
        (board::board(seen))
        (board::charts(seen))
        (rounds::of_all(seen, may_change))
        (happened::happened(seen))
    }
}

async fn team(
    State(app): State<Shared>,
    visit: Visit,
    Path((id, team)): Path<(String, usize)>,
) -> Response {
    let may_change = visit.who.may_change();
    let body = move |seen: &SeenContest| {
        let none = || Refusal::not_found(format!("contest {} has no team {team}", seen.id));
        rounds::of_one(seen, team, may_change).ok_or_else(none)
    };
    of_contest(&app, &visit, id, body).await
}

#[derive(Deserialize)]
struct LogQuery {
    from: Option<u64>,
}

async fn agent_page(
    State(app): State<Shared>,
    visit: Visit,
    Path((id, team, round, name)): Path<(String, usize, u32, String)>,
    Query(query): Query<LogQuery>,
) -> Response {
    let topics = format!("contest:{id}");
    let at = agent::AgentAt { team, round, name };
    let body = app.render(move |app| agent::page(app, &id, &at, query.from));
    visit.answer(PLACE, &topics, body.await.flatten())
}

#[derive(Deserialize)]
struct CompareQuery {
    a: Option<String>,
    b: Option<String>,
}

async fn compare(
    State(app): State<Shared>,
    visit: Visit,
    Path(id): Path<String>,
    Query(query): Query<CompareQuery>,
) -> Response {
    let body =
        move |seen: &SeenContest| compare::page(seen, query.a.as_deref(), query.b.as_deref());
    of_contest(&app, &visit, id, body).await
}

/// Sent as plain text, whatever it claims to be.
async fn whole_text(
    State(app): State<Shared>,
    visit: Visit,
    Path((id, team, round, what)): Path<(String, usize, u32, String)>,
) -> Response {
    let read = app.read(move |app| text_of(app, &id, team, round, &what));
    match read.await.flatten() {
        Ok(text) => {
            let headers = [
                (CONTENT_TYPE, "text/plain; charset=utf-8"),
                (CONTENT_DISPOSITION, "inline"),
            ];
            (headers, text).into_response()
        }
        Err(refusal) => visit.refuse(&refusal),
    }
}

fn text_of(app: &App, id: &str, team: usize, round: u32, what: &str) -> Result<String, Refusal> {
    let none = || Refusal::not_found(format!("round {round} of team {team} has no such text"));
    let what = What::from_name(what).ok_or_else(none)?;
    let seen = SeenContest::read(app, id)?;
    let of = seen.round(team, round).ok_or_else(none)?;
    let text = seen.text(of, what, WHOLE_TEXT_MAX).ok_or_else(none)?;
    Ok(text.text)
}

#[cfg(test)]
mod tests {
    use kumite_contest::report::{Listed, MetricReport, Report, RoundReport};
    use kumite_contest::view::{Board, BoardLine, ContestState, TeamState};

    use super::*;

    const BAD: &str = "\"><script>alert(1)</script><img src=x onerror=alert(1)>";

    fn line(number: u32, rounds: u32) -> BoardLine {
        BoardLine {
            team_id: format!("{BAD}{number}"),
            team_name: format!("{BAD}{number}"),
            rank: Some(number + 1),
            score: Some(50.0),
            round: Some(1),
            rounds,
            state: TeamState::Failed,
            exit_reason: Some(BAD.to_owned()),
            message: Some(BAD.to_owned()),
            doing: Some(BAD.to_owned()),
            current_round: rounds,
            scores: vec![Some(50.0); rounds as usize],
            cost_usd: 0.5,
            seconds: 1.0,
        }
    }

    fn round(number: u32, round: u32) -> RoundReport {
        let long = format!("{BAD} {}", "word ".repeat(400));
        RoundReport {
            team_id: format!("{BAD}{number}"),
            round,
            score: (!round.is_multiple_of(3)).then_some(50.0),
            metrics: vec![MetricReport {
                name: BAD.to_owned(),
                score: 50.0,
                remark: long.clone(),
                veto: true,
            }],
            failed: round.is_multiple_of(3).then(|| BAD.to_owned()),
            should_continue: Some(true),
            reasoning: Some(BAD.to_owned()),
            confidence_score: Some(0.5),
            started_at: Some(format!("2026-01-01T00:{round:02}:00Z")),
            ended_at: Some(format!("2026-01-01T00:{round:02}:30Z")),
            submission: Some(format!("# {long}\n\n[a](javascript:alert(1))\n")),
            submission_format: Some("md".to_owned()),
            prompt: Some(long),
        }
    }

    fn seen(teams: u32, rounds: u32) -> SeenContest {
        let all = (0..teams).flat_map(|team| (1..=rounds).map(move |it| round(team, it)));
        let report = Report {
            board: Board {
                execution_id: BAD.to_owned(),
                state: ContestState::Failed,
                winner: Some(format!("{BAD}0")),
                task: BAD.repeat(9),
                rounds_max: Some(rounds),
                teams: (0..teams).map(|it| line(it, rounds)).collect(),
                cost_usd: 1.0,
                input_tokens: 1,
                output_tokens: 1,
                elapsed_seconds: 9.0,
                unsaved: Some(BAD.to_owned()),
            },
            rounds: all.collect(),
        };
        let listed = Listed {
            id: BAD.to_owned(),
            created_at: BAD.to_owned(),
            home: None,
            database: BAD.into(),
        };
        SeenContest::of_rows(listed, report)
    }

    fn is_tame(text: &str) {
        for bad in ["<script", "<img", "href=\"javascript:"] {
            assert!(!text.contains(bad), "{bad} in {text}");
        }
    }

    #[test]
    fn whatever_teams_and_models_write_stays_text() {
        let seen = seen(3, 4);
        is_tame(&whole(&seen, true).into_string());
        is_tame(&rounds::of_one(&seen, 1, true).unwrap().into_string());
        let pair = compare::page(&seen, Some("0:1"), Some("2:3")).unwrap();
        is_tame(&pair.into_string());
    }

    #[test]
    fn a_contest_of_fifty_teams_and_ten_rounds_fits_a_page() {
        let text = whole(&seen(50, 10), true).into_string();
        assert!(text.len() < 1_500_000, "{} bytes", text.len());
        assert!(text.contains("30 more teams"));
        let mut ids: Vec<&str> = text.split(" id=\"").skip(1).collect();
        ids.iter_mut()
            .for_each(|it| *it = it.split('"').next().unwrap());
        let count = ids.len();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), count, "an id stands twice");
    }

    #[test]
    fn nobody_is_offered_what_he_may_not_do() {
        let text = whole(&seen(2, 2), false).into_string();
        assert!(!text.contains("data-post"), "{text}");
    }

    #[test]
    fn a_contest_that_has_not_begun_says_so() {
        let text = whole(&seen(0, 0), true).into_string();
        assert!(text.contains("have not begun yet"), "{text}");
        let pair = compare::page(&seen(0, 0), None, None)
            .unwrap()
            .into_string();
        assert!(pair.contains("no submission yet"), "{pair}");
    }

    #[test]
    fn rounds_that_are_not_there_cannot_be_compared() {
        let seen = seen(2, 2);
        for wrong in ["2:1", "0:9", "x", BAD] {
            assert!(compare::page(&seen, Some(wrong), None).is_err(), "{wrong}");
        }
    }
}
