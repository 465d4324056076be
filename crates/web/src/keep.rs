//! Runs the project's engine while no other process does. All requests go through the engine's
//! socket, whichever process runs it.

use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use kumite_host::client;
use kumite_host::{Engine, Message, Until};
use kumite_project::lock;
use kumite_project::project::Project;
use kumite_project::settings::Loader;

/// How often we check whether another kumite's engine has ended.
const LOOK: Duration = Duration::from_millis(200);

/// The thread that holds the engine.
pub struct Keeper {
    duty: Arc<Mutex<Duty>>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

#[derive(Default)]
struct Duty {
    inbox: Option<Sender<Message>>,
    told_to_end: u32,
}

impl Keeper {
    pub fn start(project: Project, loader: Loader) -> std::io::Result<Keeper> {
        let duty = Arc::<Mutex<Duty>>::default();
        let theirs = Arc::clone(&duty);
        let thread = thread::Builder::new()
            .name("engine".into())
            .spawn(move || keep(&project, &loader, &theirs))?;
        Ok(Keeper {
            duty,
            thread: Mutex::new(Some(thread)),
        })
    }

    /// Ends our own engine and the runs that were started on the page; a second call ends them
    /// without grace. Runs of other terminals go on in an engine without a terminal.
    pub fn end(&self) {
        let mut duty = self.duty.lock().unwrap_or_else(PoisonError::into_inner);
        duty.told_to_end += 1;
        let message = match duty.told_to_end {
            1 => Message::Leave,
            _ => Message::Kill,
        };
        if let Some(inbox) = &duty.inbox {
            let _ = inbox.send(message);
        }
    }

    /// Waits until the engine has ended.
    pub fn wait(&self) {
        let mut thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(thread) = thread.take() {
            let _ = thread.join();
        }
    }
}

fn keep(project: &Project, loader: &Loader, duty: &Mutex<Duty>) {
    let enter = || duty.lock().unwrap_or_else(PoisonError::into_inner);
    while enter().told_to_end == 0 {
        match lock::take(project) {
            Ok(Some(lock)) => {
                kumite_agents::inherit_orphans();
                let mut engine = Engine::new(project.clone(), lock, loader.clone(), Until::Told);
                if let Err(error) = engine.listen() {
                    tracing::warn!("cannot listen for requests: {error}");
                }
                {
                    let mut duty = enter();
                    duty.inbox = Some(engine.inbox());
                    if duty.told_to_end > 0 {
                        return;
                    }
                }
                engine.recover(&[]);
                let left = engine.run();
                enter().inbox = None;
                drop(engine);
                if !left.is_empty()
                    && let Err(error) = client::hand_over(project, loader.jobs(), &left)
                {
                    tracing::warn!("{}", kumite_project::spec_file::sentence(&error));
                }
            }
            Ok(None) => thread::park_timeout(LOOK),
            Err(error) => {
                tracing::warn!("{}", kumite_project::spec_file::sentence(&error));
                thread::park_timeout(LOOK * 10);
            }
        }
    }
}
