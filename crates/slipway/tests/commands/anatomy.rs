//! `slipway anatomy --from` and `--compare`: evidence that was collected from some node.

use std::fs::File;
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::Value;

use crate::root::{Root, json, told};
use crate::{run, stdout};

/// Evidence of a node, as it is kept beside the readers.
fn data(node: &str) -> String {
    format!("crates/timeline/tests/data/{node}")
}

/// One of the published schemas.
fn validator(schema: &str) -> jsonschema::Validator {
    let schema: Value = serde_json::from_str(schema).unwrap();
    jsonschema::validator_for(&schema).unwrap()
}

/// What of a document a schema does not describe.
fn errors(validator: &jsonschema::Validator, document: &Value) -> Vec<String> {
    let errors = validator.iter_errors(document);
    errors.map(|error| format!("{error} at {}", error.instance_path())).collect()
}

/// The evidence of a node in an archive below a directory.
fn archive(root: &Root, node: &str) -> PathBuf {
    let path = root.at("/evidence.tar.gz");
    let mut archive = tar::Builder::new(GzEncoder::new(File::create(&path).unwrap(), Compression::fast()));
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(data(node));
    archive.append_dir_all("./node", data).unwrap();
    archive.into_inner().unwrap().finish().unwrap();
    path
}

#[test]
fn the_published_schema_describes_every_node() {
    let validator = validator(include_str!("../../../../docs/reference/anatomy.schema.json"));
    let nodes = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(data(""));
    let nodes = std::fs::read_dir(nodes).unwrap().map(|node| node.unwrap().file_name());
    for node in nodes.map(|node| node.into_string().unwrap()) {
        let node = node.as_str();
        let output = run(&["anatomy", "--from", &data(node), "-o", "json"], "");
        assert!(output.status.success(), "{node}");
        let anatomy = json(&output);
        assert_eq!(errors(&validator, &anatomy), [] as [String; 0], "{node}");
        assert!(!anatomy["intervals"].as_array().unwrap().is_empty(), "{node}");
    }
    assert!(!validator.is_valid(&serde_json::json!({"intervals": [{"name": "x"}]})));
}

#[test]
fn an_archive_tells_what_its_directory_tells_and_a_cut_one_tells_less() {
    let root = Root::new();
    let path = archive(&root, "slow-agent");
    let told_of = |path: &str| json(&run(&["anatomy", "--from", path, "-o", "json"], ""));
    let (directory, packed) = (told_of(&data("slow-agent")), told_of(path.to_str().unwrap()));
    for member in ["milestones", "gaps", "phases", "total_seconds", "shares"] {
        assert_eq!(directory[member], packed[member], "{member}");
    }
    let whole = std::fs::read(&path).unwrap();
    std::fs::write(&path, &whole[..whole.len() / 2]).unwrap();
    let cut = told_of(path.to_str().unwrap());
    let files: Vec<&str> =
        cut["problems"].as_array().unwrap().iter().map(|problem| problem["file"].as_str().unwrap()).collect();
    assert!(!files.is_empty(), "{cut}");
}

#[test]
fn people_see_where_the_time_went_and_what_to_do() {
    let drawn = told(&run(&["anatomy", "--from", &data("slow-agent")], ""));
    let words: String = drawn.split_whitespace().collect::<Vec<_>>().join(" ");
    for part in [
        "cloud-init modules-final",
        "Where 24.90 s went:",
        "waiting for the agent",
        "8.1 s between cloud-init modules-final and goal state: waiting for the agent [agent-waiting]",
        "advice: start provisioning from custom data",
    ] {
        assert!(words.contains(part), "{part} is not in\n{drawn}");
    }
    assert!(drawn.lines().all(|line| line.chars().count() <= 100), "{drawn}");
    let longest = told(&run(&["anatomy", "--longest", "--from", &data("apt-lock")], ""));
    let second = longest.lines().nth(2).unwrap();
    assert!(second.starts_with("configureKubeletAndKubectl"), "{longest}");
    let failed = told(&run(&["anatomy", "--from", &data("failed-api-server")], ""));
    assert!(failed.contains("The node has not become Ready. Where 314.00 s went:"), "{failed}");
    assert!(failed.contains("as long as 60 tries of 5 s without an answer [dns-failover]"), "{failed}");
}

