//! What may be fetched, against a server on loopback.

use std::io::{BufRead, BufReader, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;

/// Serves every address of this machine.
struct Site {
    port: u16,
    requests: Arc<AtomicUsize>,
}

impl Site {
    /// `answer` makes a whole response from a path; None means that it never comes.
    fn start(answer: fn(&str, u16) -> Option<String>) -> Site {
        let listener = TcpListener::bind((Ipv4Addr::UNSPECIFIED, 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        let requests = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&requests);
        thread::spawn(move || {
            let mut silent = Vec::new();
            for connection in listener.incoming() {
                let mut connection: TcpStream = connection.unwrap();
                let mut lines = BufReader::new(&connection).lines();
                let Some(Ok(first)) = lines.next() else {
                    continue;
                };
                while lines
                    .next()
                    .is_some_and(|line| line.is_ok_and(|line| !line.is_empty()))
                {}
                count.fetch_add(1, Ordering::SeqCst);
                let path = first.split(' ').nth(1).unwrap();
                match answer(path, port) {
                    Some(response) => connection.write_all(response.as_bytes()).unwrap(),
                    None => silent.push(connection),
                }
            }
        });
        Site { port, requests }
    }

    fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }
}

fn ok(media_type: &str, body: &str) -> Option<String> {
    let length = body.len();
    Some(format!(
        "HTTP/1.1 200 OK\r\nContent-Type: {media_type}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}"
    ))
}

fn redirect(to: &str) -> Option<String> {
    Some(format!(
        "HTTP/1.1 302 Found\r\nLocation: {to}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
    ))
}

/// As in production, but 127.0.0.1 counts as a public address.
fn only_one() -> Fetcher {
    let may_reach =
        |address: IpAddr| address == IpAddr::V4(Ipv4Addr::LOCALHOST) || is_public(address);
    Fetcher::guarded(Sites::default(), may_reach, None)
}

fn fetch(fetcher: &Fetcher, url: &str) -> Result<String, Error> {
    fetcher.fetch(url, TIMEOUT, &Cancel::new())
}

#[test]
fn nothing_inside_is_reached_however_it_is_named() {
    let site = Site::start(|_, _| ok("text/plain", "secret"));
    let port = site.port;
    let fetcher = Fetcher::new(Sites::default(), false);
    for host in [
        "127.0.0.1",
        "127.1",
        "localhost",
        "LOCALHOST",
        "2130706433",
        "0x7f000001",
        "017700000001",
        "0.0.0.0",
        "0",
        "[::1]",
        "[::]",
        "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]",
        "[::127.0.0.1]",
        "[64:ff9b::127.0.0.1]",
        "[2002:7f00:1::]",
        "[fe80::1]",
        "[fc00::1]",
        "[fd12:3456::1]",
        "[ff02::1]",
        "10.0.0.1",
        "10.255.255.255",
        "172.16.0.1",
        "172.31.255.255",
        "192.168.1.1",
        "169.254.169.254",
        "100.100.100.200",
        "198.18.0.1",
        "224.0.0.1",
        "255.255.255.255",
    ] {
        let url = format!("http://{host}:{port}/latest/meta-data/");
        let refused = fetch(&fetcher, &url);
        assert!(
            matches!(refused, Err(Error::Private { .. })),
            "{url}: {refused:?}"
        );
    }
    assert_eq!(site.requests.load(Ordering::SeqCst), 0);
    let allowed = Fetcher::new(Sites::default(), true);
    assert_eq!(fetch(&allowed, &site.url("/")).unwrap(), "secret");
}

#[test]
fn public_addresses_are_not_taken_for_private_ones() {
    for address in [
        "1.1.1.1",
        "9.255.255.255",
        "11.0.0.1",
        "100.63.255.255",
        "100.128.0.1",
        "169.253.1.1",
        "172.15.0.1",
        "172.32.0.1",
        "192.0.1.1",
        "192.167.1.1",
        "198.17.0.1",
        "223.255.255.1",
        "2606:4700::1111",
        "2001:4860:4860::8888",
        "64:ff9b::1.1.1.1",
        "::ffff:1.1.1.1",
    ] {
        assert!(is_public(address.parse().unwrap()), "{address}");
    }
}

#[test]
fn only_plain_urls_of_the_web_are_fetched() {
    let fetcher = Fetcher::new(Sites::default(), false);
    for (url, words) in [
        ("file:///etc/passwd", "only http and https"),
        ("FILE:/etc/passwd", "only http and https"),
        ("ftp://example.com/x", "only http and https"),
        ("gopher://127.0.0.1:70/x", "only http and https"),
        ("data:text/plain,x", "only http and https"),
        ("javascript:alert(1)", "only http and https"),
        ("example.com", "only http and https"),
        ("/etc/passwd", "only http and https"),
        ("", "only http and https"),
        ("http://example.com@127.0.0.1/", "name or password"),
        ("http://user:secret@example.com/", "name or password"),
        ("https://example.com%40127.0.0.1/", "no URL"),
        ("http://example.com\\@127.0.0.1/", "no URL"),
        ("http://exa mple.com/", "no URL"),
        ("http:///x", "no URL"),
        ("http:example.com", "no URL"),
        ("http://", "no URL"),
        ("http://[::1/", "no URL"),
    ] {
        let error = fetch(&fetcher, url).unwrap_err();
        assert!(error.to_string().contains(words), "{url}: {error}");
    }
}

#[test]
fn a_url_is_read_as_a_browser_reads_it() {
    let fetcher = Fetcher::new(Sites::default(), false);
    let base = Url::parse("http://example.com/a/b?c").unwrap();
    for (text, place) in [
        (" HTTP://EXAMPLE.com ", "http://example.com/"),
        (
            "http://例え.jp/日 本",
            "http://xn--r8jz45g.jp/%E6%97%A5%20%E6%9C%AC",
        ),
        ("http://example.com/a/../../b", "http://example.com/b"),
        ("../x", "http://example.com/x"),
        ("?d", "http://example.com/a/b?d"),
    ] {
        let read = fetcher.checked(Some(&base), text).unwrap();
        assert_eq!(read.as_str(), place, "{text}");
    }
}

#[test]
fn domains_are_matched_by_whole_labels() {
    let list = |names: &[&str]| {
        names
            .iter()
            .map(|name| (*name).to_owned())
            .collect::<Vec<_>>()
    };
    let only = Sites::new(&list(&["example.com", "*.Docs.org."]), &[]);
    let except = Sites::new(&[], &list(&["example.com", "docs.org"]));
    for (host, is_listed) in [
        ("example.com", true),
        ("EXAMPLE.com.", true),
        ("www.example.com", true),
        ("a.b.example.com", true),
        ("docs.org", true),
        ("a.docs.org", true),
        ("notexample.com", false),
        ("example.com.evil.net", false),
        ("example.org", false),
        ("com", false),
        ("127.0.0.1", false),
    ] {
        assert_eq!(only.check(host).is_ok(), is_listed, "only: {host}");
        assert_eq!(except.check(host).is_err(), is_listed, "except: {host}");
    }
    let both = Sites::new(&list(&["example.com"]), &list(&["secret.example.com"]));
    assert!(both.check("www.example.com").is_ok());
    assert!(both.check("a.secret.example.com").is_err());
    assert!(Sites::default().check("anything").is_ok());
}

#[test]
fn a_redirect_is_checked_like_a_wish() {
    let site = Site::start(|path, port| {
        redirect(&match path {
            "/other" => format!("http://127.0.0.2:{port}/secret"),
            "/short" => format!("//127.0.0.2:{port}/secret"),
            "/number" => format!("http://2130706434:{port}/secret"),
            "/six" => format!("http://[::1]:{port}/secret"),
            "/cloud" => "http://169.254.169.254/latest/meta-data/".to_owned(),
            "/user" => format!("http://me@127.0.0.1:{port}/secret"),
            "/file" => "file:///etc/passwd".to_owned(),
            "/mail" => "mailto:a@b".to_owned(),
            _ => return ok("text/plain", "secret"),
        })
    });
    let fetcher = only_one();
    for (path, words) in [
        ("/other", "no public address"),
        ("/short", "no public address"),
        ("/number", "no public address"),
        ("/six", "no public address"),
        ("/cloud", "no public address"),
        ("/user", "name or password"),
        ("/file", "only http and https"),
        ("/mail", "only http and https"),
    ] {
        let before = site.requests.load(Ordering::SeqCst);
        let error = fetch(&fetcher, &site.url(path)).unwrap_err().to_string();
        assert!(error.contains(words), "{path}: {error}");
        assert_eq!(site.requests.load(Ordering::SeqCst), before + 1, "{path}");
    }
    let sites = Sites::new(&["127.0.0.1".to_owned()], &[]);
    let listed = Fetcher::guarded(sites, |_| true, None);
    let error = fetch(&listed, &site.url("/other")).unwrap_err();
    assert!(matches!(error, Error::NotAllowed { .. }), "{error}");
}

#[test]
fn redirects_are_followed_five_times() {
    let site = Site::start(|path, port| match path {
        "/a/0" => ok("text/html; charset=utf-8", "<h1>found</h1>"),
        "/a/1" => redirect("0"),
        "/a/2" => redirect("/a/1#there"),
        "/a/3" => redirect(&format!("//127.0.0.1:{port}/a/2")),
        "/a/4" => redirect(&format!("http://127.0.0.1:{port}/a/3")),
        "/a/5" => redirect("?again"),
        "/a/5?again" => redirect(".././b/../a/2"),
        "/a/long" => redirect("/a/4"),
        "/a/longer" => redirect("/a/long"),
        _ => redirect("/loop"),
    });
    let fetcher = only_one();
    for path in ["/a/0", "/a/4", "/a/5", "/a/long"] {
        assert_eq!(fetch(&fetcher, &site.url(path)).unwrap(), "found", "{path}");
    }
    for path in ["/a/longer", "/loop"] {
        let error = fetch(&fetcher, &site.url(path)).unwrap_err();
        assert!(matches!(error, Error::Redirects { .. }), "{path}: {error}");
    }
}

#[test]
fn what_is_no_page_says_why() {
    let site = Site::start(|path, _| match path {
        "/picture" => ok("image/png", "x"),
        "/%E6%97%A5" => ok("text/plain", "day"),
        "/moved" => Some("HTTP/1.1 302 Found\r\nContent-Length: 0\r\n\r\n".to_owned()),
        _ => Some("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n".to_owned()),
    });
    let fetcher = only_one();
    assert_eq!(fetch(&fetcher, &site.url("/日")).unwrap(), "day");
    for (path, words) in [
        ("/picture", "image/png"),
        ("/moved", "status 302"),
        ("/none", "status 404"),
    ] {
        let error = fetch(&fetcher, &site.url(path)).unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
    }
}

#[test]
fn a_page_that_never_comes_is_left_when_the_time_is_over_or_at_a_cancel() {
    let site = Site::start(|_, _| None);
    let fetcher = only_one();
    let cancel = Cancel::new();
    let short = Duration::from_millis(50);
    let error = fetcher.fetch(&site.url("/"), short, &cancel).unwrap_err();
    assert!(matches!(error, Error::TimedOut { .. }), "{error}");

    let waiting = thread::spawn({
        let (fetcher, url, cancel) = (fetcher.clone(), site.url("/"), cancel.clone());
        move || fetcher.fetch(&url, TIMEOUT, &cancel)
    });
    while site.requests.load(Ordering::SeqCst) < 2 {
        thread::yield_now();
    }
    cancel.cancel();
    let outcome = waiting.join().unwrap();
    assert!(matches!(outcome, Err(Error::Cancelled)), "{outcome:?}");
}

#[test]
fn house_7_12_a_cancelled_fetch_ends_its_connection() {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    let (fetcher, cancel) = (only_one(), Cancel::new());
    let waiting = thread::spawn({
        let cancel = cancel.clone();
        move || fetcher.fetch(&url, TIMEOUT, &cancel)
    });
    let (connection, _) = listener.accept().unwrap();
    let mut lines = BufReader::new(&connection).lines();
    while lines.next().is_some_and(|line| !line.unwrap().is_empty()) {}
    cancel.cancel();
    assert!(matches!(waiting.join().unwrap(), Err(Error::Cancelled)));
    let patience = Some(Duration::from_secs(20));
    connection.set_read_timeout(patience).unwrap();
    assert!(lines.next().is_none(), "it was closed");
}
