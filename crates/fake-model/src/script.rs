//! The instructions for the model: rules, and the acts of each.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The script of one server.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Script {
    pub rules: Vec<Rule>,
    /// The token usage that every answer reports.
    #[serde(default)]
    pub usage: Usage,
    /// How long every answer takes.
    #[serde(default)]
    pub delay_ms: u64,
    /// Answer requests that offer no tools by the rules too. Agent programs use such requests for
    /// purposes of their own; plain clients send no others.
    #[serde(default)]
    pub without_tools: bool,
}

/// What to do with prompts that contain `when`, in requests that have `beside` in their system
/// texts, their tools or the schema of their answer. If both are empty the rule matches every
/// prompt, so later rules are never reached.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    #[serde(default)]
    pub when: String,
    #[serde(default)]
    pub beside: String,
    pub acts: Vec<Act>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Usage {
    pub input: u64,
    pub output: u64,
}

impl Default for Usage {
    fn default() -> Usage {
        Usage {
            input: 100,
            output: 20,
        }
    }
}

/// One answer of the model.
///
/// An act with `times` answers that often and is then skipped, so that the same conversation
/// continues with the next one. Without `times` it answers for ever.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Act {
    Say {
        text: String,
    },
    /// Thinks; outside `all` it says "done." afterwards.
    Think {
        text: String,
    },
    /// Writes a file, with the tool that the program offers for that.
    Write {
        path: String,
        content: String,
    },
    Read {
        path: String,
    },
    /// Runs a shell command.
    Run {
        command: String,
    },
    /// Calls a tool by its name, with any input.
    Tool {
        name: String,
        input: Value,
    },
    /// Answers with an object: by a call of `final_result` if that is offered, else as JSON text.
    Result {
        value: Value,
    },
    /// Several of the acts above in one answer.
    All(Vec<Act>),
    /// Any act, this many times.
    Only {
        times: u32,
        act: Box<Act>,
    },

    /// The plan's usage limit is reached.
    Limit {
        /// If None, the vendor does not say when the limit ends.
        #[serde(default)]
        resets_in_s: Option<i64>,
        #[serde(default)]
        times: Option<u32>,
    },
    Overload {
        #[serde(default)]
        times: Option<u32>,
    },
    /// Too many requests at the moment.
    Rate {
        #[serde(default)]
        retry_after_s: Option<u64>,
        #[serde(default)]
        times: Option<u32>,
    },
    Error {
        status: u16,
        message: String,
        #[serde(default)]
        times: Option<u32>,
    },
    /// The key is refused.
    Auth {
        #[serde(default)]
        times: Option<u32>,
    },
    /// Never answers.
    Hang {
        #[serde(default)]
        times: Option<u32>,
    },
    /// Begins to answer, and never continues.
    HangMid {
        #[serde(default)]
        times: Option<u32>,
    },
    /// Begins to answer, and closes the connection.
    Cut {
        #[serde(default)]
        times: Option<u32>,
    },
    /// Answers 200 with a page that no API would send.
    Garbage {
        #[serde(default)]
        times: Option<u32>,
    },
    /// Says "done." after a while.
    Slow {
        ms: u64,
        #[serde(default)]
        times: Option<u32>,
    },
    /// Says a text of this many bytes.
    Huge {
        bytes: usize,
        #[serde(default)]
        times: Option<u32>,
    },
}

const HUGE_BYTES_MAX: usize = 1 << 30;

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("cannot read the script: {0}")]
    Json(#[from] serde_json::Error),
    #[error("cannot use the script: {place}: {what}")]
    Act { place: String, what: String },
}

impl Script {
    /// One rule for every prompt.
    pub fn always(acts: Vec<Act>) -> Script {
        let rule = Rule {
            acts,
            ..Rule::default()
        };
        Script {
            rules: vec![rule],
            ..Script::default()
        }
    }

    /// Reads a script, or reports where it is wrong.
    pub fn from_json(text: &str) -> Result<Script, Error> {
        let script: Script = serde_json::from_str(text)?;
        script.check()?;
        Ok(script)
    }

    fn check(&self) -> Result<(), Error> {
        for (r, rule) in self.rules.iter().enumerate() {
            for (a, act) in rule.acts.iter().enumerate() {
                act.check().map_err(|what| Error::Act {
                    place: format!("rules[{r}].acts[{a}]"),
                    what,
                })?;
            }
        }
        Ok(())
    }
}

impl Act {
    /// How often it answers; None means always.
    pub fn times(&self) -> Option<u32> {
        match self {
            Act::Say { .. }
            | Act::Think { .. }
            | Act::Write { .. }
            | Act::Read { .. }
            | Act::Run { .. }
            | Act::Tool { .. }
            | Act::Result { .. }
            | Act::All(_) => None,
            Act::Only { times, .. } => Some(*times),
            Act::Limit { times, .. }
            | Act::Overload { times }
            | Act::Rate { times, .. }
            | Act::Error { times, .. }
            | Act::Auth { times }
            | Act::Hang { times }
            | Act::HangMid { times }
            | Act::Cut { times }
            | Act::Garbage { times }
            | Act::Slow { times, .. }
            | Act::Huge { times, .. } => *times,
        }
    }

    fn check(&self) -> Result<(), String> {
        match self {
            Act::Only { act, .. } => act.check(),
            Act::All(acts) if acts.is_empty() => Err("`all` has no acts".to_owned()),
            Act::All(acts) => match acts.iter().position(|act| !act.fits_in_all()) {
                Some(at) => Err(format!(
                    "all[{at}]: only say, think, write, read, run, tool and result can be done together"
                )),
                None => Ok(()),
            },
            Act::Error { status, .. } if !(400..600).contains(status) => Err(format!(
                "`status` is {status}; an error has a status from 400 to 599"
            )),
            Act::Huge { bytes, .. } if *bytes > HUGE_BYTES_MAX => Err(format!(
                "`bytes` is {bytes}; at most {HUGE_BYTES_MAX} are sent"
            )),
            _ => Ok(()),
        }
    }

    fn fits_in_all(&self) -> bool {
        matches!(
            self,
            Act::Say { .. }
                | Act::Think { .. }
                | Act::Write { .. }
                | Act::Read { .. }
                | Act::Run { .. }
                | Act::Tool { .. }
                | Act::Result { .. }
        )
    }
}
