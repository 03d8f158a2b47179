//! The way out through an HTTP proxy.
//!
//! Its address may hold a password. So services read it from a file of our own that only root sees, and the file that
//! everyone reads, `/etc/environment`, gets it only where it holds none.

use std::ops::Not as _;

use slipway_model::{Attributes, ExitReason, Facts, Node, Secret, Sources};
use slipway_render::{Proxy, UnitText};

use crate::draft::Draft;
use crate::edit::Change;
use crate::op::{Action, Edit};
use crate::step::{Step, StepId};

/// What services need to know of the proxy.
const ENVIRONMENT: &str = "/etc/slipway/proxy.env";

pub(crate) fn steps(node: &Node, _facts: &Facts, draft: &mut Draft) {
    let mut of = Sources::none();
    let proxy = &node.network.proxy;
    let http = of.read(&proxy.http).as_ref().map_or("", |url| url.expose());
    let https = of.read(&proxy.https).as_ref().map_or("", |url| url.expose());
    if http.is_empty() && https.is_empty() {
        return;
    }
    let bypass = of.read(&proxy.bypass);
    let proxy = Proxy { http, https, bypass };
    let drop_in = UnitText::section("Service").set("EnvironmentFile", ENVIRONMENT).finish();
    let mut step = Step::join(StepId("proxy"), "lead the way out through the proxy")
        .or_degrade(ExitReason::Outbound)
        .because(&of)
        .secret_file(of.clone(), ENVIRONMENT, Secret::new(proxy.environment_file()))
        .secret_file(
            of.clone(),
            "/etc/systemd/system.conf.d/proxy.conf",
            Secret::new(proxy.manager_drop_in()),
        )
        .secret_file(of.clone(), "/etc/apt/apt.conf.d/95proxy", Secret::new(proxy.apt_configuration()));
    for unit in ["kubelet", "containerd"] {
        let path = format!("/etc/systemd/system/{unit}.service.d/10-httpproxy.conf");
        step = step.file(of.clone(), path, 0o644, drop_in.clone());
    }
    if [http, https].iter().any(|url| url.contains('@')).not() {
        for (name, value) in proxy.variables() {
            let prefix = format!("{name}=");
            let change = Change::Line { line: format!("{prefix}{value}"), prefix };
            let edit = Edit { path: "/etc/environment".into(), attributes: Attributes::root(0o644), change };
            step = step.op(of.clone(), Action::Edit(edit));
        }
    }
    draft.add(step);
}