#[test]
fn nodes_are_compared_and_many_give_percentiles() {
    let (fast, slow) = (data("fast"), data("slow-agent"));
    let output = run(&["anatomy", "-o", "json", "--compare", &fast, &slow], "");
    let comparison = json(&output);
    assert_eq!(comparison["runs"], serde_json::json!([fast, slow]));
    let all = comparison["phases"].as_array().unwrap().last().unwrap();
    assert_eq!((&all["name"], &all["p90"]), (&"all".into(), &all["seconds"][1]));
    let validator = validator(include_str!("../../../../docs/reference/comparison.schema.json"));
    assert_eq!(errors(&validator, &comparison), [] as [String; 0]);
    assert!(!validator.is_valid(&serde_json::json!({"runs": [], "phases": [{}], "milestones": []})));
    let table = told(&run(&["anatomy", "--from", &fast, "--compare", &slow], ""));
    assert!(table.lines().next().unwrap().contains("fast"), "{table}");
    let table = told(&run(&["anatomy", "--compare", &fast, &slow, &fast, &slow, &fast], ""));
    assert!(table.lines().next().unwrap().ends_with("p99      most"), "{table}");
}

#[test]
fn what_is_no_evidence_is_refused_in_words() {
    let root = Root::new();
    let empty = root.at("/").to_str().unwrap().to_owned();
    for path in [empty.as_str(), "README.md", "/nonexistent"] {
        let output = run(&["anatomy", "--from", path], "");
        assert_eq!(output.status.code(), Some(1), "{path}");
        let words = String::from_utf8(output.stderr).unwrap();
        assert!(words.contains("hint: "), "{words}");
    }
}

#[test]
fn the_picture_in_the_readme_is_what_anatomy_draws_of_a_real_node() {
    let drawn = stdout(&["anatomy", "--from", "crates/timeline/tests/data/scripts", "-o", "svg"], "");
    let kept =
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/images/anatomy.svg"));
    let command =
        "slipway anatomy --from crates/timeline/tests/data/scripts -o svg > docs/images/anatomy.svg";
    assert!(kept.unwrap_or_default() == drawn, "docs/images/anatomy.svg is out of date: run `{command}`");
}

#[test]
fn a_picture_shows_one_start_and_a_page_any_number() {
    let data = "crates/timeline/tests/data";
    let (fast, slow) = (format!("{data}/fast"), format!("{data}/slow-agent"));
    assert!(stdout(&["anatomy", "--compare", &fast, &slow, "-o", "html"], "").starts_with("<!doctype html>"));
    let refused = run(&["anatomy", "--compare", &fast, &slow, "-o", "svg"], "");
    assert_eq!(refused.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("-o html"));
}

/// What cannot be read is said on every way that people go.
#[test]
fn problems_are_said_also_where_nothing_is_known_and_beside_a_comparison() {
    let root = Root::new();
    root.write("/one/cloud-init.log", "");
    root.write("/one/events/1.json", "{\"OperationId\": \"\", \"TaskName\": \"AKS.CSE.x\"}");
    let one = root.at("/one").to_str().unwrap().to_owned();
    let output = run(&["anatomy", "--from", &one], "");
    assert!(stdout(&["anatomy", "--from", &one], "").contains("the evidence has no times of a node's start"));
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("events/1.json: the event AKS.CSE.x has no times"), "{said}");
    let output = run(&["anatomy", "--compare", &data("fast"), &one], "");
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains(&format!("{one}: events/1.json: the event")), "{said}");
}

/// A compressed archive of many small blocks: a read may end within the words by which a file is known.
#[test]
fn a_file_is_known_however_few_bytes_of_it_come_at_once() {
    let root = Root::new();
    let path = root.at("/evidence.tar.gz");
    let mut plain = tar::Builder::new(Vec::new());
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(data("scripts"));
    plain.append_dir_all("./node", &data).unwrap();
    let mut file = File::create(&path).unwrap();
    for block in plain.into_inner().unwrap().chunks(7_919) {
        let mut member = GzEncoder::new(&mut file, Compression::fast());
        std::io::Write::write_all(&mut member, block).unwrap();
        member.finish().unwrap();
    }
    drop(file);
    let told_of = |path: &str| json(&run(&["anatomy", "--from", path, "-o", "json"], ""));
    let (packed, plain) = (told_of(path.to_str().unwrap()), told_of(data.to_str().unwrap()));
    assert_eq!(packed["milestones"], plain["milestones"]);
    assert_eq!(packed["intervals"].as_array().map(Vec::len), plain["intervals"].as_array().map(Vec::len));
}
