//! Which processes come to be on the machines, told by the kernel (its process connector): forks and execs with the
//! kernel's own times, threads left out. A machine's processes are those of its systemd and their children, so
//! nothing that the lab itself runs in a machine is counted.

use std::collections::HashMap;
use std::fs;
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use rustix::net::netlink::{CONNECTOR, SocketAddrNetlink};
use rustix::net::{AddressFamily, RecvFlags, SendFlags, SocketType, bind, recv, send, socket, sockopt};

use super::moment::Moment;
use crate::error::At as _;
use crate::space::children;
use crate::{Error, Machine};

/// The name, as its argument 0, of the shell in which a contender's command runs.
pub(super) const WRAPPER: &str = "slipway-bench";

/// What is known of one machine so far.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Seen {
    /// When the contender's command was executed.
    pub(super) command: Option<Moment>,
    /// When kubelet was executed.
    pub(super) kubelet: Option<Moment>,
    /// Processes, without the command and its shell.
    pub(super) forked: usize,
    /// Processes of the command itself and its children.
    pub(super) by_command: usize,
}

/// The processes of some machines, from now on.
pub(super) struct Processes {
    state: Arc<Mutex<State>>,
    over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Debug, Default)]
struct State {
    known: HashMap<u32, (usize, Role)>,
    seen: Vec<Seen>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    /// Anything that the machine's systemd starts.
    Machine,
    /// The shell in which the command runs.
    Wrapper,
    /// The command, and what it starts.
    Command,
}

/// An event of the connector.
#[derive(Debug, PartialEq, Eq)]
enum Event {
    Fork { parent: u32, child: u32 },
    Exec(u32),
    Exit(u32),
}

impl Processes {
    pub(super) fn of(machines: &[Machine]) -> Result<Self, Error> {
        let connector = connect().at("listen to", Path::new("the kernel's process events"))?;
        let mut state = State { known: HashMap::new(), seen: vec![Seen::default(); machines.len()] };
        for (index, machine) in machines.iter().enumerate() {
            let mut open = Vec::from_iter(machine.leader());
            while let Some(id) = open.pop() {
                state.known.insert(id, (index, Role::Machine));
                open.extend(children(id));
            }
        }
        let (state, over) = (Arc::new(Mutex::new(state)), Arc::new(AtomicBool::new(false)));
        let (shared, end) = (Arc::clone(&state), Arc::clone(&over));
        let thread = thread::spawn(move || listen(&connector, &shared, &end));
        Ok(Self { state, over, thread: Some(thread) })
    }

    /// What is known now, machine by machine.
    pub(super) fn seen(&self) -> Vec<Seen> {
        lock(&self.state).seen.clone()
    }
}

