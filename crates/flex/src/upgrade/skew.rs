//! Which version may follow which: the rules that Kubernetes has for kubelets.

use crate::supply::Version;

/// Why a node cannot have a version.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SkewError {
    /// It would go back.
    #[error("this node runs {present}, and {wanted} is older")]
    Older {
        /// What it runs.
        present: String,
        /// What was asked for.
        wanted: String,
    },
    /// It would leave out a minor.
    #[error("this node runs {present}, and {wanted} is more than one minor ahead")]
    TooFar {
        /// What it runs.
        present: String,
        /// What was asked for.
        wanted: String,
        /// The minor in between.
        next: (u32, u32),
    },
    /// It would be ahead of the API server.
    #[error("the API server is of {}.{}, and kubelet may not be newer: {wanted} is", .server.0, .server.1)]
    AheadOfServer {
        /// The API server's minor.
        server: (u32, u32),
        /// What was asked for.
        wanted: String,
    },
}

impl SkewError {
    /// What to do about it.
    pub fn hint(&self) -> String {
        match self {
            Self::Older { .. } => {
                "a node does not go back to an older version: leave the cluster and join it again with that one"
                    .to_owned()
            }
            Self::TooFar { next: (major, minor), .. } => format!("upgrade to {major}.{minor} first"),
            Self::AheadOfServer { server: (major, minor), .. } => {
                format!("upgrade the cluster's control plane first, or this node to {major}.{minor}")
            }
        }
    }
}

/// The minor of a version as API servers say it, such as `v1.34.3+build`.
pub fn series(version: &str) -> Option<(u32, u32)> {
    let mut parts = version.strip_prefix('v').unwrap_or(version).splitn(3, '.');
    Version::minor(&format!("{}.{}", parts.next()?, parts.next()?))
}

/// Whether a node that runs one version may get another, in a cluster whose API server is of this minor.
pub fn skew(present: &Version, wanted: &Version, server: (u32, u32)) -> Result<(), SkewError> {
    let (from, to) = (present.series(), wanted.series());
    let next = (from.0, from.1 + 1);
    let names = || (present.to_string(), wanted.to_string());
    if wanted < present {
        let (present, wanted) = names();
        return Err(SkewError::Older { present, wanted });
    }
    if to > server {
        return Err(SkewError::AheadOfServer { server, wanted: wanted.to_string() });
    }
    if to != from && to != next {
        let (present, wanted) = names();
        return Err(SkewError::TooFar { present, wanted, next });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_goes_one_minor_at_a_time_and_never_back_nor_ahead_of_the_server() {
        for (present, wanted, server, says) in [
            ("1.33.4", "1.34.3", "v1.34.3", "ok"),
            ("1.34.3", "1.34.3", "v1.34.3", "ok"),
            ("1.34.3", "1.34.9", "1.34.0", "ok"),
            ("1.34.0-rc.1", "1.34.0", "1.34.0", "ok"),
            ("1.9.0", "1.10.0", "1.10.3", "ok"),
            ("1.34.3", "1.34.2", "1.35.0", "1.34.2 is older"),
            ("1.34.0", "1.34.0-rc.1", "1.35.0", "is older"),
            ("1.34.3", "1.33.9", "1.35.0", "is older"),
            ("1.33.4", "1.35.0", "1.36.2", "more than one minor ahead"),
            ("1.33.4", "2.0.0", "2.0.0", "more than one minor ahead"),
            ("1.34.3", "1.35.0", "v1.34.9-gke.1", "the API server is of 1.34"),
            ("1.33.4", "1.36.0", "1.35.0", "the API server is of 1.35"),
        ] {
            let version = |text: &str| text.parse::<Version>().unwrap();
            let found = skew(&version(present), &version(wanted), series(server).unwrap());
            let text = found.map_or_else(|error| error.to_string(), |()| "ok".to_owned());
            assert!(text.contains(says), "{present} to {wanted} with {server}: {text}");
        }
    }

    #[test]
    fn every_refusal_says_what_to_do() {
        let version = |text: &str| text.parse::<Version>().unwrap();
        let hint = |present: &str, wanted: &str, server| {
            skew(&version(present), &version(wanted), server).unwrap_err().hint()
        };
        assert_eq!(hint("1.32.1", "1.34.0", (1, 34)), "upgrade to 1.33 first");
        assert!(hint("1.34.1", "1.33.0", (1, 34)).contains("leave the cluster"));
        assert!(hint("1.34.1", "1.35.0", (1, 34)).contains("or this node to 1.34"));
    }

    #[test]
    fn a_servers_minor_is_read_whatever_follows_it() {
        for (text, minor) in [
            ("v1.34.3", Some((1, 34))),
            ("1.34.3+k3s1", Some((1, 34))),
            ("v1.34.3-eks-1", Some((1, 34))),
            ("v1.34", Some((1, 34))),
            ("", None),
            ("v1", None),
            ("1.x.3", None),
        ] {
            assert_eq!(series(text), minor, "{text}");
        }
    }
}
