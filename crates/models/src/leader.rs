//! A leader: a model whose tools are the members of its team.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use serde_json::json;

use crate::ask::{Ask, Call, Message, Native, Options, Reply, Tool, ToolResult, Usage};
use crate::failure::{Failure, Kind};
use crate::messages::Conversation;
use crate::model::Model;

/// A leader that still calls members after this many answers will never finish.
pub const TURNS_MAX: usize = 50;

#[derive(Debug, Clone, PartialEq)]
pub struct Leader {
    pub model: Model,
    pub system: Option<String>,
    pub options: Options,
    pub native: Vec<Native>,
    pub members: Vec<Member>,
    /// How many members work at the same time; 0 counts as 1.
    pub max_concurrent: usize,
}

/// A member as the leader sees it: a tool that takes a task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    pub tool_name: String,
    pub description: String,
}

/// A task for a member.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MemberCall<'a> {
    /// Its index among the members.
    pub member: usize,
    pub task: &'a str,
    /// The number of the call, from 0, in the order in which the leader made them.
    pub number: usize,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemberAnswer {
    pub text: String,
    pub is_error: bool,
}

/// The result. The usage is known in any case.
#[derive(Debug, Clone, PartialEq)]
pub struct Led {
    /// The leader's final text.
    pub answer: Result<String, Failure>,
    pub conversation: Conversation,
    /// How many calls of members were carried out.
    pub calls: usize,
    /// Usage of the leader alone.
    pub usage: Usage,
}

/// Lets the leader work on `prompt` until it answers with text.
///
/// `ask` sends a request to the model: the caller decides about retries, waiting and
/// cancellation. `member` does the work of a member, several at the same time.
pub fn lead(
    leader: &Leader,
    prompt: &str,
    ask: &dyn Fn(&Ask) -> Result<Reply, Failure>,
    member: &(dyn Fn(MemberCall<'_>) -> MemberAnswer + Sync),
) -> Led {
    let mut request = Ask {
        system: leader.system.clone(),
        tools: leader.members.iter().map(tool).collect(),
        native: leader.native.clone(),
        options: leader.options.clone(),
        ..Ask::new(leader.model.clone(), prompt)
    };
    let mut conversation = Conversation::new(&request);
    let mut calls = 0;
    let answer = 'talk: {
        for _ in 0..TURNS_MAX {
            let reply = match ask(&request) {
                Ok(reply) => reply,
                Err(failure) => break 'talk Err(failure),
            };
            conversation.got(reply.clone());
            if reply.calls.is_empty() {
                break 'talk Ok(reply.text);
            }
            let results = Work::carry_out(leader, &reply.calls, &mut calls, member);
            request.messages.push(reply.message());
            request.messages.push(Message::Results(results.clone()));
            conversation.sent(Message::Results(results));
        }
        Err(Failure {
            kind: Kind::Endless,
            message: format!(
                "{} still called members after {TURNS_MAX} answers",
                leader.model.id
            ),
        })
    };
    Led {
        answer,
        usage: conversation.usage(),
        conversation,
        calls,
    }
}

fn tool(member: &Member) -> Tool {
    let task = json!({"type": "string", "description": "What the member has to do"});
    Tool {
        name: member.tool_name.clone(),
        description: member.description.clone(),
        schema: json!({
            "type": "object", "properties": {"task": task}, "required": ["task"],
            "additionalProperties": false,
        }),
    }
}

/// The calls of one answer.
struct Work<'a> {
    jobs: Vec<(usize, MemberCall<'a>)>,
    results: Mutex<Vec<ToolResult>>,
    next: AtomicUsize,
}

impl Work<'_> {
    /// Carries out all calls, with as many at the same time as the leader allows, and returns the
    /// results in the order of the calls. A call that cannot be understood is answered with an
    /// explanation.
    fn carry_out(
        leader: &Leader,
        calls: &[Call],
        done: &mut usize,
        member: &(dyn Fn(MemberCall<'_>) -> MemberAnswer + Sync),
    ) -> Vec<ToolResult> {
        let mut jobs = Vec::new();
        let mut results = Vec::new();
        for (at, call) in calls.iter().enumerate() {
            let problem = match understand(leader, call) {
                Ok((member, task)) => {
                    let number = *done;
                    *done += 1;
                    jobs.push((
                        at,
                        MemberCall {
                            member,
                            task,
                            number,
                        },
                    ));
                    String::new()
                }
                Err(problem) => problem,
            };
            results.push(ToolResult {
                id: call.id.clone(),
                name: call.name.clone(),
                text: problem,
                is_error: true,
            });
        }
        let work = Work {
            jobs,
            results: Mutex::new(results),
            next: AtomicUsize::new(0),
        };
        let hands = leader.max_concurrent.clamp(1, work.jobs.len().max(1));
        thread::scope(|scope| {
            for _ in 1..hands {
                scope.spawn(|| work.take_part(member));
            }
            work.take_part(member);
        });
        work.results
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn take_part(&self, member: &(dyn Fn(MemberCall<'_>) -> MemberAnswer + Sync)) {
        while let Some((at, call)) = self.jobs.get(self.next.fetch_add(1, Ordering::Relaxed)) {
            let answer = member(*call);
            let mut results = self.results.lock().unwrap_or_else(PoisonError::into_inner);
            results[*at].text = answer.text;
            results[*at].is_error = answer.is_error;
        }
    }
}

fn understand<'a>(leader: &Leader, call: &'a Call) -> Result<(usize, &'a str), String> {
    let member = leader
        .members
        .iter()
        .position(|member| member.tool_name == call.name);
    let Some(member) = member else {
        let names: Vec<_> = leader
            .members
            .iter()
            .map(|one| one.tool_name.as_str())
            .collect();
        let there = match names.is_empty() {
            true => "there is none".to_owned(),
            false => format!("there are: {}", names.join(", ")),
        };
        return Err(format!("error: there is no tool {:?}; {there}", call.name));
    };
    match call.input["task"].as_str() {
        Some(task) if !task.trim().is_empty() => Ok((member, task)),
        _ => Err(format!(
            "error: {} needs a non-empty text \"task\"",
            call.name
        )),
    }
}
