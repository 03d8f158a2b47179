//! The identity of a machine that Azure Arc knows, from the agent on it.

use std::io;

use slipway_fetch::{Backoff, Call, Client, Patience, Trust, Url};
use slipway_model::Secret;

use super::ask::{ask, is_weather};
use super::challenge::{ChallengeError, LARGEST_KEY, key_name, proof};
use super::{AccessToken, Authority, Scope, TokenError, TokenSource, answer};
use crate::escape::escaped;
use crate::secrecy::is_this_machine;

const DEFAULT: &str = "http://127.0.0.1:40342/metadata/identity/oauth2/token";
const API_VERSION: &str = "2020-06-01";
const AUTHORITY: Authority = Authority::ArcAgent;
/// How many challenges are met before the last one counts: an agent that restarts forgets the keys of its former process.
const CHALLENGES: u32 = 3;

/// Where the agent listens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArcEndpoint {
    address: String,
}

/// The agent's key files, in a directory that nothing leads out of.
pub trait KeyFiles: Send + Sync {
    /// The beginning of a key file, up to so many bytes. The name has no slash in it.
    fn read(&self, name: &str, most: usize) -> io::Result<Secret<Vec<u8>>>;
}

/// The agent as a source of tokens.
pub struct ArcAgent<K> {
    endpoint: ArcEndpoint,
    client: Client,
    keys: K,
}

impl Default for ArcEndpoint {
    fn default() -> Self {
        Self { address: DEFAULT.to_owned() }
    }
}

impl ArcEndpoint {
    /// The agent's endpoint by the rules of Azure's libraries: where both variables are set, the first of them says
    /// where; otherwise the usual place, if the agent is installed. `None` where there is no agent.
    pub fn find(
        variable: impl Fn(&str) -> Option<String>,
        installed: bool,
    ) -> Result<Option<Self>, TokenError> {
        let set = |name| variable(name).filter(|value| !value.is_empty());
        match (set("IDENTITY_ENDPOINT"), set("IMDS_ENDPOINT")) {
            (Some(address), Some(_)) => Self::at(&address).map(Some),
            _ => Ok(installed.then(Self::default)),
        }
    }

    /// The endpoint at an address of this machine: what a key proves is said to nobody else.
    pub fn at(address: &str) -> Result<Self, TokenError> {
        let url = Url::parse(address).map_err(|problem| TokenError::address(AUTHORITY, &problem))?;
        if !is_this_machine(&url) {
            return Err(TokenError::Settings {
                authority: AUTHORITY,
                problem: format!("its address is not one of this machine: {url}"),
                hint: "unset IDENTITY_ENDPOINT and IMDS_ENDPOINT, or let them name 127.0.0.1",
            });
        }
        let address = address.split(['?', '#']).next().unwrap_or_default();
        Ok(Self { address: address.to_owned() })
    }
}

impl<K: KeyFiles> ArcAgent<K> {
    /// The agent at an endpoint, whose keys are read through `keys`. It has one identity, the machine's: whoever names
    /// a client id means another way.
    pub fn new(endpoint: ArcEndpoint, client_id: Option<&str>, keys: K) -> Result<Self, TokenError> {
        if client_id.is_some_and(|id| !id.is_empty()) {
            return Err(TokenError::Settings {
                authority: AUTHORITY,
                problem: "it knows the machine's own identity only, and a client id is given".to_owned(),
                hint: "remove the client id, or use a managed identity or a service principal",
            });
        }
        let client = Client::new(&Trust::Nobody, None, None);
        let client = client.map_err(|problem| TokenError::trust(AUTHORITY, &problem))?;
        Ok(Self { endpoint, client, keys })
    }

    fn key(&self, name: &str) -> Result<Secret<String>, ChallengeError> {
        // One byte more than there may be, to see whether there is more.
        let content = self.keys.read(name, LARGEST_KEY + 1);
        proof(&content.map_err(|error| ChallengeError::Unreadable(name.to_owned(), error))?)
    }

    /// One challenge, and the token for the key that it asks for.
    fn exchange(&self, question: &Call<'_>, patience: Patience<'_>) -> Result<AccessToken, TokenError> {
        let first = ask(AUTHORITY, &self.client, question, is_weather, patience)?;
        match first.status {
            401 => {}
            200 => return Err(ChallengeError::NotAsked.into()),
            status => return Err(answer::refusal(AUTHORITY, status, first.body.expose())),
        }
        let key = self.key(&key_name(first.challenge.as_deref())?)?;
        let question = Call { authorization: Some(&key), ..*question };
        let second = ask(AUTHORITY, &self.client, &question, is_weather, patience)?;
        match second.status {
            200 => answer::token(AUTHORITY, second.body.expose()),
            status => Err(answer::refusal(AUTHORITY, status, second.body.expose())),
        }
    }
}

/// Whether the key may be one of an agent that has ended since.
fn is_of_former_agent(error: &TokenError) -> bool {
    match error {
        TokenError::Challenge(ChallengeError::Unreadable(_, error)) => {
            error.kind() == io::ErrorKind::NotFound
        }
        TokenError::Refused { status, .. } => *status == 401,
        _ => false,
    }
}

impl<K: KeyFiles> TokenSource for ArcAgent<K> {
    fn token(&self, scope: &Scope, patience: Patience<'_>) -> Result<AccessToken, TokenError> {
        let resource = escaped(scope.resource());
        let url = format!("{}?api-version={API_VERSION}&resource={resource}", self.endpoint.address);
        let url = Url::parse(&url).map_err(|problem| TokenError::address(AUTHORITY, &problem))?;
        let question = Call { fields: &[("Metadata", "true")], ..Call::get(&url) };
        let mut backoff = Backoff::default();
        for _ in 1..CHALLENGES {
            match self.exchange(&question, patience) {
                Err(error) if is_of_former_agent(&error) && patience.sleep(backoff.pause(None)).is_ok() => {}
                ended => return ended,
            }
        }
        self.exchange(&question, patience)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(variables: &[(&str, &str)], installed: bool) -> Option<ArcEndpoint> {
        let variable = |name: &str| {
            variables.iter().find(|(other, _)| *other == name).map(|(_, value)| (*value).to_owned())
        };
        ArcEndpoint::find(variable, installed).unwrap()
    }

    #[test]
    fn the_endpoint_is_found_as_azures_libraries_find_it() {
        let elsewhere = "http://127.0.0.1:41000/metadata/identity/oauth2/token";
        let both = [("IDENTITY_ENDPOINT", elsewhere), ("IMDS_ENDPOINT", "http://127.0.0.1:41000")];
        assert_eq!(found(&both, false), Some(ArcEndpoint { address: elsewhere.to_owned() }));
        assert_eq!(found(&both[..1], true), Some(ArcEndpoint::default()));
        assert_eq!(found(&[], true), Some(ArcEndpoint::default()));
        assert_eq!(found(&[], false), None);
    }

    #[test]
    fn a_key_is_never_sent_to_another_machine() {
        for address in ["http://169.254.169.254/x", "http://127.0.0.1.example.test/x", "ftp://127.0.0.1", "x"]
        {
            assert!(ArcEndpoint::at(address).is_err(), "{address}");
        }
        assert!(ArcEndpoint::at("http://localhost:40342/x").is_ok());
        assert!(ArcEndpoint::at("http://[::1]:40342/x").is_ok());
    }
}
