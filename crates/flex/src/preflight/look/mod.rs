//! Looking: the only part of a preflight that touches anything, and it changes nothing.

mod firewall;
mod proc;
mod server;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use slipway_host::{EntryKind, Host, Swap, space};
use slipway_model::node::SwapOff;

use super::{Cgroups, KubeletSeen, Leftover, Observed, Resolver, RuntimeSeen};

pub use server::{
    MachineName, active, bootstrap_access, machine_name, node_access, reachable, registry, server,
};

/// The file with the network's own resolvers, where systemd-resolved runs.
const UPLINKS: &str = "/run/systemd/resolve/resolv.conf";
const KUBELET: &str = "kubelet.service";
const KUBELETS: [&str; 3] = ["/usr/bin/kubelet", "/usr/local/bin/kubelet", "/opt/bin/kubelet"];
const RUNTIMES: [(&str, &str); 3] = [
    ("containerd.service", "/usr/bin/containerd"),
    ("docker.service", "/usr/bin/dockerd"),
    ("crio.service", "/usr/bin/crio"),
];
const PORTS: [u16; 2] = [10250, 10248];
const DISKS: [&str; 3] = ["/", "/var/lib/kubelet", "/var/lib/containerd"];
const MODULES: [&str; 3] = ["overlay", "br_netfilter", "nf_conntrack"];
const CREDENTIALS: [&str; 3] = [
    "/var/lib/kubelet/pki/kubelet-client-current.pem",
    "/var/lib/kubelet/kubeconfig",
    "/etc/kubernetes/kubelet.conf",
];
const AUTHORITIES: [&str; 2] = ["/etc/kubernetes/pki/ca.crt", "/etc/kubernetes/certs/ca.crt"];
const STATIC_PODS: &str = "/etc/kubernetes/manifests";

/// Where units of swap are described, besides what systemd makes of the table of file systems.
const SWAP_UNITS: [&str; 5] = [
    MASKS,
    "/usr/local/lib/systemd/system",
    "/usr/lib/systemd/system",
    "/lib/systemd/system",
    "/run/systemd/generator.late",
];
/// Where a unit is masked.
const MASKS: &str = "/etc/systemd/system";

/// Which of these files others than their owner can read.
pub fn readable_by_others(host: &dyn Host, files: Vec<PathBuf>) -> Vec<PathBuf> {
    let is_open = |path: &PathBuf| {
        let entry = host.entry(path).ok().flatten();
        entry.is_some_and(|it| it.kind == EntryKind::File && it.attributes.mode & 0o044 != 0)
    };
    files.into_iter().filter(is_open).collect()
}

/// Looks at what every node has; on a directory that stands for a machine there is nothing of it.
pub fn node(host: &dyn Host) -> Observed {
    let mut seen =
        Observed { live: host.is_live(), now: slipway_host::unix_seconds(), ..Observed::default() };
    if !seen.live {
        return seen;
    }
    let areas = |swaps: Vec<Swap>| swaps.iter().map(|swap| swap.path.display().to_string()).collect();
    seen.swaps = host.swaps().ok().map(areas);
    seen.fail_swap_on = Some(fails_beside_swap(host));
    seen.cgroups = cgroups(host);
    seen.modules = MODULES.into_iter().map(|name| (name, has_module(host, name))).collect();
    seen.disks =
        DISKS.iter().filter_map(|path| Some((PathBuf::from(path), space(Path::new(path)).ok()?))).collect();
    seen.disks.dedup_by(|(_, one), (_, other)| one == other);
    seen
}

/// Looks at a machine that is to join a cluster with this authority. `ours` says that an earlier attempt of ours is on
/// record.
pub fn machine(host: &dyn Host, authority: Option<&str>, ours: bool) -> Observed {
    let mut seen = Observed { ours, ..node(host) };
    seen.leftovers = Some(leftovers(host, authority));
    seen.resolver = resolver(host);
    if !seen.live {
        return seen;
    }
    // A machine of its owner's may have swap: its kubelet is told so.
    seen.fail_swap_on = Some(false);
    seen.root = text(host, "/proc/self/status").map(|text| proc::is_root(&text));
    seen.systemd = Some(exists(host, "/run/systemd/system"));
    seen.selinux = Some(text(host, "/sys/fs/selinux/enforce").is_some_and(|text| text.trim() == "1"));
    seen.firewalls = firewall::closed(host);
    seen.runtimes = Some(runtimes(host));
    seen.kubelet = kubelet(host);
    let listening: Vec<u16> = ["/proc/net/tcp", "/proc/net/tcp6"]
        .iter()
        .filter_map(|path| text(host, path))
        .flat_map(|text| proc::listening(&text))
        .collect();
    seen.ports = Some(PORTS.into_iter().filter(|port| listening.contains(port)).collect());
    seen
}

/// A small text file.
fn text(host: &dyn Host, path: &str) -> Option<String> {
    host.read(Path::new(path)).ok().map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
}

fn exists(host: &dyn Host, path: &str) -> bool {
    matches!(host.entry(Path::new(path)), Ok(Some(_)))
}

