//! Every operation fails once, or writes only half of what it should.

use crate::cases::{FULLEST, PLAIN, cases};
use crate::site::{Case, Ended, Root, SENTINEL, all, content, is_undone, steps};
use crate::tree::{Tree, What};

const ERRORS: [(&str, &str); 3] =
    [("EIO", "input/output error"), ("ENOSPC", "no space left on device"), ("EACCES", "permission denied")];

/// Files that several operations edit.
const EDITED: [&str; 2] = ["/etc/environment", "/etc/sysfs.conf"];

/// Every error at every so manieth operation, and every write cut short.
fn faults(case: &Case, every: usize) -> Vec<String> {
    let numbers = || (1..=case.operations.len()).step_by(every);
    let errors = ERRORS.iter().flat_map(|(name, _)| numbers().map(move |at| format!("error:{name}:{at}")));
    let writes = numbers().filter(|at| case.operations[at - 1].starts_with("write "));
    errors.chain(writes.map(|at| format!("short:{at}"))).collect()
}

fn are_told(case: &Case, every: usize) {
    all(&faults(case, every), |fault| {
        let root = case.root();
        let before = root.tree();
        let ended = case.provision(&root, Some(fault));
        is_truthful(case, &root, fault, &ended)?;
        is_whole(case, &before, &root.tree().lasting())?;
        case.is_made_good(&root)?;
        is_undone(&root, &before.without_logs())
    });
}

#[test]
fn a_fault_in_a_second_attempt_is_not_hidden_by_the_success_of_the_first() {
    for case in cases() {
        let root = case.root();
        case.is_made_good(&root).unwrap();
        case.is_made_good(&root).unwrap();
        let last = root.operations().len();
        let faults: Vec<String> = (1..=last).map(|at| format!("error:EIO:{at}")).collect();
        all(&faults, |fault| {
            let root = case.root();
            case.is_made_good(&root)?;
            let first = root.result().unwrap_or_default()["AttemptId"].clone();
            let ended = case.provision(&root, Some(fault));
            is_truthful(case, &root, fault, &ended)?;
            let said = root.result().unwrap_or_default();
            if ended.code != Some(0) && root.is_complete() && said["AttemptId"] == first {
                return Err(format!("the first result stands for the second attempt: {}", ended.stderr));
            }
            case.is_made_good(&root)
        });
    }
}

#[test]
fn a_fault_anywhere_in_the_plain_contract_is_told_truly_and_made_good() {
    are_told(&PLAIN, 1);
}

#[test]
fn a_fault_at_every_third_operation_of_the_fullest_contract_is_told_truly_and_made_good() {
    are_told(&FULLEST, 3);
}

/// Success is the right machine; a failure says what happened where, and no result says otherwise.
fn is_truthful(case: &Case, root: &Root, fault: &str, ended: &Ended) -> Result<(), String> {
    let result = root.result();
    let said = result.as_ref().and_then(|result| result["ExitCode"].as_str());
    let without: Vec<(String, String)> = result
        .as_ref()
        .map(steps)
        .unwrap_or_default()
        .into_iter()
        .filter(|(_, how)| how == "degraded")
        .collect();
    let Some(code) = ended.code else { return Err("the process was killed".to_owned()) };
    let told = format!("{}{}", ended.stderr, result.as_ref().map(ToString::to_string).unwrap_or_default());
    let named =
        ERRORS.iter().find(|(name, _)| fault.contains(name)).is_none_or(|(_, text)| told.contains(text));
    let error = ended.stderr.lines().find(|line| line.starts_with("error: ")).unwrap_or_default();
    match (code, said) {
        (0, Some("0")) if without.is_empty() => case.is_made(root),
        // One optional feature cannot fail the join; it is named, and why.
        (0, Some("0")) if named && root.is_complete() => Ok(()),
        (0, _) => Err(format!("succeeds with {said:?}: {error}")),
        _ if !named => Err(format!("the error does not say what was found: {error}")),
        _ if !names_its_subject(error) => Err(format!("the error names no path and no unit: {error}")),
        // The result was there already when its sentinel could not be raised.
        (_, Some("0")) => {
            case.is_made(root).or_else(|why| if root.is_complete() { Err(why) } else { Ok(()) })
        }
        (_, None) if root.is_complete() => Err("a sentinel without a result".to_owned()),
        _ => Ok(()),
    }
}

/// Whether an error says where: a path, or a unit by its name.
fn names_its_subject(error: &str) -> bool {
    let mut words = error.split([' ', ':']);
    words.any(|word| word.starts_with('/') || [".service", ".slice"].iter().any(|kind| word.ends_with(kind)))
}

/// Every file is the one before or the one after, and no file of ours is between names.
fn is_whole(case: &Case, before: &Tree, now: &Tree) -> Result<(), String> {
    let before = before.lasting();
    for (path, thing) in &now.0 {
        let known = [before.0.get(path), case.after.0.get(path)];
        if known.contains(&Some(thing)) || thing.what == What::Directory {
            continue;
        }
        let What::File(now) = &thing.what else {
            return Err(format!("{path} is neither old nor new: {}", thing.told()));
        };
        // What was moved is whole before it has its own mode, or is edited.
        let moved =
            before.0.values().any(|old| old.what == thing.what && old.mode & thing.mode == thing.mode);
        // A file that several edits are for is whole after each of them.
        let mut lines = now.split_inclusive(|byte| *byte == b'\n');
        let edited = EDITED.contains(&path.as_str())
            && lines.all(|line| {
                line.ends_with(b"\n") && content(&case.after, path).is_some_and(|after| holds(after, line))
            });
        if !moved && !edited {
            return Err(format!("{path} is neither old nor new: {}", thing.told()));
        }
    }
    // The sentinel is gone as long as an attempt has not ended.
    let is_missing =
        |path: &&String| !now.0.contains_key(*path) && case.after.0.contains_key(*path) && *path != SENTINEL;
    let gone = before.0.keys().find(is_missing);
    gone.map_or(Ok(()), |path| Err(format!("{path} is gone")))
}

fn holds(text: &[u8], line: &[u8]) -> bool {
    text.windows(line.len()).any(|part| part == line)
}
