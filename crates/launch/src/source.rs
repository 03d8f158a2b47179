//! Where a value came from, and what it won over.

use std::fmt;

/// A layer of configuration. Later layers win over earlier ones where both speak.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Source {
    /// Always the same.
    Fixed,
    /// The environment of the launcher: tenant, subscription, region, cloud.
    Environment,
    /// The launcher's options.
    GlobalOptions,
    /// The node pool: labels, requirements and taints of the node claim.
    NodePool,
    /// The node class.
    NodeClass,
    /// Read from the running cluster: its version, its certificate, its network security group.
    Detected,
    /// Worked out from other values.
    Computed,
}

impl Source {
    /// The name that `--explain` prints.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Fixed => "fixed",
            Self::Environment => "environment",
            Self::GlobalOptions => "global options",
            Self::NodePool => "node pool",
            Self::NodeClass => "node class",
            Self::Detected => "detected",
            Self::Computed => "computed",
        }
    }
}

impl fmt::Display for Source {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.as_str())
    }
}

/// A value that lost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Overridden<T> {
    /// What would have been used.
    pub value: T,
    /// Where it came from.
    pub source: Source,
}

/// A value with the layer that gave it, and the values of other layers that it won over, strongest first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layered<T> {
    /// The value that is used.
    pub value: T,
    /// The layer that gave it.
    pub source: Source,
    /// What it won over.
    pub overridden: Vec<Overridden<T>>,
}

impl<T> Layered<T> {
    /// A value that no other layer speaks about yet.
    pub fn new(value: T, source: Source) -> Self {
        Self { value, source, overridden: Vec::new() }
    }

    /// Puts a stronger layer on top, if it speaks.
    #[must_use]
    pub fn under(mut self, stronger: Option<T>, source: Source) -> Self {
        if let Some(value) = stronger {
            self.put_over(value, source);
        }
        self
    }

    /// Puts a stronger layer on top.
    pub fn put_over(&mut self, value: T, source: Source) {
        let lost = std::mem::replace(&mut self.value, value);
        let source = std::mem::replace(&mut self.source, source);
        self.overridden.insert(0, Overridden { value: lost, source });
    }

    /// The same layers, each value turned into another.
    pub fn map<U>(self, mut turn: impl FnMut(T) -> U) -> Layered<U> {
        let overridden = self.overridden.into_iter();
        Layered {
            value: turn(self.value),
            source: self.source,
            overridden: overridden
                .map(|lost| Overridden { value: turn(lost.value), source: lost.source })
                .collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_strongest_layer_wins_and_the_others_are_remembered_in_order() {
        let pods = Layered::new(110, Source::Fixed)
            .under(Some(250), Source::Computed)
            .under(None, Source::GlobalOptions);
        let pods = pods.under(Some(67), Source::NodeClass).map(|pods| pods.to_string());
        assert_eq!((pods.value.as_str(), pods.source), ("67", Source::NodeClass));
        let lost: Vec<_> = pods.overridden.iter().map(|lost| (lost.value.as_str(), lost.source)).collect();
        assert_eq!(lost, [("250", Source::Computed), ("110", Source::Fixed)]);
    }
}
