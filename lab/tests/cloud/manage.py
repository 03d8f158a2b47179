import base64
import os

from azure.core.exceptions import HttpResponseError, ResourceExistsError, ResourceNotFoundError
from azure.identity import ClientSecretCredential
from azure.mgmt.authorization import AuthorizationManagementClient
from azure.mgmt.containerservice import ContainerServiceClient
from azure.mgmt.hybridcompute import HybridComputeManagementClient

subscription, cluster = os.environ["SUBSCRIPTION"], os.environ["CLUSTER"]
credential = ClientSecretCredential(os.environ["TENANT"], os.environ["CLIENT"], os.environ["SECRET"])


def refused(kind, code, call):
    try:
        call()
    except kind as error:
        assert error.error.code == code, error
        return
    raise AssertionError(f"not refused with {code}")


# Arc machines
arc = HybridComputeManagementClient(credential, subscription)
refused(ResourceNotFoundError, "ResourceNotFound", lambda: arc.machines.get("lab", "edge-99"))
arc.machines.create_or_update(
    "lab", "edge-99", {"location": "westeurope", "identity": {"type": "SystemAssigned"}, "tags": {"site": "berlin"}}
)
machine = arc.machines.get("lab", "edge-99")
assert machine.tags == {"site": "berlin"} and machine.identity.principal_id, machine
assert "edge-99" in [it.name for it in arc.machines.list_by_resource_group("lab")]

# Role assignments
roles = AuthorizationManagementClient(credential, subscription)
definitions = {it.role_name: it.id for it in roles.role_definitions.list(cluster)}
names = [f"00000000-0000-4000-8000-00000000000{number}" for number in range(3)]
wanted = [
    definitions[name]
    for name in ["Reader", "Azure Kubernetes Service RBAC Cluster Admin", "Azure Kubernetes Service Cluster Admin Role"]
]
principal = machine.identity.principal_id
for name, role in zip(names, wanted):
    body = {"role_definition_id": role, "principal_id": principal, "principal_type": "ServicePrincipal"}
    made = roles.role_assignments.create(cluster, name, body)
    assert made.principal_id == principal and made.scope == cluster, made
again = {"role_definition_id": wanted[0], "principal_id": principal, "principal_type": "ServicePrincipal"}
other = "00000000-0000-4000-8000-00000000000f"
refused(ResourceExistsError, "RoleAssignmentExists", lambda: roles.role_assignments.create(cluster, other, again))
listed = roles.role_assignments.list_for_scope(cluster, filter=f"principalId eq '{principal}'")
assert [it.name for it in listed] == names
for name in names:
    assert roles.role_assignments.delete(cluster, name) is not None
    assert roles.role_assignments.delete(cluster, name) is None
listed = roles.role_assignments.list_for_scope(cluster, filter=f"assignedTo('{principal}')")
assert list(listed) == []

# Clusters
clusters = ContainerServiceClient(credential, subscription)
found = clusters.managed_clusters.get("lab", "lab")
assert found.fqdn == "lab.hcp.test" and found.aad_profile.enable_azure_rbac, found
for result in [
    clusters.managed_clusters.list_cluster_admin_credentials("lab", "lab"),
    clusters.managed_clusters.list_cluster_user_credentials("lab", "lab"),
]:
    kubeconfig = bytes(result.kubeconfigs[0].value).decode()
    assert "lab.hcp.test" in kubeconfig, kubeconfig
refused(ResourceNotFoundError, "ResourceGroupNotFound", lambda: clusters.managed_clusters.get("other", "lab"))
old = ContainerServiceClient(credential, subscription, api_version="1999-01-01")
refused(HttpResponseError, "NoRegisteredProviderFound", lambda: old.managed_clusters.get("lab", "lab"))

# Machines of pools
pool = ("lab", "lab", "aksflexnodes")
refused(ResourceNotFoundError, "NotFound", lambda: clusters.machines.get(*pool, "edge-99"))
wish = {"properties": {"kubernetes": {"orchestratorVersion": "1.34.3", "maxPods": 40}}}
made = clusters.machines.begin_create_or_update(*pool, "edge-99", wish).result()
assert made.properties.provisioning_state == "Succeeded", made
assert clusters.machines.get(*pool, "edge-99").properties.kubernetes.max_pods == 40
assert [it.name for it in clusters.machines.list(*pool)] == ["edge-99"]
data = clusters.agent_pools.list_bootstrap_data(*pool, {})
assert data.azure.bootstrap_token.token and data.node.kubelet.cluster_fqdn == "lab.hcp.test", data
assert base64.b64decode(data.node.kubelet.ca_cert_data).startswith(b"-----BEGIN CERTIFICATE-----")

arc.machines.begin_delete("lab", "edge-99").result()
refused(ResourceNotFoundError, "ResourceNotFound", lambda: arc.machines.get("lab", "edge-99"))
