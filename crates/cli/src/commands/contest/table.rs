//! The leader board as a table.

use console::{Style, measure_text_width, style};
use kumite_agents::clean_line;
use kumite_contest::view::{Board, BoardLine, ContestState, TeamState};

use crate::out::out;
use crate::render::elapsed;

/// A longer name does not push all columns to the right.
const NAME_MAX: usize = 32;

pub fn print(board: &Board) {
    for line in lines(board) {
        out!("{line}");
    }
}

/// A heading, one line per team, and the totals.
pub fn lines(board: &Board) -> Vec<String> {
    let width = |text: fn(&BoardLine) -> &str, least: usize| {
        let widths = board.teams.iter().map(|it| measure_text_width(text(it)));
        widths.max().unwrap_or(0).clamp(least, NAME_MAX)
    };
    let name = width(|line| &line.team_name, 4);
    let mut lines = vec![
        format!(
            "{}  {}",
            style(&board.execution_id).bold(),
            contest_style(board.state).apply_to(board.state.word())
        ),
        style(format!(
            "{:>4}  {:name$}  {:>6}  {:>5}  {:13}  {}",
            "rank", "team", "score", "round", "state", "why"
        ))
        .dim()
        .to_string(),
    ];
    for line in &board.teams {
        lines.push(row(board, line, name));
    }
    let mut sum = vec![format!("took {}", elapsed(board.elapsed_seconds as u64))];
    if board.cost_usd > 0.0 {
        sum.push(format!("${:.2}", board.cost_usd));
    }
    if board.input_tokens + board.output_tokens > 0 {
        let (input, output) = (board.input_tokens, board.output_tokens);
        sum.push(format!("{input} tokens in, {output} out"));
    }
    lines.push(style(sum.join(", ")).dim().to_string());
    if let Some(why) = &board.unsaved {
        lines.push(format!(
            "the database lacks the result ({why}); `kumite contest resume {}` writes it",
            board.execution_id
        ));
    }
    lines
}

fn row(board: &Board, line: &BoardLine, name: usize) -> String {
    let rank = line.rank.map_or("-".to_owned(), |rank| rank.to_string());
    let score = line
        .score
        .map_or("-".to_owned(), |score| format!("{score:.2}"));
    let round = match line.round {
        Some(round) => format!("{round}/{}", line.rounds),
        None => format!("-/{}", line.rounds),
    };
    let is_winner = board.winner.as_ref() == Some(&line.team_id);
    let shown = clean_line(&line.team_name);
    let padding = " ".repeat(name.saturating_sub(measure_text_width(&shown)));
    let team = match is_winner {
        true => style(shown).bold().green().to_string(),
        false => shown,
    };
    let state = team_style(line.state).apply_to(format!("{:13}", line.state.word()));
    format!(
        "{rank:>4}  {team}{padding}  {score:>6}  {round:>5}  {state}  {}",
        why(line, is_winner)
    )
    .trim_end()
    .to_owned()
}

fn why(line: &BoardLine, is_winner: bool) -> String {
    let mut parts = Vec::new();
    if is_winner {
        parts.push("winner".to_owned());
    }
    parts.extend(line.exit_reason.clone());
    if let Some(doing) = &line.doing {
        parts.push(format!("round {}: {doing}", line.current_round));
    }
    // Only the first line; `show` has the rest.
    let message = line.message.as_deref().and_then(|it| it.lines().next());
    parts.extend(message.map(clean_line));
    parts.join(", ")
}

pub fn contest_style(state: ContestState) -> Style {
    match state {
        ContestState::Running => Style::new().cyan(),
        ContestState::Done => Style::new().green(),
        ContestState::Failed => Style::new().red(),
        ContestState::Cancelled | ContestState::Stopped => Style::new().yellow(),
    }
}

fn team_style(state: TeamState) -> Style {
    match state {
        TeamState::Working => Style::new().cyan(),
        TeamState::Done => Style::new().green(),
        TeamState::Failed | TeamState::Disqualified => Style::new().red(),
        TeamState::Stopped => Style::new().yellow(),
    }
}
