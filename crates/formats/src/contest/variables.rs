//! Settings from the environment: `MIXSEEK_MAX_ROUNDS=3`. A variable overrides the file `.env` in
//! the current directory. Both usually override mixseek's files; `put_under` is the exception.

use super::node::{Node, Table, Value};
use super::problem::FileLine;

pub(super) struct Variables<'a> {
    env: &'a dyn Fn(&str) -> Option<String>,
    /// The lines of `.env`.
    lines: Vec<(String, String, FileLine)>,
}

impl<'a> Variables<'a> {
    pub fn new(env: &'a dyn Fn(&str) -> Option<String>) -> Variables<'a> {
        let lines = Vec::new();
        Variables { env, lines }
    }

    /// Reads lines of the form `NAME=value`; other lines are ignored.
    pub fn add_file(&mut self, file: &std::path::Path, text: &str) {
        for (index, line) in text.lines().enumerate() {
            let line = line.trim();
            let line = line.strip_prefix("export ").unwrap_or(line);
            let Some((name, value)) = line.split_once('=') else {
                continue;
            };
            let mut at = FileLine::whole(file);
            at.line = Some(index + 1);
            self.lines.push((name.trim().to_owned(), bare(value), at));
        }
    }

    /// An empty variable counts as unset. The name may be in upper or in lower case.
    pub fn find(&self, name: &str) -> Option<Node> {
        let names = [name.to_uppercase(), name.to_lowercase()];
        let mut given = names
            .iter()
            .filter_map(|name| Some((name, (self.env)(name)?)));
        let given = given.find(|(_, value)| !value.is_empty());
        if let Some((name, value)) = given {
            let at = FileLine::whole(format!("environment variable {name}"));
            return Some(Node::of_variable(&at, &value));
        }
        // If several lines have the same name, the last one counts, as in a shell.
        let mut lines = self.lines.iter().rev();
        let line = lines.find(|(known, _, _)| known.eq_ignore_ascii_case(name));
        let (_, value, at) = line.filter(|(_, value, _)| !value.is_empty())?;
        Some(Node::of_variable(at, value))
    }

    /// Values from the environment replace those in the table.
    pub fn put_over(&self, table: &mut Node, prefix: &str, keys: &[&str]) {
        self.merge(table, prefix, keys, |_, _| true);
    }

    /// Values from the environment fill in what the table lacks.
    pub fn put_under(&self, table: &mut Node, prefix: &str, keys: &[&str]) {
        self.merge(table, prefix, keys, |table, key| !table.contains_key(key));
    }

    fn merge(
        &self,
        node: &mut Node,
        prefix: &str,
        keys: &[&str],
        is_wanted: impl Fn(&Table, &str) -> bool,
    ) {
        let Value::Table(table) = &mut node.value else {
            return;
        };
        for key in keys {
            if is_wanted(table, key)
                && let Some(found) = self.find(&format!("{prefix}{key}"))
            {
                table.insert((*key).to_owned(), found);
            }
        }
    }
}

/// Removes quotes, and a comment after the value.
fn bare(value: &str) -> String {
    let value = value.trim();
    for quote in ['"', '\''] {
        let inner = value
            .strip_prefix(quote)
            .and_then(|rest| rest.split_once(quote));
        if let Some((inner, _)) = inner {
            return inner.to_owned();
        }
    }
    let end = value.find(" #").unwrap_or(value.len());
    value[..end].trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_a_dot_env_file_are_read_as_people_write_them() {
        let nothing = |_: &str| None;
        let mut variables = Variables::new(&nothing);
        variables.add_file(
            ".env".as_ref(),
            "# a remark\nA=1\nexport B = \"two words\" # why\nc='#3'\nD=4 # four\nE=\nnonsense\nA=9\n",
        );
        let found = |name: &str| {
            let node = variables.find(name)?;
            Some((node.shown(), node.at.line.unwrap()))
        };
        assert_eq!(found("A"), Some(("\"9\"".to_owned(), 8)));
        assert_eq!(found("b"), Some(("\"two words\"".to_owned(), 3)));
        assert_eq!(found("C"), Some(("\"#3\"".to_owned(), 4)));
        assert_eq!(found("D"), Some(("\"4\"".to_owned(), 5)));
        assert_eq!((found("E"), found("F")), (None, None));
    }

    #[test]
    fn the_environment_wins_over_dot_env_in_any_case_of_letters() {
        let env = |name: &str| (name == "mixseek_x").then(|| "[\"a\"]".to_owned());
        let mut variables = Variables::new(&env);
        variables.add_file(".env".as_ref(), "MIXSEEK_X=no\n");
        let node = variables.find("MIXSEEK_X").unwrap();
        assert_eq!(node.shown(), "a list");
        assert_eq!(node.at.to_string(), "environment variable mixseek_x");
    }
}
