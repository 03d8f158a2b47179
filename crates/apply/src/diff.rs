//! What an attempt would change, found out by looking.

use slipway_host::Host;
use slipway_model::{Attributes, Verb};
use slipway_plan::{Action, Plan, Unit};

use crate::attempt::Problem;
use crate::install;
use crate::ops::{self, certificates, files, kernel, moves, swap};
use crate::tree::{Edit, There, Wanted, look};
use crate::work::at;

/// Something that an attempt would change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// The step that would change it.
    pub step: &'static str,
    /// A path, a unit, a kernel setting.
    pub what: String,
    /// What is there.
    pub before: Side,
    /// What would be there.
    pub after: Side,
}

/// One side of a difference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Side {
    /// Nothing.
    Absent,
    /// A file that anyone may see.
    Text {
        /// Its content; what is not UTF-8 is replaced.
        text: String,
        /// Its mode and owner.
        attributes: Attributes,
    },
    /// A file whose content is not to be seen.
    Masked {
        /// Its mode and owner.
        attributes: Attributes,
    },
    /// A link.
    Link(String),
    /// A directory.
    Directory(Attributes),
    /// A value, a state: whatever is told in a word.
    Word(String),
}

/// What an attempt would change; nothing is touched.
pub fn diff(plan: &Plan, host: &dyn Host) -> Result<Vec<Difference>, Problem> {
    let mut differences = Vec::new();
    for step in plan.steps() {
        for op in &step.ops {
            for (what, before, after) in sides(host, &op.action)? {
                differences.push(Difference { step: step.id.0, what, before, after });
            }
        }
    }
    Ok(differences)
}

type Sides = (String, Side, Side);

fn sides(host: &dyn Host, action: &Action) -> Result<Vec<Sides>, Problem> {
    if let Some(edits) = files::edits(host, action)? {
        return edited(host, edits);
    }
    let what = ops::what(action);
    let problem = |error| Problem::system(ops::what(action), &error);
    let word = |word: &str| Side::Word(word.to_owned());
    let live = host.is_live();
    Ok(match action {
        Action::Move(order) => match moves::source(host, order)? {
            Some((from, _)) => {
                let before = if host.entry(&order.to).map_err(problem)?.is_some() {
                    word("another file")
                } else {
                    Side::Absent
                };
                vec![(what, before, Side::Word(from.display().to_string()))]
            }
            None => Vec::new(),
        },
        Action::SelfSigned(order) if !certificates::is_good(host, order)? => {
            vec![(what, Side::Absent, word("a new certificate and its key"))]
        }
        Action::Artifact(artifact) if live => {
            let mut absent = Vec::new();
            for (_, path) in &artifact.members {
                if host.entry(path).map_err(problem)?.is_none() {
                    absent.push((path.display().to_string(), Side::Absent, word("a download")));
                }
            }
            absent
        }
        Action::Unit(unit) => of_unit(host, unit)?,
        Action::Setting(setting) if live => match host.setting(&setting.path).map_err(problem)? {
            Some(value) if kernel::current(&value) != kernel::normal(&setting.value) => {
                vec![(what, Side::Word(kernel::current(&value)), Side::Word(kernel::normal(&setting.value)))]
            }
            _ => Vec::new(),
        },
        Action::Module(name) if live && !host.has_module(name).map_err(problem)? => {
            vec![(what, Side::Absent, word("loaded"))]
        }
        Action::SharedMount(path) if live && !host.is_mount_point(path).map_err(problem)? => {
            vec![(what, Side::Absent, word("mounted and shared"))]
        }
        Action::SwapOff(area) if live && swap::is_on(host, area).map_err(problem)? => {
            vec![(what, word("in use"), word("off"))]
        }
        _ => Vec::new(),
    })
}

fn of_unit(host: &dyn Host, unit: &Unit) -> Result<Vec<Sides>, Problem> {
    let problem = |error| Problem::system(unit.name.as_str(), &error);
    let edits = match (unit.enabled, install::find(host, &unit.name).map_err(problem)?) {
        (Some(true), Some(file)) => install::enabling(host, &unit.name, &file).map_err(problem)?,
        (Some(false), Some(file)) => install::disabling(host, &unit.name, &file).map_err(problem)?,
        _ => Vec::new(),
    };
    let mut all = edited(host, edits)?;
    if let Some(verb) = unit.verb.filter(|_| host.is_live()) {
        let state = host.unit(&unit.name).map_err(problem)?;
        let wanted = match verb {
            Verb::Start | Verb::Restart => true,
            Verb::Stop => false,
            Verb::Reload => state.runs(),
        };
        if state.exists && state.runs() != wanted {
            let after = if wanted { "active" } else { "inactive" };
            all.push((unit.name.clone(), Side::Word(state.active), Side::Word(after.to_owned())));
        }
    }
    Ok(all)
}

fn edited(host: &dyn Host, edits: Vec<Edit<'_>>) -> Result<Vec<Sides>, Problem> {
    let mut all = Vec::new();
    for edit in edits {
        let there = look(host, &edit.path).map_err(|error| at(&edit.path, &error))?;
        if edit.wanted.is(&there) {
            continue;
        }
        // Only the owner's bits: whoever may not read the file may not learn its content here.
        let private = |attributes: &Attributes| attributes.mode.trailing_zeros() >= 6;
        let secret = edit.secret || matches!(&there, There::File { attributes, .. } if private(attributes));
        let before = match there {
            There::Absent => Side::Absent,
            There::Directory { attributes } => Side::Directory(attributes),
            There::Link { target, .. } => Side::Link(target.display().to_string()),
            There::File { attributes, content, .. } => file(attributes, &content, secret),
            There::Other => Side::Word("a device, a pipe or a socket".to_owned()),
        };
        let after = match &edit.wanted {
            Wanted::Absent => Side::Absent,
            Wanted::Directory(attributes) => Side::Directory(*attributes),
            Wanted::Link(target) => Side::Link(target.display().to_string()),
            Wanted::File { attributes, content } => file(*attributes, content, secret),
        };
        let linked = matches!((&before, &after), (Side::Link(_), Side::Directory(_)));
        if !(linked && host.list(&edit.path).is_ok()) {
            all.push((edit.path.display().to_string(), before, after));
        }
    }
    Ok(all)
}

fn file(attributes: Attributes, content: &[u8], secret: bool) -> Side {
    if secret {
        Side::Masked { attributes }
    } else {
        Side::Text { text: String::from_utf8_lossy(content).into_owned(), attributes }
    }
}
