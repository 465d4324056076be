//! Short helpers that many tests use: how a run ended, what its agents were told.

use std::fs;

use serde_json::Value;

use crate::world::{Out, World, text};

impl Out {
    /// The last line of `--json` and the exit code agree.
    #[track_caller]
    pub fn assert_ended(&self, code: i32, state: &str, reason: &str) -> &Out {
        self.assert_code(code);
        let last = self.json().pop().expect("a last line");
        assert_eq!(last["type"], "run_ended", "{self:#?}");
        let said = (text(&last["state"]), text(&last["reason"]));
        assert_eq!(said, (state.to_owned(), reason.to_owned()), "{self:#?}");
        self
    }
}

impl World {
    /// `kumite run <spec> --json`.
    pub fn run(&self, spec: &str) -> Out {
        self.kumite(&["run", spec, "--json"])
    }

    /// `kumite resume <spec> --json`.
    pub fn resume(&self, spec: &str) -> Out {
        self.kumite(&["resume", spec, "--json"])
    }

    #[track_caller]
    pub fn assert_status(&self, spec: &str, state: &str, reason: &str) -> Value {
        let status = self.status(spec);
        let said = (text(&status["state"]), text(&status["reason"]));
        let expected = (state.to_owned(), reason.to_owned());
        assert_eq!(said, expected, "{status:#}");
        status
    }

    /// The prompts of a spec's agents, one after the other.
    pub fn prompts(&self, spec: &str) -> Vec<String> {
        let launches = self.launches().into_iter();
        let own = launches.filter(|launch| launch["spec"] == spec);
        own.map(|launch| text(&launch["prompt"])).collect()
    }

    /// `documentReview.roundDetails` of spec.json.
    pub fn rounds(&self, spec: &str) -> Vec<Value> {
        let details = self.spec_json(spec)["documentReview"]["roundDetails"].clone();
        details.as_array().cloned().unwrap_or_default()
    }

    /// The messages of events.jsonl.
    pub fn messages(&self, spec: &str) -> Vec<String> {
        let events = self.events(spec).into_iter();
        events.map(|event| text(&event["message"])).collect()
    }

    /// Replaces a part of a spec's file, as a person would.
    pub fn repair(&self, path: &str, old: &str, new: &str) {
        let before = self.read(path);
        assert!(before.contains(old), "{path} has no {old:?}: {before}");
        self.write(path, &before.replace(old, new));
    }

    /// The process `kumite engine` of the project.
    pub fn detached_engine(&self) -> Option<u32> {
        let pids = fs::read_dir("/proc").unwrap().flatten();
        let mut pids = pids.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
        pids.find(|pid| {
            let cmdline = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
            let cwd = fs::read_link(format!("/proc/{pid}/cwd")).ok();
            cmdline.ends_with(b"\0engine\0") && cwd.as_deref() == Some(self.root())
        })
    }
}
