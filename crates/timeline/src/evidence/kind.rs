//! Which file is what: by its name, and by its beginning where a name says too little.

/// A kind of file that tells of a node's start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Slipway's journal.
    SlipwayJournal,
    /// `provision.json`, by whomever it was written.
    Result,
    /// A guest-agent event.
    Event,
    /// `cloud-init.log`.
    CloudInitLog,
    /// `cloud-init-output.log`.
    CloudInitOutput,
    /// cloud-init's `status.json`, or `result.json`.
    CloudInitStatus,
    /// `waagent.log`, an extension's `CommandExecution.log`, or syslog with their lines.
    AgentLog,
    /// The script extension's `handler.log`.
    ExtensionLog,
    /// The script extension's `stdout` or `stderr`.
    ExtensionOutput,
    /// The script extension's `N.settings`.
    ExtensionSettings,
    /// `cluster-provision.log`.
    Trace,
    /// `journalctl --output=json`.
    JournalJson,
    /// `journalctl --output=export`.
    JournalExport,
    /// `systemctl show` of units, or of the manager.
    Units,
    /// `systemd-analyze dump`.
    ManagerDump,
    /// A VM, an activity log or a Node as JSON.
    Platform,
}

/// As much of a file's beginning is enough to tell what it is.
pub const HEAD: usize = 4_096;

impl Kind {
    /// What a file is; `None` for one that tells nothing here.
    pub fn of(path: &str, head: &[u8]) -> Option<Self> {
        let path = path.trim_start_matches('/');
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        let begins = |text: &str| head.trim_ascii_start().starts_with(text.as_bytes());
        let has = |text: &str| head.windows(text.len()).any(|part| part == text.as_bytes());
        let suffix = name.rsplit_once('.').map_or("", |(_, suffix)| suffix);
        Some(match name {
            "provision.json" => Self::Result,
            "cloud-init.log" => Self::CloudInitLog,
            "cloud-init-output.log" => Self::CloudInitOutput,
            "status.json" | "result.json" if has("\"v1\"") => Self::CloudInitStatus,
            // What `cloud-init status --format json` prints, whatever the file is called.
            _ if suffix == "json" && has("\"init-local\"") && has("\"modules-config\"") => {
                Self::CloudInitStatus
            }
            "waagent.log" | "CommandExecution.log" | "syslog" | "messages" => Self::AgentLog,
            "handler.log" => Self::ExtensionLog,
            "cluster-provision.log" => Self::Trace,
            "cluster-provision-cse-output.log" => Self::ExtensionOutput,
            "stdout" | "stderr" if folder.contains("custom-script") || folder.contains("download") => {
                Self::ExtensionOutput
            }
            _ if suffix == "settings" => Self::ExtensionSettings,
            _ if has("\"__REALTIME_TIMESTAMP\"") => Self::JournalJson,
            _ if begins("__CURSOR=") || begins("__REALTIME_TIMESTAMP=") => Self::JournalExport,
            _ if begins("{\"event\"") => Self::SlipwayJournal,
            _ if suffix == "json" && has("\"OperationId\"") && has("\"TaskName\"") => Self::Event,
            _ if suffix == "json" && (has("\"eventTimestamp\"") || has("\"operationName\"")) => {
                Self::Platform
            }
            "node.json" | "vm.json" | "instance-view.json" | "activity-log.json" => Self::Platform,
            _ if begins("Manager:") || begins("-> Unit") => Self::ManagerDump,
            _ if has("Timestamp=") || has("TimestampMonotonic=") => Self::Units,
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_known_by_name_or_by_their_beginning() {
        for (path, head, expected) in [
            ("var/log/azure/aks/provision.json", "", Some(Kind::Result)),
            ("var/lib/slipway/journal.jsonl", "{\"event\":\"attempt-began\"", Some(Kind::SlipwayJournal)),
            ("journal.jsonl", "{\"__REALTIME_TIMESTAMP\": \"1\"", Some(Kind::JournalJson)),
            ("journal.export", "__CURSOR=s=1\n", Some(Kind::JournalExport)),
            ("events/17.json", "{\n \"OperationId\": \"\", \"TaskName\": \"\"", Some(Kind::Event)),
            ("run/cloud-init/status.json", "{\"v1\": {}}", Some(Kind::CloudInitStatus)),
            (
                "ci.json",
                "{\"init\": {}, \"init-local\": {}, \"modules-config\": {}}",
                Some(Kind::CloudInitStatus),
            ),
            ("status/0.status", "[]", None),
            (
                "var/log/azure/Microsoft.Azure.Extensions.CustomScript/CommandExecution.log",
                "",
                Some(Kind::AgentLog),
            ),
            ("var/lib/waagent/custom-script/download/0/stdout", "", Some(Kind::ExtensionOutput)),
            ("var/lib/waagent/x/config/1.settings", "", Some(Kind::ExtensionSettings)),
            ("units.txt", "ExecMainStartTimestamp=\n", Some(Kind::Units)),
            ("dump.txt", "Manager: systemd 249", Some(Kind::ManagerDump)),
            ("activity.json", "[{\"eventTimestamp\": 1}]", Some(Kind::Platform)),
            ("README.md", "# hello", None),
        ] {
            assert_eq!(Kind::of(path, head.as_bytes()), expected, "{path}");
        }
    }
}
