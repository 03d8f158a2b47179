//! A node behind a proxy that looks into everything: trusted, and used by all who go out.

use std::net::{Ipv4Addr, SocketAddr};
use std::process::Command;
use std::sync::OnceLock;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};
use slipway_lab::azure::Service;
use slipway_lab::{Machine, Proxy};

use crate::scene::{Scene, asked, journal, scene};

const IMAGE: &str = "registry.lab.test/pods/outside:1";
const PROVIDER: &str = "/provider/v1/azure-acr-credential-provider.tar.gz";

/// The AKS image's own way to make the system trust what is in /opt/certs.
const UPDATER: &str = "[Service]
Type=oneshot
ExecStartPre=mkdir -p /opt/certs
ExecStart=/bin/bash -c 'cp -rT /opt/certs /usr/local/share/ca-certificates/certs && update-ca-certificates'
";

#[test]
fn images_and_programs_come_through_a_proxy_whose_authority_is_trusted_as_a_custom_one() {
    come_through("custom-ca", |contract, authority| contract["custom_ca_certs"] = json!([authority]));
}

#[test]
fn images_and_programs_come_through_a_proxy_whose_authority_is_trusted_as_its_own() {
    come_through("proxy-ca", |contract, authority| {
        contract["http_proxy_config"]["proxy_trusted_ca"] = authority.into();
    });
}

/// A machine joins behind the proxy, whose authority the contract is made to name.
fn come_through(name: &str, trusting: impl FnOnce(&mut Value, String)) {
    let scene = scene();
    let machine = scene.machine(name);
    let proxy = proxy(scene);
    machine.put("/etc/systemd/system/update_certs.service", 0o644, UPDATER.as_bytes()).unwrap();
    serve(scene);

    let mut contract = scene.contract();
    let address = format!("http://{}/", proxy.address());
    contract["http_proxy_config"] = json!({
        "http_proxy": address,
        "https_proxy": address,
        "no_proxy_entries": ["localhost", "127.0.0.1", "169.254.169.254", "168.63.129.16", ".hcp.test", "10.0.0.0/8"],
    });
    trusting(&mut contract, BASE64_STANDARD.encode(proxy.authority()));
    contract["kube_binary_config"]["linux_credential_provider_url"] =
        format!("https://packages.lab.test{PROVIDER}").into();
    contract["kubelet_config"]["kubelet_flags"] = json!({
        "--image-credential-provider-bin-dir": "/var/lib/kubelet/credential-provider",
        "--image-credential-provider-config": "/var/lib/kubelet/credential-provider-config.yaml",
    });
    scene.join(&machine, &contract);

    let pod = format!("pulled-by-{name}");
    let (cluster, space) = (&scene.lab.cluster, &scene.lab.space);
    let pulled = cluster.run_pod(space, &pod, name, IMAGE);
    let pulled = pulled.unwrap_or_else(|error| {
        panic!("{error}\nwhat passed: {:#?}\n{}", proxy.passages(), journal(&machine))
    });
    assert_eq!(asked(&machine, &pulled), format!("{pod}\n"));
    let got = machine.run("cat", &["/var/lib/kubelet/credential-provider/acr-credential-provider"]);
    assert_eq!(got.unwrap(), "a program\n");

    let passages = proxy.passages();
    let passed = |host: &str, request: &str| {
        passages
            .iter()
            .any(|passage| passage.tunnelled && passage.host == host && passage.request.starts_with(request))
    };
    assert!(passed("packages.lab.test:443", &format!("GET {PROVIDER}")), "{passages:#?}");
    assert!(passed("registry.lab.test:443", "GET /v2/pods/outside/blobs/sha256:"), "{passages:#?}");
    let others = passages.iter().filter(|passage| !passage.host.contains(".lab.test:"));
    assert_eq!(others.count(), 0, "only the outside is behind the proxy: {passages:#?}");
}

#[test]
fn who_does_not_trust_the_proxys_authority_gets_nothing_through_it() {
    let scene = scene();
    let machine = scene.machine("distrustful");
    let proxy = proxy(scene);
    let url = format!("https://packages.lab.test{PROVIDER}");
    let fetch = |options: &[&str]| curl(&machine, &proxy, options, &url);
    machine.put("/root/proxy.crt", 0o644, proxy.authority().as_bytes()).unwrap();
    serve(scene);
    assert!(fetch(&[]).is_err());
    assert_eq!(proxy.passages(), []);
    fetch(&["--cacert", "/root/proxy.crt"]).unwrap();
    assert_eq!(proxy.passages().len(), 1);
}

fn curl(machine: &Machine, proxy: &Proxy, options: &[&str], url: &str) -> Result<String, slipway_lab::Error> {
    let through = format!("http://{}", proxy.address());
    let all = [&["--silent", "--fail", "--output", "/dev/null", "--proxy", &through, url], options].concat();
    machine.run("curl", &all)
}

/// A proxy on the lab's network, in front of its artifacts.
fn proxy(scene: &Scene) -> Proxy {
    let origin = scene.azure.address(Service::Artifacts);
    let free = SocketAddr::from((Ipv4Addr::new(10, 224, 0, 1), 0));
    scene.lab.space.on_network(|| Proxy::start(free, origin)).unwrap().unwrap()
}

/// Makes an image and an archive with a credential provider artifacts of the lab, once.
fn serve(scene: &Scene) {
    static SERVED: OnceLock<()> = OnceLock::new();
    SERVED.get_or_init(|| {
        scene.lab.publish(IMAGE, &["/pod"]).unwrap();
        let archive = scene.lab.directory().join("artifacts").join(PROVIDER.trim_start_matches('/'));
        std::fs::create_dir_all(archive.parent().unwrap()).unwrap();
        let scratch = tempfile::tempdir().unwrap();
        std::fs::write(scratch.path().join("azure-acr-credential-provider"), "a program\n").unwrap();
        let mut tar = Command::new("tar");
        tar.arg("-czf").arg(&archive).arg("-C").arg(scratch.path()).arg("azure-acr-credential-provider");
        assert!(tar.status().unwrap().success());
    });
}
