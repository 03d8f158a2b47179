//! The one value that a node claim's requirements leave for a label.

use std::collections::BTreeMap;

use crate::request::{Operator, Requirement};

/// Keys of the past, and what they are now.
const RENAMED: [(&str, &str); 6] = [
    ("beta.kubernetes.io/arch", "kubernetes.io/arch"),
    ("beta.kubernetes.io/instance-type", "node.kubernetes.io/instance-type"),
    ("beta.kubernetes.io/os", "kubernetes.io/os"),
    ("failure-domain.beta.kubernetes.io/region", "topology.kubernetes.io/region"),
    ("failure-domain.beta.kubernetes.io/zone", "topology.kubernetes.io/zone"),
    ("topology.disk.csi.azure.com/zone", "topology.kubernetes.io/zone"),
];

/// What is known of one key.
#[derive(Default)]
struct Admitted<'a> {
    /// The values that are left; `None` while any is possible.
    values: Option<Vec<&'a str>>,
    excluded: Vec<&'a str>,
    bounds: Vec<(Operator, i64)>,
}

/// The labels whose value the requirements leave no choice about.
pub fn claimed_values(requirements: &[Requirement]) -> BTreeMap<&str, &str> {
    let mut keys: BTreeMap<&str, Admitted<'_>> = BTreeMap::new();
    for requirement in requirements {
        let key = RENAMED
            .iter()
            .find(|(old, _)| *old == requirement.key)
            .map_or(requirement.key.as_str(), |(_, new)| new);
        keys.entry(key).or_default().narrow(requirement);
    }
    keys.into_iter().filter_map(|(key, admitted)| Some((key, admitted.only()?))).collect()
}

impl<'a> Admitted<'a> {
    fn narrow(&mut self, requirement: &'a Requirement) {
        let values = requirement.values.iter().map(String::as_str);
        match requirement.operator {
            Operator::In => self.keep(&values.collect::<Vec<_>>()),
            Operator::DoesNotExist => self.keep(&[]),
            Operator::NotIn => self.excluded.extend(values),
            Operator::Exists => {}
            bound @ (Operator::Gt | Operator::Lt | Operator::Gte | Operator::Lte) => {
                self.bounds.extend(values.filter_map(|value| Some((bound, value.parse().ok()?))));
            }
        }
    }

    fn keep(&mut self, wanted: &[&'a str]) {
        let before = self.values.take();
        let is_left = |value: &&str| before.as_ref().is_none_or(|before| before.contains(value));
        let mut left: Vec<&str> = wanted.iter().copied().filter(is_left).collect();
        left.sort_unstable();
        left.dedup();
        self.values = Some(left);
    }

    fn only(self) -> Option<&'a str> {
        let mut left = self.values.as_deref()?.iter().filter(|value| {
            let is_within = |(bound, limit): &(Operator, i64)| {
                value.parse::<i64>().is_ok_and(|number| match bound {
                    Operator::Gt => number > *limit,
                    Operator::Lt => number < *limit,
                    Operator::Gte => number >= *limit,
                    _ => number <= *limit,
                })
            };
            !self.excluded.contains(value) && self.bounds.iter().all(is_within)
        });
        let only = left.next()?;
        left.next().is_none().then_some(only)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_is_claimed_when_one_value_is_left() {
        let requirement = |key: &str, operator, values: &[&str]| Requirement {
            key: key.to_owned(),
            operator,
            values: values.iter().map(|value| (*value).to_owned()).collect(),
        };
        let requirements = [
            requirement("one", Operator::In, &["a"]),
            requirement("two", Operator::In, &["a", "b"]),
            requirement("not", Operator::NotIn, &["a"]),
            requirement("any", Operator::Exists, &[]),
            requirement("none", Operator::DoesNotExist, &[]),
            requirement("met", Operator::In, &["a", "b"]),
            requirement("met", Operator::In, &["b", "c"]),
            requirement("number", Operator::In, &["1", "4"]),
            requirement("number", Operator::Gt, &["1"]),
            requirement("left", Operator::In, &["a", "b"]),
            requirement("left", Operator::NotIn, &["a"]),
            requirement("topology.disk.csi.azure.com/zone", Operator::In, &["westus2-2"]),
        ];
        let claimed = claimed_values(&requirements);
        let expected = [
            ("left", "b"),
            ("met", "b"),
            ("number", "4"),
            ("one", "a"),
            ("topology.kubernetes.io/zone", "westus2-2"),
        ];
        assert_eq!(claimed, BTreeMap::from(expected));
    }
}
