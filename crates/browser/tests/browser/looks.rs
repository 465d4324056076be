//! How a page is shown: size, phone, dark mode, pictures, speed.

use std::fs;

use kumite_browser::{Browser, Page};
use serde_json::json;

use crate::server::Server;

const BODY: &str = "<!doctype html><meta name=viewport content='width=device-width'>
    <style>h1 { margin: 0 } body { margin: 0; height: 3000px; background: white }
    @media (prefers-color-scheme: dark) { body { background: black } }</style>
    <h1>Hello</h1><button>Tap</button><script>
    const log = []; onclick = e => log.push(e.pointerType)</script>";

fn open() -> (Server, Page) {
    let server = Server::page(BODY);
    let page = Browser::shared().page();
    page.goto(&server.url("/")).unwrap();
    (server, page)
}

/// Width and height from the header of a PNG.
fn size(png: &[u8]) -> (u32, u32) {
    assert_eq!(png[..8], *b"\x89PNG\r\n\x1a\n");
    let number = |at: usize| u32::from_be_bytes(png[at..at + 4].try_into().unwrap());
    (number(16), number(20))
}

#[test]
#[ignore = "needs Chromium: cargo xtask test"]
fn a_screenshot_has_the_size_of_the_window_or_of_the_page() {
    let (_server, page) = open();
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("deep/down/x.png");
    page.screenshot(&path);
    assert_eq!(size(&fs::read(&path).unwrap()), (1280, 800));
    page.screenshot_full(&path);
    assert_eq!(size(&fs::read(&path).unwrap()), (1280, 3000));
    page.size(390, 844, true);
    page.screenshot(&path);
    assert_eq!(size(&fs::read(&path).unwrap()), (390, 844));
}

#[test]
#[ignore = "needs Chromium: cargo xtask test"]
fn a_phone_has_its_width_and_is_tapped() {
    let (_server, page) = open();
    page.click("button");
    page.size(390, 844, true);
    let seen = page.eval("[innerWidth, matchMedia('(pointer: coarse)').matches]");
    assert_eq!(seen.unwrap(), json!([390, true]));
    page.click("button");
    page.until("log.length == 2");
    assert_eq!(page.eval("log").unwrap(), json!(["mouse", "touch"]));
    page.size(800, 600, false);
    let seen = page.eval("[innerWidth, matchMedia('(pointer: coarse)').matches]");
    assert_eq!(seen.unwrap(), json!([800, false]));
}

#[test]
#[ignore = "needs Chromium: cargo xtask test"]
fn it_is_light_until_somebody_likes_it_dark() {
    let (_server, page) = open();
    let background = || {
        page.eval("getComputedStyle(document.body).backgroundColor")
            .unwrap()
    };
    assert_eq!(background(), "rgb(255, 255, 255)");
    page.dark(true);
    assert_eq!(background(), "rgb(0, 0, 0)");
    page.dark(false);
    assert_eq!(background(), "rgb(255, 255, 255)");
}

#[test]
#[ignore = "needs Chromium: cargo xtask test"]
fn paint_and_figures_are_told() {
    let (_server, page) = open();
    assert!(page.paint_ms() > 0.0);
    assert!(page.metrics()["Nodes"] > 5.0);
}
