//! What happened, as the journal stores it.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::change::Change;
use crate::facts::Look;
use crate::names::Document;
use crate::outcome::Ended;
use crate::place::Content;
use crate::pool::QueuePlace;

pub use crate::order::{Guard, INSPECTIONS_MAX, LimitRules, Order, RETRIES_MAX, ROUNDS_MAX, Rules};

/// The version of the entries that this code writes. Released versions stay readable, and an entry
/// keeps the meaning that it had when it was written:
///
/// - 1: kumite 0.1.0.
/// - 2: stamps name their hash; a lost agent's documents count.
/// - 3: a spec has a place of its own, and the project's commands are run.
pub const VERSION: u32 = 3;

/// A fact with its number and its time. Numbers count from 1 without a gap.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Entry<E = Event> {
    #[serde(rename = "v")]
    pub version: u32,
    pub seq: u64,
    pub at_ms: u64,
    #[serde(flatten)]
    pub event: E,
}

/// Something that happened to a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Event {
    /// A person asked for the run. Without a look at the files there was no free slot, so it
    /// queues.
    StartRequested {
        order: Order,
        look: Option<Look>,
        /// Its place in the queue.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        place: Option<QueuePlace>,
    },
    /// A slot became free for a queued run.
    Admitted {
        look: Look,
    },
    /// A usage limit has ended, or a person does not want to wait for it.
    WaitOver {
        look: Look,
    },
    /// An agent ended; `look` is what the files said then.
    AgentEnded {
        agent: AgentId,
        ended: Ended,
        look: Look,
    },
    /// The agent was not started, because another spec works in the checkout that it needs.
    CheckoutBusy {
        agent: AgentId,
        with: String,
    },
    StopRequested {
        by: By,
    },
    /// Let the agent finish, begin nothing new.
    PauseRequested,
    /// A person looked at it: counters and failures are cleared.
    ResetRequested,
    DocumentApproved {
        document: Document,
    },
    DocumentRejected {
        document: Document,
        remark: Option<String>,
    },
    /// A person confirmed the permission for deploy that appeared while an agent worked.
    DeployApproved,
    /// A person says that the tasks need no change of the code.
    ImplApproved,
    /// A person wants the worktree as it was at checkpoint `to`. `content` is what it has now.
    UndoRequested {
        to: u64,
        content: Content,
    },
    /// spec.json could not be written while the effects of entry `seq` were carried out.
    SaveFailed {
        /// Has another name in the journal, where `seq` is the number of the entry.
        #[serde(rename = "of_seq")]
        seq: u64,
        changes: Vec<Change>,
        why: String,
    },
    /// Another process took the run over.
    EngineStarted,
}

/// Who stopped a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum By {
    /// A person, for this spec by name.
    User,
    /// The process was told to end.
    Interrupt,
}

/// An agent is named after the entry that started it, so a replaced agent is easy to recognise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AgentId {
    pub at_ms: u64,
    pub seq: u64,
}

impl Entry {
    pub fn agent(&self) -> AgentId {
        AgentId {
            at_ms: self.at_ms,
            seq: self.seq,
        }
    }
}

impl fmt::Display for AgentId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "agent-{}-{:08x}", self.at_ms, self.seq)
    }
}

#[derive(Debug, PartialEq, Eq)]
pub struct NotAnAgentId;

impl fmt::Display for NotAnAgentId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not an agent id (agent-<time>-<number>)")
    }
}

impl FromStr for AgentId {
    type Err = NotAnAgentId;

    fn from_str(text: &str) -> Result<AgentId, NotAnAgentId> {
        let (at, seq) = text
            .strip_prefix("agent-")
            .and_then(|rest| rest.split_once('-'))
            .ok_or(NotAnAgentId)?;
        Ok(AgentId {
            at_ms: at.parse().map_err(|_| NotAnAgentId)?,
            seq: u64::from_str_radix(seq, 16).map_err(|_| NotAnAgentId)?,
        })
    }
}

impl Serialize for AgentId {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for AgentId {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<AgentId, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::change::Fixing;
    use crate::facts::{Facts, Findings, Stamp};
    use crate::names::Phase;
    use crate::outcome::{Outcome, Usage};

    fn agent(at_ms: u64, seq: u64) -> AgentId {
        AgentId { at_ms, seq }
    }

    fn entry(event: Event) -> Entry {
        Entry {
            version: VERSION,
            seq: 3,
            at_ms: 1_700_000_000_000,
            event,
        }
    }

