//! A machine that leaves and joins again at once, whose owner has thrown the token away and closed the node to pods.

use serde_json::json;

use crate::flex::{BUNDLE, bundle, config, configured, flex, join, must, serves};
use crate::scene::{said, scene};
use crate::state::State;

const TOKEN: &str = "/root/token";

#[test]
fn who_joins_again_at_once_is_not_taken_for_its_former_self() {
    let scene = scene();
    let mut config = config(scene);
    let token = config["azure"]["bootstrapToken"]["token"].take();
    config["azure"]["bootstrapToken"] = json!({ "tokenFile": TOKEN });
    let machine = configured(scene, "flex-again", &config);
    machine.put(BUNDLE, 0o600, bundle(scene)).unwrap();
    machine.put(TOKEN, 0o600, token.as_str().unwrap().as_bytes()).unwrap();
    let before = State::of_owned(&machine);
    must(&machine, &join(&machine, &["--bundle", BUNDLE]));
    serves(scene, &machine);

    // The token was traded; nobody asks for it again.
    machine.remove_file(TOKEN).unwrap();
    let again = join(&machine, &["--bundle", BUNDLE]);
    must(&machine, &again);
    assert!(said(&again).contains("nothing to change"), "{}", said(&again));

    // Who closed the node finds it closed when it stays.
    scene.kubectl(&["cordon", &machine.name]);
    let refused = flex(&machine).args(["leave", "--yes"]).output().unwrap();
    assert_eq!(refused.status.code(), Some(1), "{}", said(&refused));
    assert_eq!(scene.node(&machine.name)["spec"]["unschedulable"], true, "{}", said(&refused));

    // A node may not delete itself, so its Node stays, and is called Ready for most of a minute.
    machine.put(TOKEN, 0o600, token.as_str().unwrap().as_bytes()).unwrap();
    must(&machine, &flex(&machine).args(["leave", "--yes", "--lose-pods"]).output().unwrap());
    must(&machine, &join(&machine, &["--bundle", BUNDLE]));
    let conditions = scene.node(&machine.name)["status"]["conditions"].clone();
    let ready = conditions.as_array().unwrap().iter().find(|it| it["type"] == "Ready").unwrap();
    let seconds = |time: &str| -> u64 {
        machine.run("date", &["--date", time, "+%s"]).unwrap().trim().parse().unwrap()
    };
    let show = ["show", "kubelet", "--property=ExecMainStartTimestamp", "--value"];
    let started = seconds(machine.run("systemctl", &show).unwrap().trim());
    let heard = seconds(ready["lastHeartbeatTime"].as_str().unwrap());
    assert!(ready["status"] == "True" && heard >= started, "{ready}, and kubelet was started at {started}");

    must(&machine, &flex(&machine).args(["leave", "--yes", "--lose-pods"]).output().unwrap());
    assert_eq!(before.differences(&State::of_owned(&machine)), Vec::<String>::new());
    scene.kubectl(&["delete", "node", &machine.name]);
}
