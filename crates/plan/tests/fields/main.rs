//! Each field of the contract is changed in turn: what is honoured changes something, whatever it changes names it; what
//! is the image's changes nothing; what is refused is refused.

mod bases;
mod mutations;
mod outputs;

use serde_json::Value;
use slipway_contract::Contract;
use slipway_contract::codec::{Field, Message as _};
use slipway_contract::node::{Fate, fates};

use bases::{bases, planned};
use mutations::{get, leaves, others, set};
use outputs::{Output, outputs, unnamed};

/// What becomes of the changes of one field.
#[derive(Default)]
struct Effects {
    /// How many outputs changed.
    changed: usize,
    /// Those that do not name the field.
    silent: Vec<String>,
    /// Why there was no plan, for each change that left none.
    refusals: Vec<String>,
}

/// Changes a field of every base to every value, one after the other.
fn effects(way: &[&'static Field], path: &str, bases: &[(Value, Vec<Output>)]) -> Effects {
    let mut effects = Effects::default();
    for (base, unchanged) in bases {
        let mut last: Option<Vec<Output>> = None;
        for value in others(way, get(base, way)) {
            let mut contract = base.clone();
            set(&mut contract, way, &value);
            let after = match planned(&contract) {
                Ok(plan) => outputs(&plan),
                Err(refusal) => {
                    effects.refusals.push(refusal);
                    continue;
                }
            };
            // Against the value before it as well: not only something against nothing.
            for before in [Some(unchanged), last.as_ref()].into_iter().flatten() {
                let (changed, unnamed) = unnamed(before, &after, path);
                effects.changed += changed;
                let silent =
                    unnamed.into_iter().map(|output| format!("{path} = {value}: not named by {output}"));
                effects.silent.extend(silent);
            }
            last = Some(after);
        }
    }
    effects
}

/// What is wrong with the changes of every field that has a fate of this kind.
fn wrongs(of_this_kind: fn(&Fate) -> bool, wrong: fn(&str, Effects) -> Vec<String>) -> Vec<String> {
    let of = |base: Value| {
        let plan = planned(&base).unwrap_or_else(|error| panic!("{error}: {base}"));
        (base, outputs(&plan))
    };
    let bases: Vec<(Value, Vec<Output>)> = bases().into_iter().map(of).collect();
    let mut ways = Vec::new();
    leaves(Contract::default().table(), &[], &mut ways);
    let mut found = Vec::new();
    for way in ways {
        let path = way.iter().map(|field| field.name).collect::<Vec<_>>().join(".");
        if fates().any(|(field, fate)| *field == path && of_this_kind(fate)) {
            found.extend(wrong(&path, effects(&way, &path, &bases)));
        }
    }
    found
}

#[test]
fn an_honoured_field_changes_something_and_whatever_it_changes_names_it() {
    let wrong = wrongs(
        |fate| *fate == Fate::Honoured,
        |path, effects| {
            let nothing = (effects.changed == 0).then(|| format!("{path}: changes nothing"));
            effects.silent.into_iter().chain(nothing).collect()
        },
    );
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_field_that_is_the_images_business_changes_nothing_and_is_not_refused() {
    let wrong = wrongs(
        |fate| matches!(fate, Fate::Image(_)),
        |path, effects| {
            let changes =
                (effects.changed > 0).then(|| format!("{path}: changes {} outputs", effects.changed));
            let refusals = effects.refusals.iter().map(|why| format!("{path}: {why}"));
            refusals.chain(changes).collect()
        },
    );
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_refused_field_is_refused_by_name_and_has_no_effect_where_it_asks_for_nothing() {
    let wrong = wrongs(
        |fate| matches!(fate, Fate::Refused(_)),
        |path, effects| {
            let silent = (effects.refusals.is_empty()).then(|| format!("{path}: is not refused"));
            let others = effects.refusals.iter().filter(|why| !why.contains(path));
            let others: Vec<String> = others.map(|why| format!("{path}: not named by {why}")).collect();
            let changes =
                (effects.changed > 0).then(|| format!("{path}: changes {} outputs", effects.changed));
            others.into_iter().chain(silent).chain(changes).collect()
        },
    );
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
