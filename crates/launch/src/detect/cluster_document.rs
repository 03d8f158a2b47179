//! What the AKS API says of a cluster: `az aks show`, or the resource itself, which has most below `properties`.

use serde_json::{Value, json};

use super::{Sighting, Witness};
use crate::computed::{SubnetId, cluster_id_of_host};

/// Members of the request and where the document has them; the first that is there counts.
const TEXTS: [(&str, &[&str]); 14] = [
    ("options.clusterName", &["name"]),
    ("options.nodeResourceGroup", &["nodeResourceGroup"]),
    ("options.networkPlugin", &["networkProfile.networkPlugin"]),
    ("options.networkPolicy", &["networkProfile.networkPolicy"]),
    ("options.networkDataplane", &["networkProfile.networkDataplane"]),
    ("options.dnsServiceIP", &["networkProfile.dnsServiceIp", "networkProfile.dnsServiceIP"]),
    ("options.linuxAdminUsername", &["linuxProfile.adminUsername"]),
    (
        "options.kubeletIdentityClientID",
        &["identityProfile.kubeletidentity.clientId", "identityProfile.kubeletIdentity.clientId"],
    ),
    ("environment.tenantID", &["identity.tenantId"]),
    ("environment.location", &["location"]),
    ("environment.clusterResourceGroup", &["resourceGroup"]),
    ("nodeClass.kubernetesVersion", &["currentKubernetesVersion", "kubernetesVersion"]),
    ("options.httpProxy.httpProxy", &["httpProxyConfig.httpProxy"]),
    ("options.httpProxy.httpsProxy", &["httpProxyConfig.httpsProxy"]),
];

/// What a cluster's description says about a request.
pub fn cluster_document(document: &Value) -> Vec<Sighting> {
    let document = Document(document);
    let mut sightings: Vec<Sighting> = TEXTS
        .iter()
        .filter_map(|(path, places)| {
            let text = places.iter().find_map(|place| document.text(place))?;
            Sighting::of(path, Witness::ClusterDocument, text)
        })
        .collect();
    let mut add = |path, witness, value: Option<Value>| {
        sightings.extend(value.and_then(|value| Sighting::of(path, witness, value)));
    };
    let seen = Witness::ClusterDocument;
    add(
        "options.clusterEndpoint",
        seen,
        document.endpoint().map(|host| json!(format!("https://{host}:443"))),
    );
    // A cluster without a mode has pods in the nodes' subnet; the launcher's own default is another.
    let plugin = document.text("networkProfile.networkPlugin");
    let mode = document.text("networkProfile.networkPluginMode").unwrap_or_default();
    add("options.networkPluginMode", seen, plugin.map(|_| json!(mode)));
    add("environment.subscriptionID", seen, document.id_part("subscriptions").map(Value::from));
    add("environment.clusterResourceGroup", seen, document.id_part("resourceGroups").map(Value::from));
    add("options.sshPublicKey", seen, document.first("linuxProfile.ssh.publicKeys", "keyData"));
    add("options.nodeIdentities", seen, document.kubelet_identity().map(|id| json!([id])));
    add("options.httpProxy.noProxy", seen, document.get("httpProxyConfig.noProxy").cloned());
    add("options.httpProxy.trustedCA", seen, document.get("httpProxyConfig.trustedCa").cloned());
    add(
        "options.customCACertificates",
        seen,
        document.get("securityProfile.customCaTrustCertificates").cloned(),
    );
    add("options.vnetSubnetID", seen, document.subnet().map(Value::from));
    add("options.vnetSubnetID", Witness::Derived, document.own_subnet().map(Value::from));
    add(
        "environment.networkSecurityGroups",
        Witness::Derived,
        document.security_group().map(|name| json!([name])),
    );
    sightings
}

/// A description, however it was got.
#[derive(Clone, Copy)]
struct Document<'a>(&'a Value);

