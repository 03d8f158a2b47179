//! The way out through an HTTP proxy.
//!
//! Its address may hold a password. So services read it from a file of our own that only root sees; files that everyone
//! reads are root's alone where it holds one, and `/etc/environment`, which cannot be, does not get it.

use slipway_model::node::Machine;
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
        .secret_file(of.clone(), ENVIRONMENT, Secret::new(proxy.environment_file()));
    let open = [http, https].into_iter().all(holds_no_secret);
    // What is not a node's service is the owner's business on a machine of his own.
    let whole = node.machine == Machine::Image;
    let others = [
        ("/etc/systemd/system.conf.d/proxy.conf", proxy.manager_drop_in()),
        // Without the right to read it, apt fails for everyone but root.
        ("/etc/apt/apt.conf.d/95proxy", proxy.apt_configuration()),
    ];
    for (path, text) in others.into_iter().filter(|_| whole) {
        step = if open {
            step.file(of.clone(), path, 0o644, text)
        } else {
            step.secret_file(of.clone(), path, Secret::new(text))
        };
    }
    for unit in ["kubelet", "containerd"] {
        let path = format!("/etc/systemd/system/{unit}.service.d/10-httpproxy.conf");
        step = step.file(of.clone(), path, 0o644, drop_in.clone());
    }
    if open && whole {
        for (name, value) in proxy.variables() {
            let prefix = format!("{name}=");
            let change = Change::Line { line: format!("{prefix}{value}"), prefix };
            let edit = Edit {
                path: "/etc/environment".into(),
                attributes: Attributes::root(0o644),
                exact: false,
                change,
            };
            step = step.op(of.clone(), Action::Edit(edit));
        }
    }
    draft.add(step);
}

/// Whether an address has nothing but a scheme, a host and a port: anywhere else could be a password.
fn holds_no_secret(url: &str) -> bool {
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | ':' | '[' | ']');
    let place = url.strip_prefix("http://").or_else(|| url.strip_prefix("https://"));
    let plain = |place: &str| place.strip_suffix('/').unwrap_or(place).chars().all(fits);
    url.is_empty() || place.is_some_and(plain)
}

#[cfg(test)]
mod tests {
    use crate::outline::{assert_named, file, plan, step};

    const PROXY: &str = r#"{"version":"v1","http_proxy_config":{"http_proxy":"http://p:3128/","https_proxy":"http://p:3129/","no_proxy_entries":["localhost","10.0.0.0/8"]}}"#;

    #[test]
    fn services_read_the_proxy_from_a_file_that_only_root_sees() {
        let plan = plan(PROXY, "{}");
        let text = step(&plan, "proxy");
        assert!(text.starts_with("Join or degrade 50\nfile /etc/slipway/proxy.env 600 secret\n"));
        assert!(text.contains("file /etc/apt/apt.conf.d/95proxy 644\n"));
        assert!(text.contains(
            "edit /etc/environment Line { prefix: \"no_proxy=\", line: \"no_proxy=localhost,10.0.0.0/8\" }"
        ));
        let drop_in = file(&plan, "/etc/systemd/system/kubelet.service.d/10-httpproxy.conf");
        assert_eq!(drop_in, "[Service]\nEnvironmentFile=/etc/slipway/proxy.env\n");
    }

    #[test]
    fn a_password_is_in_no_file_that_others_read() {
        for url in ["hush", "http://p/?key=hush", "http://p/hush", "socks5://hush"] {
            let plan = plan(&PROXY.replace("http://p:3128/", url), "{}");
            assert!(!format!("{plan:?}").contains("hush"), "{url}");
        }
        let plan = plan(&PROXY.replace("http://p:3128", "http://u:hush@p:3128"), "{}");
        assert!(!format!("{plan:?}").contains("hush"));
        assert!(!step(&plan, "proxy").contains("/etc/environment"));
        assert!(step(&plan, "proxy").contains("file /etc/apt/apt.conf.d/95proxy 600 secret\n"));
        assert!(file(&plan, super::ENVIRONMENT).contains("HTTP_PROXY=http://u:hush@p:3128/\n"));
    }

    #[test]
    fn each_of_its_fields_is_named() {
        for (field, from, to) in [
            ("http_proxy", "3128", "1"),
            ("https_proxy", "3129", "1"),
            ("no_proxy_entries", "localhost", "l"),
        ] {
            assert_named(&format!("http_proxy_config.{field}"), PROXY, &PROXY.replace(from, to), "{}");
        }
    }
}
