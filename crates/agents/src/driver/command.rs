//! Any command. No shell is involved: each word of the setting is one argument.

use kumite_core::agent_kind::Prompt;

use super::{Invocation, Order};
use crate::request::Protocol;

/// The settings check that the command has a program and no other placeholders.
pub fn invocation(command: &[String], prompt: Prompt, order: &Order) -> Invocation {
    let mut words = command.iter().map(|word| filled(word, order));
    Invocation {
        program: words.next().unwrap_or_default(),
        args: words.collect(),
        env: Vec::new(),
        stdin: (prompt == Prompt::Stdin).then(|| order.prompt.clone()),
        protocol: Protocol::Plain,
        session: order.resume.clone(),
    }
}

/// In one pass, so that a value that looks like a placeholder stays unchanged.
fn filled(word: &str, order: &Order) -> String {
    let mut filled = String::new();
    let mut rest = word;
    while let Some(open) = rest.find('{') {
        filled.push_str(&rest[..open]);
        rest = &rest[open..];
        match placeholder(rest, order) {
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

fn placeholder(text: &str, order: &Order) -> Option<(&'static str, String)> {
    let file = order
        .prompt_file
        .as_ref()
        .map(|path| path.display().to_string());
    let known = [
        ("{step}", order.step.clone()),
        ("{spec}", order.spec.clone()),
        ("{round}", order.round.to_string()),
        ("{prompt_file}", file.unwrap_or_default()),
    ];
    known.into_iter().find(|(name, _)| text.starts_with(name))
}

#[cfg(test)]
mod tests {
    use super::super::order;
    use super::*;

    fn start(words: &[&str], prompt: Prompt, order: &Order) -> Invocation {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        invocation(&words, prompt, order)
    }

    #[test]
    fn placeholders_are_filled_once_and_others_are_left() {
        let mut order = order("hello");
        order.spec = "{step}".to_owned();
        order.prompt_file = Some("/p/1.md".into());
        let words = [
            "./a.sh",
            "{step}-{round}",
            "{spec}",
            "{what} {",
            "@{prompt_file}",
        ];
        let invocation = start(&words, Prompt::File, &order);
        assert_eq!(invocation.program, "./a.sh");
        assert_eq!(
            invocation.args,
            ["review-3", "{step}", "{what} {", "@/p/1.md"]
        );
        assert_eq!(invocation.stdin, None);
    }

    #[test]
    fn the_prompt_goes_to_stdin_if_it_should() {
        let stdin = |prompt| start(&["cat"], prompt, &order("hello")).stdin;
        assert_eq!(stdin(Prompt::Stdin).as_deref(), Some("hello"));
        assert_eq!(stdin(Prompt::None), None);
    }
}
