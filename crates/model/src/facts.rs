//! What a machine is, as far as anybody found out. Every fact may be missing: absent is unknown.

use serde::de::{Deserialize, Deserializer, Error as _};
use serde::ser::{Error as _, Serialize, Serializer};
use serde_json::value::RawValue;

/// What is known about a machine; the file that `slipway facts` prints and `--facts` reads.
#[derive(Debug, Clone, Default, PartialEq, serde::Deserialize, serde::Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct Facts {
    /// The container runtime.
    #[serde(skip_serializing_if = "Containerd::is_unknown")]
    pub containerd: Containerd,
    /// The image's component manifest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub components: Option<JsonText>,
    /// The operating system.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub os: Option<Os>,
    /// The machine's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hostname: Option<String>,
    /// The instance document of the cloud's metadata service.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub imds: Option<JsonText>,
    /// What the image brought along.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cached: Option<Cached>,
    /// How many processors there are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpus: Option<u32>,
    /// How much memory there is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_bytes: Option<u64>,
    /// Whether the image is one that has everything on it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub golden_image: Option<bool>,
}

/// The container runtime of a machine: `{"version": TEXT}`, or null where there is none.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Containerd {
    /// Nobody looked.
    #[default]
    Unknown,
    /// There is none, or it does not run.
    Missing,
    /// The third word that `containerd --version` prints, verbatim.
    Version(String),
}

/// The operating system, by the words of its `os-release` file.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Deserialize, serde::Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct Os {
    /// `ID`, such as `ubuntu`.
    pub id: String,
    /// `VERSION_ID`, such as `22.04`.
    pub version_id: String,
    /// `VARIANT_ID`; usually empty.
    pub variant_id: String,
}

/// The versions of Kubernetes programs that the image holds.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Deserialize, serde::Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct Cached {
    /// Of kubelet.
    pub kubelet: Vec<String>,
    /// Of kubectl.
    pub kubectl: Vec<String>,
}

/// A JSON document as it was found. It is kept as text because image manifests are large and each reader wants
/// little of them; so it may turn out to be no JSON at all when it is read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JsonText(pub String);

/// Facts that cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("the facts cannot be read: {0}")]
pub struct FactsError(#[from] serde_json::Error);

impl Facts {
    /// Reads facts from JSON. A key that is not a fact is an error that names those that are.
    pub fn parse(text: &str) -> Result<Self, FactsError> {
        Ok(serde_json::from_str(text)?)
    }
}

impl Containerd {
    fn is_unknown(&self) -> bool {
        *self == Self::Unknown
    }
}

#[derive(serde::Deserialize, serde::Serialize)]
#[serde(deny_unknown_fields)]
struct ContainerdJson<T> {
    version: T,
}

impl<'de> Deserialize<'de> for Containerd {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let found = Option::<ContainerdJson<String>>::deserialize(deserializer)?;
        Ok(found.map_or(Self::Missing, |found| Self::Version(found.version)))
    }
}

impl Serialize for Containerd {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Version(version) => ContainerdJson { version }.serialize(serializer),
            Self::Unknown | Self::Missing => serializer.serialize_none(),
        }
    }
}

impl<'de> Deserialize<'de> for JsonText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Box::<RawValue>::deserialize(deserializer).map_err(D::Error::custom)?;
        Ok(Self(Box::<str>::from(text).into_string()))
    }
}

impl Serialize for JsonText {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        RawValue::from_string(self.0.clone()).map_err(S::Error::custom)?.serialize(serializer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_survive_a_round_trip() {
        let text = r#"{"containerd":{"version":"v2.0.0"},"components":{"GPUContainerImages":[]},"os":{"id":"ubuntu","version_id":"22.04","variant_id":""},"hostname":"n1","imds":{"compute":{}},"cached":{"kubelet":["1.33.1"],"kubectl":[]},"cpus":4,"memory_bytes":8589934592}"#;
        let facts = Facts::parse(text).unwrap();
        assert_eq!(facts.containerd, Containerd::Version("v2.0.0".into()));
        assert_eq!(facts.components.as_ref().unwrap().0, r#"{"GPUContainerImages":[]}"#);
        assert_eq!(serde_json::to_string(&facts).unwrap(), text);
    }

    #[test]
    fn an_absent_fact_is_unknown_and_a_null_runtime_is_missing() {
        assert_eq!(Facts::parse("{}").unwrap(), Facts::default());
        assert_eq!(Facts::parse(r#"{"containerd":null}"#).unwrap().containerd, Containerd::Missing);
        assert_eq!(Facts::parse(r#"{"components":null}"#).unwrap().components, None);
    }

    #[test]
    fn an_unreadable_fact_is_named() {
        for (text, part) in [
            (r#"{"cpu":4}"#, "unknown field `cpu`, expected one of `containerd`"),
            (r#"{"containerd":{"versoin":"1"}}"#, "unknown field `versoin`, expected `version`"),
            (r#"{"cpus":"four"}"#, "invalid type: string \"four\", expected u32"),
            ("[", "EOF while parsing"),
        ] {
            let message = Facts::parse(text).unwrap_err().to_string();
            assert!(message.contains(part) && message.contains("line 1"), "{message}");
        }
    }
}
