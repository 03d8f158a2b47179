//! The shapes of bodies, as Azure Resource Manager spells them.

use std::collections::BTreeMap;

use serde::{Serialize, Serializer};

/// A resource: where it is put, and what it is.
#[derive(Serialize)]
pub struct Resource<'a, P> {
    /// Where it is put.
    pub id: String,
    /// Its name.
    pub name: String,
    pub(super) location: &'a str,
    pub(super) tags: &'a BTreeMap<String, String>,
    /// What it is.
    pub properties: P,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) identity: Option<Identity<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) zones: Option<[&'a str; 1]>,
}

/// Another resource, by its id.
#[derive(Serialize)]
pub(super) struct Reference<T> {
    pub(super) id: T,
}

/// The identities of a VM.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Identity<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    user_assigned_identities: Identities<'a>,
}

/// An object that has the identities as its members, each without content.
struct Identities<'a>(&'a [String]);

/// An object without members.
#[derive(Serialize)]
pub(super) struct Nothing {}

impl<'a> Identity<'a> {
    pub(super) fn of(identities: &'a [String]) -> Self {
        Self { kind: "UserAssigned", user_assigned_identities: Identities(identities) }
    }
}

impl Serialize for Identities<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|id| (id, Nothing {})))
    }
}

/// How a VM is paid for.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Payment {
    priority: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    eviction_policy: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    billing_profile: Option<Billing>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Billing {
    max_price: i32,
}

impl Payment {
    pub(super) const REGULAR: Self =
        Self { priority: "Regular", eviction_policy: None, billing_profile: None };
    /// Never more than the list price.
    pub(super) const SPOT: Self = Self {
        priority: "Spot",
        eviction_policy: Some("Delete"),
        billing_profile: Some(Billing { max_price: -1 }),
    };
}

/// Encryption and trusted launch.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Security {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) encryption_at_host: Option<bool>,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub(super) trusted_launch: Option<TrustedLaunch>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct TrustedLaunch {
    pub(super) security_type: &'static str,
    pub(super) uefi_settings: UefiSettings,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct UefiSettings {
    pub(super) secure_boot_enabled: bool,
    pub(super) v_tpm_enabled: bool,
}

/// The operating system, and what makes it a node.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct OsProfile<'a> {
    #[serde(flatten)]
    pub(super) computer: Computer,
    pub(super) admin_username: &'a str,
    pub(super) custom_data: &'a str,
    pub(super) linux_configuration: LinuxConfiguration<'a>,
}

/// The name of one computer, or what the names of several begin with.
#[derive(Serialize)]
pub(super) enum Computer {
    #[serde(rename = "computerName")]
    One(String),
    #[serde(rename = "computerNamePrefix")]
    Several(String),
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct LinuxConfiguration<'a> {
    pub(super) disable_password_authentication: bool,
    pub(super) ssh: Ssh<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Ssh<'a> {
    pub(super) public_keys: [PublicKey<'a>; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct PublicKey<'a> {
    pub(super) key_data: &'a str,
    pub(super) path: String,
}

/// What a VM can do beyond others of its size.
#[derive(Serialize)]
pub(super) struct Capabilities {
    #[serde(rename = "ultraSSDEnabled")]
    pub(super) ultra_ssd_enabled: bool,
}
