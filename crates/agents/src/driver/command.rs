//! Any command. No shell is involved: each word of the setting is one argument.

use super::{Invocation, Order};
use crate::request::Protocol;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandConfig {
    /// Program and arguments, with the placeholders `{step}`, `{spec}`, `{round}` and
    /// `{prompt_file}`. The settings check that there are no other placeholders, and that there is
    /// a program.
    pub command: Vec<String>,
    pub prompt: PromptBy,
}

/// How a command gets its prompt.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PromptBy {
    #[default]
    Stdin,
    /// As `{prompt_file}`, which the caller writes.
    File,
    None,
}

impl CommandConfig {
    pub fn invocation(&self, order: &Order) -> Invocation {
        let mut words = self.command.iter().map(|word| filled(word, order));
        Invocation {
            program: words.next().unwrap_or_default(),
            args: words.collect(),
            env: Vec::new(),
            stdin: (self.prompt == PromptBy::Stdin).then(|| order.prompt.clone()),
            protocol: Protocol::Plain,
            session: order.resume.clone(),
        }
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

    fn command(words: &[&str], prompt: PromptBy) -> CommandConfig {
        CommandConfig {
            command: words.iter().map(|word| (*word).to_owned()).collect(),
            prompt,
        }
    }

    #[test]
    fn placeholders_are_filled_once_and_others_are_left() {
        let mut order = order("hello");
        order.spec = "{step}".to_owned();
        order.prompt_file = Some("/p/1.md".into());
        let config = command(
            &[
                "./a.sh",
                "{step}-{round}",
                "{spec}",
                "{what} {",
                "@{prompt_file}",
            ],
            PromptBy::File,
        );
        let invocation = config.invocation(&order);
        assert_eq!(invocation.program, "./a.sh");
        assert_eq!(
            invocation.args,
            ["review-3", "{step}", "{what} {", "@/p/1.md"]
        );
        assert_eq!(invocation.stdin, None);
    }

    #[test]
    fn the_prompt_goes_to_stdin_if_it_should() {
        assert_eq!(
            command(&["cat"], PromptBy::Stdin)
                .invocation(&order("hello"))
                .stdin
                .as_deref(),
            Some("hello")
        );
        assert_eq!(
            command(&["cat"], PromptBy::None)
                .invocation(&order("hello"))
                .stdin,
            None
        );
    }
}
