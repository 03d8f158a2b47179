//! An attempt on a machine that is as it should be, and one on a machine that someone has touched.

use std::collections::BTreeSet;
use std::fs;

use serde_json::Value;

use crate::cases::cases;
use crate::site::content;

#[test]
fn a_second_attempt_changes_nothing_and_says_so() {
    for case in cases() {
        let root = case.root();
        case.is_made_good(&root).unwrap();
        let made = root.tree().without_logs();
        let ended = case.provision(&root, None);
        assert_eq!(ended.code, Some(0), "{}", ended.stderr);
        assert!(
            ended.stdout.contains(": nothing to change, "),
            "{}: {}{}",
            case.name,
            ended.stdout,
            ended.stderr
        );
        let mut again = root.tree().without_logs();
        let own =
            |path: &String| path.starts_with("/var/lib/slipway") || path.ends_with("/provision.complete");
        let mut made = made;
        made.0.retain(|path, _| !own(path));
        again.0.retain(|path, _| !own(path));
        assert_eq!(made.difference(&again), None, "{}", case.name);
        let same = case.command(&root, "diff", None, 1);
        assert_eq!((same.code, same.stdout.as_str()), (Some(0), "nothing to change\n"), "{}", case.name);
    }
}

#[test]
fn a_diff_shows_the_files_that_were_edited_by_hand_and_no_others() {
    for case in cases() {
        let root = case.root();
        case.is_made_good(&root).unwrap();
        let edited: BTreeSet<&str> = case
            .after
            .0
            .keys()
            .map(String::as_str)
            .filter(|path| is_ours_alone(path) && content(&case.after, path).is_some())
            .filter(|path| {
                case.before.0.get(*path).map(|thing| &thing.what)
                    != case.after.0.get(*path).map(|thing| &thing.what)
            })
            .step_by(3)
            .collect();
        assert!(edited.len() > 5, "{edited:?}");
        for path in &edited {
            let mut text = fs::read(root.at(path)).unwrap();
            text.extend_from_slice(b"# by hand\n");
            fs::write(root.at(path), text).unwrap();
        }
        let arguments = ["diff", "-o", "json"];
        let ended = case.with(&root, &arguments);
        assert_eq!(ended.code, Some(3), "{}", ended.stderr);
        let shown: Value = serde_json::from_str(&ended.stdout).unwrap();
        let shown: BTreeSet<&str> = shown["differences"]
            .as_array()
            .unwrap()
            .iter()
            .map(|one| one["what"].as_str().unwrap())
            .collect();
        assert_eq!(shown, edited, "{}", case.name);
    }
}

/// Whether a file is written whole; of others only a line is ours.
fn is_ours_alone(path: &str) -> bool {
    ["/etc/default/", "/etc/containerd/", "/etc/systemd/system/", "/etc/sysctl.d/", "/etc/kubernetes/"]
        .iter()
        .any(|directory| path.starts_with(directory))
        && !crate::tree::is_generated(path)
}
