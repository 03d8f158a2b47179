//! Every operation fails once.

use slipway_apply::{ResetOptions, Unwatched};
use slipway_host::{Fault, Faulty};

use crate::site::{Nowhere, Root, apply, options, reset, timeless, tree};
use crate::undoing::{full, lived_in};

#[test]
fn a_fault_anywhere_is_told_truly_leaves_nothing_half_written_and_is_made_good() {
    let root = Root::new();
    let host = root.machine();
    lived_in(&host);
    let before = tree(&host);
    let (old, new) = (timeless(&host), {
        apply(&full(), &host);
        timeless(&host)
    });
    for kind in ["error:EIO", "error:ENOSPC", "error:EACCES", "short"] {
        let mut at = 1;
        loop {
            let root = Root::new();
            let plain = root.machine();
            lived_in(&plain);
            let fault = format!("{kind}:{at}");
            let host = Faulty::new(root.machine(), Fault::parse(&fault));
            let result = slipway_apply::apply(&full(), &host, &Nowhere, &options(1), &Unwatched, &|| false);
            let operations = host.operations().len();
            let after = timeless(&plain);
            match &result {
                Ok(attempt) if attempt.failure.is_none() => assert_eq!(after, new, "{fault}"),
                Ok(attempt) => assert!(!attempt.failure.as_ref().unwrap().problem.found.is_empty()),
                Err(error) => assert!(error.to_string().contains("/var/lib/slipway"), "{fault}: {error}"),
            }
            for (path, text) in &after {
                let whole = old.get(path) == Some(text) || new.get(path) == Some(text);
                let passing = text.ends_with("directory");
                let renamed = path.starts_with("/opt") || path.ends_with("kubelet");
                assert!(whole || passing || renamed, "{fault}: {} {text}", path.display());
            }
            assert_eq!(apply(&full(), &plain).failure, None, "{fault}");
            assert_eq!(timeless(&plain), new, "{fault}");
            reset(&plain);
            assert_eq!(tree(&plain), before, "{fault}");
            if at > operations {
                break;
            }
            at += 1;
        }
    }
}

#[test]
fn a_reset_that_meets_a_fault_says_so_and_the_next_one_finishes() {
    let root = Root::new();
    let host = root.machine();
    lived_in(&host);
    let before = tree(&host);
    let mut at = 1;
    loop {
        let root = Root::new();
        let plain = root.machine();
        lived_in(&plain);
        apply(&full(), &plain);
        let host = Faulty::new(root.machine(), Fault::parse(&format!("error:EIO:{at}")));
        let result = slipway_apply::reset(&host, ResetOptions::default(), &Unwatched);
        let met = at <= host.operations().len();
        if let Ok(report) = &result
            && report.failed.is_empty()
        {
            assert_eq!(tree(&plain), before, "{at}");
        }
        assert_eq!(reset(&plain).failed, [], "{at}");
        assert_eq!(tree(&plain), before, "{at}");
        if !met {
            break;
        }
        at += 1;
    }
}
