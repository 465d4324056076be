//! D4: the judge, as rules or as a model. It says whether another round is worth it.
//!
//! A judge is blind: its input contains no team's name or id and no order of teams. It is asked
//! once; the core decides about further tries.

#[cfg(test)]
mod tests;

use jiff::Zoned;
use kumite_core::contest::judge::{TeamRecord, by_rules};
use kumite_core::contest::{Confidence, Judgment, Used};
use kumite_formats::contest::{self as formats, Plan};
use serde_json::{Value, json};

use crate::evaluate::ModelMeans;
use crate::evaluate::asked::{Asked, field, short, text};
use crate::prompts::{self, Texts};
use crate::work::{Judge, Missed, Try};

/// What a judge gets to see.
pub struct Case<'a> {
    pub record: TeamRecord,
    pub task: &'a str,
    pub texts: &'a Texts<'a>,
}

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("the judge: {0}")]
    Model(#[from] kumite_models::Error),
}

const INSTRUCTION: &str = include_str!("judge/instruction.txt");

/// The judge of a plan. Its model and key are resolved, but nothing is called.
pub fn judge(plan: &Plan, means: &ModelMeans) -> Result<Box<dyn Judge>, Error> {
    match &plan.judge {
        formats::Judge::Rules => Ok(Box::new(Rules)),
        formats::Judge::Llm {
            system_instruction,
            llm,
        } => {
            let instruction = system_instruction.as_deref().unwrap_or(INSTRUCTION);
            let asked = Asked::new(llm, instruction, schema(), plan, means)?;
            Ok(Box::new(ByModel(asked)))
        }
    }
}

/// The judge that needs no model.
pub struct Rules;

impl Judge for Rules {
    fn judge(&self, case: &Case<'_>, _: &Try<'_>) -> Result<(Judgment, Used), Missed> {
        Ok((by_rules(&case.record), Used::default()))
    }
}

struct ByModel(Asked);

impl ByModel {
    fn prompt(&self, case: &Case<'_>, now: &Zoned) -> Result<String, prompts::Error> {
        let templates = &self.0.templates;
        templates.judge(case.task, &case.record, now, case.texts)
    }
}

impl Judge for ByModel {
    fn judge(&self, case: &Case<'_>, turn: &Try<'_>) -> Result<(Judgment, Used), Missed> {
        let prompt = self.prompt(case, &self.0.now());
        let prompt = prompt.map_err(|error| Missed::without_prompt(&error))?;
        self.0.ask(prompt, turn, read)
    }
}

fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "should_continue": {
                "type": "boolean",
                "description": "true if another round is worth it",
            },
            "reasoning": {
                "type": "string",
                "description": "why, in a few sentences",
            },
            "confidence_score": {
                "type": "number",
                "description": "how sure you are, from 0 to 1",
            },
        },
        "required": ["should_continue", "reasoning", "confidence_score"],
        "additionalProperties": false,
    })
}

/// Nothing is guessed: a field of another type is not an answer.
fn read(answer: &Value) -> Result<Judgment, String> {
    let should_continue = field(answer, "should_continue")?;
    let should_continue = should_continue.as_bool().ok_or_else(|| {
        format!(
            "should_continue is {}, not true or false",
            short(should_continue)
        )
    })?;
    let reasoning = text(answer, "reasoning")?.trim().to_owned();
    let confidence = field(answer, "confidence_score")?;
    let confidence = confidence
        .as_f64()
        .and_then(Confidence::from_f64)
        .ok_or_else(|| {
            format!(
                "confidence_score is {}, not a number from 0 to 1",
                short(confidence)
            )
        })?;
    Ok(Judgment {
        should_continue,
        reasoning,
        confidence,
    })
}
