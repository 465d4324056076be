//! A member that is a model.

use std::cell::Cell;
use std::time::Duration;

use kumite_formats::contest as formats;
use kumite_models::{
    Ask, Call, Conversation, Message, Model, Native, Options, Reply, TURNS_MAX, Tool, ToolResult,
};
use serde_json::json;

use super::fetch::{Fetcher, TIMEOUT};
use super::member::Task;
use super::model::{options, system};
use super::record::Worked;

const FETCH: &str = "fetch";

pub(super) struct Talk {
    model: Model,
    system: Option<String>,
    options: Options,
    retries: u32,
    pub native: Vec<Native>,
    /// It may ask us to fetch pages, up to this many per task.
    pub fetch: Option<(Fetcher, Option<u32>)>,
}

impl Talk {
    pub fn new(member: &formats::Member, model: Model, default: &str) -> Talk {
        let instruction = member.system_instruction.as_deref();
        Talk {
            model,
            system: system(instruction, default, member.system_prompt.as_deref()),
            options: options(&member.llm),
            retries: member.llm.max_retries,
            native: Vec::new(),
            fetch: None,
        }
    }

    pub fn add_to_system(&mut self, text: &str) {
        self.system = system(self.system.as_deref(), "", Some(text));
    }

    pub fn work(&self, task: &Task<'_>) -> Worked {
        let mut ask = Ask {
            system: self.system.clone(),
            tools: self.fetch.iter().map(|_| fetch_tool()).collect(),
            native: self.native.clone(),
            options: self.options.clone(),
            ..Ask::new(self.model.clone(), task.text)
        };
        let mut conversation = Conversation::new(&ask);
        let (fetched, mut requests, mut tool_calls) = (Cell::new(0), 0, 0);
        let outcome = 'talk: {
            for _ in 0..TURNS_MAX {
                // A member works in the middle of its leader's work, so each call is worth retries.
                let reply = match task.meter.ask(&ask, self.retries, &|_: Duration| {}) {
                    Ok(reply) => reply,
                    Err(failure) => break 'talk Err(failure.message),
                };
                requests += 1;
                conversation.got(reply.clone());
                if reply.calls.is_empty() {
                    break 'talk said(reply);
                }
                tool_calls += reply.calls.len() as u32;
                let results = reply
                    .calls
                    .iter()
                    .map(|call| self.result(call, task, &fetched));
                let results = Message::Results(results.collect());
                ask.messages.push(reply.message());
                ask.messages.push(results.clone());
                conversation.sent(results);
            }
            Err(format!(
                "{} came to no end in {TURNS_MAX} answers",
                self.model.id
            ))
        };
        Worked {
            outcome,
            warning: None,
            usage: conversation.usage(),
            requests,
            tool_calls,
            messages: conversation.record(),
        }
    }

    fn result(&self, call: &Call, task: &Task<'_>, fetched: &Cell<u32>) -> ToolResult {
        let outcome = self.fetched(call, task, fetched);
        ToolResult {
            id: call.id.clone(),
            name: call.name.clone(),
            is_error: outcome.is_err(),
            text: outcome.unwrap_or_else(|why| format!("error: {why}")),
        }
    }

    fn fetched(&self, call: &Call, task: &Task<'_>, fetched: &Cell<u32>) -> Result<String, String> {
        let Some((fetcher, max_uses)) = self.fetch.as_ref().filter(|_| call.name == FETCH) else {
            return Err(format!("there is no tool {:?}", call.name));
        };
        let Some(url) = call.input["url"].as_str() else {
            return Err("fetch needs a text \"url\"".to_owned());
        };
        if let Some(most) = max_uses.filter(|most| fetched.get() >= *most) {
            return Err(format!(
                "no more pages: all {most} of this task are used up"
            ));
        }
        fetched.set(fetched.get() + 1);
        let timeout = task.meter.left().min(TIMEOUT);
        let page = fetcher.fetch(url, timeout, task.meter.cancel);
        page.map_err(|error| error.to_string())
    }
}

fn said(reply: Reply) -> Result<String, String> {
    match reply.text.trim().is_empty() {
        true => Err(format!("{} said nothing", reply.model)),
        false => Ok(reply.text),
    }
}

fn fetch_tool() -> Tool {
    let url = json!({"type": "string", "description": "The whole URL, beginning with https://"});
    Tool {
        name: FETCH.to_owned(),
        description: "Fetches a page of the web and gives its text".to_owned(),
        schema: json!({
            "type": "object", "properties": {"url": url}, "required": ["url"],
            "additionalProperties": false,
        }),
    }
}