    fn events() -> Vec<Event> {
        let mut facts = Facts {
            completed: Some(Phase::Impl),
            ..Facts::default()
        };
        facts.documents[0].stamp = Some(Stamp::Fnv(u64::MAX));
        facts.documents[1].stamp = Some(Stamp::Std(u64::MAX));
        let look = || Look::Seen(Box::new(facts.clone()));
        let order = Order {
            until: Some(Phase::Review),
            from: Some(Phase::Design),
            review_once: Some(Fixing::Nobody),
            ..Order::default()
        };
        let ended = Ended {
            outcome: Outcome::Failed("exit status 1".to_owned()),
            session: Some("session".to_owned()),
            usage: Usage::default(),
            last_words: "Which database?".to_owned(),
        };
        let found = Findings {
            fix_required: 1,
            needs_discussion: 0,
        };
        let agent = agent(1, 2);
        let document = Document::Tasks;
        vec![
            Event::StartRequested {
                order,
                look: None,
                place: Some(QueuePlace {
                    number: 2,
                    of: 3,
                    jobs: 5,
                }),
            },
            Event::StartRequested {
                order: Order::default(),
                look: Some(Look::Unreadable("spec.json:3: no comma".to_owned())),
                place: None,
            },
            Event::Admitted { look: look() },
            Event::WaitOver { look: look() },
            Event::AgentEnded {
                agent,
                ended,
                look: look(),
            },
            Event::StopRequested { by: By::Interrupt },
            Event::PauseRequested,
            Event::ResetRequested,
            Event::DocumentApproved { document },
            Event::DocumentRejected {
                document,
                remark: Some("too vague".to_owned()),
            },
            Event::DeployApproved,
            Event::SaveFailed {
                seq: 2,
                changes: vec![Change::Replied(1, found)],
                why: "disk full".to_owned(),
            },
            Event::EngineStarted,
        ]
    }

    #[test]
    fn every_entry_comes_back_as_it_was_written() {
        for event in events() {
            let entry = entry(event);
            let line = serde_json::to_string(&entry).unwrap();
            assert!(!line.contains('\n'), "{line}");
            let back: Entry = serde_json::from_str(&line).unwrap();
            assert_eq!(back, entry, "{line}");
        }
    }

    #[test]
    fn the_first_release_wrote_entries_like_these() {
        let stop = r#"{"v":1,"seq":3,"at_ms":1700000000000,"event":"stop_requested","by":"user"}"#;
        let first = Entry {
            version: 1,
            ..entry(Event::StopRequested { by: By::User })
        };
        assert_eq!(serde_json::to_string(&first).unwrap(), stop);
        let ended = r#"{"v":1,"seq":3,"at_ms":1700000000000,"event":"agent_ended",
            "agent":"agent-10-00000001","ended":{"outcome":"finished"},"look":{"unreadable":"gone"}}"#;
        let back: Entry = serde_json::from_str(ended).unwrap();
        let Event::AgentEnded { agent: id, .. } = back.event else {
            panic!("{back:?}");
        };
        assert_eq!(id, agent(10, 1));
    }

    #[test]
    fn stamps_of_the_first_release_are_told_from_those_of_today() {
        let read = |text: &str| serde_json::from_str::<Stamp>(text).unwrap();
        assert_eq!(read("18446744073709551615"), Stamp::Std(u64::MAX));
        assert_eq!(read(r#"{"fnv":7}"#), Stamp::Fnv(7));
    }

    #[test]
    fn c2_1_an_agent_is_named_after_the_entry_that_started_it() {
        let entry = entry(Event::PauseRequested);
        assert_eq!(entry.agent(), agent(1_700_000_000_000, 3));
        let name = entry.agent().to_string();
        assert_eq!(name, "agent-1700000000000-00000003");
        assert_eq!(name.parse(), Ok(entry.agent()));
    }

    #[test]
    fn c2_1_what_is_no_agent_id_is_refused() {
        for text in ["", "agent-", "agent-1", "agent-x-1", "agent-1-xyz", "1-2"] {
            assert_eq!(text.parse::<AgentId>(), Err(NotAnAgentId), "{text}");
        }
    }

    #[test]
    fn the_limits_are_those_of_the_requirements() {
        let rules = Rules::default();
        assert_eq!(rules.rounds_max, 7, "A2.1");
        assert_eq!(rules.retries_max, 7, "B3.1");
        assert_eq!(rules.inspections_max, 3);
        assert!(rules.auto_approve);
        assert_eq!(rules.guard, Guard::Seed);
    }
}
