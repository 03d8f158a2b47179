//! Values that know where they came from.

use std::borrow::Cow;

/// Where a value came from.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Source {
    /// A field of the contract that is set, by its path, such as `kubelet_config.kubelet_flags[--max-pods]`.
    Contract(Cow<'static, str>),
    /// A field of the contract that is not set; a default stands in for it.
    Unset(Cow<'static, str>),
    /// What is known of the machine, by its name in [`Facts`](crate::Facts).
    Fact(&'static str),
    /// A key of a flex configuration, such as `node.kubelet.verbosity`.
    Flex {
        /// Its path.
        key: Cow<'static, str>,
        /// Whether the configuration has it; otherwise a default stands in for it.
        set: bool,
    },
}

/// Where a made thing came from: every source that was read on the way to it, once each, in order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sources(Vec<Source>);

/// A value with its sources. The value is reached only through [`Sources::read`], so that nothing can be made of it
/// without naming them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sourced<T> {
    value: T,
    sources: Sources,
}

impl Sources {
    /// No sources yet: what Slipway always does.
    pub const fn none() -> Self {
        Self(Vec::new())
    }

    /// Takes a value into what is being made.
    pub fn read<'v, T>(&mut self, sourced: &'v Sourced<T>) -> &'v T {
        self.join(&sourced.sources);
        &sourced.value
    }

    /// Takes a fact into what is being made.
    pub fn fact<'v, T: ?Sized>(&mut self, name: &'static str, fact: &'v T) -> &'v T {
        self.add(Source::Fact(name));
        fact
    }

    /// Adds a source.
    pub fn add(&mut self, source: Source) {
        if let Err(at) = self.0.binary_search(&source) {
            self.0.insert(at, source);
        }
    }

    /// Adds the sources of something that this is made of.
    pub fn join(&mut self, other: &Self) {
        for source in &other.0 {
            self.add(source.clone());
        }
    }

    /// Whether a field of the contract or of a flex configuration had a part in it, set or not. Keys of maps and places in lists do not count:
    /// `labels[a]` is the field `labels`.
    pub fn names(&self, field: &str) -> bool {
        self.0.iter().any(|source| match source {
            Source::Contract(path) | Source::Unset(path) | Source::Flex { key: path, .. } => {
                field_of(path) == field
            }
            Source::Fact(_) => false,
        })
    }

    /// Every source, in order.
    pub fn iter(&self) -> std::slice::Iter<'_, Source> {
        self.0.iter()
    }
}

fn field_of(path: &str) -> Cow<'_, str> {
    if !path.contains('[') {
        return path.into();
    }
    let mut depth = 0_u32;
    let outside = |letter: &char| {
        let before = depth;
        depth = match letter {
            '[' => depth + 1,
            ']' => depth.saturating_sub(1),
            _ => depth,
        };
        before == 0 && depth == 0
    };
    path.chars().filter(outside).collect::<String>().into()
}

impl<'a> IntoIterator for &'a Sources {
    type Item = &'a Source;
    type IntoIter = std::slice::Iter<'a, Source>;
    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl From<Source> for Sources {
    fn from(source: Source) -> Self {
        Self(vec![source])
    }
}

impl<T> Sourced<T> {
    /// A value with its sources.
    pub fn new(value: T, sources: impl Into<Sources>) -> Self {
        Self { value, sources: sources.into() }
    }

    /// A value that is Slipway's own choice.
    pub fn fixed(value: T) -> Self {
        Self { value, sources: Sources::none() }
    }

    /// The same sources, another value.
    pub fn map<U>(&self, make: impl FnOnce(&T) -> U) -> Sourced<U> {
        Sourced { value: make(&self.value), sources: self.sources.clone() }
    }

    /// One value made of two.
    pub fn with<U, V>(&self, other: &Sourced<U>, make: impl FnOnce(&T, &U) -> V) -> Sourced<V> {
        let mut sources = self.sources.clone();
        sources.join(&other.sources);
        Sourced { value: make(&self.value, &other.value), sources }
    }

    /// Where the value came from.
    pub fn sources(&self) -> &Sources {
        &self.sources
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_made_names_everything_that_was_read() {
        let version = Sourced::new("1.34.1".to_owned(), Source::Contract("kubernetes_version".into()));
        let nodes = Sourced::new(3, Source::Unset("pools[a].nodes".into()));
        let mut of = Sources::none();
        let text = format!("{} {}", of.read(&version), of.read(&nodes));
        of.fact("hostname", "n1");
        of.read(&version);
        assert_eq!(text, "1.34.1 3");
        assert_eq!(of.iter().count(), 3);
        assert!(of.names("kubernetes_version") && of.names("pools.nodes") && !of.names("hostname"));
        assert_eq!(version.with(&nodes, |a, b| format!("{a}{b}")).sources().iter().count(), 2);
    }
}
