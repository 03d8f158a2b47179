//! Processes: started with an argument list, their output passed on and kept.

use std::ffi::{OsStr, OsString};
use std::io::{self, Read, Write};
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::process::{Command, ExitStatus, Output, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{
    Pid, PidfdFlags, Signal, kill_process, kill_process_group, pidfd_open, test_kill_process_group,
};
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use slipway_model::Secret;

use crate::veil::Veil;

/// How long a program that was told to stop has to do so; as long as the image's scripts give their own.
const GRACE: Duration = Duration::from_secs(5);

/// A program to run.
#[expect(clippy::struct_excessive_bools, reason = "each is a wish of its own")]
#[derive(Debug)]
pub struct Child {
    command: Command,
    passes_output: bool,
    shows_complaints: bool,
    shares_terminal: bool,
    linger: Option<Duration>,
    limit: Option<Duration>,
    yields_to_signals: bool,
    secrets: Vec<Secret<String>>,
    input: Option<Secret<String>>,
    most: usize,
}

/// How a process ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// With this code.
    Code(i32),
    /// By this signal; the flag says whether memory was dumped.
    Signal(i32, bool),
}

/// A process that ran, with what it printed.
#[derive(Debug)]
pub struct Ended {
    /// How it ended.
    pub exit: Exit,
    /// What it printed.
    pub stdout: Vec<u8>,
    /// What it complained.
    pub stderr: Vec<u8>,
    /// The signal that we were sent meanwhile, if we listened.
    pub interrupted: Option<i32>,
    /// Whether it was killed because its time was up.
    pub timed_out: bool,
    /// Whether it printed more than was kept.
    pub cut: bool,
}

impl Ended {
    /// An error with what it complained last, unless it succeeded.
    pub(crate) fn succeeded(&self) -> io::Result<()> {
        match self.exit {
            _ if self.timed_out => Err(io::ErrorKind::TimedOut.into()),
            Exit::Code(0) => Ok(()),
            _ => {
                let text = String::from_utf8_lossy(&self.stderr);
                let last = text.lines().rev().find(|line| !line.trim().is_empty());
                Err(io::Error::other(last.unwrap_or("no reason given").trim().to_owned()))
            }
        }
    }
}