impl<'a> Document<'a> {
    fn get(self, path: &str) -> Option<&'a Value> {
        let within = |value: &'a Value| path.split('.').try_fold(value, |value, name| value.get(name));
        within(self.0).or_else(|| within(self.0.get("properties")?)).filter(|value| !value.is_null())
    }

    fn text(self, path: &str) -> Option<&'a str> {
        self.get(path)?.as_str().filter(|text| !text.is_empty())
    }

    fn first(self, path: &str, member: &str) -> Option<Value> {
        self.get(path)?.as_array()?.first()?.get(member).cloned()
    }

    /// The host of the API server; a private cluster's own, where there is one.
    fn endpoint(self) -> Option<&'a str> {
        self.text("privateFqdn").or_else(|| self.text("fqdn")).or_else(|| self.text("privateFQDN"))
    }

    /// What follows a word in the cluster's own id.
    fn id_part(self, word: &str) -> Option<&'a str> {
        let mut parts = self.text("id")?.split('/');
        parts.find(|part| part.eq_ignore_ascii_case(word))?;
        parts.next()
    }

    fn kubelet_identity(self) -> Option<&'a str> {
        self.text("identityProfile.kubeletidentity.resourceId")
            .or_else(|| self.text("identityProfile.kubeletIdentity.resourceId"))
    }

    /// The subnet of the first pool that has one.
    fn subnet(self) -> Option<&'a str> {
        let mut pools = self.get("agentPoolProfiles")?.as_array()?.iter();
        pools.find_map(|pool| pool.get("vnetSubnetId").or_else(|| pool.get("vnetSubnetID"))?.as_str())
    }

    /// Eight digits that AKS puts into the names of what it makes: read off a network of its own, else worked out
    /// from the name of the API server.
    fn cluster_id(self) -> Option<String> {
        let of_network = self.subnet().and_then(|subnet| {
            let network = SubnetId::parse(subnet).ok()?.network;
            let digits = network.strip_prefix("aks-vnet-")?;
            (digits.len() == 8 && digits.bytes().all(|byte| byte.is_ascii_digit())).then(|| digits.to_owned())
        });
        of_network.or_else(|| Some(cluster_id_of_host(self.text("fqdn").or_else(|| self.endpoint())?)))
    }

    /// The subnet that AKS makes for a cluster that brings none.
    fn own_subnet(self) -> Option<String> {
        if self.subnet().is_some() {
            return None;
        }
        let (subscription, group) = (self.id_part("subscriptions")?, self.text("nodeResourceGroup")?);
        let id = self.cluster_id()?;
        Some(format!(
            "/subscriptions/{subscription}/resourceGroups/{group}/providers/Microsoft.Network/virtualNetworks/aks-vnet-{id}/subnets/aks-subnet"
        ))
    }

    fn security_group(self) -> Option<String> {
        Some(format!("aks-agentpool-{}-nsg", self.cluster_id()?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::detect::assemble;

    #[test]
    fn the_resource_and_what_the_tool_prints_say_the_same() {
        let top = json!({
            "id": "/subscriptions/s/resourcegroups/g/providers/Microsoft.ContainerService/managedClusters/demo",
            "name": "demo", "location": "westeurope", "identity": {"tenantId": "t"},
        });
        let properties = json!({
            "nodeResourceGroup": "MC_g", "fqdn": "demo.example", "kubernetesVersion": "1.33", "agentPoolProfiles": [{}],
            "networkProfile": {"networkPlugin": "azure", "dnsServiceIP": "10.1.0.10"},
            "httpProxyConfig": {"httpProxy": "http://p:1", "noProxy": ["x"], "trustedCa": "YQ=="},
        });
        let mut printed = top.clone();
        printed.as_object_mut().unwrap().extend(properties.as_object().unwrap().clone());
        let mut resource = top;
        resource["properties"] = properties;
        let (request, _) = assemble(cluster_document(&resource));
        assert_eq!(request, assemble(cluster_document(&printed)).0);
        assert_eq!(request["environment"]["clusterResourceGroup"], "g");
        assert_eq!(request["options"]["networkPluginMode"], "");
        assert_eq!(request["options"]["httpProxy"]["noProxy"], json!(["x"]));
        // Nobody brings a subnet, so it is the one that AKS makes.
        let id = cluster_id_of_host("demo.example");
        let subnet = request["options"]["vnetSubnetID"].as_str().unwrap();
        assert!(subnet.ends_with(&format!("/resourceGroups/MC_g/providers/Microsoft.Network/virtualNetworks/aks-vnet-{id}/subnets/aks-subnet")));
        assert_eq!(
            request["environment"]["networkSecurityGroups"],
            json!([format!("aks-agentpool-{id}-nsg")])
        );
    }

    #[test]
    fn the_digits_are_read_off_a_network_that_aks_made() {
        let subnet = "/subscriptions/s/resourceGroups/MC_g/providers/Microsoft.Network/virtualNetworks/aks-vnet-12345678/subnets/aks-subnet";
        let document = json!({"fqdn": "demo.example", "agentPoolProfiles": [{"vnetSubnetId": null}, {"vnetSubnetId": subnet}]});
        let (request, _) = assemble(cluster_document(&document));
        assert_eq!(request["options"]["vnetSubnetID"], subnet);
        assert_eq!(request["environment"]["networkSecurityGroups"], json!(["aks-agentpool-12345678-nsg"]));
    }
}
