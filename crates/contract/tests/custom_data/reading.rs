//! Reading documents back: ours, the peer's, and what else a machine may have been created with.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use slipway_contract::codec::{Options, encode};
use slipway_contract::custom_data::{Bring, CSE, Contents, Form, Order, ReadProblem, What, read, render};

use super::{CONTRACT_PATH, FEATURES_PATH, FORMS, difficult, noisy, rendered, starts};

fn gzip(plain: &[u8]) -> Vec<u8> {
    use std::io::Write as _;
    let mut writer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    writer.write_all(plain).unwrap();
    writer.finish().unwrap()
}

fn only_contract(contents: &Contents) -> &slipway_contract::Contract {
    let found: Vec<_> = contents.contracts().collect();
    assert_eq!(found.len(), 1, "{contents:?}");
    assert!(!found[0].stopped);
    &found[0].contract
}

#[test]
fn every_form_gives_back_the_contract_and_the_features_however_it_is_wrapped() {
    let contract = difficult();
    for form in FORMS {
        let data = rendered(&contract, form);
        let base64 = data.base64().expose().clone();
        let broken: Vec<u8> =
            base64.as_bytes().chunks(76).flat_map(|line| [line, b"\r\n"].concat()).collect();
        for wrapped in [
            data.document.expose().clone(),
            base64.clone().into_bytes(),
            broken,
            gzip(data.document.expose()),
            BASE64_STANDARD.encode(gzip(base64.as_bytes())).into_bytes(),
            format!("\"{base64}\"\n").into_bytes(),
        ] {
            let contents = read(&wrapped).unwrap();
            assert_eq!(contents.problems, [], "{form:?}");
            assert_eq!(*only_contract(&contents), contract, "{form:?}");
            let features = contents.files().find(|file| file.path == FEATURES_PATH).unwrap();
            assert_eq!(features.content.expose(), "A=x é $(id) 'q' \"\n".as_bytes(), "{form:?}");
            assert!(contents.files().all(|file| file.mode == Some(0o600)), "{form:?}");
        }
    }
}

#[test]
fn a_place_says_how_to_get_there() {
    let contents = read(rendered(&noisy(8), Form::Boothook).document.expose()).unwrap();
    let places: Vec<&str> = contents.findings.iter().map(|finding| finding.place.as_str()).collect();
    let file = format!("part 1 text/cloud-boothook > {CONTRACT_PATH}");
    assert_eq!(places[..3], [&file, &file, "part 1 text/cloud-boothook"]);
}

#[test]
fn a_slipway_to_bring_is_listed_with_its_hash_and_without_its_signature() {
    let contract = difficult();
    let hash = "0123456789abcdef".repeat(4);
    let bring = Bring::parse("https://example.com/slipway?sig=hunter2", &hash).unwrap();
    for form in FORMS {
        let data = render(&Order { contract: &contract, form, bring: Some(&bring) }).unwrap();
        let contents = read(data.document.expose()).unwrap();
        let mut downloads = contents.findings.iter().filter_map(|finding| match &finding.what {
            What::Download(download) => Some(download),
            _ => None,
        });
        let download = downloads.next().unwrap();
        assert!(downloads.next().is_none(), "{form:?}");
        assert_eq!(download.url, "https://example.com/slipway?<secret>", "{form:?}");
        assert_eq!(download.sha256.as_ref(), Some(&hash), "{form:?}");
        assert_eq!(download.path.as_deref(), Some("/opt/azure/containers/slipway"), "{form:?}");
        let expected: &[&str] = match form {
            Form::Ignition => &["slipway-boot.service"],
            _ => &[
                "/opt/azure/containers/provision_preload.sh",
                "/opt/azure/containers/slipway boot",
                "/opt/azure/containers/aks-node-controller-launcher.sh",
                "aks-node-controller.service",
            ],
        };
        assert_eq!(starts(&contents), expected, "{form:?}");
    }
}

