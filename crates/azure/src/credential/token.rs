use std::fmt;
use std::time::{Duration, SystemTime};

use slipway_model::Secret;

const EVERYTHING: &str = "/.default";

/// What a token is for: everything that we may do at a resource.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Scope {
    resource: String,
}

/// A token, and the second when it ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccessToken {
    secret: Secret<String>,
    expires_on: u64,
}

impl Scope {
    /// The scope of a resource, such as `https://management.azure.com` or the id of an application. A scope's own form,
    /// which ends in `/.default`, is taken too.
    pub fn of(resource: &str) -> Self {
        Self { resource: resource.strip_suffix(EVERYTHING).unwrap_or(resource).to_owned() }
    }

    /// The resource, as the older endpoints want it.
    pub fn resource(&self) -> &str {
        &self.resource
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}{EVERYTHING}", self.resource)
    }
}

impl AccessToken {
    /// A token that ends at this second since 1970; `None` for a text that no header can carry.
    pub fn new(secret: Secret<String>, expires_on: u64) -> Option<Self> {
        let text = secret.expose();
        let sendable = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_graphic());
        sendable.then_some(Self { secret, expires_on })
    }

    /// The token itself.
    pub fn secret(&self) -> &Secret<String> {
        &self.secret
    }

    /// The second since 1970 when it ends.
    pub fn expires_on(&self) -> u64 {
        self.expires_on
    }

    /// Whether it can still be used for at least this long.
    pub fn lasts(&self, time: Duration) -> bool {
        self.left() > time
    }

    /// How long it can still be used, by the machine's clock.
    pub(super) fn left(&self) -> Duration {
        Duration::from_secs(self.expires_on.saturating_sub(now()))
    }
}

/// Seconds since 1970.
pub(super) fn now() -> u64 {
    SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_secs()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scope_and_its_resource_are_two_forms_of_one_thing() {
        for (given, resource, scope) in [
            (
                "https://management.azure.com",
                "https://management.azure.com",
                "https://management.azure.com/.default",
            ),
            (
                "https://management.azure.com/.default",
                "https://management.azure.com",
                "https://management.azure.com/.default",
            ),
            // The audience of this one ends in a slash, and its scope has two.
            (
                "https://management.core.windows.net/",
                "https://management.core.windows.net/",
                "https://management.core.windows.net//.default",
            ),
        ] {
            assert_eq!(
                (Scope::of(given).resource(), Scope::of(given).to_string().as_str()),
                (resource, scope)
            );
        }
    }

    #[test]
    fn what_no_header_can_carry_is_no_token() {
        for text in ["", "a b", "a\r\nX: y", "ä"] {
            assert_eq!(AccessToken::new(Secret::from(text), 1), None, "{text:?}");
        }
    }
}
