//! Azure's records of a machine: an activity log, a VM, an instance view, alone and in lists.

use slipway_timeline::evidence::Kind;
use slipway_timeline::{Anatomy, Evidence};

use super::{assert_whole, named, read};

const WRITE: &str = "Microsoft.Compute/virtualMachineScaleSets/write";

fn platform(document: &serde_json::Value) -> Evidence {
    read("records.json", Kind::Platform, document.to_string().as_bytes())
}

fn entry(time: &str, status: &str) -> serde_json::Value {
    serde_json::json!({
        "eventTimestamp": time, "operationName": {"value": WRITE}, "status": {"value": status},
    })
}

/// With a machine whose kernel started at eight.
fn anatomy(records: Evidence) -> Anatomy {
    let boot =
        b"KernelTimestamp=Sun 2026-11-15 08:00:00 UTC\nUserspaceTimestamp=Sun 2026-11-15 08:00:02 UTC\n";
    let boot = read("manager.txt", Kind::Units, boot);
    let event = br#"{"Timestamp":"2026-11-15 08:00:05.000","OperationId":"2026-11-15 08:00:06.000","TaskName":"AKS.CSE.x"}"#;
    let anatomy = Anatomy::of([boot, records, read("event", Kind::Event, event)].into_iter().collect());
    assert_whole(&anatomy);
    anatomy
}

fn platform_seconds(anatomy: &Anatomy) -> f64 {
    anatomy.phases.get("platform").copied().unwrap_or_default()
}

#[test]
fn of_many_writes_of_a_scale_set_the_last_before_the_start_made_the_machine() {
    let log = serde_json::json!([
        entry("2026-08-01T10:00:00Z", "Started"),
        entry("2026-08-01T10:01:00Z", "Succeeded"),
        entry("2026-11-15T07:30:00Z", "Started"),
        entry("2026-11-15T07:59:20Z", "Started"),
        entry("2026-11-15T08:00:09Z", "Succeeded"),
        entry("2026-11-15T09:00:00Z", "Started"),
    ]);
    let told = anatomy(platform(&log));
    assert!((platform_seconds(&told) - 40.0).abs() < 1e-6, "{:?}", told.phases);
    assert_eq!(told.milestones["vm-provisioned"].to_string(), "2026-11-15T08:00:09Z");
    assert_eq!(told.problems[0].message, "4 records of Azure's are about other starts, and are left out");
    let listed = anatomy(platform(&serde_json::json!({"value": log})));
    assert_eq!(listed.path, told.path, "as the API lists them");
}

#[test]
fn a_machine_that_was_ordered_long_ago_has_been_started_again() {
    let told = anatomy(platform(&serde_json::json!([entry("2026-08-01T10:00:00Z", "Started")])));
    assert!((told.total_seconds - 6.0).abs() < 1e-6, "{}", told.total_seconds);
}

#[test]
fn a_vm_tells_when_it_was_made_and_an_instance_view_when_azure_was_done() {
    let vm = serde_json::json!({"properties": {
        "timeCreated": "2026-11-15T07:59:30Z",
        "instanceView": {"statuses": [
            {"code": "ProvisioningState/succeeded", "time": "2026-11-15T08:00:20.5Z"},
            {"code": "PowerState/running"},
        ]},
    }});
    let told = anatomy(platform(&vm));
    let made = named(&told, "platform");
    assert!((made.took().as_secs_f64() - 30.0).abs() < 1e-6, "{made:?}");
    assert_eq!(told.milestones["vm-provisioned"].to_string(), "2026-11-15T08:00:20.5Z");
    let view = serde_json::json!({"statuses": [
        {"code": "ProvisioningState/succeeded", "time": "2026-11-15T08:00:20.5Z"},
    ]});
    let told = anatomy(platform(&view));
    assert_eq!(told.milestones["vm-provisioned"].to_string(), "2026-11-15T08:00:20.5Z");
    assert!(platform_seconds(&told) < 1e-6);
    let both = [platform(&vm), platform(&serde_json::json!([entry("2026-11-15T07:59:00Z", "Started")]))];
    let told = anatomy(both.into_iter().collect());
    assert!((platform_seconds(&told) - 60.0).abs() < 1e-6, "{:?}", told.phases);
}
