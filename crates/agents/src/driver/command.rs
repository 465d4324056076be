//! Any command. No shell is involved: each word of the setting is one argument.

use kumite_core::agent_kind::Prompt;

use super::{Assignment, Invocation};
use crate::request::Protocol;

/// The settings check that the command has a program and no other placeholders.
pub fn invocation(command: &[String], prompt: Prompt, assignment: &Assignment) -> Invocation {
    let mut words = command.iter().map(|word| filled(word, assignment));
    Invocation {
        program: words.next().unwrap_or_default(),
        args: words.collect(),
        env: Vec::new(),
        stdin: (prompt == Prompt::Stdin).then(|| assignment.prompt.clone()),
        protocol: Protocol::Plain,
        session: assignment.resume.clone(),
    }
}

/// In one pass, so that a value that looks like a placeholder stays unchanged.
fn filled(word: &str, assignment: &Assignment) -> String {
    let mut filled = String::new();
    let mut rest = word;
    while let Some(open) = rest.find('{') {
        filled.push_str(&rest[..open]);
        rest = &rest[open..];
        match placeholder(rest, assignment) {
            Some((name, value)) => {
                filled.push_str(&value);
                rest = &rest[name.len()..];
            }
            None => {
                filled.push('{');
                rest = &rest[1..];
            }
        }
    }
    filled + rest
}

fn placeholder(text: &str, assignment: &Assignment) -> Option<(&'static str, String)> {
    let file = assignment
        .prompt_file
        .as_ref()
        .map(|path| path.display().to_string());
    let known = [
        ("{step}", assignment.step.clone()),
        ("{spec}", assignment.spec.clone()),
        ("{round}", assignment.round.to_string()),
        ("{prompt_file}", file.unwrap_or_default()),
    ];
    known.into_iter().find(|(name, _)| text.starts_with(name))
}

#[cfg(test)]
mod tests {
    use super::super::assignment;
    use super::*;

    fn start(words: &[&str], prompt: Prompt, assignment: &Assignment) -> Invocation {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        invocation(&words, prompt, assignment)
    }

    #[test]
    fn placeholders_are_filled_once_and_others_are_left() {
        let mut assignment = assignment("hello");
        assignment.spec = "{step}".to_owned();
        assignment.prompt_file = Some("/p/1.md".into());
        let words = [
            "./a.sh",
            "{step}-{round}",
            "{spec}",
            "{what} {",
            "@{prompt_file}",
        ];
        let invocation = start(&words, Prompt::File, &assignment);
        assert_eq!(invocation.program, "./a.sh");
        assert_eq!(
            invocation.args,
            ["review-3", "{step}", "{what} {", "@/p/1.md"]
        );
        assert_eq!(invocation.stdin, None);
    }

    #[test]
    fn the_prompt_goes_to_stdin_if_it_should() {
        let stdin = |prompt| start(&["cat"], prompt, &assignment("hello")).stdin;
        assert_eq!(stdin(Prompt::Stdin).as_deref(), Some("hello"));
        assert_eq!(stdin(Prompt::None), None);
    }
}
