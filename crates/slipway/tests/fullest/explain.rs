//! `slipway explain` has an answer for everything.

use std::collections::BTreeSet;

use serde_json::Value;
use slipway_plan::Action;

use crate::Machine;
use crate::contract::{fullest, planned};
use crate::names::names;
use crate::secrets::{assert_untold, contracts};
use crate::sown::seeds;

/// What can be asked about; each of them has answers in the fullest plan.
const KINDS: &[&str] = &[
    "step",
    "file",
    "link",
    "setting",
    "unit",
    "module",
    "kubelet-flag",
    "kubelet-key",
    "label",
    "sysctl",
    "cloud-key",
    "script-variable",
    "contract-field",
];

/// Answers that are Slipway's own choice have no source, and say so; a field of the contract is a source itself.
fn complete(answer: &Value) -> bool {
    let text = |name: &str| answer[name].as_str().is_some_and(|text| !text.is_empty());
    let told = answer["sources"].is_array() && text("kind") && text("name");
    told && match answer["kind"].as_str().unwrap() {
        "contract-field" | "script-variable" => text("note"),
        "step" => answer["leads_to"].as_array().is_some_and(|effects| !effects.is_empty()),
        _ => text("step"),
    }
}

#[test]
fn everything_in_the_fullest_plan_is_explained_by_its_name_without_its_secrets() {
    let seeds = seeds();
    let contract = contracts(&seeds).remove(0);
    let machine = Machine::new(&contract);
    let mut kinds = BTreeSet::new();
    let mut wrong = Vec::new();
    for name in names(&planned(&contract)) {
        let output = machine.planned("explain", &[&name, "-o", "json"]);
        assert_untold(&seeds, &name, &output);
        let answer: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
        let answers = answer["answers"].as_array().cloned().unwrap_or_default();
        if !output.status.success() || answers.is_empty() || !answers.iter().all(complete) {
            wrong.push(format!("{name}: {answer} {}", String::from_utf8_lossy(&output.stderr)));
        }
        kinds.extend(answers.iter().filter_map(|answer| answer["kind"].as_str().map(str::to_owned)));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let missing: Vec<&&str> = KINDS.iter().filter(|kind| !kinds.contains(**kind)).collect();
    assert!(missing.is_empty(), "nothing is a {missing:?}: {kinds:?}");
}

#[test]
fn what_no_field_and_no_fact_decides_is_told_to_be_always_so() {
    let contract = fullest();
    let machine = Machine::new(&contract);
    let plan = planned(&contract);
    let fixed = plan.steps().iter().filter(|step| step.sources.iter().next().is_none()).find_map(|step| {
        step.ops.iter().find_map(|op| match &op.action {
            Action::File(file) if op.sources.iter().next().is_none() => Some(&file.path),
            _ => None,
        })
    });
    let fixed = fixed.unwrap().to_str().unwrap();
    let output = machine.planned("explain", &[fixed]);
    assert!(String::from_utf8_lossy(&output.stdout).contains("<- always so: "), "{fixed}");
}
