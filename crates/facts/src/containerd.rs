use std::path::Path;

use slipway_host::Host;
use slipway_model::Containerd;

use crate::{Missing, dpkg, go_build};

const PROGRAMS: [&str; 3] = ["/usr/bin/containerd", "/usr/local/bin/containerd", "/opt/bin/containerd"];
const PACKAGES: [&str; 3] = ["moby-containerd", "containerd.io", "containerd"];
/// The variable that the program prints; `/v2` is in the path from 2.0 on.
const VARIABLE: &str = "/version.Version";

/// The runtime's version, without running it. Three sources, the most exact one first:
/// - what the linker was told, which is the very word that `containerd --version` prints, such as `1.7.20` or `v2.0.0`;
/// - the package's upstream version, `1.7.20` where the program may print `1.7.20-1`;
/// - the module's version, `v1.7.20` where the program may print `1.7.20+unknown`.
pub(crate) fn version(host: &dyn Host) -> Result<Containerd, Missing> {
    let there = |path: &&&str| host.entry(Path::new(path)).is_ok_and(|entry| entry.is_some());
    let Some(program) = PROGRAMS.iter().find(there) else { return Ok(Containerd::Missing) };
    let build = go_build::read(host, Path::new(program));
    let linked = build.as_ref().and_then(|build| build.linked(VARIABLE));
    let version = linked
        .or_else(|| dpkg::upstream_version(host, &PACKAGES))
        .or_else(|| build.as_ref().and_then(go_build::GoBuild::module_version));
    let unknown =
        || Missing::Content((*program).to_owned(), "neither the program nor a package says its version");
    version.map(Containerd::Version).ok_or_else(unknown)
}
