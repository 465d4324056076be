//! A team of models: a leader, and members as its tools.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use kumite_core::contest::Used;
use kumite_formats::contest::{self as formats, Llm, Price};
use kumite_models::{
    Ask, Client, Leader, Member as Tool, MemberAnswer, MemberCall, Model, Options, lead,
};
use serde_json::Value;

use super::member::{Member, Task};
use super::meter::Meter;
use super::record::record;
use crate::evaluate::{ModelMeans, asked};
use crate::work::{Handed, Missed, Team, Try};

pub struct ModelTeam {
    client: Client,
    prices: BTreeMap<String, Price>,
    leader: Leader,
    retries: u32,
    members: Vec<Member>,
}

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("leader: {0}")]
    Leader(kumite_models::Error),
    #[error("member {name} cannot be asked")]
    Member {
        name: String,
        source: kumite_models::Error,
    },
    #[error(
        "member {name}: {model} cannot do {what} on its side; \
         models that can are those of {providers}"
    )]
    Unable {
        name: String,
        model: String,
        what: &'static str,
        providers: String,
    },
    #[error("member {name}: the command is empty; write it as [\"program\", \"argument\"]")]
    NoCommand { name: String },
    #[error("member {name}: the plugin names neither a module nor a path")]
    NoPlugin { name: String },
}

impl ModelTeam {
    /// Finds every model and key, without a call.
    pub fn new(
        team: &formats::ModelTeam,
        prices: &BTreeMap<String, Price>,
        means: &ModelMeans,
    ) -> Result<ModelTeam, Error> {
        let llm = &team.leader.llm;
        let model = find(llm, means).map_err(Error::Leader)?;
        let members = team.members.iter().map(|member| Member::new(member, means));
        let tool = |member: &formats::Member| Tool {
            tool_name: member.tool_name.clone(),
            description: member.tool_description.clone(),
        };
        let default = match team.members.is_empty() {
            true => ALONE,
            false => LEADING,
        };
        let instruction = team.leader.system_instruction.as_deref();
        Ok(ModelTeam {
            client: means.client.clone(),
            prices: prices.clone(),
            leader: Leader {
                model,
                system: system(instruction, default, team.leader.system_prompt.as_deref()),
                options: options(llm),
                native: Vec::new(),
                members: team.members.iter().map(tool).collect(),
                max_concurrent: team.max_concurrent_members as usize,
            },
            retries: llm.max_retries,
            members: members.collect::<Result<_, _>>()?,
        })
    }

    fn call(&self, call: MemberCall<'_>, meter: &Meter<'_>, turn: &Try<'_>) -> Called {
        let member = &self.members[call.member];
        let began = Instant::now();
        let worked = member.work(&Task {
            text: call.task,
            meter,
            turn,
        });
        Called {
            number: call.number,
            answer: match &worked.outcome {
                Ok(text) => MemberAnswer {
                    text: text.clone(),
                    is_error: false,
                },
                Err(why) => MemberAnswer {
                    text: format!("error: {} could not do it: {why}", member.name),
                    is_error: true,
                },
            },
            record: record(&member.name, member.kind, &worked, began.elapsed()),
        }
    }
}

/// The result of one call of a member.
struct Called {
    number: usize,
    answer: MemberAnswer,
    record: Value,
}

impl Team for ModelTeam {
    /// The core repeats a whole submission, so a failed first call is left to it. Later there is
    /// work to lose, so only the call is repeated.
    fn submit(&self, prompt: &str, turn: &Try<'_>) -> Result<Handed, Missed> {
        let meter = Meter::new(&self.client, &self.prices, turn);
        let (asked, waited) = (Cell::new(false), Cell::new(Duration::ZERO));
        let records = Mutex::new(BTreeMap::new());
        let ask = |ask: &Ask| {
            let is_first = !asked.replace(true);
            let retries = if is_first { 0 } else { self.retries };
            meter.ask(ask, retries, &|pause| waited.set(waited.get() + pause))
        };
        let member = |call: MemberCall<'_>| {
            let called = self.call(call, &meter, turn);
            let mut records = records.lock().unwrap_or_else(PoisonError::into_inner);
            records.insert(called.number, called.record);
            called.answer
        };
        let led = lead(&self.leader, prompt, &ask, &member);
        let waited_ms = u64::try_from(waited.get().as_millis()).unwrap_or(u64::MAX);
        let used = Used {
            waited_ms,
            ..meter.used()
        };
        match led.answer {
            Ok(text) => Ok(Handed {
                text,
                flaw: None,
                format: "md".to_owned(),
                messages: led.conversation.record(),
                members: in_order(records),
                used,
            }),
            Err(failure) => Err(Missed {
                failed: meter.failed(&failure),
                used,
            }),
        }
    }
}

/// Members that work at the same time end in any order; their records are in the order of the
/// calls.
fn in_order(records: Mutex<BTreeMap<usize, Value>>) -> Value {
    let records = records.into_inner().unwrap_or_else(PoisonError::into_inner);
    records.into_values().collect()
}

const ALONE: &str = "\
You take part in a contest for your team. Read the task and everything that is said about earlier \
rounds, make up your mind about what a better answer needs, and then give the complete answer. \
Your last message is the submission: it has to stand on its own.";

const LEADING: &str = "\
You lead a team that takes part in a contest. Read the task and everything that is said about \
earlier rounds, and work out what a better answer needs. Your tools are the members of your team. \
Give work only to those that are suited for it, and to as few of them as will do; none at all is \
fine. A member knows nothing but the words of its task, so say everything that it needs; you may \
call several at once, or one after the other. What a member says may be wrong: weigh it. Then give \
the complete answer yourself. Your last message is the submission: it has to stand on its own.";

/// The system text: the instruction or its default, and an addition.
pub(super) fn system(
    instruction: Option<&str>,
    default: &str,
    added: Option<&str>,
) -> Option<String> {
    let parts = [Some(instruction.unwrap_or(default)), added];
    let parts = parts
        .into_iter()
        .flatten()
        .filter(|part| !part.trim().is_empty());
    let parts: Vec<&str> = parts.collect();
    (!parts.is_empty()).then(|| parts.join("\n\n"))
}

pub(super) fn find(llm: &Llm, means: &ModelMeans) -> Result<Model, kumite_models::Error> {
    Model::find(&llm.model, llm.base_url.as_deref(), means.env.as_ref())
}

/// A timeout of 0 means none; the time of the try limits every call.
pub(super) fn options(llm: &Llm) -> Options {
    let timeout = Duration::from_millis(llm.timeout_ms);
    Options {
        timeout: Some(timeout).filter(|timeout| !timeout.is_zero()),
        ..asked::options(llm)
    }
}
