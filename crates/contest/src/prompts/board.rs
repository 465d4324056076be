//! The position of a team among the others, in words.

use std::cmp::Ordering;

use kumite_core::contest::board::standings;
use kumite_core::contest::judge::TeamRecord;
use kumite_core::contest::{Contest, Fate, Score};

/// What a team is told about itself and the others, at one moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Situation {
    pub case: TeamRecord,
    /// Best first.
    pub board: Vec<Rival>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rival {
    pub name: String,
    pub rank: Option<u32>,
    pub best: Option<Score>,
    pub rounds: u32,
    pub is_own: bool,
    pub is_disqualified: bool,
}

impl Situation {
    pub fn of(contest: &Contest, team: u32) -> Situation {
        let lines = standings(contest).into_iter().filter_map(|standing| {
            let of = contest.teams.get(standing.team as usize)?;
            let fate = of.leaving().map(|exit| exit.reason.fate());
            Some(Rival {
                name: one_line(&of.name),
                rank: standing.rank,
                best: standing.best.map(|(score, _)| score),
                rounds: standing.rounds,
                is_own: standing.team == team,
                is_disqualified: fate == Some(Fate::Disqualified),
            })
        });
        Situation {
            case: TeamRecord::of(contest, team),
            board: lines.collect(),
        }
    }
}

/// The board with names.
pub fn table(board: &[Rival]) -> String {
    if board.iter().all(|line| line.best.is_none()) {
        return "No team has a score yet.".to_owned();
    }
    let lines: Vec<String> = board.iter().map(line).collect();
    lines.join("\n")
}

fn line(line: &Rival) -> String {
    let rank = line.rank.map_or("-".to_owned(), |rank| format!("#{rank}"));
    let score = match line.best {
        Some(score) => format!("score: {score}/100"),
        None => "no score yet".to_owned(),
    };
    let name = &line.name;
    let mut text = format!("{rank} {name} - {score} (rounds: {})", line.rounds);
    if line.is_disqualified {
        text.push_str(" (disqualified)");
    }
    if line.is_own {
        text.push_str(" (your team)");
    }
    text
}

/// The board as the judge may see it. Among equal scores, this team's comes first.
pub fn anonymous_table(case: &TeamRecord) -> String {
    let own = case.best().map(|(score, _)| (score, "this team"));
    let others = case.others.iter().map(|score| (*score, "another team"));
    let mut lines: Vec<(Score, &str)> = own.into_iter().chain(others).collect();
    if lines.is_empty() {
        return "No team has a score yet.".to_owned();
    }
    lines.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
    let all: Vec<Score> = lines.iter().map(|(score, _)| *score).collect();
    let lines = lines.iter().map(|(score, who)| {
        let rank = rank(*score, &all);
        format!("#{rank} {who} - score: {score}/100")
    });
    lines.collect::<Vec<String>>().join("\n")
}

/// The position of a team, as a sentence about `who`.
pub fn position(who: &str, case: &TeamRecord) -> String {
    let scored = case.others.len();
    let Some((own, _)) = case.best() else {
        return match scored {
            0 => "There are no places yet.".to_owned(),
            1 => format!("{who} has no score yet; another one has."),
            _ => format!("{who} has no score yet; {scored} others have."),
        };
    };
    let place = rank(own, &case.others);
    let equal = case.others.iter().filter(|score| **score == own).count();
    let shared = if equal > 0 { ", shared" } else { "" };
    let of = scored + 1;
    let next = case.others.iter().max().map(|top| (own.cmp(top), top));
    let gap = match next {
        Some((Ordering::Less, top)) => {
            let gap = top.hundredths() - own.hundredths();
            format!(
                " The best score is {top}, {}.{:02} above.",
                gap / 100,
                gap % 100
            )
        }
        _ => String::new(),
    };
    format!("{who} is in place {place} of {of}{shared}.{gap}")
}

fn rank(score: Score, all: &[Score]) -> usize {
    1 + all.iter().filter(|other| **other > score).count()
}

/// A name must stay on one line of the table.
fn one_line(name: &str) -> String {
    let words = name.split(|letter: char| letter.is_whitespace() || letter.is_control());
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    words.join(" ")
}
