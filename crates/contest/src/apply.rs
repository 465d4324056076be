//! Brings the winner's changes into the main checkout: all of them, or none.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use kumite_core::contest::board::winner;
use kumite_git::{Repository, RunError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::home::Home;
use crate::report::{self, replayed};

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(transparent)]
    Repository(#[from] kumite_git::Error),
    #[error(transparent)]
    Git(#[from] RunError),
    #[error("cannot read {path}", path = .path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error(
        "{diff} does not fit {top}, and nothing was changed; commit or put aside your own changes \
         to these files, or apply it to the commit that the contest began with: {words}",
        diff = .diff.display(),
        top = .top.display()
    )]
    DoesNotFit {
        diff: PathBuf,
        top: PathBuf,
        words: String,
    },
    #[error(transparent)]
    Report(#[from] report::Error),
    #[error("there is no team {team:?} in contest {id}")]
    NoTeam { id: String, team: String },
    #[error("contest {id} has no winner; --team names whose changes are meant")]
    NoWinner { id: String },
    #[error("team {team} has no good round")]
    NoGoodRound { team: String },
    #[error("team {team} has no round {round}; it played {played}")]
    NoRound {
        team: String,
        round: u32,
        played: usize,
    },
    #[error("round {round} of team {team} changed no files: only agent teams do")]
    NoChanges { team: String, round: u32 },
}

impl Error {
    /// The request does not fit the contest.
    pub fn is_refusal(&self) -> bool {
        match self {
            Error::Report(_)
            | Error::NoTeam { .. }
            | Error::NoWinner { .. }
            | Error::NoGoodRound { .. }
            | Error::NoRound { .. }
            | Error::NoChanges { .. } => true,
            Error::Repository(_)
            | Error::Git(_)
            | Error::Read { .. }
            | Error::DoesNotFit { .. } => false,
        }
    }
}

/// Which changes to apply.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "ApplyAsk")]
pub struct Ask {
    /// This team's instead of the winner's.
    #[serde(default)]
    pub team: Option<String>,
    /// Of this round instead of the best one.
    #[serde(default)]
    pub round: Option<u32>,
    /// Only check whether they can be applied.
    #[serde(default)]
    pub check: bool,
}

/// `kumite contest apply --json`.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Applied {
    pub execution_id: String,
    pub team_id: String,
    pub round: u32,
    pub applied: bool,
    pub files: Vec<Change>,
}

/// A changed file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "AppliedFile")]
pub struct Change {
    /// Relative to the top of the repository.
    pub path: String,
    /// Lines; None for a file without lines.
    pub added: Option<u64>,
    pub removed: Option<u64>,
}

/// Brings the changes of a team into the project of its contest.
pub fn apply_round(home: &Home, ask: &Ask) -> Result<Applied, Error> {
    let (charter, contest) = replayed(home)?;
    let id = charter.id;
    let index = match &ask.team {
        Some(team) => {
            let index = contest.teams.iter().position(|it| it.id == *team);
            index.ok_or_else(|| Error::NoTeam {
                id: id.clone(),
                team: team.clone(),
            })?
        }
        None => winner(&contest).ok_or_else(|| Error::NoWinner { id: id.clone() })? as usize,
    };
    let played = &contest.teams[index];
    let team = played.id.clone();
    let Some(round) = ask.round.or(played.best().map(|round| round.number)) else {
        return Err(Error::NoGoodRound { team });
    };
    if played.rounds.iter().all(|it| it.number != round) {
        let played = played.rounds.len();
        return Err(Error::NoRound {
            team,
            round,
            played,
        });
    }
    let diff = home.round(index as u32, round).join("changes.diff");
    if !diff.exists() {
        return Err(Error::NoChanges { team, round });
    }
    Ok(Applied {
        files: apply(&charter.project, &diff, ask.check)?,
        execution_id: id,
        team_id: team,
        round,
        applied: !ask.check,
    })
}

/// Applies a diff to the working tree around `project`; the index stays unchanged. With
/// `check_only` it only checks whether the diff applies. Returns the changes, which are none for an
/// empty diff.
pub fn apply(project: &Path, diff: &Path, check_only: bool) -> Result<Vec<Change>, Error> {
    let read = |source| Error::Read {
        path: diff.to_owned(),
        source,
    };
    // git looks for it from the top.
    let diff = fs::canonicalize(diff).map_err(read)?;
    if fs::metadata(&diff).map_err(read)?.len() == 0 {
        return Ok(Vec::new());
    }
    let repository = Repository::of(project)?;
    let git = repository.git();
    let run = |flags: &[&str]| {
        let flags = ["apply", "--whitespace=nowarn"].iter().chain(flags);
        let mut args: Vec<_> = flags.map(AsRef::as_ref).collect();
        args.push(diff.as_os_str());
        git.run(&args)
    };
    let changes = changes(&run(&["--numstat", "-z"])?);
    let does_not_fit = |error| match error {
        RunError::Failed { words, .. } => Error::DoesNotFit {
            diff: diff.clone(),
            top: repository.top().to_owned(),
            words,
        },
        other => Error::Git(other),
    };
    run(&["--check"]).map_err(does_not_fit)?;
    if !check_only {
        // git checks everything again before it writes anything.
        run(&[]).map_err(does_not_fit)?;
    }
    Ok(changes)
}

/// `added TAB removed TAB path NUL`, repeated.
fn changes(numstat: &[u8]) -> Vec<Change> {
    let text = String::from_utf8_lossy(numstat);
    let lines = text.split('\0').filter_map(|line| {
        let mut parts = line.splitn(3, '\t');
        let (added, removed) = (parts.next()?, parts.next()?);
        Some(Change {
            path: parts.next()?.to_owned(),
            added: added.parse().ok(),
            removed: removed.parse().ok(),
        })
    });
    lines.collect()
}