/// A document in the shape that the peer's library writes: CRLF headers, a heredoc in base64, then chmod.
fn peer_document(heredoc: &str, filter: &str) -> String {
    let boundary = "5f".repeat(30);
    let part = |kind: &str, body: &str| {
        format!(
            "--{boundary}\r\nContent-Transfer-Encoding: 7bit\r\nContent-Type: {kind}\r\n\
             Mime-Version: 1.0\r\n\r\n{body}\r\n"
        )
    };
    let script = format!(
        "#cloud-boothook\n#!/bin/bash\nset -euo pipefail\n\nlogger -t aks-boothook \"boothook start $(date -Ins)\"\n\
         mkdir -p /opt/azure/containers\nmkdir -p /var/log/azure\n\
         nohup /opt/azure/containers/provision_preload.sh >/dev/null 2>&1 &\n\
         cat <<'EOF' {filter}>{CONTRACT_PATH}\n{heredoc}\nEOF\nchmod 0600 {CONTRACT_PATH}\n\
         cat <<'EOF' >{FEATURES_PATH}\nA=1\nEOF\nchmod 0600 {FEATURES_PATH}\n\
         if [ -f /opt/azure/containers/aks-node-controller-launcher.sh ]; then\n  \
         nohup /opt/azure/containers/aks-node-controller-launcher.sh > /var/log/azure/aks-node-controller.output 2>&1 &\n\
         else\n  systemctl start --no-block aks-node-controller.service\nfi\n"
    );
    let config = "#cloud-config\nruncmd:\n- echo \"boothook finished\"\n";
    format!(
        "MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=\"{boundary}\"\r\n\r\n{}{}--{boundary}--\r\n",
        part("text/cloud-boothook", &script),
        part("text/cloud-config", config)
    )
}

#[test]
fn the_peers_document_is_read_in_all_its_forms() {
    let contract = difficult();
    let file = encode(&contract, Options::FILE);
    let documents = [
        peer_document(&BASE64_STANDARD.encode(&file), "| base64 -d "),
        peer_document(&file, ""),
        peer_document(&BASE64_STANDARD.encode(gzip(file.as_bytes())), "| base64 --decode | gunzip "),
    ];
    for document in documents {
        for bytes in [document.clone(), BASE64_STANDARD.encode(&document)] {
            let contents = read(bytes.as_bytes()).unwrap();
            assert_eq!(contents.problems, []);
            assert_eq!(*only_contract(&contents), contract);
            let modes: Vec<_> = contents.files().map(|file| (file.path.as_str(), file.mode)).collect();
            assert_eq!(modes, [(CONTRACT_PATH, Some(0o600)), (FEATURES_PATH, Some(0o600))]);
            assert_eq!(
                starts(&contents),
                [
                    "/opt/azure/containers/provision_preload.sh",
                    "/opt/azure/containers/aks-node-controller-launcher.sh",
                    "aks-node-controller.service"
                ]
            );
        }
    }
}

#[test]
fn parts_may_be_encoded_nested_and_compressed() {
    let contract = difficult();
    let ours = String::from_utf8(rendered(&contract, Form::Boothook).document.expose().clone()).unwrap();
    let script = ours.split("\n\n").nth(2).unwrap().split("\n--").next().unwrap();
    let quoted: String = script
        .bytes()
        .map(|byte| match byte {
            b'\n' => "\n".to_owned(),
            b'a' => "a=\n".to_owned(),
            b' '..=b'<' | b'>'..=b'~' => char::from(byte).to_string(),
            other => format!("={other:02X}"),
        })
        .collect();
    for (kind, transfer, body) in [
        ("text/cloud-boothook", "8bit", script.to_owned()),
        ("text/cloud-boothook", "base64", BASE64_STANDARD.encode(script)),
        ("text/x-shellscript", "Quoted-Printable", quoted),
        ("application/gzip", "base64", BASE64_STANDARD.encode(gzip(script.as_bytes()))),
    ] {
        let inner =
            format!("--in\nContent-Type: {kind}\nContent-Transfer-Encoding: {transfer}\n\n{body}\n--in--\n");
        let document = format!(
            "From: me\nContent-Type: multipart/mixed;\n boundary=out\n\npreamble\n--out\n\
             Content-Type: multipart/alternative; boundary=in\n\n{inner}\n--out--\n"
        );
        let contents = read(document.as_bytes()).unwrap();
        assert_eq!(*only_contract(&contents), contract, "{kind} {transfer}");
        assert!(contents.findings[0].place.starts_with("part 1 multipart/alternative > part 1 "));
    }
}

