//! What whoever started the machine hears of it.

use std::process::Stdio;
use std::thread;

use serde_json::{Value, json};
use slipway_lab::Machine;
use slipway_lab::native::{self, CONTRACT, PROGRAM};

use crate::scene::{said, scene, slipway};

/// What the VM extension runs.
const EXTENSION: &str = "/opt/azure/containers/aks-node-controller";
const EVENTS: &str = "/var/log/azure/Microsoft.Azure.Extensions.CustomScript/events";

/// Scripts as an image has them: these write down what they were given, and end in the way that they are told.
const SCRIPTS: &str = r#"env >/root/given
mkdir -p /var/log/azure/aks
printf '{"ExitCode": "%s", "Output": "by scripts", "Error": ""}\n' "$(cat /root/code)" >/var/log/azure/aks/provision.json
touch /opt/azure/containers/provision.complete
exit "$(cat /root/code)"
"#;

#[test]
fn a_failed_nodes_result_reaches_the_extension_with_its_real_code() {
    let scene = scene();
    let machine = scene.machine("failed");
    machine.run("ln", &["-s", PROGRAM, EXTENSION]).unwrap();
    for (server, code) in [("nowhere.hcp.test", 52), ("127.0.0.1", 51)] {
        let mut contract = scene.contract();
        contract["api_server_config"]["api_server_name"] = server.into();
        contract["cse_timeout"] = 4.into();
        native::install(&machine, slipway(), &contract).unwrap();
        machine.run("rm", &["-f", "/opt/azure/containers/provision.complete"]).unwrap();

        // The extension waits before there is anything to wait for.
        let mut waiter = machine.command(EXTENSION);
        waiter.arg("provision-wait").stdout(Stdio::piped()).stderr(Stdio::piped());
        let waiter = waiter.spawn().unwrap();
        let printed = native::run(&machine).unwrap_err().to_string();
        assert!(printed.contains(server), "{printed}");
        let heard = waiter.wait_with_output().unwrap();
        assert_eq!(heard.status.code(), Some(1), "{}", said(&heard));
        let result: Value = serde_json::from_slice(&heard.stdout).unwrap();
        assert_eq!((&result["Mode"], &result["ExitCode"]), (&json!("native"), &json!(code.to_string())));
        assert!(result["Error"].as_str().unwrap().contains(server), "{result}");
        assert_eq!(result["Blame"], "network", "{result}");

        let own = machine.command("slipway").args(["provision-wait", "--exit-code"]).output().unwrap();
        assert_eq!(own.status.code(), Some(code), "{}", said(&own));
    }
}

#[test]
fn a_made_nodes_result_reaches_the_extension() {
    let scene = scene();
    let machine = scene.machine("made");
    native::install(&machine, slipway(), &scene.contract()).unwrap();
    machine.run("ln", &["-s", PROGRAM, EXTENSION]).unwrap();
    let heard = thread::scope(|scope| {
        let waiting = scope.spawn(|| machine.run(EXTENSION, &["provision-wait"]).unwrap());
        native::run(&machine).unwrap();
        waiting.join().unwrap()
    });
    let result: Value = serde_json::from_str(&heard).unwrap();
    assert_eq!((&result["ExitCode"], &result["Mode"]), (&"0".into(), &"native".into()), "{result}");
    let events = machine.run("bash", &["-c", &format!("cat {EVENTS}/*")]).unwrap();
    assert!(events.contains("AKS.Slipway.start-kubelet"), "{events}");
}

#[test]
fn the_images_scripts_do_the_work_where_they_are_asked_to() {
    let scene = scene();
    let machine = scene.machine("by-scripts");
    native::install(&machine, slipway(), &scene.contract()).unwrap();
    machine.run("ln", &["-s", PROGRAM, EXTENSION]).unwrap();
    machine.put("/opt/azure/containers/provision_start.sh", 0o755, SCRIPTS.as_bytes()).unwrap();
    let ours = [PROGRAM, "provision", "--mode", "scripts", "--provision-config", CONTRACT];
    let peers = [EXTENSION, "provision", "--provision-config", CONTRACT];
    for (command, code) in [(&ours[..], 50), (&peers[..], 51), (&ours[..], 0)] {
        let clean =
            format!("rm -rf {EVENTS}/* /opt/azure/containers/provision.complete; echo {code} >/root/code");
        machine.run("bash", &["-c", &clean]).unwrap();
        let ended = machine.command(command[0]).args(&command[1..]).output().unwrap();
        assert_eq!(ended.status.code(), Some(code), "{command:?}: {}", said(&ended));
        let given = machine.run("cat", &["/root/given"]).unwrap();
        for variable in ["API_SERVER_NAME=lab.hcp.test", "NETWORK_PLUGIN=kubenet", "VM_TYPE=vmss"] {
            assert!(given.lines().any(|line| line == variable), "{variable} is not in {given}");
        }
        let heard = machine.command(EXTENSION).arg("provision-wait").output().unwrap();
        assert_eq!(heard.status.code(), Some(i32::from(code != 0)), "{}", said(&heard));
        let result: Value = serde_json::from_slice(&heard.stdout).unwrap();
        assert_eq!(
            (&result["ExitCode"], &result["Output"]),
            (&json!(code.to_string()), &"by scripts".into())
        );
        assert_eq!(
            levels(&machine),
            if code == 0 { ["Informational"; 2] } else { ["Informational", "Error"] }
        );
    }
}

/// The levels of the events about provisioning, in their order.
fn levels(machine: &Machine) -> Vec<String> {
    let events = machine.run("bash", &["-c", &format!("cat {EVENTS}/*")]).unwrap();
    let events = serde_json::Deserializer::from_str(&events).into_iter::<Value>().map(Result::unwrap);
    let provision = events.filter(|event| event["TaskName"].as_str().unwrap().ends_with(".Provision"));
    let mut found: Vec<(String, String)> = provision
        .map(|event| {
            let text = |name: &str| event[name].as_str().unwrap().to_owned();
            (text("OperationId"), text("EventLevel"))
        })
        .collect();
    found.sort();
    found.into_iter().map(|(_, level)| level).collect()
}
