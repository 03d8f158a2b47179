//! The clusters that a service makes nodes for.

use crate::computed::{api_server_name, managed_group};
use crate::request::record::record;
use crate::request::{Environment, Options, Problem, Problems, read};

record! {
    /// The configuration of a service.
    pub struct Clusters {
        /// The clusters that nodes are made for.
        clusters: Vec<Cluster> = "clusters",
    }
}

record! {
    /// What a service knows about a cluster; requests bring the rest.
    pub struct Cluster {
        /// The cluster and its network, as in a launch request. The bootstrap token has no use here.
        options: Options = "options",
        /// Where the cluster is, as in a launch request.
        environment: Environment = "environment",
    }
}

impl Clusters {
    /// Reads a configuration, strictly: unknown members, wrong types and clusters that cannot be told apart are
    /// problems, all reported together.
    pub fn parse(text: &str) -> Result<Self, Problems> {
        let clusters: Self = read(text)?;
        let mut problems = Vec::new();
        for (at, cluster) in clusters.clusters.iter().enumerate() {
            cluster.check(&format!("clusters[{at}]"), &mut problems);
            let same = clusters.clusters[..at].iter().position(|other| other.is(cluster.names()));
            if let Some(other) = same {
                problems.push(Problem {
                    path: format!("clusters[{at}]"),
                    message: format!("the same cluster as clusters[{other}]"),
                    hint: None,
                });
            }
        }
        if problems.is_empty() { Ok(clusters) } else { Err(Problems(problems)) }
    }

    /// The cluster of this name. Azure compares names without case.
    pub fn find(&self, subscription: &str, resource_group: &str, name: &str) -> Option<&Cluster> {
        self.clusters.iter().find(|cluster| cluster.is([subscription, resource_group, name]))
    }
}

impl Cluster {
    fn names(&self) -> [&str; 3] {
        let Self { options, environment } = self;
        [&environment.subscription_id, &environment.cluster_resource_group, &options.cluster_name]
    }

    fn is(&self, names: [&str; 3]) -> bool {
        self.names().iter().zip(names).all(|(ours, theirs)| ours.eq_ignore_ascii_case(theirs))
    }

    /// What no node of the cluster could be made without.
    fn check(&self, path: &str, problems: &mut Vec<Problem>) {
        let Self { options, environment } = self;
        let needed = [
            ("options.clusterName", &options.cluster_name),
            ("options.clusterEndpoint", &options.cluster_endpoint),
            ("options.nodeResourceGroup", &options.node_resource_group),
            ("environment.subscriptionID", &environment.subscription_id),
            ("environment.clusterResourceGroup", &environment.cluster_resource_group),
            ("environment.location", &environment.location),
            ("environment.caBundleBase64", &environment.ca_bundle_base64),
        ];
        let mut report = |member: &str, message: String| {
            problems.push(Problem { path: format!("{path}.{member}"), message, hint: None });
        };
        for (member, value) in needed {
            if value.is_empty() {
                report(member, "is missing; no node can be made without it".to_owned());
            }
        }
        if !options.cluster_endpoint.is_empty() && api_server_name(&options.cluster_endpoint).is_empty() {
            report(
                "options.clusterEndpoint",
                "must be a URL such as https://a.hcp.westus2.azmk8s.io:443".to_owned(),
            );
        }
        if let Err(problem) = managed_group(&environment.network_security_groups) {
            report("environment.networkSecurityGroups", problem.to_string());
        }
    }
}