#[test]
fn a_script_on_its_own_is_read() {
    let contract = noisy(8);
    let script = format!(
        "#!/bin/bash\nfile={CONTRACT_PATH}\necho '{}' | \\\n  base64 -d > \"$file\"\nchmod 640 ${{file}}\n",
        BASE64_STANDARD.encode(encode(&contract, Options::FILE))
    );
    let contents = read(script.as_bytes()).unwrap();
    assert_eq!(*only_contract(&contents), contract);
    assert_eq!(contents.files().next().unwrap().mode, Some(0o640));
}

#[test]
fn block_yaml_as_people_write_it_is_read() {
    let contract = noisy(8);
    let json = encode(&contract, Options::FILE);
    let packed = BASE64_STANDARD.encode(gzip(json.as_bytes()));
    let folded: Vec<&str> =
        packed.as_bytes().chunks(40).map(|line| std::str::from_utf8(line).unwrap()).collect();
    let folded = format!("      {}\n", folded.join("\n      "));
    let indented = format!("        {}\n", json.replace('\n', "\n        "));
    for entry in [
        format!("  encoding: gzip\n  content: !!binary |\n{folded}"),
        format!("  encoding: gz+b64\n  content: \"{packed}\"\n"),
        format!("  encoding: gzip+base64\n  content: >-\n{folded}"),
        format!("  encoding: b64   # why not\n  content: '{}'\n", BASE64_STANDARD.encode(&json)),
        format!("  content: |\n{indented}"),
    ] {
        let yaml = format!(
            "#cloud-config\n---\n# a comment\nusers:\n  - name: x\n    keys: [a, b]\nwrite_files:\n\
             - path: /etc/first\n  permissions: \"0644\"\n  owner: root\n  content: |\n    #!/bin/bash\n\n    exit 0\n\
             - path: {CONTRACT_PATH}\n  permissions: 0600\n  owner: root\n{entry}\nruncmd:\n\
             - systemctl enable --now aks-node-controller.service\n- [ nohup, /opt/x, '&' ]\n- - nohup\n  - /opt/y\n"
        );
        let contents = read(yaml.as_bytes()).unwrap();
        assert_eq!(contents.problems, [], "{entry}");
        assert_eq!(*only_contract(&contents), contract, "{entry}");
        let files: Vec<_> = contents.files().map(|file| (file.path.as_str(), file.mode)).collect();
        assert_eq!(files, [("/etc/first", Some(0o644)), (CONTRACT_PATH, Some(0o600))]);
        assert_eq!(contents.files().next().unwrap().content.expose(), b"#!/bin/bash\n\nexit 0\n");
        assert_eq!(starts(&contents), ["aks-node-controller.service", "/opt/y"]);
    }
}

#[test]
fn yaml_beyond_that_is_refused_with_its_line() {
    for (yaml, line) in [
        ("a: &x 1\n", 2),
        ("write_files:\n- path: \"a\n    b\"\n", 3),
        ("a: b\n   c: d\n", 3),
        ("a:\n\t- b\n", 3),
        ("a: !!set x\n", 2),
        ("just words\n", 0),
        ("a: |x\n  b\n", 2),
    ] {
        let error = read(format!("#cloud-config\n{yaml}").as_bytes()).unwrap_err();
        match error.problem {
            ReadProblem::Yaml { line: found, .. } => assert_eq!(found, line, "{yaml}: {error}"),
            other => assert_eq!((other, line), (ReadProblem::Nothing, 0), "{yaml}"),
        }
    }
}

