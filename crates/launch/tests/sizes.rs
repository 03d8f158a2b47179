//! Sizes against the recordings of the real provider.

mod vectors;

use proptest::prelude::*;
use serde_json::{Value, json};
use slipway_launch::request::Sku;
use slipway_launch::sizes::{
    EVICTION_MEMORY, GpuSizes, SizeName, SizeQuery, gpu_driver, gpu_sizes, instance_type, instance_types,
    kube_reserved, schedulable_memory,
};

#[test]
fn sizes_are_offered_with_what_the_provider_gives_them() {
    for (name, vector) in vectors::named("instance-types", "instance-types") {
        let query: SizeQuery = serde_json::from_value(vector["input"].clone()).unwrap();
        let report = serde_json::to_value(instance_types(&query)).unwrap();
        let expected = &vector["expected"];
        assert_eq!(report["excluded"], expected["excluded"], "{name}: {}", report["reasons"]);
        assert_eq!(report["storage"], expected["storage"], "{name}");
        let sizes = expected["instanceTypes"].as_object().unwrap();
        assert_eq!(report["instanceTypes"].as_object().unwrap().len(), sizes.len(), "{name}");
        for (size, expected) in sizes {
            for (member, expected) in expected.as_object().unwrap() {
                assert_eq!(&report["instanceTypes"][size][member], expected, "{name}: {size} {member}");
            }
        }
    }
}

#[test]
fn every_excluded_size_has_a_reason() {
    for (name, vector) in vectors::named("instance-types", "instance-types") {
        let query: SizeQuery = serde_json::from_value(vector["input"].clone()).unwrap();
        let report = instance_types(&query);
        for size in report.excluded.iter().flatten() {
            assert!(report.reasons.get(size).is_some_and(|reason| !reason.is_empty()), "{name}: {size}");
        }
    }
}

#[test]
fn names_say_what_the_provider_reads_from_them() {
    for row in vectors::table("kubelet-args", "vm-size") {
        let size = row["size"].as_str().unwrap();
        let name = SizeName::parse(size).unwrap();
        let found = json!({
            "size": size, "family": name.family(), "series": name.series(), "version": name.version(),
            "accelerator": name.accelerator, "constrainedCPUs": name.constrained_cpus, "error": null,
        });
        assert_eq!(found, row);
    }
}

#[test]
fn gpus_have_the_recorded_facts() {
    for row in vectors::table("kubelet-args", "gpu") {
        let size = row["vmSize"].as_str().unwrap();
        let sizes = gpu_sizes(size);
        let driver = gpu_driver(size);
        let manufacturer = sizes.map_or("", |sizes| sizes.manufacturer().label());
        let found = json!({
            "vmSize": size, "gpu": sizes.is_some(), "manufacturer": manufacturer,
            "nvidia": manufacturer == "nvidia", "amd": manufacturer == "amd",
            "azureLinuxNvidia": manufacturer == "nvidia" && sizes.is_some_and(GpuSizes::runs_azure_linux),
            "driverInstallSupported": sizes.is_some_and(GpuSizes::installs_driver),
            "os": sizes.map_or(&[][..], GpuSizes::systems),
            "driverType": driver.kind, "driverVersion": driver.version, "imageSuffix": driver.image_suffix,
            "grid": driver.kind == "grid", "gridV20": driver.kind == "grid-v20",
        });
        assert_eq!(found, row, "{size}");
    }
}

#[test]
fn memory_is_what_the_provider_schedules_with() {
    for row in vectors::table("kubelet-args", "memory-capacity") {
        let number = |key: &str| row[key].as_f64().unwrap();
        let memory = schedulable_memory(number("skuMemoryGiB"), number("vmMemoryOverheadPercent"));
        assert_eq!(
            (json!(memory.value()), json!(memory)),
            (row["bytes"].clone(), row["quantity"].clone()),
            "{row}"
        );
    }
}

#[test]
fn reservations_are_those_of_the_provider() {
    for row in vectors::table("kubelet-args", "kube-reserved") {
        let Some(cpus) = row["vcpus"].as_i64() else { panic!("{row}") };
        let reserved = kube_reserved(cpus, row["memoryGiB"].as_f64().unwrap());
        assert_eq!(
            json!({"cpu": reserved.cpu, "memory": reserved.memory}),
            json!({"cpu": row["cpu"], "memory": row["memory"]})
        );
        assert_eq!(json!(reserved.memory.value()), row["memoryBytes"], "{row}");
    }
}

#[test]
fn launch_vectors_name_the_same_sizes() {
    for (name, vector) in vectors::named("bootstrap", "launch-template") {
        let request: slipway_launch::Request = serde_json::from_value(vector["input"].clone()).unwrap();
        let found =
            instance_type(&request.options, &request.node_class, &request.sku, &request.environment.location);
        match (&vector["expected"]["instanceType"], found) {
            (Value::Null, Err(_)) => assert_eq!(vector["expected"]["notOffered"], json!(true), "{name}"),
            (Value::Null, Ok(_)) => assert_ne!(vector["expected"]["notOffered"], json!(true), "{name}"),
            (_, Err(refused)) => panic!("{name}: {refused}"),
            (expected, Ok(found)) => {
                assert_eq!(
                    serde_json::to_value(&found.requirements).unwrap(),
                    expected["requirements"],
                    "{name}"
                );
                assert_eq!(serde_json::to_value(found.capacity).unwrap(), expected["capacity"], "{name}");
                assert_eq!(
                    serde_json::to_value(found.allocatable()).unwrap(),
                    expected["allocatable"],
                    "{name}"
                );
                assert_eq!(serde_json::to_value(&found.offerings).unwrap(), expected["offerings"], "{name}");
                let template = &vector["expected"]["launchTemplate"];
                let disk = request.node_class.spec.os_disk_gb();
                let placement = found.ephemeral_room.placement_of(disk);
                assert_eq!(json!(placement.is_some()), template["storageProfileIsEphemeral"], "{name}");
            }
        }
    }
}

fn sku(cpus: u32, memory_gib: f64) -> Sku {
    let mut sku = Sku { name: "Standard_D2s_v5".to_owned(), size: "D2s_v5".to_owned(), ..Sku::default() };
    let capabilities = [
        ("CpuArchitectureType", "x64".to_owned()),
        ("vCPUs", cpus.to_string()),
        ("MemoryGB", memory_gib.to_string()),
    ];
    sku.capabilities.extend(capabilities.map(|(name, value)| (name.to_owned(), value)));
    sku
}

proptest! {
    #[test]
    fn reservations_never_exceed_what_an_offered_size_has(cpus in 0_u32..4096, memory in 0.0_f64..65536.0, overhead in 0.0_f64..0.3) {
        let mut query = SizeQuery { region: "r".to_owned(), ..SizeQuery::default() };
        query.options.vm_memory_overhead_percent = overhead;
        let Ok(offered) = instance_type(&query.options, &query.node_class, &sku(cpus, memory), "r") else { return Ok(()) };
        let left = offered.allocatable();
        prop_assert!(offered.kube_reserved.cpu.value() <= offered.capacity.cpu.value());
        prop_assert!(left.memory.value() > 0, "{left:?} {EVICTION_MEMORY:?}");
        prop_assert!(left.cpu.value() > 0);
    }

    #[test]
    fn no_name_of_a_size_brings_the_reader_down(name in "\\PC*") {
        let _ = SizeName::parse(&name);
        let _ = (gpu_sizes(&name), gpu_driver(&name));
    }
}
