//! Containerd's unit, for machines that have none.

use crate::unit::UnitText;

/// The text of `containerd.service`, with what its makers advise: containers outlive it, and nothing kills it for memory.
pub fn containerd_unit() -> String {
    UnitText::section("Unit")
        .set("Description", "containerd")
        .set("After", "network.target local-fs.target")
        .set("StartLimitIntervalSec", "0")
        .and("Service")
        .set("ExecStart", "/usr/local/bin/containerd")
        .set("Type", "notify")
        .set("Delegate", "yes")
        .set("KillMode", "process")
        .set("Restart", "always")
        .set("RestartSec", "5")
        .set("LimitNPROC", "infinity")
        .set("LimitCORE", "infinity")
        .set("TasksMax", "infinity")
        .set("OOMScoreAdjust", "-999")
        .and("Install")
        .set("WantedBy", "multi-user.target")
        .finish()
}
