//! `kumite serve`: the page and the HTTP API.

use std::net::SocketAddr;
use std::process::ExitCode;

use clap::Args;
use kumite_host::settings::Flags;
use kumite_host::spec_file::sentence;
use kumite_web::{Options, Server};

use crate::args::Setting;
use crate::out::out;
use crate::trouble::{Result, Trouble};
use crate::{exit, signals};

#[derive(Args)]
pub struct ServeArgs {
    /// Where to listen; port 0 takes a free one
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:0")]
    listen: SocketAddr,
}

pub fn serve(setting: &Setting, args: &ServeArgs) -> Result {
    let project = setting.project()?;
    let loader = setting.loader(&project, Flags::default())?;
    let options = Options {
        project,
        loader,
        kumite: std::env::current_exe()?,
    };
    let server = Server::start(options, args.listen)
        .map_err(|error| Trouble::failed(sentence(&error)))?;
    let end = server.ender();
    let caught = signals::catch(move |_| end())?;
    match setting.json() {
        true => out!(
            "{}",
            serde_json::json!({"url": server.url, "login_url": server.login_url})
        ),
        false => out!("{}", server.login_url),
    }
    server.wait();
    Ok(ExitCode::from(caught.code().unwrap_or(exit::DONE)))
}