/// Whether the kubelet that is configured here does not start beside swap.
fn fails_beside_swap(host: &dyn Host) -> bool {
    let settings = text(host, "/etc/default/kubeletconfig.json");
    let settings = settings.and_then(|text| serde_json::from_str::<serde_json::Value>(&text).ok());
    let in_file = settings.and_then(|settings| settings["failSwapOn"].as_bool());
    let flags = text(host, "/etc/default/kubelet").unwrap_or_default();
    let by_flag = flags.split("--fail-swap-on=").nth(1).map(|value| !value.starts_with("false"));
    by_flag.or(in_file).unwrap_or(true)
}

fn cgroups(host: &dyn Host) -> Option<Cgroups> {
    if let Some(controllers) = text(host, "/sys/fs/cgroup/cgroup.controllers") {
        let controllers = controllers.split_whitespace().map(str::to_owned).collect();
        return Some(Cgroups { unified: true, controllers });
    }
    exists(host, "/sys/fs/cgroup").then(|| Cgroups { unified: false, controllers: Vec::new() })
}

/// Whether a module is loaded, built in, or there to be loaded.
fn has_module(host: &dyn Host, name: &str) -> bool {
    if host.has_module(name).unwrap_or(true) {
        return true;
    }
    let Some(release) = text(host, "/proc/sys/kernel/osrelease") else { return true };
    let index = text(host, &format!("/lib/modules/{}/modules.dep", release.trim()));
    index.is_some_and(|index| proc::names_module(&index, name))
}

fn resolver(host: &dyn Host) -> Option<Resolver> {
    let servers = proc::name_servers(&text(host, "/etc/resolv.conf")?);
    Some(Resolver { servers, has_uplinks: exists(host, UPLINKS) })
}

/// The file that kubelet gives to pods which use the machine's resolver, where it is not the usual one.
pub fn resolver_for_pods(host: &dyn Host) -> Option<&'static str> {
    let resolver = resolver(host)?;
    (resolver.is_this_machine() && resolver.has_uplinks).then_some(UPLINKS)
}

/// The swap of the machine's owner that can be turned off. What lies in compressed memory is made anew at each boot, and is
/// left alone.
pub fn swap(host: &dyn Host) -> SwapOff {
    let in_memory = |path: &Path| path.to_string_lossy().starts_with("/dev/zram");
    let areas = host.swaps().unwrap_or_default().into_iter().map(|swap| swap.path);
    let fstab = text(host, "/etc/fstab").unwrap_or_default();
    SwapOff {
        areas: areas.filter(|path| !in_memory(path)).collect(),
        units: swap_units(host),
        in_fstab: proc::has_swap(&fstab),
    }
}

/// The units that use swap at each boot: those of an administrator, of packages, and of partitions that systemd finds by
/// itself. Those that it makes of the table of file systems go with their lines.
fn swap_units(host: &dyn Host) -> Vec<String> {
    let mut units = BTreeSet::new();
    for directory in SWAP_UNITS.map(Path::new) {
        for name in host.list(directory).unwrap_or_default() {
            let name = name.to_string_lossy().into_owned();
            let is_unit = Path::new(&name).extension().is_some_and(|end| end == "swap");
            if is_unit && !name.contains("zram") && !is_masked(host, &name) {
                units.insert(name);
            }
        }
    }
    units.into_iter().collect()
}

fn is_masked(host: &dyn Host, unit: &str) -> bool {
    host.read_link(&Path::new(MASKS).join(unit)).is_ok_and(|target| target == Path::new("/dev/null"))
}

fn runtimes(host: &dyn Host) -> Vec<RuntimeSeen> {
    let there = RUNTIMES.iter().filter_map(|(unit, program)| {
        let state = host.unit(unit).ok()?;
        let runs = state.exists && state.runs();
        (runs || exists(host, program)).then_some(RuntimeSeen { unit, runs })
    });
    there.collect()
}

fn kubelet(host: &dyn Host) -> Option<KubeletSeen> {
    let state = host.unit(KUBELET).ok()?;
    let program = KUBELETS.iter().find(|path| exists(host, path)).map(PathBuf::from);
    Some(KubeletSeen { program, unit: state.exists, runs: state.exists && state.runs() })
}

fn leftovers(host: &dyn Host, authority: Option<&str>) -> Vec<Leftover> {
    let there = |paths: &[&str]| -> Vec<PathBuf> {
        paths.iter().filter(|path| exists(host, path)).map(PathBuf::from).collect()
    };
    let mut found: Vec<Leftover> = there(&CREDENTIALS).into_iter().map(Leftover::Credential).collect();
    for path in there(&AUTHORITIES) {
        let theirs = host.read(&path).unwrap_or_default();
        let same = authority.is_some_and(|ours| ours.trim().as_bytes() == theirs.trim_ascii());
        found.push(Leftover::Authority(path, same));
    }
    let pods = host.list(Path::new(STATIC_PODS)).unwrap_or_default();
    let pods = pods.iter().map(|name| Path::new(STATIC_PODS).join(name));
    let is_pod = |path: &PathBuf| {
        path.extension().is_some_and(|end| ["yaml", "yml", "json"].iter().any(|known| end == *known))
    };
    found.extend(pods.filter(is_pod).map(Leftover::StaticPod));
    found
}
