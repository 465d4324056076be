//! What kumite adds to the prompt of an agent: the results of the project's commands.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use kumite_core::effect::Launch;
use kumite_core::place::CheckOutcome;
use kumite_core::run::{Because, Evidence, Run, Step};
use kumite_project::announce::verify_log;
use kumite_project::project::Spec;

/// How much of a command's output an agent is shown: errors are usually at its end.
const TAIL: u64 = 6_000;

pub fn of(spec: &Spec, run: &Run, launch: &Launch) -> Option<String> {
    match (launch.step, &launch.because) {
        (Step::Implement(_), Some(Because::Verify { name, agent })) => {
            let path = spec.main_dir().join(verify_log(name, *agent));
            Some(failed(name, &path))
        }
        (Step::Implement(_), Some(Because::Phantom)) => Some(
            "\n\nThe last attempt ticked the boxes of tasks.md, but no file outside `.kiro/` has \
             changed. A ticked box without a change is not an implementation: do the tasks."
                .to_owned(),
        ),
        (Step::Inspect(_), _) => run.memory.trust.evidence.as_ref().map(results),
        _ => None,
    }
}

fn failed(name: &str, log: &Path) -> String {
    let stderr = log.with_extension("stderr.log");
    let output = [log, &stderr].map(|path| tail(path).unwrap_or_default());
    let output = output.join("\n");
    let output = output.trim();
    format!(
        "\n\nThe project's command `{name}` fails on the last attempt. All boxes are ticked, but \
         the work is complete only when it passes. Its whole output is in {}. It ends with:\n\n\
         ```\n{output}\n```\n",
        log.display()
    )
}

fn tail(path: &Path) -> std::io::Result<String> {
    let mut file = File::open(path)?;
    let length = file.metadata()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(TAIL)))?;
    let mut bytes = Vec::new();
    file.take(TAIL).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn results(evidence: &Evidence) -> String {
    let lines = evidence.checks.iter().map(|check| {
        let how = match check.outcome {
            CheckOutcome::Passed => "passed",
            CheckOutcome::Flaky => "failed, and passed when it was run again (flaky)",
            CheckOutcome::Failed => "failed",
            CheckOutcome::Timeout => "took too long",
        };
        format!("- {}: {how}, {} ms", check.name, check.ms)
    });
    let lines: Vec<String> = lines.collect();
    format!(
        "\n\nkumite has run the project's own commands on the code that you inspect:\n\n{}\n",
        lines.join("\n")
    )
}
