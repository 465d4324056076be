//! A metric that a model measures.

use std::path::Path;

use kumite_core::contest::{Measure, Used};
use kumite_formats::contest::{Llm, Plan};
use serde_json::{Value, json};

use super::asked::{Asked, text};
use super::{ModelMeans, remark, score};
use crate::work::{Metric, Missed, Try};

pub struct ByModel(Asked);

impl ByModel {
    pub fn new(
        llm: &Llm,
        instruction: &str,
        plan: &Plan,
        means: &ModelMeans,
    ) -> Result<ByModel, kumite_models::Error> {
        Asked::new(llm, instruction, schema(), plan, means).map(ByModel)
    }
}

impl Metric for ByModel {
    fn measure(
        &self,
        task: &str,
        submission: &Path,
        _: Option<&Path>,
        turn: &Try<'_>,
    ) -> Result<(Measure, Used), Missed> {
        let text = super::read(submission)?;
        let ByModel(asked) = self;
        let prompt = asked.templates.evaluator(task, &text, &asked.now());
        let prompt = prompt.map_err(|error| Missed::without_prompt(&error))?;
        asked.ask(prompt, turn, measure)
    }
}

fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "score": {
                "type": "number",
                "description": "from 0 to 100",
            },
            "evaluator_comment": {
                "type": "string",
                "description": "what earned points, what cost points, and what would earn more",
            },
        },
        "required": ["score", "evaluator_comment"],
        "additionalProperties": false,
    })
}

/// Nothing is guessed: a field of another type is not an answer.
fn measure(answer: &Value) -> Result<Measure, String> {
    Ok(Measure {
        score: score(answer)?,
        remark: remark(text(answer, "evaluator_comment")?),
        is_veto: false,
    })
}
