//! Reads the files of a contest, of either kind, and builds a plan.

use std::cell::RefCell;
use std::io;
use std::path::{Path, PathBuf};

use super::node::{self, Node, Value};
use super::plan::Plan;
use super::problem::{FileLine, Problem, Report};
use super::scope::Scope;
use super::variables::Variables;
use super::{Loaded, Request, mixseek, own};

pub(super) struct Loader<'a> {
    pub request: &'a Request<'a>,
    pub report: &'a Report,
    pub variables: Variables<'a>,
    /// The directory that relative paths in files start from.
    pub base: PathBuf,
    /// As it was named, relative to the current directory.
    pub workspace: Option<PathBuf>,
    read: &'a dyn Fn(&Path) -> io::Result<String>,
    files: RefCell<Vec<PathBuf>>,
}

pub(super) fn load<'a>(
    request: &'a Request<'a>,
    read: &'a dyn Fn(&Path) -> io::Result<String>,
    env: &'a dyn Fn(&str) -> Option<String>,
) -> Result<Loaded, Vec<Problem>> {
    let report = Report::new(request.lenient);
    let mut loader = Loader {
        request,
        report: &report,
        variables: Variables::new(env),
        base: request.dir.to_owned(),
        workspace: request.workspace.map(|path| request.dir.join(path)),
        read,
        files: RefCell::default(),
    };
    loader.read_dot_env();
    if loader.workspace.is_none() {
        loader.workspace = loader.workspace_of_environment();
    }
    let plan = loader.plan();
    let Loader {
        workspace, files, ..
    } = loader;
    let (problems, warnings, places) = report.finish();
    match plan {
        Some(plan) if problems.is_empty() => Ok(Loaded {
            plan,
            files: files.into_inner(),
            warnings,
            workspace,
            places,
        }),
        _ => Err(problems),
    }
}

impl Loader<'_> {
    fn plan(&mut self) -> Option<Plan> {
        let (path, text) = self.main_file()?;
        let root = self.parse(&path, &text)?;
        if is_mixseek(&root) {
            mixseek::plan(self, root)
        } else {
            self.base = path.parent().map_or_else(PathBuf::new, Path::to_owned);
            own::plan(self, &root)
        }
    }

    /// The file of the command line is relative to the current directory, or to the workspace as in
    /// mixseek.
    fn main_file(&self) -> Option<(PathBuf, String)> {
        let here = self.request.dir.join(self.request.file);
        if let Some(text) = self.request.text {
            return Some((here, text.to_owned()));
        }
        let first = (self.read)(&here);
        let there = self
            .workspace
            .as_ref()
            .map(|path| path.join(self.request.file));
        let found = match (first, there) {
            (Err(error), Some(there)) if is_missing(&error) => (self.read)(&there)
                .map(|text| (there, text))
                .map_err(|_| error),
            (found, _) => found.map(|text| (here.clone(), text)),
        };
        let found = found.inspect_err(|error| {
            let at = FileLine::whole(self.request.file);
            self.report
                .problem(&at, format!("cannot be read: {}", why(error)), None);
        });
        found.ok()
    }

    fn parse(&self, path: &Path, text: &str) -> Option<Node> {
        let mut files = self.files.borrow_mut();
        if !files.iter().any(|known| known == path) {
            files.push(path.to_owned());
        }
        let parsed = node::parse(self.shown(path), text);
        let parsed = parsed.map_err(|broken| self.report.problem(&broken.at, broken.message, None));
        parsed.ok()
    }

    /// Reads the text of a file that `scope` refers to.
    pub fn text_of(&self, scope: &Scope<'_>, key: &'static str) -> Option<(PathBuf, String)> {
        let name = scope.some_text(key)?;
        let path = self.base.join(&name);
        match (self.read)(&path) {
            Ok(text) => Some((path, text)),
            Err(error) => {
                let label = scope.label(key);
                let shown = self.shown(&path).display();
                let message = format!(
                    "`{label}` names {shown}, which cannot be read: {}",
                    why(&error)
                );
                let help = Path::new(&name).is_relative().then(|| {
                    let base = self.base.display();
                    format!("relative paths are seen from {base}")
                });
                scope.problem(key, message, help);
                None
            }
        }
    }

    /// Reads a file that `scope` refers to.
    pub fn file_of(&self, scope: &Scope<'_>, key: &'static str) -> Option<Node> {
        let (path, text) = self.text_of(scope, key)?;
        self.parse(&path, &text)
    }

    /// Reads an optional file.
    pub fn file_if_there(&self, name: &str) -> Option<Node> {
        let path = self.base.join(name);
        match (self.read)(&path) {
            Ok(text) => self.parse(&path, &text),
            Err(error) if is_missing(&error) => None,
            Err(error) => {
                let at = FileLine::whole(self.shown(&path));
                self.report
                    .problem(&at, format!("cannot be read: {}", why(&error)), None);
                None
            }
        }
    }

    /// The task of the command line, or else of the file.
    pub fn task(&self, file: &FileLine, given: Option<String>) -> String {
        let task = self.request.task.map(str::to_owned);
        match (task, given) {
            (Some(task), _) if task.trim().is_empty() => {
                let help = "say what the teams are to do".to_owned();
                self.report.problem(file, "the task is empty", Some(help));
                task
            }
            (Some(task), _) | (None, Some(task)) => task,
            (None, None) => {
                let help = "give it on the command line, after the file".to_owned();
                self.report.problem(file, "there is no task", Some(help));
                String::new()
            }
        }
    }

    /// `--timeout`, per team.
    pub fn timeout_ms(&self) -> Option<u64> {
        let timeout = self.request.timeout?;
        if timeout.is_zero() {
            self.report
                .problem(&FileLine::whole("--timeout"), "it must be above zero", None);
        }
        u64::try_from(timeout.as_millis()).ok()
    }

    fn read_dot_env(&mut self) {
        let path = self.request.dir.join(".env");
        match (self.read)(&path) {
            Ok(text) => {
                let shown = self.shown(&path).to_owned();
                self.variables.add_file(&shown, &text);
            }
            Err(error) if is_missing(&error) => {}
            Err(error) => {
                let at = FileLine::whole(self.shown(&path));
                self.report
                    .warn(&at, format!("cannot be read: {}", why(&error)), None);
            }
        }
    }

    fn workspace_of_environment(&self) -> Option<PathBuf> {
        match self.variables.find("MIXSEEK_WORKSPACE")?.value {
            Value::Text(path) => Some(self.request.dir.join(path)),
            _ => None,
        }
    }

    /// A path as the person knows it.
    fn shown<'p>(&self, path: &'p Path) -> &'p Path {
        path.strip_prefix(self.request.dir).unwrap_or(path)
    }
}

fn is_mixseek(root: &Node) -> bool {
    matches!(&root.value, Value::Table(table) if table.contains_key("orchestrator"))
}

fn is_missing(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    )
}

fn why(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "there is no such file".to_owned(),
        io::ErrorKind::InvalidData => "it is not UTF-8 text".to_owned(),
        _ => error.to_string(),
    }
}
