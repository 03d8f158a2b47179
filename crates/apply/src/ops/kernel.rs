//! Kernel settings, modules and mounts of a running system.

use std::path::Path;

use slipway_host::Mount;
use slipway_plan::Setting;

use crate::attempt::{Effect, Problem};
use crate::ledger::Entry;
use crate::work::{Work, at};

pub(super) fn setting(work: &Work<'_>, setting: &Setting) -> Result<Effect, Problem> {
    if !prepare(work, setting)? {
        return Ok(Effect::Unchanged);
    }
    work.settle()?;
    set(work, setting)
}

/// Records the value that will change; says whether it will.
pub(crate) fn prepare(work: &Work<'_>, setting: &Setting) -> Result<bool, Problem> {
    let path = &setting.path;
    let Some(was) = work.host().setting(path).map_err(|error| at(path, &error))? else {
        if !setting.required {
            return Ok(false);
        }
        return Err(Problem::new(path.display().to_string(), "this kernel has no such setting")
            .hint("load the module that brings it, or leave the setting out"));
    };
    let was = current(&was);
    if was == normal(&setting.value) {
        return Ok(false);
    }
    let leaves = normal(&setting.value);
    work.enter(&path.to_string_lossy(), Entry::Setting { path: path.clone(), was, leaves })?;
    Ok(true)
}

/// Changes a setting that was prepared.
pub(crate) fn set(work: &Work<'_>, setting: &Setting) -> Result<Effect, Problem> {
    let set = work.host().set_setting(&setting.path, &setting.value);
    set.map_err(|error| at(&setting.path, &error))?;
    Ok(Effect::Changed)
}

/// The value of a setting as it would be written: some files show all choices and mark the one that holds.
pub(crate) fn current(shown: &str) -> String {
    match shown.split_once('[').and_then(|(_, rest)| rest.split_once(']')) {
        Some((chosen, _)) => chosen.to_owned(),
        None => normal(shown),
    }
}

/// A value with its white space made plain.
pub(crate) fn normal(value: &str) -> String {
    value.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A module stays loaded after a reset: others may use it by then, and the next boot is without it.
pub(super) fn module(work: &Work<'_>, name: &str) -> Result<Effect, Problem> {
    let what = || format!("kernel module {name}");
    let problem = |error| Problem::system(what(), &error);
    if work.host().has_module(name).map_err(problem)? {
        return Ok(Effect::Unchanged);
    }
    work.changing(&what()).map_err(problem)?;
    work.host().load_module(name).map_err(problem)?;
    Ok(Effect::Changed)
}

pub(super) fn shared_mount(work: &Work<'_>, path: &Path) -> Result<Effect, Problem> {
    let problem = |error| Problem::system(format!("mount of {}", path.display()), &error);
    let host = work.host();
    let mounted = host.is_mount_point(path).map_err(problem)?;
    if !mounted {
        work.enter(&path.to_string_lossy(), Entry::Mount { path: path.to_owned() })?;
        work.settle()?;
        host.mount(&Mount::Bind { from: path.to_owned(), at: path.to_owned() }).map_err(problem)?;
    }
    // Sharing what is shared changes nothing, and an attempt may have ended between the two.
    host.mount(&Mount::Share { at: path.to_owned() }).map_err(problem)?;
    Ok(if mounted { Effect::Unchanged } else { Effect::Changed })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_setting_is_compared_as_it_would_be_written() {
        assert_eq!(current("always [madvise] never"), "madvise");
        assert_eq!(current("4096\t131072\t6291456"), "4096 131072 6291456");
    }
}