#[test]
fn ignition_of_other_hands_is_read() {
    let document = format!(
        r#"{{"ignition": {{"version": "2.3.0", "config": {{"append": [{{"source": "data:;base64,{}"}}]}}}},
        "storage": {{"files": [{{"path": "{CONTRACT_PATH}", "mode": 384, "filesystem": "root",
        "contents": {{"source": "data:,%7B%22version%22:%22v1%22%7D"}}}}]}},
        "systemd": {{"units": [{{"name": "a.service", "enabled": true, "contents": "[Unit]"}}]}}}}"#,
        BASE64_STANDARD.encode(
            r#"{"ignition":{"version":"3.4.0"},"systemd":{"units":[{"name":"b.service","enabled":true}]}}"#
        )
    );
    let contents = read(document.as_bytes()).unwrap();
    assert_eq!(only_contract(&contents).version, "v1");
    assert_eq!(starts(&contents), ["a.service", "b.service"]);
    assert_eq!(contents.files().nth(1).unwrap().path, "/etc/systemd/system/a.service");
}

#[test]
fn a_bare_contract_is_read_with_its_mistakes() {
    let contents = read(b"{\"version\": \"v1\", \"vm_sise\": \"x\"}").unwrap();
    let found = contents.contracts().next().unwrap();
    assert_eq!((found.contract.version.as_str(), found.issues.len()), ("v1", 1));
    let contents = read(b"{\"version\": \"v1\", \"vm_size\": ").unwrap();
    assert!(contents.contracts().next().unwrap().stopped);
}

#[test]
fn commands_are_listed_with_their_variables_and_without_their_secrets() {
    let contents = read(CSE.as_bytes()).unwrap();
    let What::Command(command) = &contents.findings[0].what else { panic!("{contents:?}") };
    assert_eq!((command.program.as_str(), command.variables.len()), (CSE, 0));

    let legacy = "PROVISION_OUTPUT=\"/var/log/azure/cluster-provision-cse-output.log\"; echo $(date),$(hostname), \
        startTime > ${PROVISION_OUTPUT}; for i in $(seq 1 1200); do sleep 1; done; ADMINUSER=azureuser \
        TLS_BOOTSTRAP_TOKEN=\"abc.def\" SERVICE_PRINCIPAL_CLIENT_SECRET='s e c' APISERVER_PUBLIC_KEY= \
        KUBELET_FLAGS=\"--a=b --c=d\" /usr/bin/nohup /bin/bash -c \"/bin/bash /opt/azure/containers/provision_start.sh\"";
    let contents = read(legacy.as_bytes()).unwrap();
    let What::Command(command) = &contents.findings[0].what else { panic!("{contents:?}") };
    let shown: Vec<_> =
        command.variables.iter().map(|variable| (variable.name.as_str(), variable.shown())).collect();
    assert_eq!(
        shown,
        [
            ("PROVISION_OUTPUT", "/var/log/azure/cluster-provision-cse-output.log"),
            ("ADMINUSER", "azureuser"),
            ("TLS_BOOTSTRAP_TOKEN", "<secret>"),
            ("SERVICE_PRINCIPAL_CLIENT_SECRET", "<secret>"),
            ("APISERVER_PUBLIC_KEY", ""),
            ("KUBELET_FLAGS", "--a=b --c=d"),
        ]
    );
    assert_eq!(command.variables[3].value.expose(), "s e c");
    assert_eq!(
        command.program,
        "/usr/bin/nohup /bin/bash -c /bin/bash /opt/azure/containers/provision_start.sh"
    );
    assert!(!format!("{contents:?}").contains("abc.def"));

    for (line, program) in [
        ("/opt/azure/x --token abc --a b", "/opt/azure/x --token <secret> --a b"),
        (
            "bash -c 'PASSWORD=abc /opt/azure/x --key=abc'",
            "bash -c PASSWORD=<secret> /opt/azure/x --key=<secret>",
        ),
    ] {
        let contents = read(line.as_bytes()).unwrap();
        let What::Command(command) = &contents.findings[0].what else { panic!("{contents:?}") };
        assert_eq!(command.program, program);
    }
    let contents = read(b"#!/bin/sh\nnohup /opt/x --client-secret abc &\n").unwrap();
    assert_eq!(starts(&contents), ["/opt/x --client-secret <secret>"]);
    let contents = read(br#"{"commandToExecute": "install.exe hunter2"}"#).unwrap();
    assert!(!format!("{contents:?}").contains("hunter2"));
}
