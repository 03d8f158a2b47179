//! Programs installed from a mirror that fails: each time they come in the end, or the right reason and a hint do, and
//! nothing is half there.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use slipway_apply::{Attempt, Network, Options, ResetOptions, Unwatched, apply, reset};
use slipway_host::{EntryKind, Fault, FaultKind, Faulty, Host, Recorded};
use slipway_model::{Blame, ExitReason};

use crate::mirror::{Asked, Manner, Mirror};
use crate::releases::Releases;

const SIZE: usize = 40_000;
/// ENOSPC.
const NO_SPACE: i32 = 28;

fn install(host: &dyn Host, releases: &Releases, mirror: &str, within: Duration) -> Attempt {
    let network = Network::new(host, None, Vec::new());
    apply(&releases.plan(mirror), host, &network, &Options::within(within), &Unwatched, &|| false).unwrap()
}

/// Installs from a mirror with these manners; all has to be there in the end.
fn comes(manners: impl Fn(&Asked, usize) -> Manner + Send + Sync + 'static) -> Mirror {
    let releases = Releases::of(SIZE);
    let mirror = Mirror::open(releases.files.clone(), manners);
    let host = Recorded::live();
    let attempt = install(&host, &releases, &mirror.url(), Duration::from_secs(20));
    assert!(attempt.failure.is_none(), "{:?}", attempt.failure);
    for (path, content) in releases.installed() {
        assert!(host.read(Path::new(&path)).unwrap() == content, "{path}");
    }
    mirror
}

/// How an installation fails that must.
struct Failed {
    reason: ExitReason,
    found: String,
    hint: String,
    blame: Blame,
}

fn fails(releases: &Releases, mirror: &str) -> Failed {
    let host = Recorded::live();
    let before = files(&host);
    let attempt = install(&host, releases, mirror, Duration::from_secs(3));
    let failure = attempt.failure.unwrap();
    nothing_is_half_there(&host, releases);
    reset(&host, ResetOptions::default(), &Unwatched).unwrap();
    assert_eq!(files(&host), before);
    let problem = failure.problem;
    Failed {
        reason: failure.reason,
        blame: problem.blame.unwrap(),
        hint: problem.hint.clone().unwrap_or_default(),
        found: problem.to_string(),
    }
}

/// Every file that is there, but for our own record of it.
fn files(host: &dyn Host) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut directories = vec![PathBuf::from("/")];
    while let Some(directory) = directories.pop() {
        for name in host.list(&directory).unwrap() {
            let path = directory.join(name);
            match host.entry(&path).unwrap().unwrap().kind {
                EntryKind::Directory if path != Path::new("/var/lib/slipway") => directories.push(path),
                EntryKind::File => {
                    let content = host.read(&path).unwrap();
                    found.insert(path, content);
                }
                _ => {}
            }
        }
    }
    found
}

fn nothing_is_half_there(host: &dyn Host, releases: &Releases) {
    let whole = releases.installed();
    for (path, content) in files(host) {
        assert!(whole.get(path.to_str().unwrap()) == Some(&content), "{} is half there", path.display());
    }
}

fn is_kubelet(asked: &Asked) -> bool {
    asked.path.ends_with("/kubelet")
}

#[test]
fn what_passes_costs_time_and_nothing_else() {
    comes(|_, before| if before < 2 { Manner::Status(500, None) } else { Manner::Serve });
    comes(|_, _| Manner::Late(Duration::from_millis(300)));
    let start = Instant::now();
    comes(|asked, before| match before {
        0 if is_kubelet(asked) => Manner::Status(429, Some(1)),
        _ => Manner::Serve,
    });
    assert!(start.elapsed() >= Duration::from_secs(1), "whoever asks for a second gets it");
}

#[test]
fn a_download_that_breaks_off_goes_on_where_it_was() {
    let mirror = comes(|_, before| if before < 2 { Manner::Cut(10_000) } else { Manner::Serve });
    let from: Vec<usize> =
        mirror.asked().iter().filter(|asked| is_kubelet(asked)).map(|asked| asked.from).collect();
    assert_eq!(from, [0, 10_000, 20_000]);
}

#[test]
fn a_mirror_gets_the_password_of_its_address() {
    let releases = Releases::of(SIZE);
    let mirror = Mirror::open(releases.files.clone(), |asked, _| match &asked.authorization {
        Some(word) if word == "Basic dXNlcjp3b3Jk" => Manner::Serve,
        _ => Manner::Status(401, None),
    });
    let host = Recorded::live();
    let url = format!("http://user:word@{}", mirror.address);
    let attempt = install(&host, &releases, &url, Duration::from_secs(20));
    assert!(attempt.failure.is_none(), "{:?}", attempt.failure);
    assert!(!host.calls().concat().contains("word"));
    let refused = fails(&releases, &format!("http://user:wrong-word@{}", mirror.address));
    assert!(
        refused.found.contains("status 401") && !refused.found.contains("wrong-word"),
        "{}",
        refused.found
    );
    assert!(refused.hint.contains("password"), "{}", refused.hint);
}

