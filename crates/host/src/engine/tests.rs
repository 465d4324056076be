//! The engine, message by message. Its agents are started (a test binary that does nothing), but
//! the test decides how they end.

use std::fs;
use std::sync::mpsc;

use kumite_core::budget::UNKNOWN;
use kumite_core::outcome::{Outcome, Usage};
use kumite_core::run::State;
use kumite_core::run::{Failure, Halt};
use tempfile::TempDir;

use super::*;
use crate::context::LINGER;
use crate::run_request::RunRequest;
use kumite_project::lock;
use kumite_project::settings::Flags;

/// Documents approved, review approved: impl is next.
const READY: &str = r#"{"approvals": {
    "requirements": {"generated": true, "approved": true},
    "design": {"generated": true, "approved": true},
    "tasks": {"generated": true, "approved": true}},
    "documentReview": {"status": "approved"},
    "autoExecution": {"permissions": {"impl": true, "inspection": false}}}"#;

struct TestEngine {
    engine: Engine,
    dir: TempDir,
}

impl TestEngine {
    /// A project with these specs, each ready for impl.
    fn new(specs: &[&str]) -> TestEngine {
        let dir = TempDir::new().unwrap();
        for spec in specs {
            let spec = dir.path().join(".kiro/specs").join(spec);
            fs::create_dir_all(&spec).unwrap();
            fs::write(spec.join("spec.json"), READY).unwrap();
            fs::write(spec.join("tasks.md"), "- [ ] 1. Task\n").unwrap();
        }
        // Several are implemented at the same time.
        let settings = dir.path().join(".kiro/kumite.toml");
        fs::write(settings, "[worktree]\nmode = \"off\"\n").unwrap();
        let project = Project::at(dir.path());
        let lock = lock::take(&project).unwrap().unwrap();
        let loader = Loader::load(&project, Flags::default()).unwrap();
        let until = Until::Quiet(Duration::from_secs(60));
        TestEngine {
            engine: Engine::new(project, lock, loader, until),
            dir,
        }
    }

    fn ask(&mut self, request: Request) -> Receiver<Reply> {
        let (reply, replies) = mpsc::channel();
        self.engine.take(Message::Request { request, reply });
        replies
    }

    fn run(&mut self, spec: &str) {
        let specs = vec![spec.to_owned()];
        let replies = self.ask(Request::Run(RunRequest {
            specs,
            ..RunRequest::default()
        }));
        assert!(matches!(replies.recv(), Ok(Reply::Done(_))));
    }

    fn agent(&self, spec: &str) -> AgentId {
        self.engine.contexts[spec].run.work().unwrap().agent
    }

    fn tick_all_boxes(&self, spec: &str) {
        let tasks = self.dir.path().join(".kiro/specs").join(spec);
        fs::write(tasks.join("tasks.md"), "- [x] 1. Task\n").unwrap();
    }

    fn end(&mut self, agent: AgentId, outcome: Outcome) {
        self.engine.take(ended(agent, outcome));
        self.engine.tick();
    }

    /// As if this much time had passed since the run came to rest.
    fn age(&mut self, spec: &str, time: Duration) {
        let context = self.engine.contexts.get_mut(spec).unwrap();
        let since = context.at_rest_since.unwrap();
        context.at_rest_since = since.checked_sub(time);
        self.engine.tick();
    }

    fn state(&self, spec: &str) -> &State {
        &self.engine.contexts[spec].run.state
    }

    fn knows(&self, spec: &str) -> bool {
        self.engine.contexts.contains_key(spec)
    }
}

fn ended(agent: AgentId, outcome: Outcome) -> Message {
    let ended = Ended {
        outcome,
        session: None,
        usage: Usage::default(),
        last_words: String::new(),
    };
    Message::AgentEnded {
        agent,
        ended,
        place: PlaceLook::None,
    }
}

#[test]
fn t10_a_reservation_lasts_as_long_as_its_agent() {
    let mut test = TestEngine::new(&["login", "search"]);
    test.run("login");
    test.run("search");
    assert_eq!(test.engine.shared.purse.reserved(), 2 * UNKNOWN);
    test.end(test.agent("login"), Outcome::Failed("no".to_owned()));
    assert_eq!(test.engine.shared.purse.reserved(), UNKNOWN);
    // It cannot be started: there is no place for its record.
    let agents = Project::at(test.dir.path()).runtime();
    let agents = agents.join("runs/login/agents");
    fs::remove_dir_all(&agents).unwrap();
    fs::write(&agents, "in the way").unwrap();
    test.run("login");
    assert!(matches!(test.state("login"), State::Halted(_)));
    assert_eq!(test.engine.shared.purse.reserved(), UNKNOWN);
    test.end(test.agent("search"), Outcome::Killed);
    assert_eq!(test.engine.shared.purse.reserved(), 0);
}

#[test]
fn c6_1_a_finished_context_lingers_two_seconds_and_goes() {
    let mut test = TestEngine::new(&["login"]);
    test.run("login");
    test.tick_all_boxes("login");
    test.end(test.agent("login"), Outcome::Finished);
    assert!(matches!(test.state("login"), State::Done(_)));
    test.age("login", LINGER - Duration::from_millis(500));
    assert!(test.knows("login"));
    test.age("login", Duration::from_millis(500));
    assert!(!test.knows("login"));
    assert_eq!(LINGER, Duration::from_secs(2));
}

