//! `kumite contest judge-check`: D12, measured.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use kumite_contest::judge_check::{self, CASES, Way};
use kumite_contest::{Cancel, demo, judge, parts};
use kumite_formats::contest::{Judge, Llm, Price};

use crate::args::Setting;
use crate::exit;
use crate::out::out;
use crate::signals;
use crate::trouble::{Result, Trouble};

#[derive(Args)]
pub struct JudgeCheckArgs {
    /// Your own labelled cases, one JSON object per line; by default the set that comes with kumite
    #[arg(long, value_name = "FILE")]
    cases: Option<PathBuf>,
    /// Ask this model, such as openai:gpt-5; by default the rule-based judge
    #[arg(long, value_name = "MODEL")]
    model: Option<String>,
    /// Dollars per million tokens, input and output, such as 1.25,10
    #[arg(long, value_name = "IN,OUT", requires = "model")]
    price: Option<String>,
    /// How many further tries a failed answer gets
    #[arg(long, value_name = "N", default_value_t = 3)]
    retries: u32,
    /// How long one answer may take, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    timeout: u64,
}

pub fn judge_check(setting: &Setting, args: &JudgeCheckArgs) -> Result {
    let (text, name) = match &args.cases {
        Some(file) => {
            let path = setting.place()?.join(file);
            let text = std::fs::read_to_string(&path).map_err(|error| {
                Trouble::invalid(format!("cannot read {}: {error}", path.display()))
            })?;
            (text, file.display().to_string())
        }
        None => (CASES.to_owned(), "cases.jsonl".to_owned()),
    };
    let cases = judge_check::parse(&text, &name).map_err(invalid)?;
    // Everything but the judge is as in the demo: a case has no teams.
    let mut plan = demo::plan(0);
    if let Some(model) = &args.model {
        plan.prices.extend(price(args, model)?);
        plan.judge = Judge::Llm {
            system_instruction: None,
            llm: Box::new(Llm {
                model: model.clone(),
                temperature: Some(0.0),
                timeout_ms: args.timeout * 1000,
                max_retries: args.retries,
                ..Llm::default()
            }),
        };
    }
    let means = parts::means(&plan, &setting.place()?).map_err(invalid)?;
    let judge = judge::judge(&plan, &means).map_err(invalid)?;
    let cancel = Cancel::new();
    let stop = cancel.clone();
    let caught = signals::catch(move |_| stop.cancel())?;
    let way = Way {
        retries: args.retries,
        timeout: Duration::from_secs(args.timeout),
        cancel: &cancel,
    };
    let report = judge_check::measure(judge.as_ref(), &cases, &way);
    if let Some(code) = caught.code() {
        return Ok(ExitCode::from(code));
    }
    match setting.json() {
        true => out!("{}", serde_json::json!(report)),
        false => out!("{}", report.to_text()),
    }
    // A judge that could not be asked has not been measured.
    Ok(match report.failures.is_empty() {
        true => ExitCode::SUCCESS,
        false => ExitCode::from(exit::FAILED),
    })
}

fn invalid(error: impl std::fmt::Display) -> Trouble {
    Trouble::invalid(error.to_string())
}

fn price(args: &JudgeCheckArgs, model: &str) -> Result<Option<(String, Price)>> {
    let Some(text) = &args.price else {
        return Ok(None);
    };
    let parsed = text.split_once(',').and_then(|(input, output)| {
        let (input, output) = (input.trim().parse().ok()?, output.trim().parse().ok()?);
        Some(Price { input, output })
    });
    match parsed {
        Some(price) => Ok(Some((model.to_owned(), price))),
        None => Err(Trouble::usage(format!(
            "--price {text:?} is not two numbers, such as 1.25,10"
        ))),
    }
}