impl Child {
    /// A program by path or by a name on the search path, with its arguments. It reads nothing.
    pub fn new(program: impl AsRef<OsStr>, arguments: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Self {
        let mut command = Command::new(program);
        command.args(arguments).stdin(Stdio::null());
        Self {
            command,
            passes_output: false,
            shows_complaints: false,
            shares_terminal: false,
            linger: None,
            limit: None,
            yields_to_signals: false,
            secrets: Vec::new(),
            input: None,
            most: usize::MAX,
        }
    }

    /// Gives it exactly this environment instead of ours.
    #[must_use]
    pub fn environment(mut self, variables: impl IntoIterator<Item = (OsString, OsString)>) -> Self {
        self.command.env_clear().envs(variables);
        self
    }

    /// Sets one more variable in its environment.
    #[must_use]
    pub fn variable(mut self, name: &str, value: &str) -> Self {
        self.command.env(name, value);
        self
    }

    /// Kills it, with everything that it started, when it has run this long.
    #[must_use]
    pub fn within(mut self, limit: Duration) -> Self {
        self.limit = Some(limit);
        self
    }

    /// Passes its output on to ours while it runs.
    #[must_use]
    pub fn passing_output(mut self) -> Self {
        self.passes_output = true;
        self
    }

    /// Lets it complain where we complain; what it prints is kept. For programs that speak to the user themselves.
    #[must_use]
    pub fn showing_complaints(mut self) -> Self {
        self.shows_complaints = true;
        self
    }

    /// Lets it read from our terminal. It stays in our group, because only that one may read there; when its time is
    /// up it is killed alone.
    #[must_use]
    pub fn sharing_terminal(mut self) -> Self {
        self.command.stdin(Stdio::inherit());
        self.shares_terminal = true;
        self
    }

    /// Returns this long after its end even if something that it started still holds its output open.
    #[must_use]
    pub fn lingering(mut self, time: Duration) -> Self {
        self.linger = Some(time);
        self
    }

    /// Passes SIGTERM and SIGINT on to it and to what it started, gives all of them five seconds, and lives to tell.
    #[must_use]
    pub fn yielding_to_signals(mut self) -> Self {
        self.yields_to_signals = true;
        self
    }

    /// Masks these in everything that it prints, passed on or kept.
    #[must_use]
    pub fn hiding(mut self, secrets: Vec<Secret<String>>) -> Self {
        self.secrets = secrets;
        self
    }

    /// Gives it this to read.
    #[must_use]
    pub fn reading(mut self, input: Secret<String>) -> Self {
        self.command.stdin(Stdio::piped());
        self.input = Some(input);
        self
    }

    /// Keeps no more than this of each of its streams; it may print more.
    #[must_use]
    pub fn keeping(mut self, bytes: usize) -> Self {
        self.most = bytes;
        self
    }

    /// Runs it to its end.
    pub fn run(mut self) -> io::Result<Ended> {
        if self.is_plain() {
            // No threads: most programs that we ask something answer in a line.
            let Output { status, stdout, stderr } = self.command.output()?;
            let exit = exit(status);
            return Ok(Ended { exit, stdout, stderr, interrupted: None, timed_out: false, cut: false });
        }
        let complaints = if self.shows_complaints { Stdio::inherit() } else { Stdio::piped() };
        self.command.stdout(Stdio::piped()).stderr(complaints);
        if (self.yields_to_signals || self.limit.is_some()) && !self.shares_terminal {
            // A group of its own: what it started gets the signal too, and a terminal's reaches it only through us.
            self.command.process_group(0);
        }
        let mut signals = if self.yields_to_signals { Some(Signals::new([SIGTERM, SIGINT])?) } else { None };
        let mut child = self.command.spawn()?;
        if let (Some(input), Some(mut stdin)) = (self.input.take(), child.stdin.take()) {
            // A program that does not read all of it has its reasons; how it ends tells.
            thread::spawn(move || stdin.write_all(input.expose().as_bytes()));
        }
        let (passes, most) = (self.passes_output, self.most);
        let veil = || Veil::over(&self.secrets);
        let stdout = collect(child.stdout.take(), passes.then(io::stdout), veil(), most);
        let stderr = collect(child.stderr.take(), passes.then(io::stderr), veil(), most);
        let handle = signals.as_ref().map(Signals::handle);
        let group = Group { leader: child.id(), is_alone: self.shares_terminal };
        let (ended, alive) = mpsc::channel::<()>();
        let (timed_out, status, interrupted) = thread::scope(|scope| {
            let listener = signals.as_mut().map(|signals| {
                scope.spawn(move || {
                    let signal = signals.forever().next();
                    if let Some(signal) = signal {
                        group.signal(if signal == SIGINT { Signal::INT } else { Signal::TERM });
                        if alive.recv_timeout(GRACE) == Err(mpsc::RecvTimeoutError::Timeout) {
                            group.signal(Signal::KILL);
                        }
                    }
                    signal
                })
            });
            let timed_out = self.limit.is_some_and(|limit| group.outlasts(limit));
            let status = child.wait();
            drop(ended);
            if let Some(handle) = handle {
                handle.close();
            }
            (timed_out, status, listener.and_then(|listener| listener.join().ok().flatten()))
        });
        if interrupted.is_some() {
            group.settle();
        }
        let (stdout, cut) = stdout.take(self.linger);
        let (stderr, _) = stderr.take(self.linger);
        Ok(Ended { exit: exit(status?), stdout, stderr, interrupted, timed_out, cut })
    }

    /// Whether all that is asked for is how it ends and what it prints.
    fn is_plain(&self) -> bool {
        !self.passes_output
            && !self.shows_complaints
            && !self.shares_terminal
            && !self.yields_to_signals
            && self.linger.is_none()
            && self.limit.is_none()
            && self.secrets.is_empty()
            && self.input.is_none()
            && self.most == usize::MAX
    }
}

/// A process with what it started, or without where its group is ours.
#[derive(Debug, Clone, Copy)]
struct Group {
    leader: u32,
    is_alone: bool,
}

impl Group {
    fn signal(self, signal: Signal) {
        if let Some(pid) = self.pid() {
            let tell = if self.is_alone { kill_process } else { kill_process_group };
            // There may be nobody left to tell.
            let _ = tell(pid, signal);
        }
    }

    /// Whether its leader still runs after a time; then all of it is killed.
    fn outlasts(self, limit: Duration) -> bool {
        let Some(handle) = self.pid().and_then(|pid| pidfd_open(pid, PidfdFlags::empty()).ok()) else {
            return false;
        };
        let end = Instant::now() + limit;
        loop {
            let left = Timespec::try_from(end.saturating_duration_since(Instant::now())).ok();
            match poll(&mut [PollFd::new(&handle, PollFlags::IN)], left.as_ref()) {
                Err(rustix::io::Errno::INTR) => {}
                Ok(0) => {
                    self.signal(Signal::KILL);
                    return true;
                }
                _ => return false,
            }
        }
    }

    /// Waits until nobody of it is left, and sees to it. What goes on after its leader would have the last word.
    fn settle(self) {
        let deadline = Instant::now() + GRACE;
        while self.pid().is_some_and(|pid| test_kill_process_group(pid).is_ok()) {
            if Instant::now() > deadline {
                return self.signal(Signal::KILL);
            }
            thread::sleep(Duration::from_millis(5));
        }
    }

