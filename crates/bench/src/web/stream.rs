//! How soon all listeners have received an event.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::thread;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, poll};
use serde_json::json;

use super::Served;
use crate::Result;
use crate::scene::Scene;
use crate::stats::Samples;

const CLIENTS: usize = 200;
const EVENTS: usize = 500;
const EVERY: Duration = Duration::from_millis(10);
const PATIENCE: Duration = Duration::from_secs(60);

/// The times from sending to receiving: of kumite, and of bare sockets as a reference.
pub struct Heard {
    pub ours: Samples,
    pub bare: Samples,
}

pub fn news(scene: &Scene, served: &Served) -> Result<Heard> {
    let runtime = scene.root().join(".kiro/runtime/kumite");
    let ours = listen(
        || connect(served),
        |number, origin| {
            let news = json!({"type": "bench", "spec": "spec-0", "sent": stamp(origin)});
            Ok(kumite_project::news::append(
                &runtime,
                &format!("bench {number}.0"),
                news,
                false,
            )?)
        },
    )?;
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = listener.local_addr()?;
    let mut feeds = Vec::new();
    let streams = (0..CLIENTS).map(|_| {
        let stream = TcpStream::connect(address)?;
        feeds.push(listener.accept()?.0);
        Ok(stream)
    });
    let streams: Result<Vec<TcpStream>> = streams.collect();
    let mut streams = streams?.into_iter();
    let bare = listen(
        || streams.next().ok_or_else(|| "no socket left".into()),
        |_, origin| {
            let line = format!("data: {}\n\n", json!({"sent": stamp(origin)}));
            for feed in &mut feeds {
                feed.write_all(line.as_bytes())?;
            }
            Ok(())
        },
    )?;
    Ok(Heard { ours, bare })
}

fn stamp(origin: Instant) -> u64 {
    u64::try_from(origin.elapsed().as_nanos()).unwrap_or(u64::MAX)
}

/// Connects a client, and waits for the server's greeting.
fn connect(served: &Served) -> Result<TcpStream> {
    let mut stream = TcpStream::connect(served.address())?;
    write!(
        stream,
        "GET /api/events HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\n\r\n",
        served.address(),
        served.token
    )?;
    let mut heard = Vec::new();
    let mut buffer = [0; 4096];
    while !String::from_utf8_lossy(&heard).contains("hello") {
        match stream.read(&mut buffer)? {
            0 => return Err("the server closed a stream of news".into()),
            count => heard.extend_from_slice(&buffer[..count]),
        }
    }
    Ok(stream)
}

/// One thread listens for all clients; another thread sends.
fn listen(
    mut connect: impl FnMut() -> Result<TcpStream>,
    mut send: impl FnMut(usize, Instant) -> Result<()> + Send,
) -> Result<Samples> {
    let streams: Result<Vec<TcpStream>> = (0..CLIENTS).map(|_| connect()).collect();
    let mut clients: Vec<Client> = streams?.into_iter().map(Client::new).collect();
    let origin = Instant::now();
    thread::scope(|scope| {
        let sender = scope.spawn(move || -> std::result::Result<(), String> {
            for number in 0..EVENTS {
                let next = EVERY * u32::try_from(number).unwrap_or(0);
                thread::sleep(next.saturating_sub(origin.elapsed()));
                send(number, origin).map_err(|error| error.to_string())?;
            }
            Ok(())
        });
        let mut times = Vec::with_capacity(CLIENTS * EVENTS);
        while times.len() < CLIENTS * EVENTS {
            if origin.elapsed() > PATIENCE {
                let wanted = CLIENTS * EVENTS;
                return Err(format!("{} of {wanted} lines arrived", times.len()).into());
            }
            hear(&mut clients, origin, &mut times)?;
        }
        sender.join().map_err(|_| "the sending thread panicked")??;
        Ok(times.into_iter().collect())
    })
}

struct Client {
    stream: TcpStream,
    partial: Vec<u8>,
}

impl Client {
    fn new(stream: TcpStream) -> Client {
        Client {
            stream,
            partial: Vec::new(),
        }
    }
}

fn hear(clients: &mut [Client], origin: Instant, times: &mut Vec<Duration>) -> Result<()> {
    let mut waits: Vec<PollFd<'_>> = clients
        .iter()
        .map(|client| PollFd::new(&client.stream, PollFlags::IN))
        .collect();
    let second = rustix::event::Timespec {
        tv_sec: 1,
        tv_nsec: 0,
    };
    poll(&mut waits, Some(&second))?;
    let ready: Vec<bool> = waits
        .iter()
        .map(|wait| !wait.revents().is_empty())
        .collect();
    let mut buffer = [0; 64 * 1024];
    for (client, _) in clients.iter_mut().zip(ready).filter(|(_, ready)| *ready) {
        match client.stream.read(&mut buffer)? {
            0 => return Err("a stream of news ended".into()),
            count => client.partial.extend_from_slice(&buffer[..count]),
        }
        let now = origin.elapsed();
        while let Some(end) = client.partial.iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = client.partial.drain(..=end).collect();
            let text = String::from_utf8_lossy(&line);
            let sent = text.split("\"sent\":").nth(1);
            let digits = sent.map(|rest| rest.chars().take_while(char::is_ascii_digit).collect());
            if let Some(sent) = digits.and_then(|digits: String| digits.parse().ok()) {
                times.push(now.saturating_sub(Duration::from_nanos(sent)));
            }
        }
    }
    Ok(())
}
