//! What a path of Azure Resource Manager is about, and in which versions it can be asked for.

use super::operations;
use super::refusal::Refusal;
use crate::azure::http::{Request, decode};

/// A type of resource, and the versions of its interface.
struct Kind {
    name: &'static str,
    versions: &'static str,
}

const CONTAINER_SERVICE: &str = "2024-02-01 2024-05-01 2024-09-01 2025-01-01 2025-05-01 2025-08-01 2025-10-01 \
     2025-10-02-preview 2026-01-01 2026-02-01 2026-05-01 2026-05-02-preview 2026-06-02-preview 2026-08-01 \
     2026-08-02-preview";
const HYBRID_COMPUTE: &str =
    "2020-08-02 2021-05-20 2022-03-10 2022-11-10 2022-12-27 2024-07-10 2025-01-13 2026-07-15";
const AUTHORIZATION: &str = "2015-07-01 2018-01-01-preview 2020-04-01-preview 2022-04-01";

const KINDS: [Kind; 9] = [
    Kind { name: "Microsoft.HybridCompute/machines", versions: HYBRID_COMPUTE },
    Kind { name: "Microsoft.Authorization/roleAssignments", versions: AUTHORIZATION },
    Kind { name: "Microsoft.Authorization/roleDefinitions", versions: AUTHORIZATION },
    Kind { name: "Microsoft.Authorization/permissions", versions: AUTHORIZATION },
    Kind { name: "Microsoft.ContainerService/managedClusters", versions: CONTAINER_SERVICE },
    Kind { name: "Microsoft.ContainerService/managedClusters/agentPools", versions: CONTAINER_SERVICE },
    Kind {
        name: "Microsoft.ContainerService/managedClusters/agentPools/machines",
        versions: CONTAINER_SERVICE,
    },
    Kind { name: operations::CONTAINER_SERVICE, versions: CONTAINER_SERVICE },
    Kind { name: operations::HYBRID_COMPUTE, versions: HYBRID_COMPUTE },
];

/// How a resource is addressed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Aim {
    /// It alone.
    One,
    /// All of its kind.
    All,
    /// Something it can do, in lower case.
    Action(String),
}

/// What a path is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Target {
    /// What the provider is asked about: a subscription, a group or a resource.
    pub(super) scope: String,
    /// The resource type, as in the table.
    pub(super) kind: &'static str,
    versions: &'static str,
    /// The names of the resource and those that it is in, the outermost first.
    pub(super) names: Vec<String>,
    pub(super) aim: Aim,
    /// The id of the resource, without an action.
    pub(super) id: String,
}

impl Target {
    /// Finds the resource in a path.
    pub(super) fn of(request: &Request) -> Result<Self, Refusal> {
        let path = decode(request.path());
        let path = path.trim_end_matches('/');
        let unknown = || Refusal::new(404, "InvalidResourceType", format!("There is nothing at '{path}'."));
        // Resources that extend others have two providers in their ids.
        let at = path.to_ascii_lowercase().rfind("/providers/").ok_or_else(unknown)?;
        let (scope, rest) = (&path[..at], &path[at + "/providers/".len()..]);
        let mut segments: Vec<&str> = rest.split('/').collect();
        let found = |segments: &[&str]| {
            let types = segments.iter().skip(1).step_by(2);
            let name = segments.iter().take(1).chain(types).copied().collect::<Vec<_>>().join("/");
            KINDS.iter().find(|kind| kind.name.eq_ignore_ascii_case(&name))
        };
        let mut aim = if segments.len() % 2 == 1 { Aim::One } else { Aim::All };
        let mut id = path;
        let kind = match found(&segments) {
            Some(kind) => kind,
            None if aim == Aim::All => {
                let action = segments.pop().ok_or_else(unknown)?;
                id = &path[..path.len() - action.len() - 1];
                aim = Aim::Action(action.to_ascii_lowercase());
                found(&segments).ok_or_else(unknown)?
            }
            None => return Err(unknown()),
        };
        let names = segments.iter().skip(2).step_by(2).map(|name| (*name).to_owned()).collect();
        let (scope, id) = (scope.to_owned(), id.to_owned());
        Ok(Self { scope, kind: kind.name, versions: kind.versions, names, aim, id })
    }

