//! A shell script in place of a command. It does what a model would tell an agent to do.

use std::path::Path;

use kumite_fake_model::{Act, Rule};

pub(crate) fn script(root: &Path, rules: &[Rule]) -> String {
    let mut script = format!(
        "#!/bin/sh\n\
         root={}\n\
         [ $# -eq 0 ] || {{ echo \"unknown argument: $1\" >&2; exit 64; }}\n\
         prompt=\"$root/prompt.$$\"\n\
         cat > \"$prompt\"\n\
         # Whether an act is due that happens so many times only; counts it.\n\
         due() {{\n\
         \x20 did=$(cat \"$root/did.$1\" 2>/dev/null || echo 0)\n\
         \x20 [ \"$did\" -lt \"$2\" ] || return 1\n\
         \x20 echo $((did + 1)) > \"$root/did.$1\"\n\
         }}\n",
        quoted(&root.to_string_lossy())
    );
    let mut number = 0;
    for rule in rules {
        script += &format!("if grep -qF -- {} \"$prompt\"; then\n", quoted(&rule.when));
        for act in &rule.acts {
            number += 1;
            let step = format!("printf . >> \"$root/asked\"\n{}", step(act));
            script += &match act.times() {
                Some(times) => format!("if due {number} {times}; then\n{step}fi\n"),
                None => step,
            };
        }
        script += "echo '{\"kumite\":1,\"usage\":{\"usd\":0.01,\"input_tokens\":100,\"output_tokens\":20}}'\n";
        script += "exit 0\nfi\n";
    }
    script
}

fn step(act: &Act) -> String {
    const SILENCE: &str = "tail -f /dev/null\n";
    match act {
        Act::Say { text } => format!("printf '%s\\n' {}\n", quoted(text)),
        Act::Think { .. } => String::new(),
        Act::Write { path, content } => {
            format!("printf %s {} > {}\n", quoted(content), quoted(path))
        }
        Act::Read { path } => format!("cat {}\n", quoted(path)),
        Act::Run { command } => format!("sh -c {} || true\n", quoted(command)),
        Act::Tool { name, .. } => format!("printf '%s\\n' {}\n", quoted(name)),
        Act::Result { value } => format!("printf '%s\\n' {}\n", quoted(&value.to_string())),
        Act::All(acts) => acts.iter().map(step).collect(),
        Act::Only { act, .. } => step(act),
        Act::Limit { resets_in_s, .. } => {
            let until = match resets_in_s {
                Some(seconds) => format!("$(($(date +%s) + {seconds}))"),
                None => "null".to_owned(),
            };
            format!("echo \"{{\\\"kumite\\\":1,\\\"limited_until\\\":{until}}}\"\nexit 1\n")
        }
        Act::Overload { .. } | Act::Rate { .. } => {
            "echo '{\"kumite\":1,\"overloaded\":true}'\nexit 1\n".to_owned()
        }
        Act::Error { message, .. } => format!("printf '%s\\n' {} >&2\nexit 1\n", quoted(message)),
        Act::Auth { .. } => {
            "echo 'nobody is logged in; log in with `obedient login`' >&2\nexit 1\n".to_owned()
        }
        Act::Hang { .. } => SILENCE.to_owned(),
        Act::HangMid { .. } => format!("printf 'half an '\n{SILENCE}"),
        Act::Cut { .. } => "printf 'half an '\nexit 1\n".to_owned(),
        Act::Garbage { .. } => "head -c 4096 /dev/urandom\n".to_owned(),
        Act::Slow { ms, .. } => format!("sleep {}.{:03}\necho done.\n", ms / 1000, ms % 1000),
        Act::Huge { bytes, .. } => format!("head -c {bytes} /dev/zero | tr '\\0' x\necho\n"),
    }
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}