#[test]
fn c6_2_a_failed_context_stays_and_can_be_tried_again() {
    let mut test = TestEngine::new(&["login"]);
    test.run("login");
    let first = test.agent("login");
    test.end(first, Outcome::Failed("exit status 1".to_owned()));
    test.age("login", Duration::from_secs(3600));
    let State::Halted(halted) = test.state("login") else {
        panic!("{:?}", test.state("login"));
    };
    assert_eq!(halted.why, Halt::Failed(Failure::AgentFailed));
    test.run("login");
    assert_ne!(test.agent("login"), first);
}

#[test]
fn c6_3_a_stopped_context_goes_at_once_and_its_agent_is_forgotten() {
    let mut test = TestEngine::new(&["login"]);
    test.run("login");
    let agent = test.agent("login");
    let spec = "login".to_owned();
    let replies = test.ask(Request::Stop { spec });
    assert!(
        replies.try_recv().is_err(),
        "answered before its agent ended"
    );
    test.engine.tick();
    assert!(test.knows("login"));
    test.end(agent, Outcome::Killed);
    assert!(!test.knows("login"));
    assert!(matches!(replies.recv(), Ok(Reply::Done(_))));
    assert_eq!(test.engine.shared.routing.agents(), 0);
    assert_eq!(test.engine.context_count(), 0);
}

#[test]
fn c6_4_a_shutdown_stops_all() {
    let mut test = TestEngine::new(&["first", "second"]);
    for spec in ["first", "second"] {
        test.run(spec);
    }
    test.engine.take(Message::Interrupt);
    for spec in ["first", "second"] {
        assert!(matches!(test.state(spec), State::Stopping { .. }));
    }
    assert!(!test.engine.may_end());
    for agent in [test.agent("first"), test.agent("second")] {
        test.end(agent, Outcome::Killed);
    }
    assert!(test.engine.may_end());
}

#[test]
fn c6_5_a_clean_up_forgets_everything_at_rest_and_nothing_that_works() {
    let mut test = TestEngine::new(&["done", "failed", "works"]);
    for spec in ["done", "failed", "works"] {
        test.run(spec);
    }
    test.tick_all_boxes("done");
    test.end(test.agent("done"), Outcome::Finished);
    test.end(test.agent("failed"), Outcome::TimedOut);
    assert_eq!(test.engine.context_count(), 3);
    test.engine.clean_up();
    assert_eq!(test.engine.context_count(), 1);
    assert!(test.knows("works"));
}

#[test]
fn c2_1_each_end_reaches_the_spec_of_its_agent_and_no_other() {
    let mut test = TestEngine::new(&["first", "second"]);
    for spec in ["first", "second"] {
        test.run(spec);
    }
    let second = test.agent("second");
    test.tick_all_boxes("first");
    test.end(test.agent("first"), Outcome::Finished);
    assert!(matches!(test.state("first"), State::Done(_)));
    assert_eq!(test.agent("second"), second);
}

#[test]
fn c2_4_an_end_that_comes_before_its_agent_is_registered_is_delivered_with_it() {
    let mut test = TestEngine::new(&["login"]);
    let far = now_ms() + 1_000_000;
    test.engine.shared.clock.after(far);
    let agent = AgentId {
        at_ms: far + 1,
        seq: 1,
    };
    test.end(agent, Outcome::Hung);
    test.run("login");
    assert_eq!(test.agent("login"), agent);
    let early = test.engine.messages.recv().unwrap();
    assert!(matches!(&early, Message::AgentEnded { agent: its, .. } if *its == agent));
    test.engine.take(early);
    let State::Halted(halted) = test.state("login") else {
        panic!("{:?}", test.state("login"));
    };
    assert_eq!(halted.why, Halt::Failed(Failure::AgentHung));
}

#[test]
fn a_late_word_of_an_agent_that_was_replaced_changes_nothing() {
    let mut test = TestEngine::new(&["login"]);
    test.run("login");
    let first = test.agent("login");
    test.end(first, Outcome::Finished);
    let second = test.agent("login");
    assert_ne!(first, second);
    test.end(first, Outcome::Failed("late".to_owned()));
    assert_eq!(test.agent("login"), second);
}

#[test]
fn a_run_that_waited_for_a_slot_in_a_dead_engine_gets_it_in_the_next_one() {
    let mut test = TestEngine::new(&["first", "second"]);
    test.engine.pool = Pool::new(1);
    test.run("first");
    test.run("second");
    assert!(matches!(test.state("second"), State::Queued { .. }));
    let TestEngine { engine, dir } = test;
    let project = engine.project.clone();
    drop(engine);
    // A child of this process also has the lock between its fork and its exec.
    let deadline = Instant::now() + Duration::from_secs(20);
    let lock = loop {
        match lock::take(&project).unwrap() {
            Some(lock) => break lock,
            None => assert!(Instant::now() < deadline, "the lock is held"),
        }
    };
    let loader = Loader::load(&project, Flags::default()).unwrap();
    let mut engine = Engine::new(project, lock, loader, Until::AtRest);
    engine.pool = Pool::new(1);
    engine.recover(&[]);
    let mut next = TestEngine { engine, dir };
    assert!(matches!(next.state("second"), State::Queued { .. }));
    next.end(next.agent("first"), Outcome::TimedOut);
    assert!(matches!(next.state("second"), State::Working(_)));
}

#[test]
fn records_of_agents_whose_end_is_known_are_removed_when_a_run_is_opened() {
    let mut test = TestEngine::new(&["login"]);
    let agents = test
        .dir
        .path()
        .join(".kiro/runtime/kumite/runs/login/agents");
    let old = agents.join("agent-1-00000001");
    fs::create_dir_all(&old).unwrap();
    fs::write(old.join("request.json"), "{}").unwrap();
    test.run("login");
    assert!(!old.exists());
    assert!(agents.join(test.agent("login").to_string()).exists());
}
