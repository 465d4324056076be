//! One contest, with everything that its pages show.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use kumite_contest::announce::News;
use kumite_contest::home::Home;
use kumite_contest::place::{self, Workspace};
use kumite_contest::report::{self, Listed, Report, RoundReport};
use kumite_contest::view::{BoardLine, ContestState};
use kumite_core::contest::{Contest, Effect};
use kumite_formats::contest::TeamKind;
use kumite_project::clock::rfc3339;
use kumite_project::journal;
use kumite_project::spec_file::sentence;

use crate::api::Refusal;
use crate::app::App;
use crate::render::marks::segment;
use crate::render::words::milliseconds;

pub fn place(app: &App) -> Result<Workspace, Refusal> {
    Workspace::of_project(app.project.root()).map_err(|error| trouble(&error))
}

fn trouble(error: &place::Error) -> Refusal {
    let words = sentence(error);
    match error {
        place::Error::NoSuch { .. } => Refusal::not_found(words),
        _ => Refusal::broken(words),
    }
}

pub fn broken(error: impl std::error::Error) -> Refusal {
    Refusal::broken(sentence(&error))
}

/// A contest. Its texts are read when they are shown.
pub struct SeenContest {
    pub id: String,
    pub created_at: String,
    /// None: only its rows are known.
    pub home: Option<Home>,
    pub report: Report,
    /// Ids in the order of the settings. A team's number is its place here.
    pub teams: Vec<String>,
    /// Whether there are teams of agents, which change files.
    pub has_agents: bool,
    /// When it began, moved forward by the time in which nobody played it.
    pub since: Option<String>,
    /// The latest known moment, on the contest's own clock.
    pub now_ms: i64,
    /// The contest's own clock at each entry. It stops while nobody plays.
    clock: BTreeMap<i64, i64>,
    /// All news, the oldest first.
    pub news: Vec<News>,
}

impl SeenContest {
    pub fn read(app: &App, id: &str) -> Result<SeenContest, Refusal> {
        let listed = place(app)?.exact(id).map_err(|error| trouble(&error))?;
        match listed.home.clone() {
            Some(home) => SeenContest::own(listed, home),
            None => {
                let report = report::report(&listed).map_err(broken)?;
                Ok(SeenContest::of_rows(listed, report))
            }
        }
    }

    fn own(listed: Listed, home: Home) -> Result<SeenContest, Refusal> {
        let charter = home.charter().map_err(broken)?;
        // Read this first: a contest that ends while we read counts as running.
        let is_played = home.is_played();
        let mut news = Vec::new();
        let mut clock = BTreeMap::new();
        let signed = |ms: u64| i64::try_from(ms).unwrap_or(i64::MAX);
        let contest = journal::replay(home.dir(), |entry, contest: &Contest, effects| {
            news.extend(effects.into_iter().filter_map(|effect| match effect {
                Effect::Announce(notice) => Some(News::new(entry.at_ms, notice)),
                _ => None,
            }));
            clock.insert(signed(entry.at_ms), signed(contest.elapsed_ms));
        });
        let contest = contest.map_err(broken)?;
        let report = report::outline(&charter, &contest, is_played);
        let is_agent = |kind: &TeamKind| matches!(kind, TeamKind::Agent(_));
        let since_ms = contest.now_ms.saturating_sub(contest.elapsed_ms);
        Ok(SeenContest {
            id: listed.id,
            created_at: listed.created_at,
            since: (report.board.state == ContestState::Running && since_ms > 0)
                .then(|| rfc3339(since_ms)),
            teams: charter.plan.teams.iter().map(|it| it.id.clone()).collect(),
            has_agents: charter.plan.teams.iter().any(|it| is_agent(&it.kind)),
            now_ms: signed(contest.elapsed_ms),
            clock,
            home: Some(home),
            report,
            news,
        })
    }

