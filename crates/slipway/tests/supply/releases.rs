//! Releases of everything that a node needs, as their makers publish them, listed in a signed manifest.

use std::collections::BTreeMap;

use sha2::{Digest as _, Sha256};
use slipway_flex::supply::{
    Architecture, Digest, Manifest, Order, Release, SecretKey, Signed, Stock, members, published,
};
use slipway_flex::{Provisions, read};
use slipway_model::node::Component;
use slipway_model::{Containerd, Facts};
use slipway_plan::{Plan, plan};

pub const PUBLIC: &str = include_str!("../../../flex/tests/supply/key.pub");
pub const SECRET: &str = include_str!("../../../flex/tests/supply/key");
pub const KUBERNETES: &str = "1.34.3";
const VERSIONS: [(Component, &str); 5] = [
    (Component::Kubelet, KUBERNETES),
    (Component::Kubectl, KUBERNETES),
    (Component::Containerd, "2.1.8"),
    (Component::Runc, "1.3.3"),
    (Component::CniPlugins, "1.7.1"),
];

pub struct Releases {
    pub manifest: Manifest,
    /// By their paths on a mirror.
    pub files: BTreeMap<String, Vec<u8>>,
}

impl Releases {
    /// Releases whose programs have so many bytes.
    pub fn of(bytes: usize) -> Self {
        Self::with(|component, version| packed(component, version, bytes))
    }

    /// Releases with these files.
    pub fn with(file: impl Fn(Component, &str) -> Vec<u8>) -> Self {
        let mut files = BTreeMap::new();
        let release = |(component, version): (Component, &str)| {
            let content = file(component, version);
            let (version, architecture) = (version.parse().unwrap(), Architecture::own());
            let url = published(component, &version, architecture);
            let sha256 = Digest::of(&Sha256::digest(&content));
            let size = content.len() as u64;
            files.insert(url.replacen("https:/", "", 1), content);
            Release { component, version, architecture, url, sha256, size }
        };
        let releases = VERSIONS.into_iter().map(release).collect();
        Self { manifest: Manifest::new(releases, Vec::new()), files }
    }

    pub fn signed(&self) -> Signed {
        SecretKey::parse(&SECRET.into()).unwrap().sign(&self.manifest, "of a test")
    }

    /// The steps that install all of it from a mirror, and nothing else.
    pub fn plan(&self, mirror: &str) -> Plan {
        let order = Order::new("1.34", Architecture::own()).unwrap();
        let picks = order.fill(&self.manifest).unwrap();
        let stock = Stock { picks, mirrors: vec![mirror.parse().unwrap()], images: Vec::new() };
        let supplies = stock.supplies();
        let config = read(config("").as_bytes(), "machine").config.unwrap();
        let provisions = Provisions {
            architecture: Architecture::own().name(),
            config_file: "/etc/aks-flex-node/config.json",
            supplies: &supplies,
            images: &[],
            resolver: None,
        };
        let node = config.node(provisions).unwrap();
        let facts = Facts { containerd: Containerd::Missing, ..Facts::default() };
        let whole = plan(&node, &facts).unwrap();
        let steps = whole.steps().iter().filter(|step| step.id.0.starts_with("install-")).cloned();
        let plan = Plan::new(steps.collect(), Vec::new()).unwrap();
        assert_eq!(plan.steps().len(), VERSIONS.len());
        plan
    }

    /// Where everything is installed, with its content.
    pub fn installed(&self) -> BTreeMap<String, Vec<u8>> {
        let mut installed = BTreeMap::new();
        for release in &self.manifest.releases {
            let file = &self.files[&release.url.replacen("https:/", "", 1)];
            for (member, path) in members(release.component, &release.version) {
                let content = if member.is_empty() { file.clone() } else { member_of(file, &member) };
                installed.insert(path.to_str().unwrap().to_owned(), content);
            }
        }
        installed
    }
}

/// A configuration of a machine, with more of it.
pub fn config(more: &str) -> String {
    format!(
        r#"{{"azure": {{"bootstrapToken": {{"token": "abcdef.0123456789abcdef"}},
            "targetCluster": {{"resourceId": "/subscriptions/11111111-2222-3333-4444-555555555555/resourceGroups/g/providers/Microsoft.ContainerService/managedClusters/c"}}}},
          "agent": {{"nodeName": "machine", "logDir": "/var/log/flex"}},
          "components": {{"kubernetes": "1.34"}},
          "node": {{"kubelet": {{"clusterFQDN": "api.example", "caCertData": "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCkZBS0UKLS0tLS1FTkQgQ0VSVElGSUNBVEUtLS0tLQo="}}}}{more}}}"#
    )
}

fn packed(component: Component, version: &str, bytes: usize) -> Vec<u8> {
    let members = members(component, &version.parse().unwrap());
    if members[0].0.is_empty() {
        return content(component, 0, bytes);
    }
    let gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    let mut archive = tar::Builder::new(gzip);
    for (number, (member, _)) in members.iter().enumerate() {
        let content = content(component, number, bytes / members.len());
        let mut header = tar::Header::new_ustar();
        header.set_mode(0o755);
        header.set_size(content.len() as u64);
        archive.append_data(&mut header, member, content.as_slice()).unwrap();
    }
    archive.into_inner().unwrap().finish().unwrap()
}

/// Bytes that compress as programs do, by about a half.
fn content(component: Component, number: usize, bytes: usize) -> Vec<u8> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64 ^ (component as u64) << 32 ^ number as u64;
    let mut content = Vec::with_capacity(bytes);
    while content.len() < bytes {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        let word = state.to_le_bytes();
        content.extend_from_slice(&word[..4]);
        content.extend_from_slice(&[0; 4]);
    }
    content.truncate(bytes);
    content
}

fn member_of(archive: &[u8], wanted: &str) -> Vec<u8> {
    use std::io::Read as _;
    let mut archive = tar::Archive::new(flate2::read::GzDecoder::new(archive));
    for entry in archive.entries().unwrap() {
        let mut entry = entry.unwrap();
        if entry.path_bytes() == wanted.as_bytes() {
            let mut content = Vec::new();
            entry.read_to_end(&mut content).unwrap();
            return content;
        }
    }
    panic!("no {wanted}")
}