    fn pid(self) -> Option<Pid> {
        i32::try_from(self.leader).ok().and_then(Pid::from_raw)
    }
}

fn exit(status: ExitStatus) -> Exit {
    match (status.code(), status.signal()) {
        (Some(code), _) => Exit::Code(code),
        (None, signal) => Exit::Signal(signal.unwrap_or_default(), status.core_dumped()),
    }
}

/// What is kept of a piece, and whether that is less than all of it.
type Piece = (Vec<u8>, bool);

/// A stream that is read in the background, in pieces.
struct Collected {
    pieces: mpsc::Receiver<Piece>,
}

fn collect(
    stream: Option<impl Read + Send + 'static>,
    mut copy: Option<impl Write + Send + 'static>,
    mut veil: Veil,
    mut most: usize,
) -> Collected {
    let (sender, pieces) = mpsc::channel();
    if let Some(mut stream) = stream {
        let mut hand_on = move |mut piece: Vec<u8>| {
            if let Some(copy) = &mut copy {
                // Whoever reads our output may be gone; the process goes on all the same.
                let _ = copy.write_all(&piece).and_then(|()| copy.flush());
            }
            let cut = piece.len() > most;
            piece.truncate(most);
            most -= piece.len();
            // Nobody may be waiting for it any more, and still the process must not block on a full pipe.
            let _ = sender.send((piece, cut));
        };
        thread::spawn(move || {
            let mut piece = vec![0; 16 * 1024];
            while let Ok(length @ 1..) = stream.read(&mut piece) {
                hand_on(veil.pass(&piece[..length]));
            }
            hand_on(veil.rest());
        });
    }
    Collected { pieces }
}

impl Collected {
    /// Everything up to the stream's end, or up to a pause of this length; and whether there was more than is kept.
    fn take(self, linger: Option<Duration>) -> Piece {
        let (mut all, mut cut) = (Vec::new(), false);
        let next = || match linger {
            None => self.pieces.recv().ok(),
            Some(time) => self.pieces.recv_timeout(time).ok(),
        };
        while let Some((piece, less)) = next() {
            all.extend(piece);
            cut |= less;
        }
        (all, cut)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Child {
        Child::new("/bin/sh", ["-c", script])
    }

    #[test]
    fn output_and_code_are_kept() {
        let ended = shell("echo out; echo err >&2; exit 7").run().unwrap();
        assert_eq!(
            (ended.exit, &ended.stdout[..], &ended.stderr[..]),
            (Exit::Code(7), &b"out\n"[..], &b"err\n"[..])
        );
    }

    #[test]
    fn a_signal_is_told_from_a_code() {
        assert_eq!(shell("kill -KILL $$").run().unwrap().exit, Exit::Signal(9, false));
    }

    #[test]
    fn something_left_behind_does_not_hold_us_up_when_told_so() {
        let start = std::time::Instant::now();
        let ended = shell("echo out; sleep 5 & exit 0").lingering(Duration::from_millis(100)).run().unwrap();
        assert_eq!(ended.stdout, b"out\n");
        assert!(start.elapsed() < Duration::from_secs(4));
    }

    #[test]
    fn a_process_that_takes_too_long_is_killed_with_what_it_started() {
        let start = Instant::now();
        let ended = shell("echo out; sleep 30; echo never").within(Duration::from_millis(200)).run().unwrap();
        assert_eq!((ended.exit, ended.timed_out), (Exit::Signal(9, false), true));
        assert_eq!(ended.stdout, b"out\n");
        assert!(start.elapsed() < Duration::from_secs(5));
        let ended = shell("exit 3").within(Duration::from_secs(30)).run().unwrap();
        assert_eq!((ended.exit, ended.timed_out), (Exit::Code(3), false));
    }

    #[test]
    fn a_process_at_our_terminal_has_its_limits_too_and_what_it_prints_is_kept() {
        let child = || shell("echo out; exec sleep 30").sharing_terminal().showing_complaints();
        let start = Instant::now();
        let ended = child().within(Duration::from_millis(200)).run().unwrap();
        assert_eq!(
            (ended.exit, ended.timed_out, &ended.stdout[..]),
            (Exit::Signal(9, false), true, &b"out\n"[..])
        );
        assert!(ended.stderr.is_empty() && start.elapsed() < Duration::from_secs(5));
    }

    #[test]
    fn secrets_are_masked_even_when_they_arrive_in_pieces() {
        let ended = shell("printf 'a hun'; sleep 0.1; printf 'ter2 b hunter'")
            .hiding(vec!["hunter2".into()])
            .run()
            .unwrap();
        assert_eq!(ended.stdout, b"a <secret> b hunter");
    }

    #[test]
    fn input_is_read_and_output_is_kept_up_to_a_limit() {
        let ended = shell("cat; head -c 100000 /dev/zero").reading("words ".into()).keeping(8).run().unwrap();
        assert_eq!((ended.exit, &ended.stdout[..]), (Exit::Code(0), &b"words \0\0"[..]));
        assert!(ended.cut && !shell("printf words").keeping(5).run().unwrap().cut);
        let ended = shell("exit 4").reading("x".repeat(1 << 20).as_str().into()).run().unwrap();
        assert_eq!(ended.exit, Exit::Code(4));
    }

    #[test]
    fn the_environment_is_exactly_the_one_given() {
        let ended = Child::new("/usr/bin/env", [""; 0])
            .environment([("A".into(), "$(id) `x` \"'\nb".into())])
            .run()
            .unwrap();
        assert_eq!(ended.stdout, b"A=$(id) `x` \"'\nb\n");
    }
}
