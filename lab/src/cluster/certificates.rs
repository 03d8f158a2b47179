//! The cluster's certificates: one authority, and everything that it vouches for.

use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;
use std::time::{Duration, UNIX_EPOCH};

use rcgen::{
    BasicConstraints, CertificateParams, DistinguishedName, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer,
    KeyPair, KeyUsagePurpose, date_time_ymd,
};

use crate::Error;
use crate::azure::{MANAGEMENT, SIGN_IN};
use crate::error::At as _;

/// The stem of the files of what the emulated Azure proves its names with.
pub(super) const AZURE: &str = "azure";

/// How long ago Azure got its certificate. It gets new ones often: who is late by an hour may not believe one.
const RENEWED: Duration = Duration::from_mins(10);

/// A client of the API server.
pub(super) struct Client {
    /// The stem of its files' names.
    pub(super) file: &'static str,
    user: &'static str,
    group: Option<&'static str>,
}

pub(super) const CLIENTS: [Client; 4] = [
    Client { file: "admin", user: "lab-admin", group: Some("system:masters") },
    Client { file: "controller-manager", user: "system:kube-controller-manager", group: None },
    Client { file: "scheduler", user: "system:kube-scheduler", group: None },
    // What the API server shows to kubelets.
    Client { file: "kubelet-client", user: "lab-apiserver", group: Some("system:masters") },
];

/// Makes `ca`, `apiserver`, `azure`, one pair per client and the key of service accounts, as PEM files.
pub(super) fn write(directory: &Path, names: &[&str]) -> Result<(), Error> {
    fs::create_dir_all(directory).at("make", directory)?;
    let key = KeyPair::generate()?;
    let mut authority = CertificateParams::default();
    authority.distinguished_name = subject("slipway-lab", None);
    authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    authority.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::DigitalSignature];
    let certificate = authority.self_signed(&key)?;
    pair(directory, "ca", &certificate.pem(), &key)?;
    let issuer = Issuer::new(authority, key);

    let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    let mut server = CertificateParams::new(names)?;
    server.distinguished_name = subject("kube-apiserver", None);
    server.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
    issue(directory, "apiserver", server, &issuer)?;
    let mut azure = CertificateParams::new([SIGN_IN.to_owned(), MANAGEMENT.to_owned()])?;
    azure.distinguished_name = subject("azure", None);
    azure.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
    azure.not_before = date_time_ymd(1970, 1, 1) + UNIX_EPOCH.elapsed().unwrap_or_default() - RENEWED;
    issue(directory, AZURE, azure, &issuer)?;
    for client in &CLIENTS {
        let mut params = CertificateParams::default();
        params.distinguished_name = subject(client.user, client.group);
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ClientAuth];
        issue(directory, client.file, params, &issuer)?;
    }
    let accounts = KeyPair::generate()?;
    let public = directory.join("service-accounts.pub");
    fs::write(&public, accounts.public_key_pem()).at("write", &public)?;
    secret(&directory.join("service-accounts.key"), &accounts.serialize_pem())
}

fn subject(name: &str, organization: Option<&str>) -> DistinguishedName {
    let mut subject = DistinguishedName::new();
    if let Some(organization) = organization {
        subject.push(DnType::OrganizationName, organization);
    }
    subject.push(DnType::CommonName, name);
    subject
}

fn issue(
    directory: &Path,
    file: &str,
    mut params: CertificateParams,
    issuer: &Issuer<'_, KeyPair>,
) -> Result<(), Error> {
    params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
    let key = KeyPair::generate()?;
    let certificate = params.signed_by(&key, issuer)?;
    pair(directory, file, &certificate.pem(), &key)
}

fn pair(directory: &Path, file: &str, certificate: &str, key: &KeyPair) -> Result<(), Error> {
    let path = directory.join(format!("{file}.crt"));
    fs::write(&path, certificate).at("write", &path)?;
    secret(&directory.join(format!("{file}.key")), &key.serialize_pem())
}

/// Writes a file that only its owner may read, from its first byte on.
pub(super) fn secret(path: &Path, text: &str) -> Result<(), Error> {
    let open = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path);
    open.and_then(|mut file| file.write_all(text.as_bytes())).at("write", path)
}
