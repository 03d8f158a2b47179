//! A secret of the contract is in the files that need it, 0600 each, and nowhere else.

use std::io::Read as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Output;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use flate2::read::GzDecoder;
use serde_json::{Value, json};
use slipway_contract::node::{Fate, fates};
use slipway_plan::{Action, Content, Plan};

use crate::Machine;
use crate::contract::{fullest, merged, planned};
use crate::sown::{Seed, seeds};

/// What programs of others read, or send away; it is for everyone, whatever its mode.
const TOLD: &[&str] = &["/var/log", "/var/lib/slipway/journal.jsonl", "/opt/azure/containers"];

/// Sown contracts that can be provisioned: one for each way to join, since they exclude each other.
pub(crate) fn contracts(seeds: &[Seed]) -> Vec<Value> {
    let is_refused =
        |seed: &&Seed| fates().any(|(path, fate)| *path == seed.path && matches!(fate, Fate::Refused(_)));
    let mut token = fullest();
    for seed in seeds.iter().filter(|seed| !is_refused(seed)) {
        seed.sow(&mut token, "");
    }
    let key = token["kubelet_config"]["kubelet_client_key"].take();
    let certificate = merged(
        token.clone(),
        json!({
            "bootstrapping_config": {"tls_bootstrapping_token": "", "bootstrapping_auth_method": 0},
            "kubelet_config": {"kubelet_client_key": key, "kubelet_client_cert_content": "Y2VydA=="},
        }),
    );
    let attested = merged(
        token.clone(),
        json!({"bootstrapping_config": {"tls_bootstrapping_token": "", "bootstrapping_auth_method": 2}}),
    );
    vec![token, certificate, attested]
}

/// A machine whose contract is sown; it checks whatever its commands tell.
struct Watched<'s> {
    machine: Machine,
    plan: Plan,
    seeds: &'s [Seed],
}

impl<'s> Watched<'s> {
    fn new(contract: &Value, seeds: &'s [Seed]) -> Self {
        Self { machine: Machine::new(contract), plan: planned(contract), seeds }
    }

    fn planned(&self, command: &str, more: &[&str]) -> Output {
        self.checked(command, more, self.machine.planned(command, more))
    }

    fn plain(&self, command: &str, more: &[&str]) -> Output {
        self.checked(command, more, self.machine.plain(command, more))
    }

    fn checked(&self, command: &str, more: &[&str], output: Output) -> Output {
        assert_untold(self.seeds, &format!("{command} {more:?}"), &output);
        output
    }

    /// The files that hold secrets.
    fn secret_files(&self) -> impl Iterator<Item = &Path> {
        self.plan.steps().iter().flat_map(|step| &step.ops).filter_map(|op| match &op.action {
            Action::File(file) if matches!(file.content, Content::Secret(_)) => Some(file.path.as_path()),
            _ => None,
        })
    }

    /// Searches every file below the root; gives the fields whose secrets were found where they may be.
    fn search(&self) -> Vec<&'s str> {
        let mut found = Vec::new();
        for path in files(&self.machine.root()) {
            let below = Path::new("/").join(path.strip_prefix(self.machine.root()).unwrap());
            let mode = std::fs::metadata(&path).unwrap().permissions().mode() & 0o7777;
            let open = mode != 0o600 || TOLD.iter().any(|told| below.starts_with(told));
            let content = std::fs::read(&path).unwrap();
            for seed in self.seeds.iter().filter(|seed| seed.is_in(&content)) {
                assert!(!open, "{} is in {}, {mode:o}", seed.path, below.display());
                found.push(seed.path.as_str());
            }
        }
        found
    }
}

pub(crate) fn assert_untold(seeds: &[Seed], what: &str, output: &Output) {
    for seed in seeds {
        for text in [&output.stdout, &output.stderr] {
            assert!(!seed.is_in(text), "{what} tells {}:\n{}", seed.path, String::from_utf8_lossy(text));
        }
    }
}

fn files(directory: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        let about = std::fs::symlink_metadata(&path).unwrap();
        if about.is_dir() {
            found.extend(files(&path));
        } else if about.is_file() {
            found.push(path);
        }
    }
    found
}

