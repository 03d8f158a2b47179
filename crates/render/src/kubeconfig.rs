//! Kubeconfigs: where the API server is, and who asks.

use std::fmt::Write as _;

use crate::quote::quoted;

/// Where the API server is, and who asks.
#[derive(Debug, Clone, Copy)]
pub struct Kubeconfig<'a> {
    /// The API server, such as `https://host:443`.
    pub server: &'a str,
    /// The file with the cluster's CA.
    pub ca: &'a str,
    /// Who asks.
    pub user: KubeconfigUser<'a>,
}

/// Who asks an API server.
#[derive(Clone, Copy)]
pub enum KubeconfigUser<'a> {
    /// A node that has nothing but a bootstrap token.
    Token(&'a str),
    /// A node with a client certificate.
    Certificate {
        /// The file with the certificate.
        certificate: &'a str,
        /// The file with its key.
        key: &'a str,
    },
    /// Whoever this program says.
    Plugin {
        /// Where it is.
        program: &'a str,
        /// What it is told.
        arguments: &'a [String],
    },
}

impl std::fmt::Debug for KubeconfigUser<'_> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(match self {
            Self::Token(_) => "Token",
            Self::Certificate { .. } => "Certificate",
            Self::Plugin { .. } => "Plugin",
        })
    }
}

/// The text of a kubeconfig. It holds the token, if there is one.
pub fn kubeconfig(config: Kubeconfig<'_>) -> String {
    let (user, context, credential): (_, _, Vec<(&str, &str)>) = match config.user {
        KubeconfigUser::Token(token) => ("kubelet-bootstrap", "bootstrap-context", vec![("token", token)]),
        KubeconfigUser::Certificate { certificate, key } => {
            ("client", "localclustercontext", vec![("client-certificate", certificate), ("client-key", key)])
        }
        KubeconfigUser::Plugin { .. } => ("client", "localclustercontext", Vec::new()),
    };
    let mut out = "apiVersion: v1\nkind: Config\nclusters:\n- name: localcluster\n  cluster:\n".to_owned();
    entry(&mut out, "certificate-authority", config.ca);
    entry(&mut out, "server", config.server);
    // Writing to a string cannot fail.
    let _ = write!(out, "users:\n- name: {user}\n  user:\n");
    for (name, value) in credential {
        entry(&mut out, name, value);
    }
    if let KubeconfigUser::Plugin { program, arguments } = config.user {
        plugin(&mut out, program, arguments);
    }
    let _ = write!(
        out,
        "contexts:\n- name: {context}\n  context:\n    cluster: localcluster\n    user: {user}\n\
         current-context: {context}\n"
    );
    out
}

/// A kubelet has nobody at a keyboard whom the program could ask.
fn plugin(out: &mut String, program: &str, arguments: &[String]) {
    out.push_str("    exec:\n      apiVersion: client.authentication.k8s.io/v1\n      command: ");
    quoted(out, program, char::is_control);
    out.push_str("\n      args:\n");
    for argument in arguments {
        out.push_str("      - ");
        quoted(out, argument, char::is_control);
        out.push('\n');
    }
    out.push_str("      interactiveMode: Never\n      provideClusterInfo: false\n");
}

/// Double quotes mean the same in YAML as in JSON.
fn entry(out: &mut String, name: &str, value: &str) {
    let _ = write!(out, "    {name}: ");
    quoted(out, value, char::is_control);
    out.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_stands_in_quotes_and_cannot_leave_them() {
        let user = KubeconfigUser::Token("abc.\"x\nserver: y");
        let text = kubeconfig(Kubeconfig { server: "https://h:443", ca: "/ca.crt", user });
        assert!(text.contains("    token: \"abc.\\\"x\\nserver: y\"\n"), "{text}");
        assert!(text.ends_with("current-context: bootstrap-context\n"), "{text}");
        assert!(!format!("{user:?}").contains("abc"));
    }

    #[test]
    fn a_client_certificate_is_named_by_its_files() {
        let user = KubeconfigUser::Certificate { certificate: "/c.crt", key: "/c.key" };
        assert_eq!(
            kubeconfig(Kubeconfig { server: "https://h:443", ca: "/ca.crt", user }),
            "apiVersion: v1\nkind: Config\nclusters:\n- name: localcluster\n  cluster:\n    \
             certificate-authority: \"/ca.crt\"\n    server: \"https://h:443\"\nusers:\n- name: client\n  user:\n    \
             client-certificate: \"/c.crt\"\n    client-key: \"/c.key\"\ncontexts:\n- name: localclustercontext\n  \
             context:\n    cluster: localcluster\n    user: client\ncurrent-context: localclustercontext\n"
        );
    }

    #[test]
    fn a_program_is_asked_without_anybody_at_a_keyboard() {
        let arguments = ["flex".to_owned(), "token".to_owned()];
        let user = KubeconfigUser::Plugin { program: "/usr/local/bin/slipway", arguments: &arguments };
        let text = kubeconfig(Kubeconfig { server: "https://h:443", ca: "/ca.crt", user });
        assert!(
            text.contains(
                "- name: client\n  user:\n    exec:\n      apiVersion: client.authentication.k8s.io/v1\n      \
                 command: \"/usr/local/bin/slipway\"\n      args:\n      - \"flex\"\n      - \"token\"\n      \
                 interactiveMode: Never\n"
            ),
            "{text}"
        );
    }
}
