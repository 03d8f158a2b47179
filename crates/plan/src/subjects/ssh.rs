//! Whether and how SSH lets people in.

use slipway_model::{Attributes, ExitReason, Facts, Node, Sources};

use crate::draft::Draft;
use crate::edit::Change;
use crate::op::{Action, Edit};
use crate::step::{Step, StepId};

use super::units::{reloaded, stopped};

/// What the server is called, by system. Newer Ubuntu has a socket that starts it.
const UNITS: [&str; 3] = ["ssh.socket", "ssh.service", "sshd.service"];

const CONFIGURATION: &str = "/etc/ssh/sshd_config";

pub(crate) fn steps(node: &Node, _facts: &Facts, draft: &mut Draft) {
    let mut of = Sources::none();
    if !*of.read(&node.system.ssh) {
        let mut step = Step::join(StepId("ssh-off"), "let nobody in by SSH")
            .or_fail(ExitReason::SshDisable)
            .because(&of);
        for unit in UNITS {
            step = step.op(of.clone(), stopped(unit));
        }
        draft.add(step);
    }
    let mut of = Sources::none();
    if *of.read(&node.system.ssh_keys) {
        return;
    }
    let change = Change::SshOption { name: "PubkeyAuthentication".into(), value: "no".into() };
    let edit = Edit { path: CONFIGURATION.into(), attributes: Attributes::root(0o600), exact: true, change };
    let step = Step::join(StepId("ssh-keys-off"), "let nobody in by SSH keys")
        .or_fail(ExitReason::SshKeys)
        .because(&of)
        .op(of.clone(), Action::Edit(edit));
    draft.add(step.op(of.clone(), reloaded("ssh.service")).op(of, reloaded("sshd.service")));
}

#[cfg(test)]
mod tests {
    use crate::outline::{assert_named, plan, step};

    #[test]
    fn ssh_is_left_alone_unless_told_otherwise() {
        let plain = r#"{"version":"v1","enable_ssh":true}"#;
        let left = plan(plain, "{}");
        assert!(left.step("ssh-off").is_none() && left.step("ssh-keys-off").is_none());
        let off = r#"{"version":"v1","enable_ssh":false}"#;
        assert!(step(&plan(off, "{}"), "ssh-off").contains("stop disable ssh.socket if there\n"));
        assert_named("enable_ssh", plain, off, "{}");
        let keyless = r#"{"version":"v1","disable_pubkey_auth":true}"#;
        assert!(step(&plan(keyless, "{}"), "ssh-keys-off").contains("edit /etc/ssh/sshd_config SshOption"));
        assert_named("disable_pubkey_auth", plain, keyless, "{}");
    }
}
