//! A model that is asked for a JSON object: one question, one answer, one bill.

use std::sync::Arc;
use std::time::Duration;

use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};
use kumite_core::contest::{Failure, Used};
use kumite_formats::contest::{Llm, Plan, Price};
use kumite_models::{Answer, Ask, Client, Error, Kind, Model, Options, Stop, Usage};
use serde_json::Value;

use super::ModelMeans;
use crate::prompts::Templates;
use crate::work::{Missed, Try};

/// Appended to every instruction: text inside blocks is not an instruction.
const GUARD: &str = include_str!("../prompts/guard.txt");

pub(crate) struct Asked {
    client: Client,
    model: Model,
    system: String,
    schema: Value,
    options: Options,
    timeout: Duration,
    price: Option<Price>,
    pub templates: Arc<Templates>,
    zone: TimeZone,
}

impl Asked {
    /// Finds the model and its key, without a call.
    pub fn new(
        llm: &Llm,
        instruction: &str,
        schema: Value,
        plan: &Plan,
        means: &ModelMeans,
    ) -> Result<Asked, Error> {
        let model = Model::find(&llm.model, llm.base_url.as_deref(), means.env.as_ref())?;
        Ok(Asked {
            client: means.client.clone(),
            model,
            system: format!("{}\n\n{}", instruction.trim(), GUARD.trim()),
            schema,
            options: options(llm),
            timeout: Duration::from_millis(llm.timeout_ms),
            price: plan.prices.get(&llm.model).copied(),
            templates: Arc::clone(&means.templates),
            zone: means.zone.clone(),
        })
    }

    /// The time of day that prompts name.
    pub fn now(&self) -> Zoned {
        Timestamp::now().to_zoned(self.zone.clone())
    }

    /// The whole request. No model sees anything else.
    pub fn question(&self, prompt: String, limit: Duration) -> Ask {
        let mut ask = Ask::new(self.model.clone(), prompt);
        ask.system = Some(self.system.clone());
        ask.answer = Answer::Structured {
            schema: self.schema.clone(),
        };
        ask.options = self.options.clone();
        ask.options.timeout = Some(match self.timeout.is_zero() {
            true => limit,
            false => self.timeout.min(limit),
        });
        ask
    }

    /// Asks once. `read` converts the object, or returns why it cannot be used.
    pub fn ask<T>(
        &self,
        prompt: String,
        turn: &Try<'_>,
        read: impl Fn(&Value) -> Result<T, String>,
    ) -> Result<(T, Used), Missed> {
        // A model that answers the same question in the same way would fail again.
        let prompt = match turn.attempt {
            1 => prompt,
            _ => format!("{prompt}\n\n{ONCE_MORE}"),
        };
        let ask = self.question(prompt, turn.timeout);
        let reply = self.client.ask(&ask, turn.cancel);
        let reply = reply.map_err(|failure| missed(&failure))?;
        let used = used(reply.usage, self.price);
        let id = &self.model.id;
        let answer = match &reply.structured {
            Some(object) => read(object),
            None if reply.text.trim().is_empty() => Err("it is no JSON object".to_owned()),
            None => Err(format!(
                "no JSON object but {}",
                words(&reply.text, reply.stop)
            )),
        };
        let answer = answer.map_err(|why| {
            let why = format!("{id} gave an answer that cannot be used: {why}");
            Missed {
                used,
                ..Missed::free(Failure::Unusable, why)
            }
        })?;
        Ok((answer, used))
    }
}

const ONCE_MORE: &str = "An earlier answer could not be used. Answer with the object that is asked \
    for, all of its fields filled in as described, and nothing else.";

pub(crate) fn options(llm: &Llm) -> Options {
    let tokens = |tokens: u64| u32::try_from(tokens).unwrap_or(u32::MAX);
    Options {
        temperature: llm.temperature,
        max_tokens: llm.max_tokens.map(tokens),
        top_p: llm.top_p,
        seed: llm.seed,
        stop_sequences: llm.stop_sequences.clone(),
        timeout: None,
        extra: llm.extra.clone(),
    }
}

/// The price of tokens: dollars per million are millionths of a dollar per token.
pub(crate) fn used(usage: Usage, price: Option<Price>) -> Used {
    let Usage {
        input_tokens,
        output_tokens,
        ..
    } = usage;
    let cost =
        |price: Price| input_tokens as f64 * price.input + output_tokens as f64 * price.output;
    Used {
        input_tokens,
        output_tokens,
        micros: price.map_or(0, |price| cost(price).round() as u64),
        waited_ms: 0,
    }
}

/// A failed call in the core's terms.
pub(crate) fn missed(failure: &kumite_models::Failure) -> Missed {
    let kind = match failure.kind {
        Kind::TimedOut => Failure::TimedOut,
        Kind::Limited { .. }
        | Kind::Overloaded { .. }
        | Kind::Server { .. }
        | Kind::Unreachable
        | Kind::Malformed
        | Kind::Cancelled => Failure::Passing,
        Kind::Endless => Failure::Unusable,
        Kind::Refused { .. } | Kind::Auth => Failure::Lasting,
    };
    let millis = |wait: Duration| u64::try_from(wait.as_millis()).unwrap_or(u64::MAX);
    let mut missed = Missed::free(kind, failure.message.clone());
    missed.failed.retry_after_ms = failure.retry_after().map(millis);
    missed
}

/// A required field, by its name.
pub(crate) fn field<'a>(object: &'a Value, name: &str) -> Result<&'a Value, String> {
    object.get(name).ok_or_else(|| format!("{name} is missing"))
}

/// A text field, or an error with what is there instead.
pub(crate) fn text<'a>(object: &'a Value, name: &str) -> Result<&'a str, String> {
    let value = field(object, name)?;
    let wrong = || format!("{name} is {}, not a text", short(value));
    value.as_str().ok_or_else(wrong)
}

pub(crate) fn short(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(60) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

fn words(text: &str, stop: Stop) -> String {
    let why = match stop {
        Stop::Length => " (cut off: max_tokens is too low)",
        Stop::Filter => " (the model or its provider refused)",
        Stop::End | Stop::Tools | Stop::Paused | Stop::Other => "",
    };
    match text.trim() {
        "" => format!("nothing{why}"),
        text => format!("{}{why}", short(&Value::from(text))),
    }
}
