//! What a cloud holds beside virtual machines: a tenant with principals, a subscription with clusters.

use std::time::Duration;

use serde_json::{Value, json};

use super::Azure;
use super::id::uuid;
use super::state::hold;

/// The lab's tenant.
pub const TENANT: &str = "7e4a4700-0000-4000-8000-00000000a2e0";
/// The lab's subscription.
pub const SUBSCRIPTION: &str = "00000000-0000-0000-0000-00000000a2e0";
/// The application that tokens for clusters of AKS are meant for, whatever the tenant.
pub const KUBERNETES: &str = "6dae42f8-4368-4678-94ff-3960e28e3630";
/// The name that sign-in has.
pub const SIGN_IN: &str = "login.microsoftonline.com";
/// The name that Azure Resource Manager has.
pub const MANAGEMENT: &str = "management.azure.com";

/// What is there at the start. More can come later.
#[derive(Clone, Debug)]
pub struct Cloud {
    /// The tenant's id.
    pub tenant: String,
    /// The subscription's id.
    pub subscription: String,
    /// The region of everything that names none.
    pub location: String,
    /// Resource groups beside those of the clusters.
    pub groups: Vec<String>,
    /// Who can sign in.
    pub principals: Vec<Principal>,
    /// The clusters.
    pub clusters: Vec<ManagedCluster>,
    /// Whether Azure Resource Manager lets a principal do only what a role allows it to.
    pub strict: bool,
}

impl Default for Cloud {
    fn default() -> Self {
        Self {
            tenant: TENANT.to_owned(),
            subscription: SUBSCRIPTION.to_owned(),
            location: "labland".to_owned(),
            groups: vec!["lab".to_owned()],
            principals: Vec::new(),
            clusters: Vec::new(),
            strict: false,
        }
    }
}

/// Who a token is about: an application, or the identity of a machine.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Principal {
    /// What it signs in with.
    pub client_id: String,
    /// What roles are given to.
    pub object_id: String,
    /// Secrets that let it sign in.
    pub secrets: Vec<String>,
    /// Certificates that let it sign in, in DER.
    pub certificates: Vec<Vec<u8>>,
    /// The groups that it is in.
    pub groups: Vec<String>,
}

impl Principal {
    /// An application; its ids follow from its name.
    pub fn application(name: &str) -> Self {
        let (client_id, object_id) = (uuid(&format!("client {name}")), uuid(&format!("object {name}")));
        Self { client_id, object_id, ..Self::default() }
    }

    /// With a secret to sign in by.
    #[must_use]
    pub fn with_secret(mut self, secret: impl Into<String>) -> Self {
        self.secrets.push(secret.into());
        self
    }

    /// With a certificate to sign in by, in DER.
    #[must_use]
    pub fn with_certificate(mut self, certificate: impl Into<Vec<u8>>) -> Self {
        self.certificates.push(certificate.into());
        self
    }

    /// The identity of a machine, which nobody signs in as by itself.
    pub(super) fn managed(object_id: &str) -> Self {
        let client_id = uuid(&format!("client {object_id}"));
        Self { client_id, object_id: object_id.to_owned(), ..Self::default() }
    }
}

/// A cluster as Azure Resource Manager knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ManagedCluster {
    /// Its resource group.
    pub resource_group: String,
    /// Its name.
    pub name: String,
    /// The API server's name.
    pub fqdn: String,
    /// The release that it runs.
    pub kubernetes: String,
    /// The API server's authority, as PEM.
    pub authority: String,
    /// Whether role assignments decide about access to the API server.
    pub azure_rbac: bool,
    /// The administrator's kubeconfig, unless local accounts are disabled.
    pub admin_kubeconfig: Option<String>,
    /// What new nodes of its pools join with.
    pub bootstrap_token: String,
    /// The address of the cluster's resolver.
    pub dns: String,
    /// The names of its agent pools.
    pub agent_pools: Vec<String>,
}

impl ManagedCluster {
    /// Its id in a subscription.
    pub fn id(&self, subscription: &str) -> String {
        let Self { resource_group, name, .. } = self;
        format!(
            "/subscriptions/{subscription}/resourceGroups/{resource_group}/providers/Microsoft.ContainerService/managedClusters/{name}"
        )
    }
}

impl Azure {
    /// Makes a principal known, or changes the one of that client.
    pub fn admit_principal(&self, principal: Principal) {
        self.state.entra.admit(principal);
    }

    /// Makes a cluster known, or changes the one of that name.
    pub fn admit_cluster(&self, cluster: ManagedCluster) {
        hold(&self.state.arm).admit(cluster);
    }

    /// Gives a principal a role over a scope, known everywhere at once. The role is the id of its definition.
    pub fn grant(&self, object_id: &str, role: &str, scope: &str) {
        let mut arm = hold(&self.state.arm);
        let definition = format!(
            "/subscriptions/{}/providers/Microsoft.Authorization/roleDefinitions/{role}",
            arm.subscription()
        );
        arm.grant(uuid(&format!("{object_id} {role} {scope}")), object_id, &definition, scope);
    }

    /// Connects an Arc machine, as its agent would, and gives its id.
    pub fn connect_arc(&self, group: &str, name: &str) -> String {
        let mut arm = hold(&self.state.arm);
        let id = arm.arc_id(group, name);
        arm.connect(&self.state.entra, &id, &json!({ "identity": { "type": "SystemAssigned" } }));
        id
    }

    /// The object id of an Arc machine's identity, while the machine is connected.
    pub fn arc_principal(&self, id: &str) -> Option<String> {
        hold(&self.state.arm).arc_identity(id).map(|principal| principal.object_id)
    }

    /// Changes what a machine of an agent pool should be: these members of its `kubernetes`, and with them its tag.
    pub fn set_goal(&self, id: &str, kubernetes: &Value) {
        hold(&self.state.arm).set_goal(id, kubernetes);
    }

    /// Takes a machine out of its agent pool.
    pub fn remove_pool_machine(&self, id: &str) {
        hold(&self.state.arm).remove_pool_machine(id);
    }

    /// Lets Azure Resource Manager do for a principal only what a role allows, or everything.
    pub fn set_strict(&self, strict: bool) {
        hold(&self.state.arm).strict = strict;
    }

    /// How long it takes until role assignments that are made from now on are honoured. They are seen at once.
    pub fn set_propagation(&self, time: Duration) {
        hold(&self.state.arm).propagation = time;
    }

    /// How long operations take that do not end at once.
    pub fn set_patience(&self, time: Duration) {
        hold(&self.state.arm).patience = time;
    }

    /// How many role assignments a list has at once, before it names the next page.
    pub fn set_page(&self, size: usize) {
        hold(&self.state.arm).page = Some(size.max(1));
    }

    /// A token for a principal, without proof.
    pub fn token(&self, principal: &Principal, audience: &str) -> String {
        self.state.entra.issue(principal, audience).text
    }

    /// How long the tokens that are made out from now on are good for.
    pub fn set_token_lifetime(&self, time: Duration) {
        self.state.entra.set_lifetime(time);
    }
}
