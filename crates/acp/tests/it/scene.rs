//! Plays a scene: the real bridge with a test agent.

use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, ChildStdout, Command, ExitStatus, Stdio};

use kumite_agents::Said;
use kumite_core::outcome::{Outcome, Usage};
use tempfile::TempDir;

pub const AGENT: &str = env!("CARGO_BIN_EXE_kumite-acp-agent");

pub struct Scene {
    command: Command,
    pub dir: TempDir,
}

/// The output.
pub struct Played {
    /// Without the last line.
    pub said: Vec<Said>,
    pub outcome: Outcome,
    pub text: String,
    pub usage: Usage,
    pub code: Option<i32>,
    pub dir: TempDir,
    _group: Group,
}

/// The bridge while it works.
pub struct Playing {
    pub child: Child,
    pub lines: BufReader<ChildStdout>,
    dir: TempDir,
    group: Group,
}

/// Kills the group, so that a failing test leaves no processes.
struct Group(u32);

impl Drop for Group {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let group = format!("-{}", self.0);
            let _ = Command::new("kill").args(["-KILL", "--", &group]).status();
        }
    }
}

impl Scene {
    pub fn new(name: &str, args: &[&str]) -> Scene {
        let outer = tempfile::tempdir().expect("a directory");
        // The parent directory is outside the project.
        let project = outer.path().join("project");
        std::fs::create_dir(&project).expect("a directory");
        let mut command = Command::new(env!("CARGO_BIN_EXE_kumite-acp-bridge"));
        command
            .args(args)
            .env("SCENE", name)
            .env_remove("KUMITE_ACP_PERMISSION")
            .current_dir(project)
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped());
        Scene {
            command,
            dir: outer,
        }
    }

    pub fn env(mut self, name: &str, value: &str) -> Scene {
        self.command.env(name, value);
        self
    }

    pub fn start(mut self) -> Playing {
        let mut child = self.command.spawn().expect("the bridge");
        let mut stdin = child.stdin.take().expect("its stdin");
        // A bridge that exits before it reads the prompt is not wrong.
        let _ = stdin.write_all(b"do it");
        let lines = BufReader::new(child.stdout.take().expect("its stdout"));
        Playing {
            group: Group(child.id()),
            child,
            lines,
            dir: self.dir,
        }
    }

    pub fn play(self) -> Played {
        self.start().finish()
    }
}

impl Playing {
    pub fn project(&self) -> std::path::PathBuf {
        self.dir.path().join("project")
    }

    /// The next line.
    pub fn next(&mut self) -> Said {
        let mut line = String::new();
        self.lines.read_line(&mut line).expect("a line");
        serde_json::from_str(&line).expect("a Said")
    }

    pub fn signal(&self, name: &str) {
        kill(self.child.id(), name);
    }

    pub fn finish(mut self) -> Played {
        let mut text = String::new();
        self.lines.read_to_string(&mut text).expect("its lines");
        let status: ExitStatus = self.child.wait().expect("its end");
        let lines = text.lines().filter(|line| !line.is_empty());
        let said: Vec<Said> = lines
            .map(|line| {
                serde_json::from_str(line).unwrap_or_else(|error| panic!("{line}: {error}"))
            })
            .collect();
        let ends = |said: &&Said| matches!(said, Said::Ended { .. });
        assert_eq!(said.iter().filter(ends).count(), 1, "{said:?}");
        let (last, said) = said.split_last().expect("a last line");
        let Said::Ended {
            outcome,
            text,
            usage,
        } = last.clone()
        else {
            panic!("the last line is {last:?}");
        };
        Played {
            said: said.to_vec(),
            outcome,
            text,
            usage,
            code: status.code(),
            dir: self.dir,
            _group: self.group,
        }
    }
}

impl Played {
    pub fn project(&self) -> std::path::PathBuf {
        self.dir.path().join("project")
    }

    /// Without the first line, which is the start.
    pub fn rest(&self) -> &[Said] {
        match self.said.split_first() {
            Some((Said::Started { .. }, rest)) => rest,
            _ => panic!("it did not start: {:?}", self.said),
        }
    }

    pub fn assert(&self, outcome: Outcome, code: i32) {
        assert_eq!((&self.outcome, self.code), (&outcome, Some(code)));
    }
}

pub fn kill(pid: u32, signal: &str) {
    let pid = pid.to_string();
    let status = Command::new("kill").args([signal, &pid]).status();
    assert!(status.expect("kill").success(), "kill {signal} {pid}");
}

pub fn lives(pid: &str) -> bool {
    let state = std::fs::read_to_string(Path::new("/proc").join(pid).join("stat"));
    state.is_ok_and(|state| !state.contains(") Z "))
}

pub fn play(scene: &str) -> Played {
    Scene::new(scene, &["--", AGENT]).play()
}

pub fn resume(scene: &str) -> Played {
    Scene::new(scene, &["--resume", "old", "--", AGENT]).play()
}

pub fn text(text: &str) -> Said {
    Said::Text {
        text: text.to_owned(),
    }
}

pub fn note(text: &str) -> Said {
    Said::Note {
        text: text.to_owned(),
    }
}

pub fn failed(sentence: &str) -> Outcome {
    Outcome::Failed(sentence.to_owned())
}
