//! The maintenance window: when nodes may move to newer images.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::Deserialize;
use thiserror::Error;

const START: &str = "aksManagedNodeOSUpgradeSchedule-start";
const END: &str = "aksManagedNodeOSUpgradeSchedule-end";

/// What the cluster says about its next maintenance window.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct MaintenanceWindow {
    /// The namespace of the launcher; empty where it does not look for windows.
    pub system_namespace: String,
    /// Whether the config map `upcoming-maintenance-window` exists.
    pub has_config_map: bool,
    /// Its data.
    pub data: Option<BTreeMap<String, String>>,
    /// The start, in seconds from now, in place of data.
    pub start_offset_seconds: Option<i64>,
    /// The end, in seconds from now, in place of data.
    pub end_offset_seconds: Option<i64>,
}

/// What is wrong with a maintenance window.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum WindowError {
    /// Only one end is given.
    #[error(
        "the maintenance window has {present} but no {missing}; AKS writes both, so look at what changed the ConfigMap upcoming-maintenance-window"
    )]
    OneEnd {
        /// The key that is there.
        present: &'static str,
        /// The key that is not.
        missing: &'static str,
    },
    /// An end is not a time.
    #[error("{key} of the maintenance window is {value:?}, which is not a time such as 2026-05-23T08:00:00Z")]
    NotATime {
        /// The key.
        key: &'static str,
        /// Its value.
        value: String,
    },
}

impl MaintenanceWindow {
    /// Whether images may be exchanged now. They may where no window is known.
    pub fn is_open(&self, now: Timestamp) -> Result<bool, WindowError> {
        if self.system_namespace.is_empty() || !self.has_config_map {
            return Ok(true);
        }
        let start = self.end(START, self.start_offset_seconds, now)?;
        let end = self.end(END, self.end_offset_seconds, now)?;
        match (start, end) {
            (None, None) => Ok(true),
            (Some(start), Some(end)) => Ok(start < now && now < end),
            (Some(_), None) => Err(WindowError::OneEnd { present: START, missing: END }),
            (None, Some(_)) => Err(WindowError::OneEnd { present: END, missing: START }),
        }
    }

    fn end(
        &self,
        key: &'static str,
        offset: Option<i64>,
        now: Timestamp,
    ) -> Result<Option<Timestamp>, WindowError> {
        if let Some(seconds) = offset {
            let at =
                Timestamp::from_second(now.as_second().saturating_add(seconds)).unwrap_or(Timestamp::MAX);
            return Ok(Some(at));
        }
        let text = self.data.as_ref().and_then(|data| data.get(key)).map_or("", String::as_str);
        if text.is_empty() {
            return Ok(None);
        }
        text.parse().map(Some).map_err(|_| WindowError::NotATime { key, value: text.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn window(start: &str, end: &str) -> MaintenanceWindow {
        let data = BTreeMap::from([(START.to_owned(), start.to_owned()), (END.to_owned(), end.to_owned())]);
        let data = Some(data);
        MaintenanceWindow {
            system_namespace: "kube-system".to_owned(),
            has_config_map: true,
            data,
            ..Default::default()
        }
    }

    #[test]
    fn a_window_is_open_between_its_ends_and_where_it_has_none() {
        let now = "2026-05-23T08:00:00Z".parse().unwrap();
        for (start, end, expected) in [
            ("", "", Ok(true)),
            ("2026-05-23T07:00:00Z", "2026-05-23T09:00:00Z", Ok(true)),
            ("2026-05-23T10:00:00+02:00", "2026-05-23T09:00:00Z", Ok(false)),
            ("2026-05-23T08:30:00Z", "2026-05-23T09:00:00Z", Ok(false)),
            ("2026-05-23T07:00:00Z", "", Err(WindowError::OneEnd { present: START, missing: END })),
            ("", "2026-05-23T07:00:00Z", Err(WindowError::OneEnd { present: END, missing: START })),
            ("soon", "", Err(WindowError::NotATime { key: START, value: "soon".to_owned() })),
        ] {
            assert_eq!(window(start, end).is_open(now), expected, "{start} {end}");
        }
    }
}
