//! The agent's workplace: it reads and writes files of the project, and reports it.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use kumite_files::{Access, Durable, replace};
use serde_json::json;

use crate::stream::Stream;
use crate::trouble::Trouble;

pub(crate) struct Workplace<'a> {
    project: &'a Path,
    spec: &'a str,
    pub stream: Stream<'a>,
}

impl<'a> Workplace<'a> {
    pub fn new(project: &'a Path, spec: &'a str, stream: Stream<'a>) -> Workplace<'a> {
        Workplace {
            project,
            spec,
            stream,
        }
    }

    pub fn project(&self) -> &'a Path {
        self.project
    }

    pub fn spec(&self) -> &'a str {
        self.spec
    }

    /// A file of the spec, such as `design.md`.
    pub fn document(&self, name: &str) -> PathBuf {
        self.project.join(".kiro/specs").join(self.spec).join(name)
    }

    /// A file of the code that the spec describes.
    pub fn code(&self, name: &str) -> PathBuf {
        self.project.join("demo").join(self.spec).join(name)
    }

    pub fn say(&mut self, text: &str) -> Result<(), Trouble> {
        self.stream.say(text)
    }

    pub fn read(&mut self, path: &Path) -> Result<String, Trouble> {
        let text = load(path)?;
        self.stream.tool(
            "Read",
            json!({"file_path": path.display().to_string()}),
            &text,
        )?;
        Ok(text)
    }

    pub fn write(&mut self, path: &Path, text: &str) -> Result<(), Trouble> {
        let outcome = if path.exists() { "updated" } else { "created" };
        store(path, text)?;
        let name = path.display().to_string();
        let outcome = format!("File {outcome} successfully at: {name}");
        self.stream.tool(
            "Write",
            json!({"file_path": name, "content": text}),
            &outcome,
        )
    }

    /// Replaces the first `old` by `new`. False, with nothing changed, if there is no `old`.
    pub fn edit(&mut self, path: &Path, old: &str, new: &str) -> Result<bool, Trouble> {
        let text = load(path)?;
        if !text.contains(old) {
            return Ok(false);
        }
        store(path, &text.replacen(old, new, 1))?;
        self.tell_edit(path, old, new)?;
        Ok(true)
    }

    /// Changes a whole file at once, so that no change of another process in between is lost. The
    /// report follows afterwards.
    pub fn change(
        &mut self,
        path: &Path,
        change: impl FnOnce(&str) -> Result<String, Trouble>,
    ) -> Result<(), Trouble> {
        let old = load(path)?;
        let new = change(&old)?;
        if new == old {
            return Ok(());
        }
        store(path, &new)?;
        let (old, new) = difference(&old, &new);
        self.tell_edit(path, old, new)
    }

    fn tell_edit(&mut self, path: &Path, old: &str, new: &str) -> Result<(), Trouble> {
        let name = path.display().to_string();
        let outcome = format!("The file {name} has been updated successfully.");
        let input = json!({"file_path": name, "old_string": old, "new_string": new});
        self.stream.tool("Edit", input, &outcome)
    }
}

pub(crate) fn load(path: &Path) -> Result<String, Trouble> {
    fs::read_to_string(path).map_err(|source| Trouble::Read {
        path: path.to_path_buf(),
        source,
    })
}

fn store(path: &Path, text: &str) -> Result<(), Trouble> {
    let written = create_parent(path)
        .and_then(|()| replace(path, text.as_bytes(), Durable::Process, Access::Everybody));
    written.map_err(|source| Trouble::Write {
        path: path.to_path_buf(),
        source,
    })
}

fn create_parent(path: &Path) -> io::Result<()> {
    path.parent().map_or(Ok(()), fs::create_dir_all)
}

/// The lines in which two texts differ, from the first to the last difference.
fn difference<'t>(old: &'t str, new: &'t str) -> (&'t str, &'t str) {
    let lines = |text: &'t str| text.split_inclusive('\n');
    let same = |pairs: &mut dyn Iterator<Item = (&'t str, &'t str)>| -> usize {
        pairs
            .take_while(|(old, new)| old == new)
            .map(|(line, _)| line.len())
            .sum()
    };
    let head = same(&mut lines(old).zip(lines(new)));
    let (old, new) = (&old[head..], &new[head..]);
    let tail = same(&mut lines(old).rev().zip(lines(new).rev()));
    (&old[..old.len() - tail], &new[..new.len() - tail])
}

#[cfg(test)]
mod tests {
    use super::difference;

    #[test]
    fn a_difference_leaves_out_the_lines_that_stay() {
        assert_eq!(difference("a\nb\nc\n", "a\nx\nc\n"), ("b\n", "x\n"));
        assert_eq!(difference("a\na\n", "a\na\na\n"), ("", "a\n"));
        assert_eq!(difference("a\n", "a\n"), ("", ""));
    }
}
