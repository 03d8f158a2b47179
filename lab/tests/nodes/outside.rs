//! A node behind a proxy that looks into everything: trusted, and used by all who go out.

use std::net::{Ipv4Addr, SocketAddr};
use std::process::Command;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::json;
use slipway_lab::azure::Service;
use slipway_lab::{Machine, Proxy};

use crate::scene::{Scene, asked, journal, scene};

const IMAGE: &str = "registry.lab.test/pods/outside:1";
const PROVIDER: &str = "/provider/v1/azure-acr-credential-provider.tar.gz";

/// The AKS image's own way to make the system trust what is in /opt/certs.
const UPDATER: &str = "[Service]
Type=oneshot
ExecStart=/bin/bash -c 'mkdir -p /usr/local/share/ca-certificates/certs && \
cp /opt/certs/* /usr/local/share/ca-certificates/certs && update-ca-certificates'
";

#[test]
fn images_and_programs_come_through_a_proxy_whose_authority_the_contract_names() {
    let scene = scene();
    let machine = scene.machine("outside");
    let proxy = proxy(scene);
    machine.put("/etc/systemd/system/update_certs.service", 0o644, UPDATER.as_bytes()).unwrap();
    scene.lab.publish(IMAGE).unwrap();
    serve_provider(scene);

    let mut contract = scene.contract();
    let address = format!("http://{}/", proxy.address());
    contract["http_proxy_config"] = json!({
        "http_proxy": address,
        "https_proxy": address,
        "no_proxy_entries": ["localhost", "127.0.0.1", "169.254.169.254", "168.63.129.16", ".hcp.test", "10.0.0.0/8"],
    });
    contract["custom_ca_certs"] = json!([BASE64_STANDARD.encode(proxy.authority())]);
    contract["kube_binary_config"]["linux_credential_provider_url"] =
        format!("https://packages.lab.test{PROVIDER}").into();
    contract["kubelet_config"]["kubelet_flags"] = json!({
        "--image-credential-provider-bin-dir": "/var/lib/kubelet/credential-provider",
        "--image-credential-provider-config": "/var/lib/kubelet/credential-provider-config.yaml",
    });
    scene.join(&machine, &contract);

    let (cluster, space) = (&scene.lab.cluster, &scene.lab.space);
    let pulled = cluster.run_pod(space, "pulled", "outside", IMAGE);
    let pulled = pulled.unwrap_or_else(|error| {
        panic!("{error}\nwhat passed: {:#?}\n{}", proxy.passages(), journal(&machine))
    });
    assert_eq!(asked(&machine, &pulled), "pulled\n");
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
    serve_provider(scene);
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

/// Makes an archive with a credential provider one of the lab's artifacts.
fn serve_provider(scene: &Scene) {
    let archive = scene.lab.directory().join("artifacts").join(PROVIDER.trim_start_matches('/'));
    let scratch = tempfile::tempdir().unwrap();
    std::fs::write(scratch.path().join("azure-acr-credential-provider"), "a program\n").unwrap();
    let built = scratch.path().join("archive");
    let made = Command::new("tar")
        .arg("-czf")
        .arg(&built)
        .args(["-C".as_ref(), scratch.path(), "azure-acr-credential-provider".as_ref()])
        .status()
        .unwrap();
    assert!(made.success());
    std::fs::create_dir_all(archive.parent().unwrap()).unwrap();
    // Another test may be serving the same at this moment.
    let beside = archive.with_extension(std::thread::current().name().unwrap_or_default().replace(':', "-"));
    std::fs::copy(&built, &beside).unwrap();
    std::fs::rename(&beside, &archive).unwrap();
}