#[test]
fn no_command_tells_a_secret_and_no_file_that_others_read_holds_one() {
    let seeds = seeds();
    let mut kept = Vec::new();
    for contract in contracts(&seeds) {
        let node = Watched::new(&contract, &seeds);
        for format in ["text", "json", "dot"] {
            assert!(node.planned("plan", &["-o", format]).status.success());
        }
        node.planned("diff", &[]);
        node.planned("provision", &["--dry-run"]);
        let output = node.planned("provision", &["-v", "--progress", "json"]);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        kept.extend(node.search());
        node.planned("provision", &["-v", "--progress", "plain"]);
        for command in ["status", "anatomy"] {
            node.plain(command, &[]);
            node.plain(command, &["-o", "json"]);
        }
        node.plain("facts", &[]);
        node.planned("doctor", &[]);
        for path in node.secret_files() {
            std::fs::write(node.machine.at(path), "changed by hand\n").unwrap();
        }
        node.planned("diff", &[]);
        node.planned("diff", &["-o", "json"]);
        node.planned("doctor", &["-o", "json"]);
        node.planned("provision", &["-v"]);
        node.search();
        node.plain("reset", &["--dry-run"]);
        node.plain("reset", &["--force", "-o", "json"]);
        node.search();
    }
    // What is searched for is there to be found.
    for path in ["bootstrapping_config.tls_bootstrapping_token", "auth_config.service_principal_secret"] {
        assert!(kept.contains(&path), "{path} is in no file: {kept:?}");
    }
    for path in ["kubelet_config.kubelet_client_key", "http_proxy_config.http_proxy"] {
        assert!(kept.contains(&path), "{path} is in no file: {kept:?}");
    }
}

/// Logs that tell every secret of the contract, as it is and within base64; what is collected of them tells none.
#[test]
fn no_collected_evidence_tells_a_secret() {
    let seeds = seeds();
    for contract in contracts(&seeds) {
        let node = Watched::new(&contract, &seeds);
        assert!(node.planned("provision", &[]).status.success());
        let written = contract.to_string();
        let told: Vec<&Seed> = seeds.iter().filter(|seed| written.contains(&seed.value)).collect();
        assert!(told.len() > 10, "{}", told.len());
        let line = |seed: &&Seed| {
            ["", "a", "ab"].map(|before| {
                let text = format!("{before}{}", seed.value);
                format!("+ echo {text} and {}, then on\n", BASE64_STANDARD.encode(format!("{text} and on")))
            })
        };
        let log: String = told.iter().flat_map(line).collect();
        for path in ["/var/log/azure/cluster-provision.log", "/var/log/cloud-init-output.log"] {
            std::fs::create_dir_all(node.machine.at(path).parent().unwrap()).unwrap();
            std::fs::write(node.machine.at(path), &log).unwrap();
        }
        let config = node.machine.at("/opt/azure/containers/aks-node-controller-config.json");
        std::fs::create_dir_all(config.parent().unwrap()).unwrap();
        std::fs::write(config, &written).unwrap();
        let path = node.machine.at("/collected.tar.gz");
        assert!(node.plain("collect", &["-o", path.to_str().unwrap()]).status.success());
        let packed = std::fs::read(path).unwrap();
        let mut archive = tar::Archive::new(GzDecoder::new(&packed[..]));
        let mut lines = 0;
        for entry in archive.entries().unwrap() {
            let (mut entry, mut text) = (entry.unwrap(), String::new());
            entry.read_to_string(&mut text).unwrap();
            for seed in &seeds {
                let name = entry.path().unwrap().display().to_string();
                assert!(!seed.is_in(text.as_bytes()), "{} is in {name}:\n{text}", seed.path);
            }
            lines += text.matches(", then on").count();
        }
        assert_eq!(lines, 2 * 3 * told.len(), "what is searched is there");
    }
}

#[test]
fn no_explanation_tells_a_secret() {
    let seeds = seeds();
    for contract in contracts(&seeds) {
        let node = Watched::new(&contract, &seeds);
        let files = node.secret_files().map(|path| path.to_str().unwrap());
        for name in files.chain(seeds.iter().map(|seed| seed.path.as_str())) {
            assert!(node.planned("explain", &[name]).status.success(), "{name}");
        }
    }
}

#[test]
fn no_failure_of_a_step_tells_a_secret() {
    let seeds = seeds();
    for contract in contracts(&seeds) {
        let paths: Vec<PathBuf> =
            Watched::new(&contract, &seeds).secret_files().map(Path::to_owned).collect();
        assert!(paths.len() > 2);
        for path in paths {
            let node = Watched::new(&contract, &seeds);
            std::fs::create_dir_all(node.machine.at(&path).join("in the way")).unwrap();
            let output = node.planned("provision", &["-v", "--progress", "json"]);
            let told = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(told.contains(path.to_str().unwrap()), "{}: {told}", path.display());
            node.plain("status", &[]);
            node.plain("anatomy", &["-o", "json"]);
            node.search();
        }
    }
}

#[test]
fn no_refusal_tells_a_secret() {
    let seeds = seeds();
    for seed in &seeds {
        for spoil in ["", "%", "\n#sha256=1"] {
            let mut contract = fullest();
            seed.sow(&mut contract, spoil);
            let machine = Machine::new(&contract);
            for (command, more) in [("plan", &["-o", "json"][..]), ("provision", &["-v"])] {
                let output = machine.planned(command, more);
                assert_untold(&seeds, &format!("{command} with {} and {spoil:?}", seed.path), &output);
            }
            let told = files(&machine.at("/var/log"));
            for file in told {
                assert!(!seed.is_in(&std::fs::read(&file).unwrap()), "{}: {}", seed.path, file.display());
            }
        }
    }
}
