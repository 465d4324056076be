//! Calls that were cancelled.

use std::io::Read;
use std::sync::Mutex;
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use kumite_fake_model::Act;
use kumite_models::{Cancel, Client, Kind, Provider};

use crate::raw::Raw;
use crate::stage::{ask, say, server};

#[test]
fn a_call_that_hangs_ends_when_it_is_cancelled() {
    for act in [Act::Hang { times: None }, Act::HangMid { times: None }] {
        for provider in Provider::ALL {
            let server = server(vec![act.clone()]);
            let cancel = Cancel::new();
            let mut ask = ask(provider, &server.url());
            ask.options.timeout = Some(Duration::MAX);
            let failure = thread::scope(|scope| {
                let call = scope.spawn(|| Client::new().ask(&ask, &cancel).unwrap_err());
                while server.requests().is_empty() {
                    thread::yield_now();
                }
                cancel.cancel();
                call.join().unwrap()
            });
            assert_eq!(failure.kind, Kind::Cancelled);
            assert_eq!(
                failure.message,
                format!("the call of {provider}:m was cancelled")
            );
            assert!(!failure.may_pass());
        }
    }
}

#[test]
fn after_a_cancel_nobody_is_asked() {
    let raw = Raw::bytes("");
    let cancel = Cancel::new();
    cancel.cancel();
    let failure = Client::new()
        .ask(&ask(Provider::OpenAi, &raw.url), &cancel)
        .unwrap_err();
    assert_eq!(failure.kind, Kind::Cancelled);
    assert_eq!(raw.accepted(), 0);
}

#[test]
fn house_7_12_a_cancelled_call_ends_its_connection() {
    let (begun, begins) = channel();
    let (ended, ends) = channel();
    let (begun, ended) = (Mutex::new(begun), Mutex::new(ended));
    let raw = Raw::start(move |_, conn| {
        begun.lock().unwrap().send(()).unwrap();
        // Nothing more comes: this returns when the other side has closed.
        let read = conn.read(&mut [0; 16]);
        ended.lock().unwrap().send(read.unwrap_or(0)).unwrap();
        false
    });
    let cancel = Cancel::new();
    let mut ask = ask(Provider::OpenAi, &raw.url);
    ask.options.timeout = Some(Duration::MAX);
    thread::scope(|scope| {
        let call = scope.spawn(|| Client::new().ask(&ask, &cancel));
        begins.recv().unwrap();
        cancel.cancel();
        assert_eq!(call.join().unwrap().unwrap_err().kind, Kind::Cancelled);
    });
    assert_eq!(ends.recv_timeout(Duration::from_secs(60)), Ok(0));
}

#[test]
fn a_cancelled_call_leaves_the_client_usable() {
    let hanging = server(vec![Act::Hang { times: Some(1) }, say("hello")]);
    let client = Client::new();
    let cancel = Cancel::new();
    let ask = ask(Provider::OpenAi, &hanging.url());
    thread::scope(|scope| {
        let call = scope.spawn(|| client.ask(&ask, &cancel));
        while hanging.requests().is_empty() {
            thread::yield_now();
        }
        cancel.cancel();
        assert!(call.join().unwrap().is_err());
    });
    assert_eq!(client.ask(&ask, &Cancel::new()).unwrap().text, "hello");
}
