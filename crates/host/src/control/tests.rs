//! The socket with clients that misbehave.

use std::sync::mpsc::RecvTimeoutError;
use std::time::Instant;

use kumite_core::notice::Notice;

use super::*;

#[test]
fn a_client_that_does_not_read_is_let_go() {
    let dir = tempfile::tempdir().unwrap();
    let project = Project::at(dir.path());
    fs::create_dir_all(project.runtime()).unwrap();
    let (inbox, messages) = mpsc::channel();
    let _open = listen(&project, inbox).unwrap();
    let mut client = Connection::connect(&project).unwrap();
    let specs = vec!["login".to_owned()];
    client.ask(&Request::Interrupt { specs }).unwrap();
    let Ok(Message::Request { reply, .. }) = messages.recv() else {
        panic!("no request");
    };
    let news = Reply::News(Announcement {
        at_ms: 1,
        spec: "login".to_owned(),
        notice: Notice::Warned("x".repeat(100_000)),
    });
    for _ in 0..100 {
        let _ = reply.send(news.clone());
    }
    let deadline = Instant::now() + Duration::from_secs(60);
    while reply.send(Reply::Later).is_ok() {
        assert!(Instant::now() < deadline, "everything is kept for it");
        thread::park_timeout(Duration::from_millis(10));
    }
}

fn project() -> (tempfile::TempDir, Project) {
    let dir = tempfile::tempdir().unwrap();
    let project = Project::at(dir.path());
    fs::create_dir_all(project.runtime()).unwrap();
    (dir, project)
}

#[test]
fn a_request_without_an_end_is_refused() {
    let (_dir, project) = project();
    let (inbox, _messages) = mpsc::channel();
    let open = listen(&project, inbox).unwrap();
    let mut client = Connection::connect(&project).unwrap();
    let mut write = client.write.try_clone().unwrap();
    let flood = thread::spawn(move || {
        // It is not read to its end, so writing fails.
        let _ = write.write_all(&vec![b'x'; REQUEST_MAX as usize]);
    });
    let reply = client.answer_within(Duration::from_secs(60)).unwrap();
    let expected = format!("a request has at most {REQUEST_MAX} bytes");
    assert_eq!(reply, Some(Reply::Refused(expected)));
    flood.join().unwrap();
    open.close();
}

#[test]
fn the_thread_of_a_socket_that_was_replaced_ends() {
    let (_dir, project) = project();
    let (inbox, messages) = mpsc::channel();
    let open = listen(&project, inbox).unwrap();
    open.stop_listening();
    // It held the last sender.
    let ended = messages.recv_timeout(Duration::from_secs(60)).err();
    assert_eq!(ended, Some(RecvTimeoutError::Disconnected));
}

#[test]
fn an_answer_that_does_not_come_is_not_waited_for_and_may_come_later() {
    let (_dir, project) = project();
    let (inbox, messages) = mpsc::channel();
    let open = listen(&project, inbox).unwrap();
    let mut client = Connection::connect(&project).unwrap();
    client
        .ask(&Request::Stop {
            spec: "a".to_owned(),
        })
        .unwrap();
    // In another thread, so that a client that waits for ever fails this test.
    let (send, tried) = mpsc::channel();
    thread::spawn(move || {
        let late = client.answer_within(Duration::from_millis(1));
        let _ = send.send((client, late));
    });
    let tried = tried.recv_timeout(Duration::from_secs(60));
    let (mut client, late) = tried.expect("it waits for the answer");
    assert_eq!(late.unwrap_err().kind(), io::ErrorKind::WouldBlock);
    let Ok(Message::Request { reply, .. }) = messages.recv_timeout(Duration::from_secs(60)) else {
        panic!("the request has not come");
    };
    reply.send(Reply::Done("done".to_owned())).unwrap();
    drop(reply);
    let answer = client.answer_within(Duration::from_secs(60)).unwrap();
    assert_eq!(answer, Some(Reply::Done("done".to_owned())));
    open.close();
}
