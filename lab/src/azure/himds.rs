//! The identity service of an Arc machine, on the machine itself: who can read its key files gets the machine's tokens.

use std::collections::VecDeque;
use std::fs::{self, OpenOptions, Permissions};
use std::io::{self, Write as _};
use std::net::{Ipv4Addr, SocketAddr};
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _, fchown};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use super::answer::Answer;
use super::entra;
use super::http::Request;
use super::id::uuid;
use super::listen::Listener;
use super::state::{State, hold};
use super::token;
use super::visit::Visit;
use super::{Azure, Service};

/// Where the machine's programs find key files.
pub const TOKENS: &str = "/var/opt/azcmagent/tokens";
/// Where it listens on every machine.
pub const ADDRESS: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::LOCALHOST), 40342);

const VERSIONS: [&str; 2] = ["2020-06-01", "2019-11-01"];

/// The machine that tokens are for, and where its key files are.
#[derive(Clone, Debug)]
pub struct Keys {
    /// The id of the Arc machine.
    pub machine: String,
    /// [`TOKENS`] of the machine, as we see it.
    pub directory: PathBuf,
    /// Who may read keys, beside root.
    pub group: Option<u32>,
}

/// What befalls an identity service that restarts while it is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mishap {
    /// Whoever asks next gets status 503.
    Unavailable,
    /// It ends after its next challenge. The new process does not know the key, whose file is still there.
    Forgets,
    /// It ends after its next challenge, and the new process removes the key's file.
    Sweeps,
}

/// A running identity service; it ends when this is dropped.
pub struct Himds {
    address: SocketAddr,
    mishaps: Arc<Mutex<VecDeque<Mishap>>>,
    _listener: Listener,
}

impl Azure {
    /// Opens the identity service of an Arc machine in the network that the calling thread is in.
    pub fn himds(&self, address: SocketAddr, keys: Keys) -> io::Result<Himds> {
        fs::create_dir_all(&keys.directory)?;
        fs::set_permissions(&keys.directory, Permissions::from_mode(0o750))?;
        std::os::unix::fs::chown(&keys.directory, None, keys.group)?;
        let state = Arc::clone(&self.state);
        let mishaps = Arc::new(Mutex::new(VecDeque::new()));
        let desk =
            Desk { keys, open: Mutex::default(), made: Mutex::default(), mishaps: Arc::clone(&mishaps) };
        let listener = Listener::open(address, move |stream, closing| {
            let visit = Visit { state: &state, service: Service::Himds, stream, closing };
            visit.serve(|_, request| desk.answer(&state, request));
        })?;
        Ok(Himds { address: listener.address(), mishaps, _listener: listener })
    }
}

impl Himds {
    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Lets these befall it, one after the other.
    pub fn suffer(&self, mishaps: impl IntoIterator<Item = Mishap>) {
        hold(&self.mishaps).extend(mishaps);
    }

    /// Whether all that was to befall it has.
    pub fn has_recovered(&self) -> bool {
        hold(&self.mishaps).is_empty()
    }
}

struct Desk {
    keys: Keys,
    /// The keys that nobody has used yet, with the names of their files.
    open: Mutex<Vec<(String, String)>>,
    made: Mutex<u64>,
    mishaps: Arc<Mutex<VecDeque<Mishap>>>,
}

impl Desk {
    fn answer(&self, state: &State, request: &Request) -> Answer {
        if request.path().trim_end_matches('/') != "/metadata/identity/oauth2/token"
            || request.method != "GET"
        {
            return Answer::empty(404);
        }
        let refusal = |words: &str| token::refusal("invalid_request", words);
        if !request.header("Metadata").is_some_and(|value| value.eq_ignore_ascii_case("true")) {
            return refusal("Required metadata header not specified");
        }
        if !request.query("api-version").is_some_and(|version| VERSIONS.contains(&version.as_str())) {
            return refusal("api-version is invalid or was not specified in the request");
        }
        let Some(resource) = request.query("resource").filter(|resource| !resource.is_empty()) else {
            return refusal("Required query variable 'resource' is missing");
        };
        if self.befalls(|mishap| mishap == Mishap::Unavailable).is_some() {
            return Answer::empty(503);
        }
        let key = request.header("Authorization");
        if !key.is_some_and(|words| self.takes(words)) {
            let mishap = self.befalls(|_| key.is_none());
            return self
                .challenge(mishap)
                .unwrap_or_else(|error| Answer::of(500, "text/plain; charset=utf-8", error.to_string()));
        }
        // The agent runs before the machine is connected, and after it was disconnected.
        let Some(identity) = hold(&state.arm).arc_identity(&self.keys.machine) else {
            return refusal("The machine is not connected to Azure");
        };
        if !entra::is_resource(&resource) {
            return token::refusal("invalid_resource", "The resource principal was not found in the tenant");
        }
        Answer::json(200, &token::document(state, &identity, &resource))
    }

    /// The next mishap, if it is one of these.
    fn befalls(&self, is_it: impl FnOnce(Mishap) -> bool) -> Option<Mishap> {
        let mut mishaps = hold(&self.mishaps);
        mishaps.front().copied().filter(|next| is_it(*next)).and_then(|_| mishaps.pop_front())
    }

    /// Takes a key: it is good once, and its file goes.
    fn takes(&self, words: &str) -> bool {
        let mut open = hold(&self.open);
        let used = words.strip_prefix("Basic ").and_then(|key| open.iter().position(|(_, it)| it == key));
        let Some(at) = used else { return false };
        let (file, _) = open.swap_remove(at);
        // Whoever removed it before us wanted the same.
        let _ = fs::remove_file(self.keys.directory.join(file));
        true
    }

    /// Writes a new key where only the right ones can read it, and says where.
    fn challenge(&self, mishap: Option<Mishap>) -> io::Result<Answer> {
        let serial = {
            let mut made = hold(&self.made);
            *made += 1;
            *made
        };
        let name = format!("{}.key", uuid(&format!("key file {} {serial}", self.keys.machine)));
        let key = random()?;
        let path = self.keys.directory.join(&name);
        let mut file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&path)?;
        file.write_all(key.as_bytes())?;
        fchown(&file, None, self.keys.group)?;
        file.set_permissions(Permissions::from_mode(0o640))?;
        match mishap {
            None | Some(Mishap::Unavailable) => hold(&self.open).push((name.clone(), key)),
            Some(Mishap::Forgets) => {}
            Some(Mishap::Sweeps) => fs::remove_file(&path)?,
        }
        let body = serde_json::json!({ "error": "unauthorized" });
        Ok(Answer::json(401, &body).with("WWW-Authenticate", format!("Basic realm={TOKENS}/{name}")))
    }
}

/// A key that nobody can guess.
fn random() -> io::Result<String> {
    use ring::rand::SecureRandom as _;
    let mut octets = [0; 32];
    ring::rand::SystemRandom::new().fill(&mut octets).map_err(|_| io::ErrorKind::Other)?;
    Ok(octets.iter().fold(String::new(), |text, octet| text + &format!("{octet:02x}")))
}
