//! The cluster as the emulated Azure has it.

use std::fs;
use std::path::Path;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::json;

use super::certificates::{AZURE, secret};
use super::{Cluster, LONGEST, NAME};
use crate::azure::{Azure, KUBERNETES as KUBERNETES_AUDIENCE, ManagedCluster, Principal, SUBSCRIPTION, Tls};
use crate::command::{Run as _, eventually};
use crate::error::At as _;
use crate::programs::KUBERNETES;
use crate::space::GATEWAY;
use crate::{Error, Space};

/// Its resource group, and its name in it.
const GROUP: &str = "lab";

impl Cluster {
    /// Its id in the emulated Azure.
    pub fn id(&self) -> Result<String, Error> {
        Ok(self.managed()?.id(SUBSCRIPTION))
    }

    /// What Azure Resource Manager knows about it.
    pub fn managed(&self) -> Result<ManagedCluster, Error> {
        Ok(ManagedCluster {
            resource_group: GROUP.to_owned(),
            name: GROUP.to_owned(),
            fqdn: NAME.to_owned(),
            kubernetes: KUBERNETES.to_owned(),
            authority: self.authority()?,
            azure_rbac: true,
            admin_kubeconfig: Some(self.admin_kubeconfig()?),
            bootstrap_token: self.token()?,
            dns: "10.0.0.10".to_owned(),
            agent_pools: vec!["aksflexnodes".to_owned()],
        })
    }

    /// What the emulated Azure proves its names with; the cluster's authority vouches for it.
    pub(crate) fn azure_tls(&self) -> Result<Tls, Error> {
        let (certificate, key) = (self.text(&format!("{AZURE}.crt"))?, self.text(&format!("{AZURE}.key"))?);
        Tls::issued(self.authority()?, &certificate, &key).at("use the certificate in", &self.files)
    }

    /// Waits until the API server has found Entra, for which it looks every ten seconds.
    pub fn wait_trusting(&self, space: &Space, azure: &Azure) -> Result<(), Error> {
        let token = azure.token(&Principal::application("anybody"), KUBERNETES_AUDIENCE);
        let config = json!({
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [{"name": GROUP, "cluster": {
                "server": format!("https://{GATEWAY}:443"),
                "certificate-authority": self.files.join("ca.crt"),
            }}],
            "users": [{"name": "anybody", "user": {"token": token}}],
            "contexts": [{"name": GROUP, "context": {"cluster": GROUP, "user": "anybody"}}],
            "current-context": GROUP,
        });
        let path = self.files.join("anybody.kubeconfig");
        // One from an earlier Azure may be there.
        let _ = fs::remove_file(&path);
        secret(&path, &config.to_string())?;
        let mut refusal = String::new();
        let waited = eventually("the API server to trust Entra", LONGEST, String::new, || {
            let mut kubectl = space.command(&self.kubectl);
            kubectl.arg("--kubeconfig").arg(&path).args(["auth", "whoami"]).env("HOME", &self.files);
            Ok(kubectl.printed().map_err(|error| refusal = error.to_string()).ok())
        });
        match waited {
            Err(Error::Late { what, waited, .. }) => Err(Error::Late { what, waited, evidence: refusal }),
            waited => waited.map(drop),
        }
    }

    /// The administrator's kubeconfig, with everything in it.
    fn admin_kubeconfig(&self) -> Result<String, Error> {
        let encoded = |file: &str| self.text(file).map(|text| BASE64_STANDARD.encode(text));
        let config = json!({
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [{"name": GROUP, "cluster": {
                "server": format!("https://{NAME}:443"),
                "certificate-authority-data": encoded("ca.crt")?,
            }}],
            "users": [{"name": "clusterAdmin_lab_lab", "user": {
                "client-certificate-data": encoded("admin.crt")?,
                "client-key-data": encoded("admin.key")?,
            }}],
            "contexts": [{"name": "lab-admin", "context": {"cluster": GROUP, "user": "clusterAdmin_lab_lab"}}],
            "current-context": "lab-admin",
        });
        Ok(config.to_string())
    }

    fn text(&self, file: &str) -> Result<String, Error> {
        let path = self.files.join(Path::new(file));
        fs::read_to_string(&path).at("read", &path)
    }
}
