//! The prompts for teams, metrics and the judge: templates, and the values inserted into them.
//!
//! | placeholder | team | judge | evaluator |
//! |---|---|---|---|
//! | `user_prompt`: the task | yes | yes | yes |
//! | `round_number`, `rounds_min`, `rounds_max` | yes | yes | |
//! | `submission_history`: past rounds with scores and remarks | yes | yes | |
//! | `ranking_table`, `team_position_message` | yes | yes, without names | |
//! | `submission` | | | yes |
//! | `current_datetime` | yes | yes | yes |
//!
//! Text of others is data, never instructions: submissions and remarks come in blocks that
//! cannot be closed from inside (`fence.rs`), and template syntax in them is ignored. The
//! filter `data("tag")` makes such a block from any text.

mod board;
mod fence;
mod history;
#[cfg(test)]
mod tests;

use jiff::Zoned;
use jiff::tz::TimeZone;
use kumite_core::contest::judge::TeamRecord;
use kumite_formats::contest::Prompts;
use minijinja::{Environment, ErrorKind, UndefinedBehavior, Value, context};

pub use board::{Rival, Situation};
pub use fence::{clean, shorten};

/// The submissions of this team, by round.
pub type Texts<'a> = dyn Fn(u32) -> Option<String> + Sync + 'a;

/// A longer submission is shown to an evaluator without its middle.
const SUBMISSION_CHARS: usize = 400_000;

const TEAM: &str = "team";
const EVALUATOR: &str = "evaluator";
const JUDGE: &str = "judge";

const TEAM_NAMES: [&str; 8] = [
    "user_prompt",
    "round_number",
    "rounds_min",
    "rounds_max",
    "submission_history",
    "ranking_table",
    "team_position_message",
    "current_datetime",
];
const EVALUATOR_NAMES: [&str; 3] = ["user_prompt", "submission", "current_datetime"];

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("the {template} prompt, line {line}: {what}")]
    Template {
        template: &'static str,
        line: usize,
        what: String,
    },
    #[error("the {template} prompt has no placeholder {name:?}; it has {known}")]
    Placeholder {
        template: &'static str,
        name: String,
        known: String,
    },
    #[error("the {template} prompt is blank; leave it out to have the built-in one")]
    Blank { template: &'static str },
    #[error("TZ is {name:?}, which is no time zone; write one such as Asia/Tokyo or UTC")]
    TimeZone { name: String },
}

/// The templates of a contest, checked.
#[derive(Debug)]
pub struct Templates {
    environment: Environment<'static>,
    history_chars: usize,
}

impl Templates {
    /// Refuses a template that could not be rendered later. Missing templates are built in.
    pub fn new(prompts: &Prompts, history_chars: usize) -> Result<Templates, Error> {
        let mut environment = Environment::new();
        environment.set_undefined_behavior(UndefinedBehavior::Strict);
        environment.set_auto_escape_callback(|_| minijinja::AutoEscape::None);
        environment.add_filter("data", data);
        let mut templates = Templates {
            environment,
            history_chars,
        };
        let built_in = include_str!("prompts/team.jinja");
        templates.add(TEAM, prompts.team.as_deref(), built_in, &TEAM_NAMES)?;
        let built_in = include_str!("prompts/evaluator.jinja");
        let own = prompts.evaluator.as_deref();
        templates.add(EVALUATOR, own, built_in, &EVALUATOR_NAMES)?;
        let built_in = include_str!("prompts/judge.jinja");
        templates.add(JUDGE, prompts.judge.as_deref(), built_in, &TEAM_NAMES)?;
        templates.try_out()?;
        Ok(templates)
    }

    /// D2: what a team gets in every round.
    pub fn team(
        &self,
        task: &str,
        situation: &Situation,
        now: &Zoned,
        texts: &Texts<'_>,
    ) -> Result<String, Error> {
        let table = board::table(&situation.board);
        let position = board::position("Your team", &situation.case);
        let values = self.values(task, &situation.case, table, position, now, texts);
        self.render(TEAM, values)
    }

    /// What a metric gets to see besides its instructions.
    pub fn evaluator(&self, task: &str, submission: &str, now: &Zoned) -> Result<String, Error> {
        let submission = clean(submission);
        let submission = fence::block("submission", &shorten(&submission, SUBMISSION_CHARS));
        let values = context! {
            user_prompt => task.trim(),
            submission,
            current_datetime => moment(now),
        };
        self.render(EVALUATOR, values)
    }

