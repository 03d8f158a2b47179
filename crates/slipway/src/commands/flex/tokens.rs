//! Files with tokens, which are of no use to a machine that has left.

use std::io;
use std::path::Path;

use slipway_host::Host;

/// Where they are: they do not outlive the boot.
pub(super) const PLACE: &str = "/run";
/// What kubelet shows to the API server.
pub(super) const OF_KUBELET: &str = "slipway-flex-token.json";
/// What the agent of Azure Arc reads while it connects, with the token of whoever is signed in.
pub(super) const OF_AGENT: &str = slipway_flex::arc::AGENT_FILE;

/// Removes the files of a name, and what a killed process left of them on its way to their names.
pub(super) fn forget(host: &dyn Host, name: &str) -> io::Result<()> {
    let place = Path::new(PLACE);
    if host.entry(place)?.is_none() {
        return Ok(());
    }
    for found in host.list(place)? {
        let is_it = found.to_str().is_some_and(|found| {
            found == name || found.strip_prefix('.').is_some_and(|rest| rest.starts_with(name))
        });
        if is_it {
            host.remove(&place.join(found))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use slipway_host::Recorded;

    use super::*;

    #[test]
    fn tokens_go_with_what_a_killed_process_left_of_them_and_nothing_else_does() {
        let host = Recorded::live().with_files([
            ("/run/arc-connect.json", "secret", 0o600),
            ("/run/.arc-connect.json.812", "sec", 0o600),
            ("/run/slipway-flex-token.json", "secret", 0o600),
            ("/run/arc-connect.json.of-its-owner", "", 0o600),
        ]);
        forget(&host, OF_AGENT).unwrap();
        let left = |host: &Recorded| host.list(Path::new(PLACE)).unwrap();
        assert_eq!(left(&host), ["arc-connect.json.of-its-owner", "slipway-flex-token.json"]);
        forget(&host, OF_KUBELET).unwrap();
        assert_eq!(left(&host), ["arc-connect.json.of-its-owner"]);
        forget(&Recorded::live(), OF_KUBELET).unwrap();
    }
}
