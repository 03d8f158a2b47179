//! The conversation, with a service manager that is a script.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::PathBuf;
use std::thread;

use super::*;

const JOB: &str = "/org/freedesktop/systemd1/job/7";

/// What the manager sends for a call: any number of messages.
type Script = fn(&Request) -> Vec<Vec<u8>>;

/// A call that came.
struct Request {
    serial: u32,
    member: String,
    arguments: Vec<String>,
}

/// A socket with a manager behind it, and one where there is none.
struct Area(PathBuf);

impl Area {
    fn new(name: &str) -> Self {
        let area = std::env::temp_dir().join(format!("slipway-systemd-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&area);
        std::fs::create_dir_all(&area).unwrap();
        Self(area)
    }

    fn systemd(&self) -> Systemd {
        Systemd::at(self.0.join("private"), self.0.join("bus"))
    }

    /// Answers one connection at the socket; gives the calls that were made.
    fn serve(&self, socket: &str, script: Script) -> thread::JoinHandle<Vec<String>> {
        let listener = UnixListener::bind(self.0.join(socket)).unwrap();
        thread::spawn(move || converse(listener.accept().unwrap().0, script))
    }
}

impl Drop for Area {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn converse(stream: UnixStream, script: Script) -> Vec<String> {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let mut writer = stream;
    let mut line = String::new();
    reader.read_line(&mut line).unwrap();
    let user: String = line.trim_end().strip_prefix("\0AUTH EXTERNAL ").unwrap().to_owned();
    let digits = user.as_bytes().chunks(2).map(|pair| char::from(pair[1]));
    assert_eq!(digits.collect::<String>(), rustix::process::geteuid().as_raw().to_string());
    line.clear();
    reader.read_line(&mut line).unwrap();
    assert_eq!(line, "BEGIN\r\n");
    assert!(reader.buffer().is_empty(), "a call together with BEGIN is not seen by systemd");
    writer.write_all(b"OK 0123456789abcdef0123456789abcdef\r\n").unwrap();
    let mut calls = Vec::new();
    loop {
        let mut head = [0; wire::HEAD];
        if reader.read_exact(&mut head).is_err() {
            return calls;
        }
        let mut rest = vec![0; wire::rest_length(&head).unwrap()];
        reader.read_exact(&mut rest).unwrap();
        let request = request(&head, &rest);
        calls.push(format!("{} {}", request.member, request.arguments.join(" ")).trim_end().to_owned());
        for message in script(&request) {
            writer.write_all(&message).unwrap();
        }
    }
}

fn request(head: &[u8; wire::HEAD], rest: &[u8]) -> Request {
    let message = Message::decode(head, rest).unwrap();
    let serial = u32::from_le_bytes(head[8..12].try_into().unwrap());
    let count = (0..3).find(|count| message.body(&"s".repeat(*count)).is_ok()).unwrap();
    let mut body = message.body(&"s".repeat(count)).unwrap();
    let arguments = (0..count).map(|_| body.string().unwrap().to_owned()).collect();
    Request { serial, member: message.member, arguments }
}

/// A message of the manager: kind, header fields as (number, type, value), body with its type.
fn message(kind: u8, fields: &[(u8, char, &[u8])], body: &[u8]) -> Vec<u8> {
    let mut header = Vec::new();
    for (number, kind, value) in fields {
        header.resize(header.len().next_multiple_of(8), 0);
        header.extend([*number, 1, u8::try_from(*kind).unwrap(), 0]);
        header.extend(*value);
    }
    let mut bytes = vec![b'l', kind, 1, 1];
    bytes.extend(u32::try_from(body.len()).unwrap().to_le_bytes());
    bytes.extend(99_u32.to_le_bytes());
    bytes.extend(u32::try_from(header.len()).unwrap().to_le_bytes());
    bytes.extend(&header);
    bytes.resize(bytes.len().next_multiple_of(8), 0);
    bytes.extend(body);
    bytes
}

fn string(text: &str) -> Vec<u8> {
    let mut bytes = u32::try_from(text.len()).unwrap().to_le_bytes().to_vec();
    bytes.extend(text.as_bytes());
    bytes.push(0);
    bytes
}

fn signature(text: &str) -> Vec<u8> {
    let mut bytes = vec![u8::try_from(text.len()).unwrap()];
    bytes.extend(text.as_bytes());
    bytes.push(0);
    bytes
}

fn returned(to: &Request, kind: &str, body: &[u8]) -> Vec<u8> {
    let serial = to.serial.to_le_bytes();
    if kind.is_empty() {
        return message(2, &[(5, 'u', &serial)], &[]);
    }
    message(2, &[(5, 'u', &serial), (8, 'g', &signature(kind))], body)
}

fn error(to: &Request, name: &str, text: &str) -> Vec<u8> {
    let fields: [(u8, char, &[u8]); 3] =
        [(5, 'u', &to.serial.to_le_bytes()), (4, 's', &string(name)), (8, 'g', &signature("s"))];
    message(3, &fields, &string(text))
}

fn job_removed(job: &str, result: &str) -> Vec<u8> {
    let mut body = 7_u32.to_le_bytes().to_vec();
    for text in [job, "a.service", result] {
        body.resize(body.len().next_multiple_of(4), 0);
        body.extend(string(text));
    }
    message(4, &[(3, 's', &string("JobRemoved")), (8, 'g', &signature("uoss"))], &body)
}

fn other_signal() -> Vec<u8> {
    message(4, &[(3, 's', &string("UnitNew")), (8, 'g', &signature("s"))], &string("a.service"))
}

fn variant(text: &str) -> Vec<u8> {
    let mut body = signature("s");
    body.resize(4, 0);
    body.extend(string(text));
    body
}

fn variant_number(number: u64) -> Vec<u8> {
    let mut body = signature("t");
    body.resize(8, 0);
    body.extend(number.to_le_bytes());
    body
}

const WAIT: Option<Duration> = Some(Duration::from_secs(20));

#[test]
fn a_jobs_end_is_awaited_even_if_it_comes_before_the_answer() {
    let before: Script = |call| {
        vec![
            other_signal(),
            job_removed("/other", "failed"),
            job_removed(JOB, "done"),
            returned(call, "o", &string(JOB)),
        ]
    };
    let after: Script = |call| {
        vec![
            returned(call, "o", &string(JOB)),
            other_signal(),
            job_removed("/other", "failed"),
            job_removed(JOB, "done"),
        ]
    };
    for (name, script) in [("before", before), ("after", after)] {
        let area = Area::new(name);
        let calls = area.serve("private", script);
        area.systemd().job("a.service", Verb::Restart, WAIT).unwrap();
        assert_eq!(calls.join().unwrap(), ["RestartUnit a.service replace"]);
    }
}

#[test]
fn without_a_wait_a_job_is_only_asked_for() {
    let area = Area::new("enqueue");
    let calls = area.serve("private", |call| vec![returned(call, "o", &string(JOB))]);
    area.systemd().job("a.service", Verb::Start, None).unwrap();
    assert_eq!(calls.join().unwrap(), ["StartUnit a.service replace"]);
}

#[test]
fn a_conversation_goes_on_and_begins_anew_when_the_manager_has_closed_it() {
    let area = Area::new("again");
    let script: Script = |call| vec![returned(call, "o", &string(JOB))];
    let listener = UnixListener::bind(area.0.join("private")).unwrap();
    let manager = thread::spawn(move || {
        let first = listener.accept().unwrap().0;
        let first = thread::spawn(move || converse(first, script));
        (first, converse(listener.accept().unwrap().0, script))
    });
    let systemd = area.systemd();
    for unit in ["a.service", "b.service"] {
        systemd.job(unit, Verb::Start, None).unwrap();
    }
    // The manager goes, as it does when it is started anew.
    systemd.open.lock().unwrap().as_ref().unwrap().connection.close();
    systemd.job("c.service", Verb::Start, None).unwrap();
    drop(systemd);
    let (first, second) = manager.join().unwrap();
    assert_eq!(first.join().unwrap(), ["StartUnit a.service replace", "StartUnit b.service replace"]);
    assert_eq!(second, ["StartUnit c.service replace"]);
}

#[test]
fn a_job_that_fails_says_how_and_where_to_look() {
    let area = Area::new("fails");
    area.serve("private", |call| vec![returned(call, "o", &string(JOB)), job_removed(JOB, "dependency")]);
    let told = area.systemd().job("a.service", Verb::Start, WAIT).unwrap_err();
    let expected = "the start of a.service was not begun, because a unit that it needs failed: \
        see journalctl --unit=a.service";
    assert_eq!(told.to_string(), expected);
}

#[test]
fn a_wait_has_an_end() {
    let area = Area::new("late");
    area.serve("private", |call| vec![returned(call, "o", &string(JOB)), other_signal()]);
    let wait = Duration::from_millis(50);
    let told = area.systemd().job("a.service", Verb::Stop, Some(wait)).unwrap_err();
    assert_eq!(told.kind(), io::ErrorKind::TimedOut);
    assert_eq!(told.to_string(), "the stop of a.service has not ended after 50ms");
}

#[test]
fn where_there_is_no_private_socket_the_bus_is_greeted_and_listened_to() {
    let area = Area::new("bus");
    let calls = area.serve("bus", |call| match call.member.as_str() {
        "Hello" => vec![returned(call, "s", &string(":1.7"))],
        "StartUnit" => vec![returned(call, "o", &string(JOB)), job_removed(JOB, "skipped")],
        _ => vec![returned(call, "", &[])],
    });
    area.systemd().job("a.service", Verb::Start, WAIT).unwrap();
    let calls = calls.join().unwrap();
    assert_eq!(calls[0], "Hello");
    assert!(calls[1].starts_with("AddMatch type='signal',") && calls[1].ends_with("member='JobRemoved'"));
    assert_eq!(calls[2..], ["Subscribe", "StartUnit a.service replace"]);
}

#[test]
fn an_error_of_the_manager_keeps_its_words_and_meaning() {
    let area = Area::new("error");
    area.serve("private", |call| {
        vec![error(call, "org.freedesktop.systemd1.NoSuchUnit", "Unit a.service not found.")]
    });
    let told = area.systemd().job("a.service", Verb::Start, WAIT).unwrap_err();
    assert_eq!(
        (told.kind(), told.to_string().as_str()),
        (io::ErrorKind::NotFound, "Unit a.service not found.")
    );
}

#[test]
fn a_unit_is_described_and_one_that_does_not_run_is_not_reloaded() {
    let script: Script = |call| {
        let last = call.arguments.last().map_or("", String::as_str);
        vec![match (call.member.as_str(), last) {
            ("LoadUnit", _) => returned(call, "o", &string("/unit")),
            (_, "LoadState") => returned(call, "v", &variant("loaded")),
            (_, "ActiveState") => returned(call, "v", &variant("failed")),
            (_, "SubState") => returned(call, "v", &variant("dead")),
            (_, "Result") => returned(call, "v", &variant("exit-code")),
            (_, "ActiveEnterTimestamp") => returned(call, "v", &variant_number(5)),
            _ => returned(call, "v", &variant_number(3)),
        }]
    };
    let area = Area::new("unit");
    area.serve("private", script);
    let expected = UnitState {
        exists: true,
        active: "failed".into(),
        sub: "dead".into(),
        result: "exit-code".into(),
        main_started: 3,
        became_active: 5,
    };
    assert_eq!(area.systemd().unit("a.service").unwrap(), expected);
    std::fs::remove_file(area.0.join("private")).unwrap();
    let calls = area.serve("private", script);
    area.systemd().job("a.service", Verb::Reload, WAIT).unwrap();
    assert!(!calls.join().unwrap().iter().any(|call| call.starts_with("ReloadUnit")));
}

#[test]
fn whether_a_unit_runs_is_asked_of_one_that_the_manager_has_in_memory() {
    let unknown: Script =
        |call| vec![error(call, "org.freedesktop.systemd1.NoSuchUnit", "Unit a.service not loaded.")];
    let starting: Script = |call| match call.member.as_str() {
        "GetUnit" => vec![returned(call, "o", &string("/unit"))],
        _ => vec![returned(call, "v", &variant("activating"))],
    };
    let failed: Script = |call| match call.member.as_str() {
        "GetUnit" => vec![returned(call, "o", &string("/unit"))],
        _ => vec![returned(call, "v", &variant("failed"))],
    };
    let asked = "Get org.freedesktop.systemd1.Unit ActiveState";
    let cases: [(&str, Script, bool, &[&str]); 3] = [
        ("unknown", unknown, false, &["GetUnit a.service"; 2]),
        ("starting", starting, true, &["GetUnit a.service", asked, "GetUnit a.service", asked]),
        ("failed", failed, false, &["GetUnit a.service", asked, "GetUnit a.service", asked]),
    ];
    for (name, script, runs, expected) in cases {
        let area = Area::new(name);
        let calls = area.serve("private", script);
        let systemd = area.systemd();
        // Twice over one connection: that there is no such unit is an answer like others.
        assert_eq!([(); 2].map(|()| systemd.runs("a.service").unwrap()), [runs; 2]);
        drop(systemd);
        assert_eq!(calls.join().unwrap(), expected);
    }
}

#[test]
fn nobody_there_and_garbage_are_told_plainly() {
    let area = Area::new("garbage");
    let told = area.systemd().reload().unwrap_err().to_string();
    assert!(
        told.starts_with("systemd does not answer at /") && told.contains("private (No such file"),
        "{told}"
    );
    area.serve("private", |_| vec![b"l\x02\x01\x01\xff\xff\xff\xff\x01\0\0\0\0\0\0\0".to_vec()]);
    let told = area.systemd().reload().unwrap_err().to_string();
    assert_eq!(told, "a message of the service manager cannot be read: it is too long");
}

#[test]
fn the_path_of_a_unit_is_what_systemd_makes_of_its_name() {
    for (unit, path) in
        [("kubelet.service", "kubelet_2eservice"), ("a-b9.mount", "a_2db9_2emount"), ("9", "_39")]
    {
        assert_eq!(object_path(unit), format!("/org/freedesktop/systemd1/unit/{path}"));
    }
}

#[test]
fn a_unit_is_described_in_one_turn() {
    let area = Area::new("turn");
    let listener = UnixListener::bind(area.0.join("private")).unwrap();
    let manager = thread::spawn(move || {
        let mut stream = listener.accept().unwrap().0;
        let mut greeting = [0; 64];
        let _ = stream.read(&mut greeting).unwrap();
        stream.write_all(b"OK 0123456789abcdef0123456789abcdef\r\n").unwrap();
        let mut requests = Vec::new();
        for _ in 0..7 {
            let mut head = [0; wire::HEAD];
            stream.read_exact(&mut head).unwrap();
            let mut rest = vec![0; wire::rest_length(&head).unwrap()];
            stream.read_exact(&mut rest).unwrap();
            requests.push(request(&head, &rest));
        }
        // In another order, which a manager may choose.
        for call in requests.iter().rev() {
            let value = if call.arguments.last().is_some_and(|name| name.ends_with("Timestamp")) {
                variant_number(1)
            } else {
                variant("x")
            };
            let answer = if call.member == "LoadUnit" {
                returned(call, "o", &string("/unit"))
            } else {
                returned(call, "v", &value)
            };
            stream.write_all(&answer).unwrap();
        }
    });
    assert_eq!(area.systemd().unit("a.service").unwrap().active, "x");
    manager.join().unwrap();
}
