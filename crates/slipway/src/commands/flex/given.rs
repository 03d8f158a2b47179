//! The configuration as it was given.

use std::path::Path;

use slipway_contract::Severity;
use slipway_flex::FlexConfig;
use slipway_flex::config::Kept;

use crate::failure::Failure;
use crate::files;
use crate::screen::Screen;

/// Reads a configuration and the file of its token, and says everything that is wrong with it.
pub(super) fn config(path: &Path, hostname: &str, screen: &Screen) -> Result<FlexConfig, Failure> {
    let input = files::read(path).map_err(|failure| Failure {
        hint: Some("slipway flex init writes a configuration; --config names another one".to_owned()),
        ..failure
    })?;
    let reading = slipway_flex::read(&input.text, hostname);
    for issue in reading.issues.iter().filter(|issue| issue.severity > Severity::Note) {
        screen.remark(&input.name, issue, issue.severity);
    }
    let mut config = reading.config.ok_or_else(|| {
        let errors = reading.issues.iter().filter(|issue| issue.severity == Severity::Error);
        let first = errors.clone().next().map(|issue| format!("{}: {}", issue.path, issue.message));
        let found = match (errors.count(), first) {
            (0 | 1, Some(first)) => first,
            (many, _) => format!("it has {many} errors"),
        };
        Failure::input("bad-flex-config", format!("cannot use {}", input.name), found)
            .with_hint(format!("slipway flex config {} lists everything that is wrong with it", input.name))
    })?;
    if let Some(Kept::In(file)) = &config.token {
        let file = file.clone();
        let text = files::read(&file)?;
        config
            .give_token(&String::from_utf8_lossy(&text.text))
            .map_err(|error| Failure::input("bad-token", format!("cannot use {}", file.display()), error))?;
    }
    Ok(config)
}
