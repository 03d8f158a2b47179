//! The configuration as it was given.

use std::path::Path;

use slipway_contract::Severity;
use slipway_flex::FlexConfig;
use slipway_flex::config::Kept;
use slipway_host::Host;
use slipway_model::Secret;

use crate::failure::Failure;
use crate::files;
use crate::screen::Screen;

/// What kubelet bootstraps with.
const BOOTSTRAP: &str = "/var/lib/kubelet/bootstrap-kubeconfig";

/// Reads a configuration, and says everything that is wrong with it.
pub(super) fn config(path: &Path, hostname: &str, screen: &Screen) -> Result<FlexConfig, Failure> {
    let input = files::read(path).map_err(|failure| Failure {
        hint: Some("slipway flex init writes a configuration; --config names another one".to_owned()),
        ..failure
    })?;
    let reading = slipway_flex::read(&input.text, hostname);
    for issue in reading.issues.iter().filter(|issue| issue.severity > Severity::Note) {
        screen.remark(&input.name, issue, issue.severity);
    }
    reading.config.ok_or_else(|| {
        let errors = reading.issues.iter().filter(|issue| issue.severity == Severity::Error);
        let first = errors.clone().next().map(|issue| format!("{}: {}", issue.path, issue.message));
        let found = match (errors.count(), first) {
            (0 | 1, Some(first)) => first,
            (many, _) => format!("it has {many} errors"),
        };
        Failure::input("bad-flex-config", format!("cannot use {}", input.name), found)
            .with_hint(format!("slipway flex config {} lists everything that is wrong with it", input.name))
    })
}

/// The same with its token, for whoever makes a node of it. Where the token's file is gone, a node still has what it was given:
/// who has a credential does not trade the token again.
pub(super) fn with_token(
    path: &Path,
    hostname: &str,
    host: &dyn Host,
    screen: &Screen,
) -> Result<FlexConfig, Failure> {
    let mut config = config(path, hostname, screen)?;
    if let Some(Kept::In(file)) = &config.token {
        let file = file.clone();
        let text = match (files::read(&file), given_before(host)) {
            (Ok(input), _) => Secret::new(String::from_utf8_lossy(&input.text).into_owned()),
            (Err(_), Some(token)) => token,
            (Err(failure), None) => return Err(failure),
        };
        config
            .give_token(text.expose())
            .map_err(|error| Failure::input("bad-token", format!("cannot use {}", file.display()), error))?;
    }
    Ok(config)
}

/// The token that kubelet was given on this machine.
fn given_before(host: &dyn Host) -> Option<Secret<String>> {
    let text = Secret::new(host.read(Path::new(BOOTSTRAP)).ok()?);
    let text = std::str::from_utf8(text.expose()).ok()?;
    let token = text.lines().find_map(|line| line.trim().strip_prefix("token:"))?;
    Some(Secret::from(token.trim().trim_matches('"')))
}

#[cfg(test)]
mod tests {
    use slipway_host::Recorded;

    use super::*;

    #[test]
    fn a_node_still_has_the_token_that_it_was_given() {
        let text = "users:\n- name: kubelet-bootstrap\n  user:\n    token: \"abcdef.0123456789abcdef\"\n";
        let host = Recorded::live().with_files([(BOOTSTRAP, text, 0o600)]);
        assert_eq!(given_before(&host).unwrap().expose(), "abcdef.0123456789abcdef");
        assert!(given_before(&Recorded::live()).is_none());
    }
}
