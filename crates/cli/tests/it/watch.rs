//! What a test waits for and looks at while kumite works.

use std::collections::BTreeSet;
use std::fs;

use serde_json::{Value, json};

use crate::world::{World, lines, text, until};

/// The file that held agents wait for.
pub const GO: &str = "go";

/// An action that waits until the test calls [`World::go`].
pub fn held() -> Value {
    json!({"wait_for": GO})
}

impl World {
    /// The log of the fake agent, only complete lines.
    pub fn agent_log(&self) -> Vec<Value> {
        let log = fs::read_to_string(self.path("launches.jsonl")).unwrap_or_default();
        lines(&log[..log.rfind('\n').map_or(0, |end| end + 1)])
    }

    /// Launches of the fake agent, in order: the lines of its log that are not ends.
    pub fn launches(&self) -> Vec<Value> {
        let lines = self.agent_log().into_iter();
        lines.filter(|line| line.get("ended").is_none()).collect()
    }

    /// The launches of a spec as `step round`, such as `review 2`.
    pub fn steps(&self, spec: &str) -> Vec<String> {
        let launches = self.launches().into_iter();
        launches
            .filter(|launch| launch["spec"] == spec)
            .map(|launch| format!("{} {}", text(&launch["step"]), text(&launch["round"])))
            .collect()
    }

    /// Waits until a file exists.
    pub fn wait_for(&self, path: &str) {
        let path = self.path(path);
        until(&format!("{} to appear", path.display()), || path.exists());
    }

    /// Lets all held agents work.
    pub fn go(&self) {
        self.write(GO, "");
    }

    /// Waits until the fake agent was started for a step such as `review 2`.
    #[track_caller]
    pub fn wait_for_step(&self, spec: &str, step: &str) {
        until(&format!("{spec} to reach {step}"), || {
            self.steps(spec).iter().any(|seen| seen == step)
        });
    }

    /// Waits until `kumite status` shows this state.
    #[track_caller]
    pub fn wait_for_state(&self, spec: &str, state: &str) {
        until(&format!("{spec} to be {state}"), || {
            self.status(spec)["state"] == state
        });
    }

    /// Waits until the message of `kumite status` has these words.
    #[track_caller]
    pub fn wait_for_message(&self, spec: &str, words: &str) {
        until(&format!("{spec} to say {words:?}"), || {
            text(&self.status(spec)["message"]).contains(words)
        });
    }

    /// State and reason of `kumite status`, in one line.
    pub fn stands(&self, spec: &str) -> String {
        let status = self.status(spec);
        format!("{} {}", text(&status["state"]), text(&status["reason"]))
    }

    /// The lines of `kumite replay --json`: an entry, the run after it, its effects.
    pub fn entries(&self, spec: &str) -> Vec<Value> {
        let out = self.kumite(&["replay", spec, "--json"]);
        out.assert_code(0);
        out.json()
    }

    /// How many agents worked at the same time, according to their own log.
    pub fn at_once_max(&self) -> usize {
        let mut at_work = BTreeSet::new();
        let mut most = 0;
        for line in self.agent_log() {
            match line.get("ended") {
                Some(agent) => at_work.remove(&text(agent)),
                None => at_work.insert(text(&line["agent"])),
            };
            most = most.max(at_work.len());
        }
        most
    }

    /// The prompt of the n-th launch.
    pub fn prompt(&self, index: usize) -> String {
        text(&self.launches()[index]["prompt"])
    }
}
