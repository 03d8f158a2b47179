//! Fields that nothing on a node reads.

use super::findings::Findings;
use super::rules;
use super::shapes::walk;
use crate::Contract;

rules! {
    FIELD_NOT_READ: Note "field-not-read",
    summary: "A field that is set has a reader on the node.",
    reason: "The contract has the field, and nothing on a node looks at it: setting it changes nothing.",
    good: r#"{"gpu_config": {"enable_nvidia": true}}"#,
    bad: r#"{"disable_custom_data": true}"#;
}

/// Fields without reader, by message.
const NOT_READ: [(&str, &str); 8] = [
    ("Configuration", "provision_output"),
    ("Configuration", "workload_runtime"),
    ("Configuration", "disable_custom_data"),
    ("BootstrappingConfig", "cluster_join_method"),
    ("GpuConfig", "enable_amd_gpu"),
    ("NetworkConfig", "cni_plugins_url"),
    ("RuncConfig", "runc_version"),
    ("RuncConfig", "runc_package_url"),
];

pub(super) fn check(contract: &Contract, findings: &mut Findings<'_>) {
    walk(contract, "", &mut |site| {
        if NOT_READ.contains(&(site.table.name, site.field.name)) {
            findings.report(
                &FIELD_NOT_READ,
                site.path,
                format!("nothing on a node reads {}", site.field.name),
            );
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codec::{Kind, Message as _, MessageTable};

    fn exists(table: &'static MessageTable, (message, field): (&str, &str)) -> bool {
        table.name == message && table.field(field).is_some()
            || table
                .fields
                .iter()
                .any(|known| matches!(known.kind, Kind::Message(inner) if exists(inner, (message, field))))
    }

    #[test]
    fn the_listed_fields_exist() {
        for entry in NOT_READ {
            assert!(exists(Contract::default().table(), entry), "{entry:?}");
        }
    }
}