    /// What the judge gets to see: no team's name, and no order but that of scores.
    pub fn judge(
        &self,
        task: &str,
        case: &TeamRecord,
        now: &Zoned,
        texts: &Texts<'_>,
    ) -> Result<String, Error> {
        let table = board::anonymous_table(case);
        let position = board::position("This team", case);
        let values = self.values(task, case, table, position, now, texts);
        self.render(JUDGE, values)
    }

    fn values(
        &self,
        task: &str,
        case: &TeamRecord,
        table: String,
        position: String,
        now: &Zoned,
        texts: &Texts<'_>,
    ) -> Value {
        context! {
            user_prompt => task.trim(),
            round_number => case.round,
            rounds_min => case.rounds_min,
            rounds_max => case.rounds_max,
            submission_history => history::history(case, self.history_chars, texts),
            ranking_table => table,
            team_position_message => position,
            current_datetime => moment(now),
        }
    }

    fn add(
        &mut self,
        name: &'static str,
        own: Option<&str>,
        built_in: &str,
        known: &[&str],
    ) -> Result<(), Error> {
        let source = own.unwrap_or(built_in);
        if source.trim().is_empty() {
            return Err(Error::Blank { template: name });
        }
        self.environment
            .add_template_owned(name, source.to_owned())
            .map_err(|error| wrong(name, &error))?;
        let template = self.environment.get_template(name);
        let template = template.map_err(|error| wrong(name, &error))?;
        let is_global = |it: &str| self.environment.globals().any(|(name, _)| name == it);
        let mut names: Vec<String> = template.undeclared_variables(false).into_iter().collect();
        names.sort();
        let unknown = |it: &String| !known.contains(&it.as_str()) && !is_global(it);
        match names.into_iter().find(unknown) {
            Some(unknown) => Err(Error::Placeholder {
                template: name,
                name: unknown,
                known: known.join(", "),
            }),
            None => Ok(()),
        }
    }

    /// An unknown filter causes an error only when it is used.
    fn try_out(&self) -> Result<(), Error> {
        let now = Zoned::default();
        let situation = Situation {
            case: TeamRecord {
                round: 1,
                rounds_min: 1,
                rounds_max: 1,
                ..TeamRecord::default()
            },
            board: Vec::new(),
        };
        self.team("task", &situation, &now, &|_| None)?;
        self.evaluator("task", "submission", &now)?;
        self.judge("task", &situation.case, &now, &|_| None)?;
        Ok(())
    }

    fn render(&self, name: &'static str, values: Value) -> Result<String, Error> {
        let template = self.environment.get_template(name);
        let rendered = template.and_then(|template| template.render(values));
        rendered.map_err(|error| wrong(name, &error))
    }
}

/// The time zone of `current_datetime`: the variable `TZ`, otherwise UTC.
pub fn time_zone(tz: Option<&str>) -> Result<TimeZone, Error> {
    let name = tz.unwrap_or_default().trim();
    let name = name.strip_prefix(':').unwrap_or(name);
    if name.is_empty() {
        return Ok(TimeZone::UTC);
    }
    TimeZone::get(name)
        .or_else(|_| TimeZone::posix(name))
        .map_err(|_| Error::TimeZone {
            name: name.to_owned(),
        })
}

/// ISO 8601 with offset and microseconds.
fn moment(now: &Zoned) -> String {
    now.strftime("%Y-%m-%dT%H:%M:%S%.6f%:z").to_string()
}

/// The filter: `{{ user_prompt | data("task") }}`.
fn data(text: &str, tag: &str) -> Result<String, minijinja::Error> {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    if tag.is_empty() || !tag.chars().all(is_plain) {
        let what = format!("data({tag:?}): a tag has letters, digits and _ only");
        return Err(minijinja::Error::new(ErrorKind::InvalidOperation, what));
    }
    Ok(fence::block(tag, &clean(text)))
}

fn wrong(template: &'static str, error: &minijinja::Error) -> Error {
    let what = error
        .detail()
        .map_or_else(|| error.kind().to_string(), str::to_owned);
    Error::Template {
        template,
        line: error.line().unwrap_or(1),
        what,
    }
}
