use std::collections::BTreeMap;

use crate::Sourced;

/// How kubelet runs.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Kubelet {
    /// Flags by name, dashes included.
    pub flags: BTreeMap<String, Sourced<String>>,
    /// Labels with which the node registers.
    pub labels: BTreeMap<String, Sourced<String>>,
    /// Whether there is a configuration file.
    pub has_file: Sourced<bool>,
    /// What is in the configuration file.
    pub settings: Vec<Setting>,
    /// Whether the cluster signs kubelet's serving certificate.
    pub serving_rotation: Sourced<bool>,
    /// Whether kubelet's data are on the temporary disk.
    pub on_temp_disk: Sourced<bool>,
    /// Whether control groups are of the second version, and systemd's.
    pub cgroup_v2: Sourced<bool>,
    /// Image pulls in the name of a pod's service account.
    pub account_pull: AccountPull,
}

/// A value of kubelet's configuration file.
#[derive(Debug, Clone, PartialEq)]
pub struct Setting {
    /// The names of the objects that it is in, and its own.
    pub path: Vec<String>,
    /// The value.
    pub value: Sourced<SettingValue>,
}

/// What a setting of kubelet holds. Objects are settings of their own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SettingValue {
    /// `true` or `false`.
    Switch(bool),
    /// A whole number.
    Number(i64),
    /// A text.
    Text(String),
    /// Texts, in order.
    Texts(Vec<String>),
}

/// Image pulls in the name of a pod's service account.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AccountPull {
    /// Whether there are any.
    pub enabled: Sourced<bool>,
    /// The identity for accounts that name none.
    pub client: Sourced<Option<String>>,
    /// That identity's tenant.
    pub tenant: Sourced<Option<String>>,
    /// The name under which the cluster's authority for identities answers.
    pub authority: Sourced<String>,
}
