//! What a person sees while a contest is played: lines, live progress, or JSON.

use console::measure_text_width;
use indicatif::{MultiProgress, ProgressBar};
use kumite_agents::clean_line;
use kumite_contest::announce::News;
use kumite_contest::home::Charter;
use kumite_contest::view;
use kumite_core::contest::board::standings;
use kumite_core::contest::{Contest, What};

use crate::progress::{lines_of_terminal, moving, say};

/// A longer name does not push all lines to the right.
const NAME_MAX: usize = 32;

pub struct Screen {
    id: String,
    width: usize,
    way: Way,
}

enum Way {
    Json,
    /// One sentence per line: nothing moves.
    Lines,
    /// Sentences, and below them one line per team.
    Live {
        lines: MultiProgress,
        teams: Vec<ProgressBar>,
    },
    Quiet,
}

impl Screen {
    pub fn new(charter: &Charter, json: bool, quiet: bool) -> Screen {
        let names = charter
            .plan
            .teams
            .iter()
            .map(|it| measure_text_width(&it.name));
        let way = match (json, quiet) {
            (true, _) => Way::Json,
            (false, true) => Way::Quiet,
            (false, false) => match lines_of_terminal() {
                Some(lines) => Way::live(charter, lines),
                None => Way::Lines,
            },
        };
        Screen {
            id: charter.id.clone(),
            width: names.max().unwrap_or(0).min(NAME_MAX),
            way,
        }
    }

    pub fn show(&mut self, news: &[News], contest: &Contest) {
        for news in news {
            match &self.way {
                Way::Quiet => {}
                Way::Json => say(&news.to_json(&self.id, contest).to_string()),
                Way::Lines => {
                    if let Some(line) = sentence(news, contest, self.width) {
                        say(&line);
                    }
                }
                Way::Live { lines, .. } => {
                    if let Some(line) = sentence(news, contest, self.width) {
                        let _ = lines.println(line);
                    }
                }
            }
        }
        if let Way::Live { teams, .. } = &self.way {
            draw(teams, contest, self.width);
        }
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        if let Way::Live { teams, .. } = &self.way {
            for bar in teams {
                bar.finish_and_clear();
            }
        }
    }
}

impl Way {
    fn live(charter: &Charter, lines: MultiProgress) -> Way {
        let bar = |_| {
            let bar = lines.add(ProgressBar::new_spinner());
            bar.set_style(moving());
            bar.enable_steady_tick(std::time::Duration::from_millis(100));
            bar
        };
        let teams = charter.plan.teams.iter().map(bar).collect();
        Way::Live { lines, teams }
    }
}

/// One line per team: round, score, rank, and its activity.
fn draw(bars: &[ProgressBar], contest: &Contest, width: usize) {
    for standing in standings(contest) {
        let team = &contest.teams[standing.team as usize];
        let Some(bar) = bars.get(standing.team as usize) else {
            continue;
        };
        if let Some(exit) = team.exit() {
            bar.finish_with_message(format!(
                "{}  {}",
                padded(&team.name, width),
                exit.reason.name()
            ));
            continue;
        }
        let best = standing
            .best
            .map_or("-".to_owned(), |(best, _)| best.to_string());
        let rank = standing
            .rank
            .map_or("-".to_owned(), |rank| rank.to_string());
        bar.set_message(format!(
            "{}  round {}/{}  best {best:>6}  rank {rank}  {}",
            padded(&team.name, width),
            team.round(),
            contest.rules.rounds_max,
            view::doing(&team.phase).unwrap_or("")
        ));
    }
}

fn sentence(news: &News, contest: &Contest, width: usize) -> Option<String> {
    if let What::Judged { round, .. } = news.what
        && round < contest.rules.rounds_min
    {
        // The team goes on anyway, and the judge was not asked.
        return None;
    }
    let words = clean_line(&words(&news.what)?);
    let team = news.team.and_then(|team| contest.teams.get(team as usize));
    Some(match team {
        Some(team) => format!("{}  {words}", padded(&team.name, width)),
        None => words,
    })
}

/// News worth a line. The start of a round is not, but its end is.
fn words(what: &What) -> Option<String> {
    Some(match what {
        What::RoundStarted { .. } | What::Submitted { .. } => return None,
        What::ContestStarted { teams, rounds_max } => {
            let count = |n: u64, what: &str| match n {
                1 => format!("1 {what}"),
                n => format!("{n} {what}s"),
            };
            let (teams, rounds) = (*teams as u64, u64::from(*rounds_max));
            format!(
                "{}, at most {}",
                count(teams, "team"),
                count(rounds, "round")
            )
        }
        What::ContestResumed => "goes on where it was".to_owned(),
        What::RoundScored { round, score, rank } => {
            let rank = rank.map_or(String::new(), |rank| format!(", rank {rank}"));
            format!("round {round}: {score}{rank}")
        }
        What::RoundFailed { round, why } => format!("round {round} failed: {why}"),
        What::Judged { round, judgment } => {
            let verdict = if judgment.should_continue {
                "goes on"
            } else {
                "ends"
            };
            format!("round {round}: {verdict} ({})", judgment.reasoning)
        }
        What::Trouble {
            part, attempt, why, ..
        } => format!("{}, try {attempt}: {why}", part.name()),
        What::TeamEnded {
            reason,
            message,
            best,
        } => {
            let best = match best {
                Some((score, round)) => format!(", best {score} in round {round}"),
                None => ", no score".to_owned(),
            };
            let message = message
                .as_ref()
                .map_or(String::new(), |it| format!(": {it}"));
            let (state, reason) = (reason.fate().name(), reason.name());
            format!("{state}, {reason}{best}{message}")
        }
        What::ContestEnded { .. } => return None,
    })
}

fn padded(name: &str, width: usize) -> String {
    let name = clean_line(name);
    let missing = width.saturating_sub(measure_text_width(&name));
    format!("{name}{}", " ".repeat(missing))
}
