//! Killed with SIGKILL before every operation, and in the middle of every write.

use crate::cases::{FULLEST, PLAIN, cases};
use crate::site::{Case, Root, all, is_undone};

/// Every operation's number, and those of writes once more for their middle.
pub(crate) fn deaths(operations: &[String]) -> Vec<String> {
    let numbered = || operations.iter().enumerate().map(|(at, operation)| (at + 1, operation));
    let before = numbered().map(|(at, _)| format!("kill:{at}"));
    let within = numbered().filter(|(_, operation)| operation.starts_with("write "));
    before.chain(within.map(|(at, _)| format!("kill-in-write:{at}"))).collect()
}

fn dies(case: &Case, root: &Root, fault: &str, workers: usize) -> Result<(), String> {
    let ended = case.command(root, "provision", Some(fault), workers);
    if let Some(code) = ended.code {
        return Err(format!("was not killed but ended with {code}: {}", ended.stderr));
    }
    // Whoever finds the sentinel relies on the result beside it.
    if root.is_complete() && root.result().is_some() { case.is_made(root) } else { Ok(()) }
}

fn is_survived(case: &Case) {
    all(&deaths(&case.operations), |fault| {
        let root = case.root();
        let before = root.tree().without_logs();
        dies(case, &root, fault, 1)?;
        case.is_made_good(&root)?;
        is_undone(&root, &before)
    });
}

#[test]
fn an_attempt_of_the_plain_contract_killed_anywhere_is_made_good_by_the_next() {
    is_survived(&PLAIN);
}

#[test]
fn an_attempt_of_the_fullest_contract_killed_anywhere_is_made_good_by_the_next() {
    is_survived(&FULLEST);
}

/// Numbers without a pattern and the same each time.
fn scattered(from: usize, below: usize) -> usize {
    from.wrapping_mul(2_654_435_761) % below.max(1)
}

#[test]
fn an_attempt_killed_twice_is_made_good_by_the_third() {
    for case in cases() {
        let deaths = deaths(&case.operations);
        let sample: Vec<&String> = deaths.iter().step_by(case.operations.len() / 60).collect();
        all(&sample, |fault| {
            let root = case.root();
            let before = root.tree().without_logs();
            dies(case, &root, fault, 1)?;
            let at = 1 + scattered(fault.len() + fault.bytes().map(usize::from).sum::<usize>(), deaths.len());
            // An attempt that finds work done has fewer operations, and may end before its time.
            let _ = case.provision(&root, Some(&format!("kill:{at}")));
            case.is_made_good(&root)?;
            is_undone(&root, &before)
        });
    }
}

#[test]
fn an_attempt_with_many_steps_at_once_killed_anywhere_is_made_good_by_the_next() {
    for case in cases() {
        let last = case.operations.len();
        let sample: Vec<usize> = (1..60).map(|number| 1 + scattered(number, last * 9 / 10)).collect();
        all(&sample, |at| {
            let root = case.root();
            let before = root.tree().without_logs();
            dies(case, &root, &format!("kill:{at}"), 8)?;
            case.is_made_good(&root)?;
            is_undone(&root, &before)
        });
    }
}
