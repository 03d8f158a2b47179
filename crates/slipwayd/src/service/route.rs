//! Paths.

use std::borrow::Cow;

/// What a path leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Route {
    /// Node bootstrapping for a cluster.
    Bootstrapping,
    /// Whether the process lives.
    Health,
    /// Whether it takes requests.
    Ready,
    /// Numbers for a scraper.
    Metrics,
    /// The description of the API.
    OpenApi,
    /// Nothing.
    Unknown,
}

impl Route {
    pub(crate) const ALL: [Self; 6] =
        [Self::Bootstrapping, Self::Health, Self::Ready, Self::Metrics, Self::OpenApi, Self::Unknown];

    /// The name that metrics and logs use.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Bootstrapping => "nodeBootstrapping",
            Self::Health => "healthz",
            Self::Ready => "readyz",
            Self::Metrics => "metrics",
            Self::OpenApi => "openapi",
            Self::Unknown => "unknown",
        }
    }

    /// Where a path leads.
    pub(crate) fn of(path: &str) -> Self {
        match path {
            "/healthz" => Self::Health,
            "/readyz" => Self::Ready,
            "/metrics" => Self::Metrics,
            "/openapi.json" => Self::OpenApi,
            path if ClusterPath::parse(path).is_some() => Self::Bootstrapping,
            _ => Self::Unknown,
        }
    }
}

/// Which cluster a path of node bootstrapping names. Azure compares such names without case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ClusterPath<'a> {
    /// The subscription.
    pub(crate) subscription: Cow<'a, str>,
    /// The resource group of the cluster.
    pub(crate) resource_group: Cow<'a, str>,
    /// The cluster.
    pub(crate) name: Cow<'a, str>,
}

/// The path, with `{}` where a name stands.
const PATTERN: [&str; 9] = [
    "subscriptions",
    "{}",
    "resourceGroups",
    "{}",
    "providers",
    "Microsoft.ContainerService",
    "managedclusters",
    "{}",
    "nodeBootstrapping",
];

impl<'a> ClusterPath<'a> {
    /// Reads a path; fixed words count in any case, as they do in Azure.
    pub(crate) fn parse(path: &'a str) -> Option<Self> {
        let mut parts = path.strip_prefix('/')?.split('/');
        let mut names = [const { Cow::Borrowed("") }; 3];
        let mut at = 0;
        for expected in PATTERN {
            let part = parts.next()?;
            if expected == "{}" {
                *names.get_mut(at)? = decoded(part).filter(|name| !name.is_empty())?;
                at += 1;
            } else if !part.eq_ignore_ascii_case(expected) {
                return None;
            }
        }
        let [subscription, resource_group, name] = names;
        parts.next().is_none().then_some(Self { subscription, resource_group, name })
    }
}

/// A part of a path without its percent-encoding; `None` where that is broken.
fn decoded(part: &str) -> Option<Cow<'_, str>> {
    if !part.contains('%') {
        return Some(Cow::Borrowed(part));
    }
    let mut bytes = Vec::with_capacity(part.len());
    let mut rest = part.as_bytes();
    while let Some((byte, tail)) = rest.split_first() {
        rest = tail;
        if *byte == b'%' {
            let (digits, tail) = rest.split_at_checked(2)?;
            let digits = std::str::from_utf8(digits).ok().filter(|digits| !digits.starts_with('+'))?;
            bytes.push(u8::from_str_radix(digits, 16).ok()?);
            rest = tail;
        } else {
            bytes.push(*byte);
        }
    }
    String::from_utf8(bytes).ok().map(Cow::Owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_names_its_cluster_in_any_case_and_encoding() {
        let path = "/Subscriptions/s/resourcegroups/r%28g%29/providers/microsoft.containerservice/managedClusters/c/nodeBootstrapping";
        let found = ClusterPath::parse(path).unwrap();
        assert_eq!((&*found.subscription, &*found.resource_group, &*found.name), ("s", "r(g)", "c"));
        assert_eq!(Route::of(path), Route::Bootstrapping);
    }

    #[test]
    fn a_path_that_is_not_whole_leads_nowhere() {
        let whole = "/subscriptions/s/resourceGroups/r/providers/Microsoft.ContainerService/managedclusters/c/nodeBootstrapping";
        assert_eq!(Route::of(whole), Route::Bootstrapping);
        for path in [
            &whole[1..],
            &whole[..whole.len() - 1],
            &format!("{whole}/"),
            &format!("{whole}/x"),
            &whole.replace("/s/", "//"),
            &whole.replace("/r/", "/%2/"),
            &whole.replace("/r/", "/%+1/"),
            &whole.replace("/r/", "/%ff/"),
            "/",
            "/healthz/",
            "",
        ] {
            assert_eq!(Route::of(path), Route::Unknown, "{path}");
        }
    }
}
