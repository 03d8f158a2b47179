use super::Download;
use crate::{Secret, Sourced};

/// How the node gets its first credential.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Join {
    /// What the node shows for a start.
    pub token: Sourced<Option<Secret<String>>>,
    /// A program that kubelet asks for its credential, where there is no token.
    pub plugin: Sourced<Option<CredentialPlugin>>,
    /// A credential for the machine's attested identity.
    pub secure: SecureBootstrap,
    /// The key of a client certificate that is made already, PEM.
    pub client_key: Sourced<Option<Secret<String>>>,
    /// That client certificate, PEM.
    pub client_certificate: Sourced<Option<String>>,
}

/// A program that answers with an `ExecCredential`. It finds out by itself who the node is: nothing here is secret.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CredentialPlugin {
    /// Where it is.
    pub program: String,
    /// What it is told.
    pub arguments: Vec<String>,
}

/// Secure TLS bootstrapping: a client on the node trades the machine's attested identity for a credential.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SecureBootstrap {
    /// Whether it is used.
    pub enabled: Sourced<bool>,
    /// The Entra resource that the identity's token is for.
    pub resource: Sourced<String>,
    /// The user-assigned identity to use.
    pub identity: Sourced<Option<String>>,
    /// Another client than the image's.
    pub client: Sourced<Option<Download>>,
    /// How long the stages may take, by the names of the client's flags.
    pub timeouts: Vec<(&'static str, Sourced<Option<String>>)>,
}
