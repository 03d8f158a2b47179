use super::*;
use crate::codec::{Kind, Label};
use crate::rules;

fn every_field(table: &'static MessageTable, visit: &mut dyn FnMut(&'static Field)) {
    for field in table.fields {
        visit(field);
        if let Kind::Message(inner) = field.kind {
            every_field(inner, visit);
        }
    }
}

#[test]
fn every_format_of_the_table_is_a_shape_that_fits_the_field_and_every_shape_is_used() {
    let mut used = std::collections::HashSet::new();
    every_field(Contract::default().table(), &mut |field| {
        let Format::Named(name) = field.format else { return };
        let shape = named(name).unwrap_or_else(|| panic!("{}: no shape {name}", field.name));
        let in_map = matches!(shape.parse, Parse::Key(_) | Parse::Entry(_));
        assert_eq!(in_map, field.label == Label::Map, "{} as {name}", field.name);
        used.insert(name);
    });
    for shape in SHAPES.iter().flat_map(|group| group.iter()) {
        assert!(used.contains(shape.rule.id), "no field is a {}", shape.rule.id);
    }
}

#[test]
fn every_shape_is_in_the_table_of_rules() {
    for shape in SHAPES.iter().flat_map(|group| group.iter()) {
        assert!(rules::all().any(|rule| std::ptr::eq(rule, shape.rule)), "{}", shape.rule.id);
    }
}

/// Values of each shape, and values that are not. Entries of maps are written as `key: value`.
const VALUES: &[(&str, &[&str], &[&str])] = &[
    (
        "base64",
        &["SGVsbG8K", "SGVs\nbG8K", "bXNp"],
        &["SGVsbG8", "SGVs bG8K", "SGVs-G8_", "SGVsbG8K=", "Secret!"],
    ),
    ("base64-json", &["e30=", "eyJhIjpbMSwyXX0K"], &["{}", "W10=", "e3", "eyJhIjp9"]),
    (
        "host",
        &["a.b-c.example", "a.b.", "10.0.0.4", "fd00::1", "x"],
        &["a b", "a.example:443", "https://a", "a/b", "10.0.0", "10.0.0.256", "-a.b", "a..b", "ä.example"],
    ),
    ("fqdn", &["mcr.microsoft.com", " mcr.microsoft.com "], &["mcr.microsoft.com/v2", "mcr microsoft"]),
    (
        "registry",
        &["a.azurecr.io", "a.azurecr.io/cache/x", "localhost:5000", "[fd00::1]:5000/x"],
        &["https://a.azurecr.io", "a b", "a.azurecr.io:x", "a.azurecr.io/UPPER"],
    ),
    ("dns-name", &[".", "probe.example", "probe.example."], &["a b", "a..b", "a:53", "{"]),
    ("dns-suffix", &[".azurecr.cn", "azurecr.cn"], &["*.azurecr.cn", "azurecr cn", ".."]),
    (
        "dns-zone",
        &[".", "corp.example", "corp.example."],
        &["", "corp.example:53", "a b", "{", "corp.example {"],
    ),
    ("ip", &["10.0.0.10", "fd00::10", "0.0.0.0"], &["10.0.0.10/24", "dns", "10.0.0", "10.0.0.010 "]),
    (
        "url",
        &["https://a.example/x?y=z", "HTTP://u:p@a:8080", "http://[fd00::1]/", "https://10.0.0.4"],
        &[
            "a.example",
            "ftp://a",
            "https://",
            "https:///x",
            "https://a b/",
            "https://a:port/",
            "https://a:99999",
        ],
    ),
    (
        "artifact",
        &["https://a.example/k.tar.gz", "mcr.microsoft.com/oss/binaries/kubernetes-node:v1.33.2-linux-amd64"],
        &["/k.tar.gz", "k.tar.gz", "file:///k.tar.gz"],
    ),
    (
        "proxy-url",
        &["http://proxy:3128", "http://proxy:3128/", "https://u:p%40@proxy.example", "proxy:3128"],
        &["http://proxy:3128/path", "socks5://proxy", "http://", "proxy:http"],
    ),
    (
        "no-proxy",
        &["localhost", ".svc", "*.corp.example", "10.0.0.0/8", "fd00::/8", "fd00::1", "*", "a.example:8080"],
        &["10.0.0.0/33", "http://a", "a,b", "a b"],
    ),
    (
        "image",
        &["pause:3.10", "mcr.microsoft.com/oss/v2/kubernetes/pause:3.10", "localhost:5000/a/b", "a/b:c_D.1"],
        &["https://a/b:c", "mcr.microsoft.com/Pause:3", "a/b:", "a b", "a@sha256:12", "mcr.microsoft.com/:1"],
    ),
    ("kubernetes-version", &["1.33.2", "1.34.0-beta.1", "v1.33"], &["latest", "1.x", "1.33.2.1"]),
    ("duration", &["4h0m0s", "0", "1.5s", "100ms"], &["10", "1d", "ten seconds", "1h 30m"]),
    ("quantity", &["50Mi", "1.5G", "10", "100m"], &["50MB", "50 Mi", "Mi", "50mi"]),
    (
        "bootstrap-token",
        &["abcdef.0123456789abcdef"],
        &["abcdef", "abcde.0123456789abcdef", "abcdef.0123456789ABCDEF", "abcdef.0123456789abcdef0"],
    ),
    (
        "eviction-threshold",
        &["memory.available: 750Mi", "nodefs.inodesFree: 5%", "pid.available: 2000"],
        &[
            "memory.free: 1Gi",
            "memory.available: 101%",
            "memory.available: -1Gi",
            "memory.available: 1GB",
            "memory.available: ",
        ],
    ),
    (
        "eviction-grace",
        &["memory.available: 1m30s"],
        &["memory.available: 0s", "memory.available: 90", "x: 1m"],
    ),
    ("feature-gate", &["RotateKubeletServerCertificate", "A1"], &["a", "A-B", ""]),
    ("reserved-resource", &["cpu: 100m", "memory: 0", "pid: 1000"], &["gpu: 1", "cpu: -1", "memory: 1GB"]),
    ("cipher-suite", &["TLS_AES_128_GCM_SHA256"], &["TLS_NULL", "tls_aes_128_gcm_sha256"]),
    ("kubelet-flag", &["--v", "--max-pods", "--max_pods"], &["max-pods", "-v", "--", "--a=b", "--a b"]),
    (
        "label",
        &["a: b", "example.com/a_b.c: ", "a: 0", "kubernetes.azure.com/mode: system"],
        &[
            "a: b c",
            "/a: b",
            "a/: b",
            "a/b/c: d",
            "a: -b",
            "-a: b",
            "a b/c: d",
            "Example.com/a: b",
            "a_b.c/d: e",
        ],
    ),
    ("version", &["1.7.28", "1.7.28-ubuntu22.04u1", "v2.0", "1.7.28+azure"], &["latest", "1", "1.x"]),
    ("vm-size", &["Standard_D4s_v5", "standard_m416-208s_v2", "Basic_A1"], &["D4s_v5", "Standard D4"]),
    ("user-name", &["azureuser", "_a", "Admin.1-x"], &["1a", "a b", "a:b", "-a"]),
    ("path", &["/", "/mnt/a b"], &["mnt", "./mnt", "~/mnt"]),
    ("uuid", &["11111111-2222-3333-4444-555555555555"], &["11111111222233334444555555555555", "msi"]),
    ("cgroup", &["/kubereserved.slice"], &["kubereserved.slice", "/a b"]),
    (
        "sysctl-pattern",
        &["kernel.msg*", "net.ipv4.ip_forward", "net/core/somaxconn"],
        &["vm.swappiness", "*", "net.*.x"],
    ),
    (
        "port-range",
        &["1024 65535", "32768 60999"],
        &["1024-65535", "1024  65535", "2 1", "0 9", "1024 65536", "1024"],
    ),
    (
        "ulimit",
        &["1048576", "infinity", "1024:524288", "64M", "64M:infinity"],
        &["unlimited", "-1", "1:2:3", "1 2", ":"],
    ),
    ("feature", &["A: b", "_a1: x y"], &["a-b: c", "1a: b", ": b", "A: b\nC=d"]),
];