impl Drop for Processes {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl State {
    fn take(&mut self, at: Moment, event: &Event) {
        match *event {
            Event::Fork { parent, child } => {
                let Some(&(machine, role)) = self.known.get(&parent) else { return };
                let seen = &mut self.seen[machine];
                match role {
                    Role::Machine => seen.forked += 1,
                    Role::Wrapper => {}
                    Role::Command => {
                        seen.forked += 1;
                        seen.by_command += 1;
                    }
                }
                let role = if role == Role::Machine { Role::Machine } else { Role::Command };
                self.known.insert(child, (machine, role));
            }
            Event::Exec(id) => {
                let Some((machine, role)) = self.known.get_mut(&id) else { return };
                let seen = &mut self.seen[*machine];
                let line = fs::read(format!("/proc/{id}/cmdline")).unwrap_or_default();
                let mut words = line.split(|octet| *octet == 0);
                let program = words.next().unwrap_or_default();
                if *role == Role::Command {
                    seen.command.get_or_insert(at);
                } else if words.any(|word| word == WRAPPER.as_bytes()) && program.ends_with(b"bash") {
                    *role = Role::Wrapper;
                    seen.forked = seen.forked.saturating_sub(1);
                } else if program.ends_with(b"/kubelet") {
                    seen.kubelet.get_or_insert(at);
                }
            }
            Event::Exit(id) => drop(self.known.remove(&id)),
        }
    }
}

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

/// From `linux/connector.h` and `linux/cn_proc.h`.
const GROUP: u32 = 1;
const LISTEN: u32 = 1;
const NETLINK_HEADER: usize = 16;
const MESSAGE_HEADER: usize = 20;
const EVENTS: usize = NETLINK_HEADER + MESSAGE_HEADER;

fn connect() -> rustix::io::Result<OwnedFd> {
    let connector = socket(AddressFamily::NETLINK, SocketType::DGRAM, Some(CONNECTOR))?;
    bind(&connector, &SocketAddrNetlink::new(0, GROUP))?;
    // Everything that this machine does comes through here, and what is lost is lost.
    sockopt::set_socket_recv_buffer_size_force(&connector, 16 << 20)?;
    sockopt::set_socket_timeout(&connector, sockopt::Timeout::Recv, Some(Duration::from_millis(20)))?;
    let mut request = Vec::new();
    let length = u32::try_from(EVENTS + 4).unwrap_or_default();
    let (done, data) = (3_u16, 4_u16);
    for half in [length, u32::from(done), 0, 0, GROUP, 1, 0, 0, u32::from(data), LISTEN] {
        request.extend_from_slice(&half.to_ne_bytes());
    }
    send(&connector, &request, SendFlags::empty())?;
    Ok(connector)
}

fn listen(connector: &impl AsFd, state: &Mutex<State>, over: &AtomicBool) {
    let mut buffer = [0; 1024];
    while !over.load(Ordering::Relaxed) {
        let Ok((length, _)) = recv(connector, &mut buffer[..], RecvFlags::empty()) else { continue };
        if let Some((at, event)) = read(buffer.get(EVENTS..length).unwrap_or_default()) {
            lock(state).take(at, &event);
        }
    }
}

/// An event of a whole process; those of threads are nothing.
fn read(event: &[u8]) -> Option<(Moment, Event)> {
    let number = |at: usize| {
        let octets = event.get(at..at + 4)?;
        Some(u32::from_ne_bytes(octets.try_into().ok()?))
    };
    let at = Moment::of_nanoseconds(u64::from_ne_bytes(event.get(8..16)?.try_into().ok()?));
    // Of two numbers in a row, the first is that of the thread.
    let process = |at: usize| number(at).filter(|thread| number(at + 4) == Some(*thread));
    let event = match number(0)? {
        0x1 => Event::Fork { parent: number(20)?, child: process(24)? },
        0x2 => Event::Exec(number(20)?),
        0x8000_0000 => Event::Exit(process(16)?),
        _ => return None,
    };
    Some((at, event))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(kind: u32, numbers: [u32; 4]) -> Vec<u8> {
        let mut event = [kind.to_ne_bytes(), 0_u32.to_ne_bytes()].concat();
        event.extend(7_u64.to_ne_bytes());
        event.extend(numbers.iter().flat_map(|number| number.to_ne_bytes()));
        event
    }

    #[test]
    fn a_process_is_told_from_a_thread() {
        let fork = read(&record(1, [10, 11, 20, 20]));
        assert_eq!(fork, Some((Moment::of_nanoseconds(7), Event::Fork { parent: 11, child: 20 })));
        assert_eq!(read(&record(1, [10, 11, 20, 11])), None, "a thread");
        assert_eq!(read(&record(0x8000_0000, [12, 11, 0, 0])), None, "the end of a thread");
    }

    #[test]
    fn what_the_command_starts_is_its_own_and_what_others_start_is_not() {
        let mut state = State::default();
        state.seen.push(Seen::default());
        state.known.insert(1, (0, Role::Machine));
        state.known.insert(5, (0, Role::Wrapper));
        let now = Moment::of_nanoseconds(1);
        let fork = |parent, child| Event::Fork { parent, child };
        for event in [fork(5, 6), Event::Exec(6), fork(6, 7), fork(7, 8), fork(1, 9), fork(100, 101)] {
            state.take(now, &event);
        }
        let seen = state.seen[0];
        assert_eq!((seen.forked, seen.by_command, seen.command), (3, 2, Some(now)));
    }
}
