//! The hash of a node class's specification, version 3.
//!
//! It is the one of the Go library `hashstructure`, over the structs of the `AKSNodeClass` API: names of types and
//! fields go in, in the order of their declaration, so the tables below hold both.

use serde_json::{Map, Value};
use thiserror::Error;

use crate::computed::fnv1_64;
use crate::request::GoDuration;

/// The version of the hash, which stands beside it.
pub const HASH_VERSION: &str = "v3";

/// A value of the specification that does not have the type that the API gives it.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{path} is not {expected}, as the AKSNodeClass API wants it")]
pub struct NotHashable {
    /// Where: `spec.kubelet.podPidsLimit`.
    pub path: String,
    /// What belongs there.
    pub expected: &'static str,
}

/// How a value is hashed.
enum Kind {
    /// A pointer to a string: counts when it is there, empty or not.
    Text,
    /// A string: counts when it is not empty.
    PlainText,
    Bool,
    Int32,
    Int64,
    /// A struct of a duration: counts when it is not zero.
    Duration,
    /// A duration that may be `Never`, which does not count.
    NillableDuration,
    List(&'static Kind),
    Struct(&'static Struct),
}

struct Struct {
    name: &'static str,
    /// JSON key, name in Go, kind; in the order of declaration.
    fields: &'static [(&'static str, &'static str, Kind)],
}

use Kind::{Bool, Duration, Int32, Int64, List, NillableDuration, PlainText, Text};

static SPEC: Struct = Struct {
    name: "AKSNodeClassSpec",
    fields: &[
        ("vnetSubnetID", "VNETSubnetID", Text),
        ("osDiskSizeGB", "OSDiskSizeGB", Int32),
        ("imageFamily", "ImageFamily", Text),
        ("fipsMode", "FIPSMode", Text),
        ("kubelet", "Kubelet", Kind::Struct(&KUBELET)),
        ("maxPods", "MaxPods", Int32),
        ("security", "Security", Kind::Struct(&SECURITY)),
        ("localDNS", "LocalDNS", Kind::Struct(&LOCAL_DNS)),
        ("gpu", "GPU", Kind::Struct(&GPU)),
        ("artifactStreaming", "ArtifactStreaming", Kind::Struct(&ARTIFACT_STREAMING)),
        ("linuxOSConfig", "LinuxOSConfig", Kind::Struct(&LINUX_OS)),
    ],
};

static KUBELET: Struct = Struct {
    name: "KubeletConfiguration",
    fields: &[
        ("cpuManagerPolicy", "CPUManagerPolicy", Text),
        ("cpuCFSQuota", "CPUCFSQuota", Bool),
        ("cpuCFSQuotaPeriod", "CPUCFSQuotaPeriod", Duration),
        ("imageGCHighThresholdPercent", "ImageGCHighThresholdPercent", Int32),
        ("imageGCLowThresholdPercent", "ImageGCLowThresholdPercent", Int32),
        ("topologyManagerPolicy", "TopologyManagerPolicy", Text),
        ("allowedUnsafeSysctls", "AllowedUnsafeSysctls", List(&Text)),
        ("containerLogMaxSize", "ContainerLogMaxSize", Text),
        ("containerLogMaxFiles", "ContainerLogMaxFiles", Int32),
        ("podPidsLimit", "PodPidsLimit", Int64),
        ("failSwapOn", "FailSwapOn", Bool),
    ],
};

static SECURITY: Struct = Struct {
    name: "Security",
    fields: &[
        ("encryptionAtHost", "EncryptionAtHost", Bool),
        ("trustedLaunch", "TrustedLaunch", Kind::Struct(&TRUSTED_LAUNCH)),
    ],
};

static TRUSTED_LAUNCH: Struct =
    Struct { name: "TrustedLaunch", fields: &[("vtpm", "VTPM", Bool), ("secureBoot", "SecureBoot", Bool)] };

static GPU: Struct = Struct { name: "GPU", fields: &[("mode", "Mode", Text)] };

static ARTIFACT_STREAMING: Struct =
    Struct { name: "ArtifactStreaming", fields: &[("enabled", "Enabled", Bool)] };

static LOCAL_DNS: Struct = Struct {
    name: "LocalDNS",
    fields: &[
        ("mode", "Mode", PlainText),
        ("vnetDNSOverrides", "VnetDNSOverrides", List(&Kind::Struct(&ZONE_OVERRIDE))),
        ("kubeDNSOverrides", "KubeDNSOverrides", List(&Kind::Struct(&ZONE_OVERRIDE))),
    ],
};

static ZONE_OVERRIDE: Struct = Struct {
    name: "LocalDNSZoneOverride",
    fields: &[
        ("zone", "Zone", PlainText),
        ("queryLogging", "QueryLogging", PlainText),
        ("protocol", "Protocol", PlainText),
        ("forwardDestination", "ForwardDestination", PlainText),
        ("forwardPolicy", "ForwardPolicy", PlainText),
        ("maxConcurrent", "MaxConcurrent", Int32),
        ("cacheDuration", "CacheDuration", NillableDuration),
        ("serveStaleDuration", "ServeStaleDuration", NillableDuration),
        ("serveStale", "ServeStale", PlainText),
    ],
};

static LINUX_OS: Struct = Struct {
    name: "LinuxOSConfiguration",
    fields: &[
        ("swapFileSize", "SwapFileSize", Text),
        ("sysctls", "Sysctls", Kind::Struct(&SYSCTLS)),
        ("transparentHugePageDefrag", "TransparentHugePageDefrag", Text),
        ("transparentHugePageEnabled", "TransparentHugePageEnabled", Text),
    ],
};

static SYSCTLS: Struct = Struct {
    name: "SysctlConfiguration",
    fields: &[
        ("fsAioMaxNr", "FsAioMaxNr", Int32),
        ("fsFileMax", "FsFileMax", Int32),
        ("fsInotifyMaxUserWatches", "FsInotifyMaxUserWatches", Int32),
        ("fsNrOpen", "FsNrOpen", Int32),
        ("kernelThreadsMax", "KernelThreadsMax", Int32),
        ("netCoreNetdevMaxBacklog", "NetCoreNetdevMaxBacklog", Int32),
        ("netCoreOptmemMax", "NetCoreOptmemMax", Int32),
        ("netCoreRmemDefault", "NetCoreRmemDefault", Int32),
        ("netCoreRmemMax", "NetCoreRmemMax", Int32),
        ("netCoreSomaxconn", "NetCoreSomaxconn", Int32),
        ("netCoreWmemDefault", "NetCoreWmemDefault", Int32),
        ("netCoreWmemMax", "NetCoreWmemMax", Int32),
        ("netIPv4IPLocalPortRange", "NetIPv4IPLocalPortRange", Text),
        ("netIPv4NeighDefaultGcThresh1", "NetIPv4NeighDefaultGcThresh1", Int32),
        ("netIPv4NeighDefaultGcThresh2", "NetIPv4NeighDefaultGcThresh2", Int32),
        ("netIPv4NeighDefaultGcThresh3", "NetIPv4NeighDefaultGcThresh3", Int32),
        ("netIPv4TCPFinTimeout", "NetIPv4TCPFinTimeout", Int32),
        ("netIPv4TCPKeepaliveProbes", "NetIPv4TCPKeepaliveProbes", Int32),
        ("netIPv4TCPKeepaliveTime", "NetIPv4TCPKeepaliveTime", Int32),
        ("netIPv4TCPMaxSynBacklog", "NetIPv4TCPMaxSynBacklog", Int32),
        ("netIPv4TCPMaxTwBuckets", "NetIPv4TCPMaxTwBuckets", Int32),
        ("netIPv4TCPTwReuse", "NetIPv4TCPTwReuse", Bool),
        ("netIPv4TCPKeepaliveIntvl", "NetIPv4TCPKeepaliveIntvl", Int32),
        ("netNetfilterNfConntrackBuckets", "NetNetfilterNfConntrackBuckets", Int32),
        ("netNetfilterNfConntrackMax", "NetNetfilterNfConntrackMax", Int32),
        ("vmMaxMapCount", "VMMaxMapCount", Int32),
        ("vmSwappiness", "VMSwappiness", Int32),
        ("vmVfsCachePressure", "VMVfsCachePressure", Int32),
    ],
};

/// The hash of a specification, given as the JSON of the API; tags do not count.
pub fn node_class_hash(spec: &Value) -> Result<u64, NotHashable> {
    let object =
        spec.as_object().ok_or_else(|| NotHashable { path: "spec".to_owned(), expected: "an object" })?;
    structure(&SPEC, object, &mut Path(vec!["spec"]))
}

/// The way to the value that is being hashed.
struct Path(Vec<&'static str>);

impl Path {
    fn refuse(&self, expected: &'static str) -> NotHashable {
        NotHashable { path: self.0.join("."), expected }
    }
}

fn structure(table: &Struct, object: &Map<String, Value>, path: &mut Path) -> Result<u64, NotHashable> {
    let mut hash = fnv1_64(table.name.as_bytes());
    for (key, name, kind) in table.fields {
        path.0.push(key);
        if let Some(value) = object.get(*key).filter(|value| !value.is_null())
            && let Some(value) = value_hash(kind, value, path)?
        {
            hash = with_field(hash, name, value);
        }
        path.0.pop();
    }
    Ok(hash)
}

fn with_field(hash: u64, name: &str, value: u64) -> u64 {
    let mut pair = [0; 16];
    pair[..8].copy_from_slice(&fnv1_64(name.as_bytes()).to_le_bytes());
    pair[8..].copy_from_slice(&value.to_le_bytes());
    fnv1_64(&(hash ^ fnv1_64(&pair)).to_le_bytes())
}

/// The hash of a value; `None` where it is a zero that does not count.
fn value_hash(kind: &Kind, value: &Value, path: &mut Path) -> Result<Option<u64>, NotHashable> {
    let text = || value.as_str().ok_or_else(|| path.refuse("a string"));
    let duration = |text| GoDuration::parse(text).ok_or_else(|| path.refuse("a duration such as 100ms"));
    let of_duration = |duration: GoDuration, name| {
        with_field(fnv1_64(name), "Duration", fnv1_64(&duration.nanoseconds().to_le_bytes()))
    };
    let hash = match kind {
        Kind::Text => Some(fnv1_64(text()?.as_bytes())),
        Kind::PlainText => Some(text()?).filter(|text| !text.is_empty()).map(|text| fnv1_64(text.as_bytes())),
        Kind::Bool => {
            Some(fnv1_64(&[u8::from(value.as_bool().ok_or_else(|| path.refuse("true or false"))?)]))
        }
        Kind::Int32 => {
            let number = value.as_i64().and_then(|number| i32::try_from(number).ok());
            Some(fnv1_64(&number.ok_or_else(|| path.refuse("a whole number of 32 bits"))?.to_le_bytes()))
        }
        Kind::Int64 => {
            Some(fnv1_64(&value.as_i64().ok_or_else(|| path.refuse("a whole number"))?.to_le_bytes()))
        }
        Kind::Duration => Some(duration(text()?)?)
            .filter(|duration| duration.nanoseconds() != 0)
            .map(|duration| of_duration(duration, b"Duration".as_slice())),
        Kind::NillableDuration => match text()? {
            "Never" => None,
            text => Some(of_duration(duration(text)?, b"NillableDuration".as_slice())),
        },
        Kind::List(element) => {
            let list = value.as_array().ok_or_else(|| path.refuse("a list"))?;
            let mut hash = 0;
            for value in list {
                hash ^= value_hash(element, value, path)?.unwrap_or(0);
            }
            Some(hash)
        }
        Kind::Struct(table) => {
            let object = value.as_object().ok_or_else(|| path.refuse("an object"))?;
            Some(structure(table, object, path)?)
        }
    };
    Ok(hash)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn base() -> Value {
        json!({
            "vnetSubnetID": "subnet-id", "osDiskSizeGB": 30, "imageFamily": "Ubuntu2204", "maxPods": 100,
            "tags": {"a": "b"},
            "kubelet": {
                "cpuManagerPolicy": "static", "cpuCFSQuota": true, "cpuCFSQuotaPeriod": "100ms",
                "imageGCHighThresholdPercent": 85, "imageGCLowThresholdPercent": 80, "topologyManagerPolicy": "none",
                "allowedUnsafeSysctls": ["net.core.somaxconn"], "containerLogMaxSize": "10Mi", "containerLogMaxFiles": 10,
            },
        })
    }

    #[test]
    fn hashes_are_those_that_the_peer_tests_for() {
        let changed = |pointer: &str, value: Value| {
            let mut spec = base();
            let (parent, key) = pointer.rsplit_once('/').unwrap();
            spec.pointer_mut(parent).unwrap().as_object_mut().unwrap().insert(key.to_owned(), value);
            node_class_hash(&spec).unwrap()
        };
        assert_eq!(node_class_hash(&base()).unwrap(), 4_108_492_229_247_269_128);
        assert_eq!(changed("/tags", json!({})), 4_108_492_229_247_269_128);
        assert_eq!(changed("/vnetSubnetID", json!("subnet-id-2")), 13_971_920_214_979_852_468);
        assert_eq!(changed("/osDiskSizeGB", json!(40)), 7_816_855_636_861_645_563);
        assert_eq!(changed("/imageFamily", json!("AzureLinux")), 15_616_969_746_300_892_810);
        assert_eq!(changed("/kubelet/cpuManagerPolicy", json!("none")), 33_638_514_539_106_194);
        assert_eq!(changed("/maxPods", json!(200)), 15_508_761_509_963_240_710);
        assert_eq!(changed("/localDNS", json!({"mode": "Required"})), 17_805_442_572_569_734_619);
        assert_eq!(changed("/artifactStreaming", json!({"enabled": true})), 15_355_387_647_114_481_444);
    }

    #[test]
    fn a_wrong_type_is_refused_with_its_place() {
        let error = node_class_hash(&json!({"kubelet": {"podPidsLimit": "many"}})).unwrap_err();
        assert_eq!(
            error.to_string(),
            "spec.kubelet.podPidsLimit is not a whole number, as the AKSNodeClass API wants it"
        );
    }
}