#[test]
fn shapes_take_what_nodes_take_and_nothing_else() {
    for (name, good, bad) in VALUES {
        let shape = named(name).unwrap_or_else(|| panic!("no shape {name}"));
        let verdict = |value: &str| match shape.parse {
            Parse::Text(parse) | Parse::Key(parse) => parse(value),
            Parse::Entry(parse) => {
                let (key, value) = value.split_once(": ").unwrap();
                parse(key, value)
            }
            Parse::Whole(_) | Parse::Number(_) => panic!("{name} has tests of its own"),
        };
        for value in *good {
            assert!(verdict(value).is_ok(), "{name} {value:?}: {:?}", verdict(value));
        }
        for value in *bad {
            assert!(verdict(value).is_err(), "{name} {value:?} is taken");
        }
    }
}

#[test]
fn every_shape_of_texts_is_tried() {
    for shape in SHAPES.iter().flat_map(|group| group.iter()) {
        let elsewhere = matches!(shape.rule.id, "pem-certificate" | "pem-private-key" | "cse-timeout");
        assert!(elsewhere || VALUES.iter().any(|(name, ..)| *name == shape.rule.id), "{}", shape.rule.id);
    }
}

#[test]
fn keys_and_certificates_are_told_apart_from_what_only_looks_like_them() {
    use base64::Engine as _;
    let encode = |text: &str| base64::engine::general_purpose::STANDARD.encode(text);
    let Some(Shape { parse: Parse::Text(key), .. }) = named("pem-private-key") else {
        panic!("no such shape")
    };
    let block = |label: &str| format!("-----BEGIN {label}-----\nAAAA\n-----END {label}-----\n");
    for label in ["PRIVATE KEY", "RSA PRIVATE KEY", "EC PRIVATE KEY"] {
        assert!(key(&encode(&block(label))).is_ok(), "{label}");
        let with_parameters = format!("{}{}", block("EC PARAMETERS"), block(label));
        assert!(key(&encode(&with_parameters)).is_ok(), "{label} after parameters");
    }
    for (text, why) in [
        (block("PRIVATE KEY"), "it is the PEM text itself"),
        (encode(&encode(&block("PRIVATE KEY"))), "it is encoded twice"),
        (encode("0\u{1}"), "it is base64 of DER, not of PEM"),
        (encode(&block("CERTIFICATE")), "the PEM text holds no private key"),
        (encode(&block("ENCRYPTED PRIVATE KEY")), "the key is encrypted"),
        (encode(&block("PRIVATE KEY").repeat(2)), "the PEM text holds more than one private key"),
        (encode("-----BEGIN PRIVATE KEY-----\n!\n-----END PRIVATE KEY-----"), "the key's body is not base64"),
    ] {
        assert_eq!(key(&text).unwrap_err().why, why);
    }
}