#[test]
fn what_does_not_pass_is_told_with_a_hint() {
    for (manner, found, hint, blame) in [
        (Manner::Status(500, None), "status 500", "another place", Blame::Service),
        (Manner::Status(429, Some(600)), "asks to be left alone for 600 s", "another place", Blame::Service),
        (Manner::Status(403, None), "status 403", "a user and a password", Blame::Service),
        (Manner::Cut(0), "the connection to 127.0.0.1", "reaches it", Blame::Network),
        (Manner::Late(Duration::from_mins(1)), "took too long", "reaches it", Blame::Network),
        (Manner::Other, "its SHA-256 is", "has another file under this name", Blame::Input),
    ] {
        let releases = Releases::of(SIZE);
        let mirror =
            Mirror::open(
                releases.files.clone(),
                move |asked, _| {
                    if is_kubelet(asked) { manner } else { Manner::Serve }
                },
            );
        let failed = fails(&releases, &mirror.url());
        assert_eq!(
            (failed.reason, failed.blame),
            (ExitReason::KubernetesDownload, blame),
            "{}",
            failed.found
        );
        assert!(failed.found.contains(found), "{} has no {found}", failed.found);
        assert!(failed.hint.contains(hint), "{} has no {hint}", failed.hint);
    }
}

#[test]
fn a_mirror_without_a_name_or_a_server_is_the_networks_fault() {
    let releases = Releases::of(SIZE);
    let failed = fails(&releases, "http://mirror.invalid");
    assert_eq!(failed.blame, Blame::Network);
    assert!(
        failed.found.contains("mirror.invalid") && failed.hint.contains("resolv.conf"),
        "{}",
        failed.hint
    );
    // Nobody listens on the port of a server that has gone.
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let failed = fails(&releases, &format!("http://127.0.0.1:{port}"));
    assert!(
        failed.found.contains("refuses connections") && failed.hint.contains("firewall"),
        "{}",
        failed.hint
    );
}

#[test]
fn an_archive_that_is_none_is_not_installed() {
    let whole = Releases::of(SIZE);
    let releases = Releases::with(|component, version| {
        let path = format!("/dl.k8s.io/v{version}/bin/linux");
        match whole
            .files
            .iter()
            .find(|(name, _)| name.starts_with(&path) && name.ends_with(&component.to_string()))
        {
            Some((_, file)) => file.clone(),
            None => b"<html>not here</html>".repeat(100),
        }
    });
    let mirror = Mirror::open(releases.files.clone(), |_, _| Manner::Serve);
    let host = Recorded::live();
    let attempt = install(&host, &releases, &mirror.url(), Duration::from_secs(3));
    let failure = attempt.failure.unwrap();
    assert!(failure.problem.to_string().contains("it is no tar archive"), "{}", failure.problem);
    let there = files(&host);
    assert!(there.keys().all(|path| !path.starts_with("/usr/local/bin") && !path.starts_with("/opt/cni")));
}

#[test]
fn a_full_disk_is_told_and_leaves_no_half_of_a_program() {
    let releases = Releases::of(SIZE);
    let mirror = Mirror::open(releases.files.clone(), |_, _| Manner::Serve);
    // One after another, so that the same operation has the same number.
    let options = Options { workers: NonZeroUsize::MIN, ..Options::within(Duration::from_secs(9)) };
    let attempt = |fault| {
        let host = Faulty::new(Recorded::live(), fault);
        let network = Network::new(&host, None, Vec::new());
        let plan = releases.plan(&mirror.url());
        let attempt = apply(&plan, &host, &network, &options, &Unwatched, &|| false).unwrap();
        (host, attempt)
    };
    let operations = attempt(None).0.operations();
    let write = operations.iter().position(|line| line.starts_with("write") && line.contains("kubelet"));
    let at = write.unwrap_or_else(|| panic!("{operations:#?}")) as u64 + 1;
    let (host, attempt) = attempt(Some(Fault { at, kind: FaultKind::Error(NO_SPACE) }));
    let failure = attempt.failure.unwrap();
    assert!(failure.problem.to_string().contains("no space left"), "{}", failure.problem);
    assert_eq!(failure.problem.blame, Some(Blame::Machine));
    assert!(failure.problem.hint.unwrap().contains("free some space"));
    nothing_is_half_there(&host, &releases);
}
