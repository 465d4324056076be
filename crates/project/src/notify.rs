//! Messages to people who are not looking: the desktop, and webhooks.

mod channel;
mod queue;

use std::ffi::OsStr;
use std::fs::File;
use std::path::Path;
use std::time::{Duration, Instant};

use kumite_agents::{Program, run_to_end};
use kumite_core::notice::{Level, Notice};
use kumite_formats::settings::{NotifySettings, without_secret};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use self::channel::{Channel, Undelivered};
use crate::announce::Announcement;

/// How long a webhook or the desktop may take to answer.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long the end of this process waits for messages of an earlier one.
const PATIENCE_FOR_OLD: Duration = Duration::from_secs(1);

/// A message to a person, on any subject.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Message {
    /// The subject, such as the name of a spec.
    pub title: String,
    pub text: String,
    pub level: Level,
    /// Something has ended, or needs a person: it goes before the rest, and is kept longest.
    pub is_urgent: bool,
    /// The same for programs.
    pub json: Value,
}

impl Message {
    /// None: people who are not looking need not know (B4).
    pub fn of(announcement: &Announcement) -> Option<Message> {
        Some(Message {
            title: announcement.spec.clone(),
            text: crate::wording::sentence(&announcement.notice),
            level: announcement.notice.level(),
            is_urgent: is_urgent(&announcement.notice)?,
            json: announcement.to_json(),
        })
    }

    fn body(&self) -> String {
        let mut body = self.json.clone();
        // The key that chat services show.
        body["text"] = format!("kumite: {}: {}", self.title, self.text).into();
        body["level"] = self.level.name().into();
        body.to_string()
    }
}

fn is_urgent(notice: &Notice) -> Option<bool> {
    match notice {
        Notice::ImplExhausted { .. } | Notice::SaveFailed(_) | Notice::RunEnded { .. } => {
            Some(true)
        }
        Notice::ImplRetry { .. } | Notice::LimitWaiting { .. } | Notice::Warned(_) => Some(false),
        Notice::RunQueued(_)
        | Notice::CheckoutBusy { .. }
        | Notice::RunStarted { .. }
        | Notice::PhaseStarted(_)
        | Notice::StepStarted { .. }
        | Notice::StepEnded { .. }
        | Notice::RoundEnded { .. }
        | Notice::ReviewApproved { .. }
        | Notice::InspectionEnded { .. }
        | Notice::DocumentApproved { .. }
        | Notice::DocumentRejected(_)
        | Notice::PhaseEnded(_)
        | Notice::WorktreeCreated { .. }
        | Notice::NoWorktree { .. }
        | Notice::VerifyStarted { .. }
        | Notice::VerifyEnded { .. }
        | Notice::Checkpoint { .. } => None,
    }
}

/// The desktop and each webhook have their own thread, so that a slow one delays nothing.
pub struct Notifier {
    channels: Vec<Channel>,
}

impl Notifier {
    /// Messages that a webhook did not accept are kept in `dir`, for this process and for a later
    /// one.
    pub fn new(settings: &NotifySettings, dir: &Path) -> Notifier {
        let desktop = settings.desktop && has_desktop();
        let desktop = desktop.then(|| Channel::open(None, show));
        let webhooks = settings.webhook.iter().map(|address| {
            let spool = dir.join(format!(
                "webhook-{:016x}.json",
                crate::fnv::fnv1a(address.as_bytes())
            ));
            let agent = ureq::Agent::config_builder()
                .timeout_global(Some(PATIENCE))
                .build()
                .new_agent();
            let address = address.clone();
            Channel::open(Some(spool), move |message| post(&agent, &address, message))
        });
        let channels = desktop.into_iter().chain(webhooks).flatten().collect();
        Notifier { channels }
    }

    pub fn tell(&self, message: &Message) {
        self.channels.iter().for_each(|it| it.tell(message));
    }
}

impl Drop for Notifier {
    /// The last message of the night must get out, but nobody waits for it for ever.
    fn drop(&mut self) {
        self.channels.iter().for_each(Channel::close);
        let now = Instant::now();
        for channel in &self.channels {
            let patience = match channel.has_told() {
                true => PATIENCE,
                false => PATIENCE_FOR_OLD,
            };
            channel.wait_until(now + patience);
        }
    }
}

fn has_desktop() -> bool {
    let is_set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    is_set("DBUS_SESSION_BUS_ADDRESS") && (is_set("DISPLAY") || is_set("WAYLAND_DISPLAY"))
}

/// Uses the program that desktops have for this: a library that speaks D-Bus brings half a megabyte
/// of code and an async runtime of its own.
fn show(message: &Message) -> Result<(), Undelivered> {
    let title = format!("kumite: {}", message.title);
    // It reads escapes such as `\n` in the text.
    let text = message.text.replace('\\', r"\\");
    let argv = ["notify-send", "--app-name=kumite", "--", &title, &text].map(OsStr::new);
    // There may be no desktop: the terminal and the event log have the message too.
    if let Ok(stdin) = File::open("/dev/null") {
        let _ = run_to_end(Program {
            argv: &argv,
            dir: Path::new("/"),
            env: Vec::new(),
            stdin,
            stdout: None,
            output_max: 1024,
            owner: "notify",
            timeout: PATIENCE,
            is_cancelled: &|| false,
        });
    }
    Ok(())
}

fn post(agent: &ureq::Agent, address: &str, message: &Message) -> Result<(), Undelivered> {
    let sent = agent
        .post(address)
        .header("content-type", "application/json")
        .send(message.body());
    let Err(error) = sent else {
        return Ok(());
    };
    let why = format!(
        "the webhook {} did not take a notice: {error}",
        without_secret(address)
    );
    Err(match error {
        // It would answer the same again. "Too early", "too many" and "too slow" are different.
        ureq::Error::StatusCode(code @ 400..500) if ![408, 425, 429].contains(&code) => {
            Undelivered::Refused(why)
        }
        _ => Undelivered::Failed(why),
    })
}
