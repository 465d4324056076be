//! Notices for people who are not looking: the desktop, and a web address of their choice.

use std::sync::mpsc::{self, Receiver, Sender};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use kumite_core::notice::Notice;
use kumite_formats::settings::NotifySettings;

use crate::announce::Announcement;

/// How long a web address may take to answer.
const PATIENCE: Duration = Duration::from_secs(10);

/// Sends in a thread of its own: a slow web address holds nothing up.
pub struct Notifier {
    send: Option<Sender<Announcement>>,
    thread: Option<JoinHandle<()>>,
}

impl Notifier {
    pub fn new(settings: &NotifySettings) -> Notifier {
        let desktop = settings.desktop && has_desktop();
        let webhook = settings.webhook.clone();
        if !desktop && webhook.is_empty() {
            return Notifier {
                send: None,
                thread: None,
            };
        }
        let (send, receive) = mpsc::channel();
        let thread = thread::Builder::new()
            .name("notices".into())
            .spawn(move || deliver(receive, desktop, &webhook));
        Notifier {
            send: Some(send),
            thread: thread.ok(),
        }
    }

    pub fn tell(&self, announcement: &Announcement) {
        if let (Some(send), true) = (&self.send, matters(&announcement.notice)) {
            let _ = send.send(announcement.clone());
        }
    }
}

impl Drop for Notifier {
    /// The last word of the night must get out; but nobody waits for it for ever.
    fn drop(&mut self) {
        drop(self.send.take());
        let Some(thread) = self.thread.take() else {
            return;
        };
        let deadline = Instant::now() + PATIENCE;
        while !thread.is_finished() && Instant::now() < deadline {
            thread::park_timeout(Duration::from_millis(5));
        }
    }
}

/// Retries, limits, pauses and ends reach the person (B4); the rest is for those who follow.
fn matters(notice: &Notice) -> bool {
    match notice {
        Notice::ImplRetry { .. }
        | Notice::ImplExhausted { .. }
        | Notice::SaveFailed(_)
        | Notice::LimitWaiting { .. }
        | Notice::Warned(_)
        | Notice::RunEnded { .. } => true,
        Notice::RunQueued
        | Notice::RunStarted { .. }
        | Notice::PhaseStarted(_)
        | Notice::StepStarted { .. }
        | Notice::StepEnded { .. }
        | Notice::RoundEnded { .. }
        | Notice::ReviewApproved { .. }
        | Notice::InspectionEnded { .. }
        | Notice::DocumentApproved { .. }
        | Notice::DocumentRejected(_)
        | Notice::PhaseEnded(_) => false,
    }
}

fn has_desktop() -> bool {
    let is_set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    is_set("DBUS_SESSION_BUS_ADDRESS") && (is_set("DISPLAY") || is_set("WAYLAND_DISPLAY"))
}

fn deliver(receive: Receiver<Announcement>, desktop: bool, webhook: &str) {
    let agent = ureq::Agent::config_builder()
        .timeout_global(Some(PATIENCE))
        .build()
        .new_agent();
    for announcement in receive {
        if desktop {
            show(&announcement);
        }
        if !webhook.is_empty() {
            post(&agent, webhook, &announcement);
        }
    }
}

fn show(announcement: &Announcement) {
    let text = crate::wording::sentence(&announcement.notice);
    // No desktop after all: the terminal and the event log have it too.
    let _ = notify_rust::Notification::new()
        .appname("kumite")
        .summary(&format!("kumite: {}", announcement.spec))
        .body(&text)
        .show();
}

fn post(agent: &ureq::Agent, webhook: &str, announcement: &Announcement) {
    let mut body = announcement.to_json();
    let text = crate::wording::sentence(&announcement.notice);
    // The key that chat services show.
    body["text"] = format!("kumite: {}: {text}", announcement.spec).into();
    let sent = agent
        .post(webhook)
        .header("content-type", "application/json")
        .send(body.to_string());
    if let Err(error) = sent {
        eprintln!("kumite: the webhook did not take a notice: {error}");
    }
}
