//! Certificates that the node is to trust beyond the system's.

use std::time::Duration;

use slipway_model::{ExitReason, Facts, Node, Sources, Verb};

use crate::draft::Draft;
use crate::machine::Distro;
use crate::op::{Action, Unit};
use crate::places::START_CONTAINERD;
use crate::step::{Step, StepId};

const STEP: StepId = StepId("trust");

const FILES: StepId = StepId("trust-files");
/// The image's unit that makes the system's bundle anew, with what is in `/opt/certs`.
const UPDATER: &str = "update_certs.service";
const UPDATE: Duration = Duration::from_secs(30);

/// Whether there is anything to trust beyond the system's certificates.
fn is_needed(of: &mut Sources, node: &Node) -> bool {
    let own = !of.read(&node.system.certificates).is_empty();
    let proxy = of.read(&node.network.proxy.certificate).is_some();
    own || proxy
}

pub(crate) fn steps(node: &Node, facts: &Facts, draft: &mut Draft) {
    let mut why = Sources::none();
    if !is_needed(&mut why, node) {
        return;
    }
    let mut files =
        Step::bake(FILES, "place certificates to trust").or_degrade(ExitReason::TrustStore).because(&why);
    let mut of = Sources::none();
    let certificates = of.read(&node.system.certificates);
    if !certificates.is_empty() {
        files = files.directory(of.clone(), "/opt/certs", 0o755);
    }
    for (at, certificate) in certificates.iter().enumerate() {
        let path = format!("/opt/certs/00000000000000cert{at}.crt");
        files = files.file(of.clone(), path, 0o644, certificate.as_str());
    }
    let mut of = Sources::none();
    if let Some(certificate) = of.read(&node.network.proxy.certificate) {
        let path = proxy_certificate(Distro::of(facts, &mut of));
        files = files.file(of, path, 0o644, certificate.as_str());
    }
    draft.add(files);
    let update = Unit {
        name: UPDATER.into(),
        verb: Some(Verb::Restart),
        enabled: None,
        wait: Some(UPDATE),
        required: true,
    };
    draft.add(
        Step::join(STEP, "let the system trust them")
            .or_degrade(ExitReason::TrustStore)
            .after(&[FILES])
            .because(&why)
            .op(why, Action::Unit(update)),
    );
    // containerd reads the system's certificates once.
    draft.order(STEP, START_CONTAINERD);
}

/// Where each family of systems looks for certificates of its owner's.
const fn proxy_certificate(distro: Distro) -> &'static str {
    match distro {
        Distro::OsGuard | Distro::AzureContainerLinux => "/etc/pki/ca-trust/source/anchors/proxyCA.crt",
        Distro::AzureLinux => "/usr/share/pki/ca-trust-source/anchors/proxyCA.crt",
        Distro::Flatcar => "/etc/ssl/certs/proxyCA.pem",
        Distro::Ubuntu | Distro::Other => "/usr/local/share/ca-certificates/proxyCA.crt",
    }
}

#[cfg(test)]
mod tests {
    use crate::outline::{assert_named, file, plan, step};

    #[test]
    fn certificates_are_placed_and_trusted_before_the_runtime_starts() {
        let asked = r#"{"version":"v1","custom_ca_certs":["QQ==","Qg=="],"http_proxy_config":{"proxy_trusted_ca":"Qw=="}}"#;
        let trusted = plan(asked, r#"{"os":{"id":"ubuntu"}}"#);
        assert_eq!(file(&trusted, "/opt/certs/00000000000000cert1.crt"), "B");
        assert_eq!(file(&trusted, "/usr/local/share/ca-certificates/proxyCA.crt"), "C");
        assert_eq!(step(&trusted, "trust"), "Join or degrade 161\nrestart wait update_certs.service\n");
        assert!(trusted.step("start-containerd").unwrap().needs.contains(&super::STEP));
        let azure = plan(asked, r#"{"os":{"id":"azurelinux"}}"#);
        assert_eq!(file(&azure, "/usr/share/pki/ca-trust-source/anchors/proxyCA.crt"), "C");
        assert_named("custom_ca_certs", asked, &asked.replace("\"QQ==\",", ""), "{}");
        assert_named("http_proxy_config.proxy_trusted_ca", asked, &asked.replace("Qw", "QQ"), "{}");
        assert!(plan(r#"{"version":"v1"}"#, "{}").step("trust").is_none());
    }
}
