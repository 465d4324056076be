//! The server as a program, for experiments by hand.

use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

use kumite_fake_model::{Options, Script, Server};
use serde_json::json;

const USAGE: &str = "usage: fake-model [--port N] [--script FILE] [--ready-file FILE] [--log FILE]

Serves scripted answers on 127.0.0.1. Prints {\"port\",\"url\"} when it listens.

  --port N           default: a free one
  --script FILE      {\"rules\":[{\"when\":\"\",\"acts\":[{\"say\":{\"text\":\"hello\"}}]}]}
                     Plain clients offer no tools: add \"without_tools\":true.
  --ready-file FILE  gets the port once the server listens
  --log FILE         gets a line of JSON for every request";

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("fake-model: {message}");
            ExitCode::from(2)
        }
    }
}

fn run() -> Result<(), String> {
    let mut options = Options::default();
    let mut script = Script::default();
    let mut ready_file = None;
    let mut args = std::env::args().skip(1);
    while let Some(flag) = args.next() {
        if flag == "--help" || flag == "-h" {
            println!("{USAGE}");
            return Ok(());
        }
        let mut value = || args.next().ok_or(format!("{flag} needs a value\n{USAGE}"));
        match flag.as_str() {
            "--port" => {
                let value = value()?;
                options.port = value
                    .parse()
                    .map_err(|_| format!("--port {value}: not a port"))?;
            }
            "--script" => script = read_script(&value()?)?,
            "--ready-file" => ready_file = Some(value()?),
            "--log" => options.log = Some(PathBuf::from(value()?)),
            other => return Err(format!("{other} is not known\n{USAGE}")),
        }
    }
    let server = Server::start_with(script, &options)
        .map_err(|error| format!("cannot listen on port {}: {error}", options.port))?;
    println!("{}", json!({"port": server.port(), "url": server.url()}));
    if let Some(path) = ready_file {
        fs::write(&path, server.port().to_string())
            .map_err(|error| format!("cannot write {path}: {error}"))?;
    }
    server.serve();
    Ok(())
}

fn read_script(path: &str) -> Result<Script, String> {
    let text = fs::read_to_string(path).map_err(|error| format!("cannot read {path}: {error}"))?;
    Script::from_json(&text).map_err(|error| format!("{path}: {error}"))
}
