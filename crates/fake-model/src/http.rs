//! The part of HTTP/1.1 that the programs use.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;

const HEAD_BYTES_MAX: u64 = 64 << 10;
const BODY_BYTES_MAX: u64 = 64 << 20;

#[derive(Debug, Default)]
pub(crate) struct Request {
    pub method: String,
    pub path: String,
    pub query: String,
    headers: Vec<(String, String)>,
    pub body: Vec<u8>,
    pub keep_alive: bool,
}

/// Why there is no request.
#[derive(Debug)]
pub(crate) enum NoRequest {
    /// The client has gone, perhaps in the middle of a request.
    Gone,
    /// The input cannot be read; the connection is no longer usable.
    Bad { status: u16, message: String },
}

impl From<io::Error> for NoRequest {
    fn from(_: io::Error) -> NoRequest {
        NoRequest::Gone
    }
}

fn bad<T>(status: u16, message: impl Into<String>) -> Result<T, NoRequest> {
    Err(NoRequest::Bad {
        status,
        message: message.into(),
    })
}

impl Request {
    /// The value of a header, in lower case.
    pub fn header(&self, name: &str) -> Option<String> {
        let found = self.headers.iter().find(|(key, _)| key == name);
        found.map(|(_, value)| value.to_lowercase())
    }
}

/// Waits for the next request of a connection.
pub(crate) fn read(reader: &mut BufReader<TcpStream>) -> Result<Request, NoRequest> {
    let mut request = read_head(reader)?;
    if request
        .header("expect")
        .is_some_and(|expect| expect == "100-continue")
    {
        reader
            .get_mut()
            .write_all(b"HTTP/1.1 100 Continue\r\n\r\n")?;
    }
    let chunked = request
        .header("transfer-encoding")
        .is_some_and(|how| how.contains("chunked"));
    if chunked {
        read_chunks(reader, &mut request.body)?;
    } else if let Some(length) = request.header("content-length") {
        let Ok(length) = length.parse::<u64>() else {
            return bad(400, format!("content-length is {length:?}, not a number"));
        };
        read_part(reader, length, &mut request.body)?;
    }
    Ok(request)
}

fn read_head(reader: &mut BufReader<TcpStream>) -> Result<Request, NoRequest> {
    let mut head = reader.by_ref().take(HEAD_BYTES_MAX);
    let first = read_line(&mut head)?;
    let mut words = first.split(' ');
    let (Some(method), Some(target), Some(version), None) =
        (words.next(), words.next(), words.next(), words.next())
    else {
        return bad(400, "the first line is no HTTP request");
    };
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let mut request = Request {
        method: method.to_owned(),
        path: path.to_owned(),
        query: query.to_owned(),
        ..Request::default()
    };
    loop {
        let line = read_line(&mut head)?;
        if line.is_empty() {
            break;
        }
        let Some((name, value)) = line.split_once(':') else {
            return bad(400, format!("the header line {line:?} has no colon"));
        };
        request
            .headers
            .push((name.to_lowercase(), value.trim().to_owned()));
    }
    let closes = request
        .header("connection")
        .is_some_and(|what| what.contains("close"));
    request.keep_alive = version == "HTTP/1.1" && !closes;
    Ok(request)
}

fn read_line(head: &mut impl BufRead) -> Result<String, NoRequest> {
    let mut line = Vec::new();
    head.read_until(b'\n', &mut line)?;
    match line.strip_suffix(b"\n") {
        Some(line) => {
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            Ok(String::from_utf8_lossy(line).into_owned())
        }
        None if line.len() as u64 >= HEAD_BYTES_MAX / 2 => bad(431, "the headers are too large"),
        None => Err(NoRequest::Gone),
    }
}

fn read_chunks(reader: &mut BufReader<TcpStream>, body: &mut Vec<u8>) -> Result<(), NoRequest> {
    loop {
        let line = read_line(&mut reader.by_ref().take(HEAD_BYTES_MAX))?;
        let size = line.split(';').next().unwrap_or_default().trim();
        let Ok(size) = u64::from_str_radix(size, 16) else {
            return bad(
                400,
                format!("the chunk size {size:?} is no hexadecimal number"),
            );
        };
        if size > 0 {
            read_part(reader, size, body)?;
            read_line(&mut reader.by_ref().take(2))?;
            continue;
        }
        // Trailers may follow the last chunk, up to an empty line.
        while !read_line(&mut reader.by_ref().take(HEAD_BYTES_MAX))?.is_empty() {}
        return Ok(());
    }
}

fn read_part(reader: &mut impl Read, bytes: u64, body: &mut Vec<u8>) -> Result<(), NoRequest> {
    if bytes.saturating_add(body.len() as u64) > BODY_BYTES_MAX {
        return bad(
            413,
            format!("the body is larger than {BODY_BYTES_MAX} bytes"),
        );
    }
    let before = body.len() as u64;
    reader.take(bytes).read_to_end(body)?;
    if (body.len() as u64) < before + bytes {
        Err(NoRequest::Gone)
    } else {
        Ok(())
    }
}

/// Writes the head of a response. `length` is the size of the body; without it the body comes in
/// chunks.
pub(crate) fn write_head(
    conn: &mut impl Write,
    status: u16,
    kind: &str,
    headers: &[(&'static str, String)],
    length: Option<usize>,
) -> io::Result<()> {
    let mut head = format!(
        "HTTP/1.1 {status} {}\r\ncontent-type: {kind}\r\n",
        phrase(status)
    );
    match length {
        Some(length) => head += &format!("content-length: {length}\r\n"),
        None => head += "transfer-encoding: chunked\r\ncache-control: no-cache\r\n",
    }
    for (name, value) in headers {
        head += &format!("{name}: {value}\r\n");
    }
    head += "\r\n";
    conn.write_all(head.as_bytes())
}

pub(crate) fn write_chunk(conn: &mut impl Write, data: &str) -> io::Result<()> {
    conn.write_all(format!("{:x}\r\n{data}\r\n", data.len()).as_bytes())
}

pub(crate) fn write_last_chunk(conn: &mut impl Write) -> io::Result<()> {
    conn.write_all(b"0\r\n\r\n")
}

fn phrase(status: u16) -> &'static str {
    match status {
        200 => "OK",
        400 => "Bad Request",
        401 => "Unauthorized",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        413 => "Content Too Large",
        415 => "Unsupported Media Type",
        426 => "Upgrade Required",
        429 => "Too Many Requests",
        431 => "Request Header Fields Too Large",
        500 => "Internal Server Error",
        503 => "Service Unavailable",
        529 => "Overloaded",
        _ => "Scripted",
    }
}
