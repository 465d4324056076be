//! What developers see. `KUMITE_LOG` selects it (`debug`, `kumite_host=trace`), `--log-format` gives
//! it a form. Without either, a person sees warnings as plain lines.

use std::fmt;
use std::io;

use clap::ValueEnum;
use tracing::field::{Field, Visit};
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::filter::Targets;
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::{FmtContext, FormatEvent};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::registry::{LookupSpan, Registry};
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{Layer, fmt as log};

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LogFormat {
    Text,
    Json,
}

const VARIABLE: &str = "KUMITE_LOG";

/// Starts logging to stderr. The stderr of an engine without a terminal is `engine.log`, where
/// somebody looks for a reason afterwards: it tells every notice.
pub fn start(format: Option<LogFormat>, is_engine: bool) {
    let wanted = std::env::var(VARIABLE).unwrap_or_default();
    let own = match (format.is_some() || is_engine, wanted.is_empty()) {
        (true, true) => Level::INFO,
        _ => Level::WARN,
    };
    // The libraries below kumite talk to their own developers.
    let default = Targets::new().with_target("kumite", own);
    let (filter, refused) = match (wanted.is_empty(), wanted.parse::<Targets>()) {
        (true, _) => (default, None),
        (false, Ok(filter)) => (filter, None),
        (false, Err(error)) => (default, Some(error)),
    };
    let layer = match format {
        None if wanted.is_empty() && !is_engine => {
            let layer = log::layer().event_format(Plain).with_writer(io::stderr);
            layer.boxed()
        }
        None | Some(LogFormat::Text) => {
            let layer = log::layer().with_ansi(false).with_target(false);
            layer.with_writer(io::stderr).boxed()
        }
        Some(LogFormat::Json) => {
            let layer = log::layer().json().flatten_event(true);
            layer.with_writer(io::stderr).boxed()
        }
    };
    Registry::default().with(layer.with_filter(filter)).init();
    if let Some(error) = refused {
        // A wrong filter must not keep anybody from stopping an agent.
        tracing::warn!("{VARIABLE}={wanted:?} is ignored: {error}; try {VARIABLE}=debug");
    }
}

/// One line for a person, as all messages of kumite are.
struct Plain;

impl<S, N> FormatEvent<S, N> for Plain
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> log::FormatFields<'a> + 'static,
{
    fn format_event(
        &self,
        _: &FmtContext<'_, S, N>,
        mut writer: Writer<'_>,
        event: &Event<'_>,
    ) -> fmt::Result {
        let mut message = Message::default();
        event.record(&mut message);
        writeln!(writer, "kumite: {}", message.0)
    }
}

/// The text of an event, without its fields.
#[derive(Default)]
struct Message(String);

impl Visit for Message {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        if field.name() == "message" {
            self.0 = format!("{value:?}");
        }
    }
}
