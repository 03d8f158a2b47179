use std::fmt;

use crate::escape::escaped;

/// The id of a resource. Azure answers with ids in another case than it was asked with, so case does not count.
#[derive(Debug, Clone)]
pub struct ResourceId {
    segments: Vec<String>,
}

/// Text that is no id.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is no resource id; one looks like /subscriptions/…/resourceGroups/…/providers/…/…/…")]
pub struct IdError(String);

impl ResourceId {
    /// Reads an id.
    pub fn parse(text: &str) -> Result<Self, IdError> {
        let wrong = || IdError(text.to_owned());
        let trimmed = text.trim().trim_end_matches('/');
        let segments: Vec<_> =
            trimmed.strip_prefix('/').ok_or_else(wrong)?.split('/').map(str::to_owned).collect();
        let proper = |segment: &String| !segment.is_empty() && !matches!(segment.as_str(), "." | "..");
        let in_group = segments.len() >= 8
            && segments.len().is_multiple_of(2)
            && [(0, "subscriptions"), (2, "resourceGroups"), (4, "providers")]
                .iter()
                .all(|(place, word)| segments[*place].eq_ignore_ascii_case(word));
        if !in_group || !segments.iter().all(proper) {
            return Err(wrong());
        }
        Ok(Self { segments })
    }

    /// The machine that Azure Arc knows by this name.
    pub fn arc_machine(subscription: &str, group: &str, name: &str) -> Result<Self, IdError> {
        Self::parse(&format!(
            "/subscriptions/{subscription}/resourceGroups/{group}/providers/Microsoft.HybridCompute/machines/{name}"
        ))
    }

    /// A resource below this one.
    #[must_use]
    pub fn child(&self, kind: &str, name: &str) -> Self {
        let mut segments = self.segments.clone();
        segments.extend([kind.to_owned(), name.to_owned()]);
        Self { segments }
    }

    /// The subscription that it is in.
    pub fn subscription(&self) -> &str {
        &self.segments[1]
    }

    /// The resource group that it is in.
    pub fn group(&self) -> &str {
        &self.segments[3]
    }

    /// Its own name.
    pub fn name(&self) -> &str {
        self.segments.last().map_or("", String::as_str)
    }

    /// The path of the resource group that it is in.
    pub(super) fn group_path(&self) -> String {
        format!("/subscriptions/{}/resourceGroups/{}", escaped(self.subscription()), escaped(self.group()))
    }

    /// The path of its address.
    pub(super) fn path(&self) -> String {
        self.segments.iter().fold(String::new(), |path, segment| path + "/" + &escaped(segment))
    }
}

impl fmt::Display for ResourceId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.segments.iter().try_for_each(|segment| write!(out, "/{segment}"))
    }
}

impl PartialEq for ResourceId {
    fn eq(&self, other: &Self) -> bool {
        self.to_string().eq_ignore_ascii_case(&other.to_string())
    }
}

impl Eq for ResourceId {}

#[cfg(test)]
mod tests {
    use super::*;

    const CLUSTER: &str =
        "/subscriptions/s/resourceGroups/rg (edge)/providers/Microsoft.ContainerService/managedClusters/aks";

    #[test]
    fn ids_are_taken_apart_and_compared_without_case() {
        let id = ResourceId::parse(CLUSTER).unwrap();
        assert_eq!((id.subscription(), id.group(), id.name()), ("s", "rg (edge)", "aks"));
        assert_eq!(id, ResourceId::parse(&format!("{}/", CLUSTER.to_uppercase())).unwrap());
        assert!(id.path().contains("/rg%20%28edge%29/"), "{}", id.path());
        assert_eq!(id.child("agentPools", "p").to_string(), format!("{CLUSTER}/agentPools/p"));
        assert_ne!(id, id.child("agentPools", "p"));
    }

    #[test]
    fn what_is_no_id_is_refused() {
        for text in [
            "",
            "/",
            "aks",
            "/subscriptions/s",
            "/subscriptions/s/resourceGroups/g/providers/n/t",
            "/a/b/c/d/e/f/g/h",
            "/subscriptions/s/resourceGroups/../providers/n/t/x",
            "/subscriptions/s/resourceGroups/g/providers/n/t/x/y",
        ] {
            assert!(ResourceId::parse(text).is_err(), "{text}");
        }
    }
}
