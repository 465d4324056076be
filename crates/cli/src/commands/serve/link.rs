//! `kumite serve link`: another link to the page.

use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use kumite_formats::settings::Span;
use kumite_project::spec_file::sentence;
use kumite_web::{Role, Running};

use crate::args::Setting;
use crate::exit;
use crate::out::out;
use crate::trouble::{Result, Trouble};

const TTL_MAX: Duration = Duration::from_secs(30 * 24 * 60 * 60);

#[derive(Args)]
pub struct LinkArgs {
    /// Its user can look at everything and change nothing
    #[arg(long)]
    read_only: bool,
    /// How long it is valid, such as 10m, 1h or 7d; a read-only session ends then too
    #[arg(long, value_name = "TIME", default_value = "1h", value_parser = ttl)]
    ttl: Duration,
}

pub fn link(setting: &Setting, args: &LinkArgs) -> Result {
    let runtime = setting.project()?.runtime();
    let Some(server) = Running::find(&runtime) else {
        return Err(Trouble::invalid(
            "no server runs in this project; `kumite serve` starts one and prints a link",
        ));
    };
    let role = match args.read_only {
        true => Role::ReadOnly,
        false => Role::Full,
    };
    let link = server
        .link(&runtime, role, args.ttl)
        .map_err(|error| Trouble::failed(sentence(&error)))?;
    match setting.json() {
        true => out!("{}", serde_json::json!({"login_url": link})),
        false => out!("{link}"),
    }
    if !setting.global.quiet && server.is_beyond_loopback() {
        picture(&link);
    }
    Ok(ExitCode::from(exit::DONE))
}

/// A link for the camera of a phone.
pub fn picture(link: &str) {
    if let Some(drawn) = kumite_web::qr(link) {
        eprintln!("{drawn}\nFor a phone: it works once.");
    }
}

fn ttl(text: &str) -> std::result::Result<Duration, String> {
    let span = Span::parse(text).map(Span::duration);
    span.filter(|span| !span.is_zero() && *span <= TTL_MAX)
        .ok_or_else(|| "a time such as 10m, 1h or 7d, at most 30d".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_lives_for_a_month_at_most() {
        assert_eq!(ttl("1h"), Ok(Duration::from_secs(3600)));
        assert_eq!(ttl("30d"), Ok(TTL_MAX));
        for bad in ["31d", "0s", "1", "-1h", "", "soon"] {
            assert!(ttl(bad).is_err(), "{bad}");
        }
    }
}
