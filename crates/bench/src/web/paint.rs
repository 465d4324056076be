//! What a person waits for in the browser.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use kumite_browser::{Browser, Page};

use super::{Served, long_spec};
use crate::Result;
use crate::scene::{Scene, name};
use crate::stats::Samples;

const VISITS: usize = 15;
const LINES: usize = 1_000_000;
/// An agent of a spec that the scene has already run.
const AGENT: &str = "agent-1767225600000-00000001";

pub struct Painted {
    pub ours: Samples,
    pub bare: Samples,
    pub bytes: u64,
}

/// A browser that has used the login link of a server. The link works once; its cookie works for
/// all visits.
pub struct Visitor<'a> {
    browser: Browser,
    served: &'a Served,
    cookie: String,
}

impl Visitor<'_> {
    pub fn of(served: &Served) -> Result<Visitor<'_>> {
        let browser = Browser::start()?;
        let page = browser.page();
        page.goto(&served.login_url)?;
        let cookies = page.cookies();
        let cookie = cookies.first().ok_or("the login link gave no cookie")?;
        Ok(Visitor {
            cookie: format!("{}={}", cookie.name, cookie.value),
            browser,
            served,
        })
    }
}

pub fn now(visitor: &Visitor<'_>) -> Result<Painted> {
    painted(visitor, "/", "[data-item]", 1_000)
}

pub fn long_spec(visitor: &Visitor<'_>) -> Result<Painted> {
    let path = format!("/specs/{}", long_spec::NAME);
    painted(
        visitor,
        &path,
        "#rounds tbody tr",
        long_spec::ROUNDS as usize,
    )
}

/// A new page each time, so nothing is cached.
fn painted(visitor: &Visitor<'_>, path: &str, row: &str, rows_min: usize) -> Result<Painted> {
    let Visitor {
        browser,
        served,
        cookie,
    } = visitor;
    let bare_url = one_word()?;
    let (mut ours, mut bare, mut bytes) = (Vec::new(), Vec::new(), 0);
    for _ in 0..VISITS {
        let page = browser.page();
        page.set_headers(&[("cookie", cookie)]);
        page.goto(&format!("{}{path}", served.url))?;
        // The rows that are not in the window come after the first paint.
        page.until(&format!(
            "document.querySelectorAll('{row}').length >= {rows_min}"
        ));
        ours.push(Duration::from_secs_f64(page.paint_ms() / 1e3));
        bytes = bytes.max(page.received_bytes());
        let page = browser.page();
        page.goto(&bare_url)?;
        bare.push(Duration::from_secs_f64(page.paint_ms() / 1e3));
    }
    Ok(Painted {
        ours: ours.into_iter().collect(),
        bare: bare.into_iter().collect(),
        bytes,
    })
}

/// The smallest possible page, as a reference.
fn one_word() -> Result<String> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let url = format!("http://{}/", listener.local_addr()?);
    thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let _ = stream.read(&mut [0; 4096]);
            let body = "<!doctype html><title>x</title><link rel=icon href=data:,>word";
            let _ = write!(
                stream,
                "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {}\r\n\
                 Connection: close\r\n\r\n{body}",
                body.len()
            );
        }
    });
    Ok(url)
}

/// The page of an agent with a very long log.
pub fn log(scene: &Scene, served: &Served) -> Result<Painted> {
    let path = scene
        .spec_dir(&name(0))
        .join("logs")
        .join(format!("{AGENT}.jsonl"));
    write_log(&path)?;
    let browser = Browser::start()?;
    let page = browser.page();
    page.set_headers(&[("authorization", &format!("Bearer {}", served.token))]);
    let began = Instant::now();
    page.goto(&format!("{}/specs/{}/agents/{AGENT}", served.url, name(0)))?;
    until_last_line(&page);
    let ours = began.elapsed();
    let began = Instant::now();
    let counted = Command::new("wc")
        .arg("-l")
        .arg(&path)
        .stdout(Stdio::null())
        .status()?;
    let bare = began.elapsed();
    if !counted.success() {
        return Err("wc failed".into());
    }
    Ok(Painted {
        ours: [ours].into_iter().collect(),
        bare: [bare].into_iter().collect(),
        bytes: page.received_bytes(),
    })
}

fn until_last_line(page: &Page) {
    page.until(&format!(
        "document.body.innerText.includes('line {LINES} of the agent')"
    ));
}

fn write_log(path: &std::path::Path) -> Result<()> {
    let raw = path.with_extension("log");
    let mut lines = std::io::BufWriter::new(fs::File::create(path)?);
    for number in 1..=LINES {
        let said = kumite_agents::Said::Text {
            text: format!("line {number} of the agent"),
        };
        let at_ms = 1_767_225_600_000 + number as u64;
        serde_json::to_writer(&mut lines, &kumite_agents::TranscriptLine { at_ms, said })?;
        lines.write_all(b"\n")?;
    }
    lines.flush()?;
    fs::write(raw, "")?;
    Ok(())
}
