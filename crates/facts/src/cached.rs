use std::io::ErrorKind;
use std::path::Path;

use slipway_host::Host;
use slipway_model::{Cached, KubernetesVersion};

use crate::{Missing, go_build};

const PROGRAMS: &str = "/opt/bin";

/// The versions of kubelet and kubectl in the image: `/opt/bin/kubelet-1.33.1`, and `/opt/bin/kubelet` where it says
/// which one it is. Released programs do not; those built as modules do.
pub(crate) fn versions(host: &dyn Host) -> Result<Cached, Missing> {
    let names = match host.list(Path::new(PROGRAMS)) {
        Ok(names) => names,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Cached::default()),
        Err(error) => return Err(Missing::File(PROGRAMS.to_owned(), error)),
    };
    let names: Vec<&str> = names.iter().filter_map(|name| name.to_str()).collect();
    let of = |program: &str| {
        let versioned = |name: &&str| {
            let version = name.strip_prefix(program)?.strip_prefix('-')?;
            KubernetesVersion::parse(version).map(|_| version.to_owned())
        };
        let mut versions: Vec<String> = names.iter().filter_map(versioned).collect();
        if names.contains(&program) {
            let build = go_build::read(host, &Path::new(PROGRAMS).join(program));
            let version = build.and_then(|build| build.module_version());
            let version = version.map(|version| version.trim_start_matches('v').to_owned());
            versions.extend(version.filter(|version| !versions.contains(version)));
        }
        versions
    };
    Ok(Cached { kubelet: of("kubelet"), kubectl: of("kubectl") })
}