    /// Accepts a version of the interface that the resource type has.
    pub(super) fn check_version(&self, request: &Request, location: &str) -> Result<(), Refusal> {
        let Some(version) = request.query("api-version").filter(|version| !version.is_empty()) else {
            let words = "The api-version query parameter (?api-version=) is required for all requests.";
            return Err(Refusal::new(400, "MissingApiVersionParameter", words));
        };
        if self.versions.split_ascii_whitespace().any(|known| known == version) {
            return Ok(());
        }
        let versions = self.versions.split_ascii_whitespace().collect::<Vec<_>>().join(", ");
        if !is_version(&version) {
            let words =
                format!("The api-version '{version}' is invalid. The supported versions are '{versions}'.");
            return Err(Refusal::new(400, "InvalidApiVersionParameter", words));
        }
        let kind = self.kind.split_once('/').map_or(self.kind, |(_, kind)| kind);
        let words = format!(
            "No registered resource provider found for location '{location}' and API version '{version}' for type \
             '{kind}'. The supported api-versions are '{versions}'. The supported locations are '{location}'."
        );
        Err(Refusal::new(400, "NoRegisteredProviderFound", words))
    }

    /// What a principal has to be allowed to do.
    pub(super) fn operation(&self, method: &str) -> String {
        let verb = match (&self.aim, method) {
            (Aim::Action(action), _) => return format!("{}/{action}/action", self.kind),
            (_, "PUT" | "PATCH") => "write",
            (_, "DELETE") => "delete",
            _ => "read",
        };
        format!("{}/{verb}", self.kind)
    }

    /// The resource group, empty outside of one.
    pub(super) fn group(&self) -> &str {
        let mut segments = self.id.split('/');
        segments.find(|segment| segment.eq_ignore_ascii_case("resourceGroups"));
        segments.next().unwrap_or_default()
    }

    /// The subscription.
    pub(super) fn subscription(&self) -> &str {
        self.id.split('/').nth(2).unwrap_or_default()
    }

    /// The name of the resource itself.
    pub(super) fn name(&self) -> &str {
        self.names.last().map_or("", String::as_str)
    }
}

/// A date, perhaps of a preview.
fn is_version(text: &str) -> bool {
    let date = text.strip_suffix("-preview").unwrap_or(text);
    let digits = |text: &str, count| text.len() == count && text.bytes().all(|octet| octet.is_ascii_digit());
    let parts: Vec<&str> = date.split('-').collect();
    matches!(parts.as_slice(), [year, month, day] if digits(year, 4) && digits(month, 2) && digits(day, 2))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target(path: &str) -> Result<Target, Refusal> {
        let (method, target) = ("GET".to_owned(), path.to_owned());
        Target::of(&Request { method, target, headers: Vec::new(), body: Vec::new(), keeps_connection: true })
    }

    #[test]
    fn a_path_is_about_one_resource_all_of_a_kind_or_an_action() {
        let group = "/subscriptions/s/resourceGroups/g";
        let cluster = format!("{group}/providers/microsoft.containerservice/managedClusters/c");
        for (path, kind, names, aim) in [
            (cluster.clone(), "Microsoft.ContainerService/managedClusters", vec!["c"], Aim::One),
            (
                format!("{cluster}/agentPools/p/machines/m"),
                "Microsoft.ContainerService/managedClusters/agentPools/machines",
                vec!["c", "p", "m"],
                Aim::One,
            ),
            (
                format!("{cluster}/agentPools/p/listBootstrapData"),
                "Microsoft.ContainerService/managedClusters/agentPools",
                vec!["c", "p"],
                Aim::Action("listbootstrapdata".to_owned()),
            ),
            (
                format!("{cluster}/providers/Microsoft.Authorization/roleAssignments"),
                "Microsoft.Authorization/roleAssignments",
                vec![],
                Aim::All,
            ),
        ] {
            let target = target(&path).unwrap();
            assert_eq!((target.kind, &target.aim, target.group()), (kind, &aim, "g"), "{path}");
            assert_eq!(target.names, names, "{path}");
        }
        for path in ["/", "/subscriptions/s", &format!("{group}/providers/Microsoft.Other/things/t")] {
            assert_eq!(target(path).unwrap_err().code, "InvalidResourceType", "{path}");
        }
    }

    #[test]
    fn versions_are_dates() {
        assert!(is_version("2022-04-01") && is_version("2026-05-02-preview"));
        assert!(!is_version("v1") && !is_version("2022-4-1") && !is_version("2022-04-01-beta"));
    }
}