    pub fn of_rows(listed: Listed, report: Report) -> SeenContest {
        let mut teams: Vec<String> = report.board.teams.iter().map(id_of).collect();
        teams.sort_unstable();
        SeenContest {
            id: listed.id,
            created_at: listed.created_at,
            home: None,
            report,
            teams,
            has_agents: false,
            since: None,
            now_ms: 0,
            clock: BTreeMap::new(),
            news: Vec::new(),
        }
    }

    pub fn number(&self, team_id: &str) -> usize {
        let found = self.teams.iter().position(|it| it == team_id);
        found.unwrap_or(self.teams.len())
    }

    /// The board line of a team.
    pub fn line(&self, number: usize) -> Option<&BoardLine> {
        let id = self.teams.get(number)?;
        self.report.board.teams.iter().find(|it| it.team_id == *id)
    }

    pub fn rounds(&self, number: usize) -> impl Iterator<Item = &RoundReport> {
        let id = self.teams.get(number);
        let rounds = self.report.rounds.iter();
        rounds.filter(move |it| Some(&it.team_id) == id)
    }

    pub fn round(&self, number: usize, round: u32) -> Option<&RoundReport> {
        self.rounds(number).find(|it| it.round == round)
    }

    /// The colour of a team in charts. If there are more teams than colours, the best teams have
    /// one.
    pub fn colour(&self, number: usize, colours: usize) -> Option<usize> {
        let first = self.report.board.teams.iter().take(colours);
        let mut shown: Vec<usize> = first.map(|it| self.number(&it.team_id)).collect();
        shown.sort_unstable();
        shown.iter().position(|it| *it == number)
    }

    /// Start and end of a round on the contest's own clock. Database rows have only wall-clock
    /// times.
    pub fn played(&self, round: &RoundReport) -> Option<(i64, Option<i64>)> {
        let at = |at: &Option<String>| {
            let at_ms = milliseconds(at.as_deref()?)?;
            let known = self.clock.range(..=at_ms).next_back();
            Some(known.map_or(at_ms, |(_, own_ms)| *own_ms))
        };
        Some((at(&round.started_at)?, at(&round.ended_at)))
    }

    pub fn path(&self) -> String {
        format!("/contests/{}", segment(&self.id))
    }

    pub fn round_path(&self, number: usize, round: u32) -> String {
        format!("{}/teams/{number}/rounds/{round}", self.path())
    }

    pub fn round_dir(&self, number: usize, round: u32) -> Option<PathBuf> {
        let home = self.home.as_ref()?;
        Some(home.round(u32::try_from(number).ok()?, round))
    }

    /// Whether this round of a team changed files.
    pub fn has_changes(&self, number: usize, round: u32) -> bool {
        let dir = self.round_dir(number, round);
        let size = dir.and_then(|dir| std::fs::metadata(dir.join(CHANGES)).ok());
        size.is_some_and(|it| it.len() > 0)
    }
}

fn id_of(line: &BoardLine) -> String {
    line.team_id.clone()
}

/// All that an agent team changed, in the directory of its round.
pub const CHANGES: &str = "changes.diff";

/// A file of the contest; a link that leads outside counts as absent.
pub fn inside(home: &Home, path: &Path) -> std::io::Result<PathBuf> {
    let (root, real) = (home.dir().canonicalize()?, path.canonicalize()?);
    match real.starts_with(&root) && real.is_file() {
        true => Ok(real),
        false => Err(std::io::ErrorKind::NotFound.into()),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_link_out_of_the_contest_leads_nowhere() {
        let dir = tempfile::tempdir().unwrap();
        let home = Home::of(dir.path(), "one");
        let round = home.round(0, 1);
        fs::create_dir_all(&round).unwrap();
        let secret = dir.path().join("secret");
        fs::write(&secret, "hush").unwrap();
        let own = round.join("submission.txt");
        fs::write(&own, "text").unwrap();
        assert!(inside(&home, &own).is_ok());
        symlink(&secret, round.join("prompt.md")).unwrap();
        symlink(dir.path(), round.join("up")).unwrap();
        for path in ["prompt.md", "up/secret", "../../../../secret", "none", "."] {
            assert!(inside(&home, &round.join(path)).is_err(), "{path}");
        }
    }
}
