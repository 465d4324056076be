//! `kumite contest show`.

use clap::Args;
use console::style;
use kumite_agents::clean_line;
use kumite_contest::report::{self, Report, RoundReport};
use kumite_contest::view::BoardLine;

use super::place::PlaceArgs;
use super::table;
use crate::args::Setting;
use crate::out::out;
use crate::trouble::{Result, Trouble};

#[derive(Args)]
pub struct ShowArgs {
    /// The beginning of its id; by default the newest one
    id: Option<String>,
    #[command(flatten)]
    place: PlaceArgs,
    /// Only this team
    #[arg(long, value_name = "TEAM")]
    team: Option<String>,
    /// Only this round
    #[arg(long, value_name = "N")]
    round: Option<u32>,
    /// Include the submissions
    #[arg(long)]
    submissions: bool,
    /// Include the prompts
    #[arg(long)]
    prompts: bool,
}

pub fn show(setting: &Setting, args: &ShowArgs) -> Result {
    let place = args.place.find(setting)?;
    let mut report = report::report(&place.pick(args.id.as_deref())?)?;
    if let Some(team) = &args.team {
        let known = |line: &BoardLine| line.team_id == *team || line.team_name == *team;
        let Some(line) = report.board.teams.iter().find(|line| known(line)) else {
            let ids: Vec<&str> = report
                .board
                .teams
                .iter()
                .map(|it| it.team_id.as_str())
                .collect();
            return Err(Trouble::invalid(format!(
                "there is no team {team:?} in contest {}; there are: {}",
                report.board.execution_id,
                ids.join(", ")
            )));
        };
        let id = line.team_id.clone();
        report.board.teams.retain(|line| line.team_id == id);
        report.rounds.retain(|round| round.team_id == id);
    }
    if let Some(number) = args.round {
        report.rounds.retain(|round| round.round == number);
        if report.rounds.is_empty() {
            return Err(Trouble::invalid(format!(
                "there is no round {number} in contest {}",
                report.board.execution_id
            )));
        }
    }
    setting.answer(&serde_json::json!(report), || print(&report, args))
}

fn print(report: &Report, args: &ShowArgs) {
    out!("{}", style(report.board.task.trim_end()).italic());
    out!("");
    table::print(&report.board);
    out!("");
    chart(report);
    for line in &report.board.teams {
        out!("");
        out!("{}", style(clean_line(&line.team_name)).bold());
        for round in report.rounds.iter().filter(|it| it.team_id == line.team_id) {
            print_round(round, args);
        }
        if let Some(message) = &line.message {
            out!(
                "  {}: {message}",
                line.exit_reason.as_deref().unwrap_or("end")
            );
        }
    }
}

/// Scores by round as bars, one line per team.
fn chart(report: &Report) {
    let width = report
        .board
        .teams
        .iter()
        .map(|it| it.team_name.chars().count());
    let width = width.max().unwrap_or(0);
    for line in &report.board.teams {
        let bars: String = line.scores.iter().map(|score| bar(*score)).collect();
        let scores: Vec<String> = line
            .scores
            .iter()
            .map(|score| score.map_or("failed".to_owned(), |score| format!("{score:.2}")))
            .collect();
        out!(
            "{:width$}  {}  {}",
            clean_line(&line.team_name),
            style(bars).cyan(),
            style(scores.join("  ")).dim()
        );
    }
}

fn bar(score: Option<f64>) -> char {
    const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let Some(score) = score else {
        return '×';
    };
    let index = (score / 100.0 * 7.0).round() as usize;
    BARS[index.min(7)]
}

fn print_round(round: &RoundReport, args: &ShowArgs) {
    let score = match (&round.score, &round.failed) {
        (Some(score), _) => format!("{score:.2}"),
        (None, Some(why)) => format!("failed: {why}"),
        (None, None) => "under way".to_owned(),
    };
    out!("  round {}  {score}", round.round);
    for metric in &round.metrics {
        let veto = if metric.veto { " veto" } else { "" };
        out!(
            "    {} {:.2}{veto}  {}",
            clean_line(&metric.name),
            metric.score,
            style(one_line(&metric.remark)).dim()
        );
    }
    if let (Some(goes_on), Some(reasoning)) = (round.should_continue, &round.reasoning) {
        let verdict = if goes_on { "goes on" } else { "ends" };
        let sure = round.confidence_score.unwrap_or(0.0);
        out!(
            "    {verdict} (confidence {sure:.2}): {}",
            one_line(reasoning)
        );
    }
    let texts = [
        (args.prompts, "prompt", &round.prompt),
        (args.submissions, "submission", &round.submission),
    ];
    for (wanted, name, text) in texts {
        if let (true, Some(text)) = (wanted, text) {
            out!("    {}", style(name).bold());
            for line in text.lines() {
                out!("      {}", clean_line(line));
            }
        }
    }
}

fn one_line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    clean_line(&words.join(" "))
}
