//! One reading of a spec's files. Its status, its decisions and its agents are made from it alone,
//! so that what is shown together belongs to one moment and cannot contradict itself.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use kumite_agents::{Adopted, Owner};
use kumite_core::effect::Effect;
use kumite_core::facts::{Facts, Look};
use kumite_core::journal::{AgentId, Entry};
use kumite_core::pool::QueuePlace;
use kumite_core::run::Run;

use crate::books::{Follower, Found};
use crate::decisions::Decision;
use crate::evidence::{self, Depth};
use crate::journal;
use crate::lock;
use crate::program;
use crate::project::{Project, Spec};
use crate::queue::Queue;
use crate::status::{self, Status};
use crate::usage_log::{Program, UsageLine};
use crate::worked::{self, Worked};

pub struct Picture {
    pub spec: Spec,
    /// The checkout that contains its documents: the project, or a worktree.
    pub checkout: PathBuf,
    pub look: Look,
    pub run: Run,
    /// Every entry with the run after it; empty for a glance.
    pub history: Vec<(Entry, Run, Vec<Effect>)>,
    /// Why the journal cannot be read. Then nothing is known about the run.
    pub trouble: Option<journal::Error>,
    /// An engine drives the run, or would if it were asked.
    pub(crate) is_driven: bool,
    pub(crate) queue_place: Option<QueuePlace>,
    pub(crate) agents: Vec<AgentDir>,
    /// The lines of usage.jsonl about its agents; empty for a glance.
    pub(crate) paid: BTreeMap<String, UsageLine>,
    /// The agents that have a log; empty for a glance.
    pub(crate) logged: Vec<AgentId>,
}

/// What the files tell about the engine.
pub struct EngineSeen {
    lives: bool,
    queue: Queue,
}

/// The directory of an agent. It is removed when the agent's end is in the journal.
pub(crate) struct AgentDir {
    pub id: String,
    /// Unknown for a glance.
    pub program: Option<Program>,
    pub life: Option<Life>,
}

/// An agent that lives.
pub(crate) struct Life {
    pub pid: Option<u32>,
    pub started_at_ms: Option<u64>,
}

impl EngineSeen {
    pub fn of(project: &Project) -> EngineSeen {
        EngineSeen {
            lives: lock::is_held(project),
            queue: Queue::read(&project.runtime()),
        }
    }
}

impl Picture {
    /// Reads everything.
    pub fn read(project: &Project, spec: Spec) -> Picture {
        let (history, trouble) = match journal::history(spec.run_dir()) {
            Ok(history) => (history, None),
            Err(error) => (Vec::new(), Some(error)),
        };
        let run = history.last().map(|(_, run, _)| run.clone());
        let engine = EngineSeen::of(project);
        let mut picture = Picture::with(spec, &engine, Depth::Documents, run, trouble);
        for agent in &mut picture.agents {
            agent.program = program::read(&picture.spec.run_dir().join("agents").join(&agent.id));
        }
        picture.paid = paid(project, &picture.spec);
        // An unreadable directory has no logs to show.
        let logs = kumite_agents::agent_logs(&picture.spec.logs()).unwrap_or_default();
        picture.logged = logs.into_iter().map(|logs| logs.agent).collect();
        picture.history = history;
        picture
    }

    /// Reads what its present state needs: not its past, and no review files. The state of a
    /// thousand specs can be shown in this way.
    pub fn glance(spec: Spec, engine: &EngineSeen) -> Picture {
        let (run, trouble) = match journal::peek(spec.run_dir()) {
            Ok(run) => (run, None),
            Err(error) => (None, Some(error)),
        };
        Picture::with(spec, engine, Depth::Glance, run, trouble)
    }

    fn with(
        spec: Spec,
        engine: &EngineSeen,
        depth: Depth,
        run: Option<Run>,
        trouble: Option<journal::Error>,
    ) -> Picture {
        let run = run.unwrap_or_default();
        let (checkout, json) = spec.read();
        Picture {
            look: evidence::seen(&spec, &checkout, json, depth),
            checkout,
            history: Vec::new(),
            trouble,
            is_driven: engine.lives && (run.is_at_rest() || journal::is_driven(spec.run_dir())),
            queue_place: engine.queue.place(&spec.name),
            agents: spec
                .agent_dirs()
                .iter()
                .filter_map(|dir| agent_dir(dir))
                .collect(),
            paid: BTreeMap::new(),
            logged: Vec::new(),
            run,
            spec,
        }
    }

    pub fn facts(&self) -> Option<&Facts> {
        self.look.facts()
    }

    pub fn status(&self) -> Status {
        status::of(self)
    }

    /// All decisions, in order. A spec that never ran has none.
    pub fn decisions(&self) -> impl DoubleEndedIterator<Item = Decision> + ExactSizeIterator {
        let recorded = self.history.iter();
        recorded.map(|recorded| Decision::of(&self.spec.name, recorded))
    }

    /// All agents that ever worked on it, the newest first.
    pub fn worked(&self) -> Vec<Worked> {
        worked::of(self)
    }

    /// The picture, unless its journal cannot be read.
    pub fn readable(self) -> Result<Picture, journal::Error> {
        match self.trouble {
            Some(trouble) => Err(trouble),
            None => Ok(self),
        }
    }
}

fn agent_dir(dir: &Path) -> Option<AgentDir> {
    Some(AgentDir {
        id: dir.file_name()?.to_str()?.to_owned(),
        program: None,
        life: life(dir),
    })
}

/// An agent lives while its supervisor does, even if no engine knows of it.
fn life(dir: &Path) -> Option<Life> {
    match kumite_agents::adopt(dir).ok()? {
        Adopted::Running(handle) => Some(Life {
            pid: handle.pid(),
            started_at_ms: handle.started_at(),
        }),
        Adopted::Foreign(Owner { pid: Some(pid), .. }) => Some(Life {
            pid: Some(pid),
            started_at_ms: None,
        }),
        Adopted::Foreign(Owner { pid: None, .. })
        | Adopted::Ended(_)
        | Adopted::Lost
        | Adopted::NeverStarted => None,
    }
}

fn paid(project: &Project, spec: &Spec) -> BTreeMap<String, UsageLine> {
    let mut paid = BTreeMap::new();
    let mut lines = Follower::at(project.usage_file());
    // An unreadable file adds nothing.
    let _ = lines.read(|found| {
        if let Found::Line(line) = found
            && line.contest.is_none()
            && line.spec == spec.name
        {
            paid.insert(line.agent.clone(), *line);
        }
    });
    paid
}
