//! What a project is: its directories and files, the journals, the settings, the money, the news,
//! and what can be read from them. Nothing here starts an agent or decides anything.

pub mod announce;
pub mod beside;
pub mod books;
mod checkout;
pub mod clock;
mod cores;
pub mod cost;
pub mod decisions;
pub mod documents;
pub mod events_log;
pub mod evidence;
mod fnv;
pub mod history;
pub mod job;
pub mod journal;
pub mod kept;
pub mod limits;
pub mod lock;
pub mod new_spec;
pub mod news;
pub mod notify;
pub mod picture;
pub mod place;
pub mod program;
pub mod project;
pub mod queue;
pub mod settings;
mod snapshot;
pub mod spec_file;
pub mod status;
pub mod toast;
pub mod usage_log;
pub mod user;
mod variant;
pub mod wording;
pub mod worked;

pub use kumite_files::crash;
pub use variant::variant;
