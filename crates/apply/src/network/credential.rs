//! The credential that a node's kubeconfig names.

use std::path::Path;
use std::time::Duration;

use slipway_fetch::ProxySettings;
use slipway_host::{Exit, Host, Program};
use slipway_kubernetes::{ApiError, ApiServer, ClientCertificate, Credential, ExecCredential, ExecVersion};
use slipway_model::Secret;

/// Kubelet gives its plugin as long.
const PLUGIN_WITHIN: Duration = Duration::from_mins(1);

/// The client certificate of a kubeconfig, or what the program says that it names; `None` while there is neither.
pub(super) fn find(host: &dyn Host, kubeconfig: &Path) -> Option<Credential> {
    let text = String::from_utf8(host.read(kubeconfig).ok()?).ok()?;
    certificate(host, &text).or_else(|| said(host, &plugin(&text)?))
}

/// What a node's kubeconfig names to be shown to the API server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NodeCredential {
    /// Nothing that can be used.
    Missing,
    /// What a program says.
    Program,
    /// This certificate, which may have expired.
    Certificate(ClientCertificate),
}

/// What a node's kubeconfig names; nobody is asked.
pub fn credential(host: &dyn Host, kubeconfig: &Path) -> NodeCredential {
    let text = host.read(kubeconfig).ok().and_then(|text| String::from_utf8(text).ok()).unwrap_or_default();
    if plugin(&text).is_some() {
        return NodeCredential::Program;
    }
    let pem = value(&text, "client-certificate").and_then(|path| host.read(Path::new(path)).ok());
    let pem = Secret::new(pem.and_then(|pem| String::from_utf8(pem).ok()).unwrap_or_default());
    ClientCertificate::parse(pem.expose()).map_or(NodeCredential::Missing, NodeCredential::Certificate)
}

/// The API server of a node's kubeconfig, asked as the node; `None` while there is nothing to ask it with.
pub fn server(host: &dyn Host, kubeconfig: &Path) -> Option<Result<ApiServer, ApiError>> {
    server_through(host, kubeconfig, None)
}

/// The same, through these proxies.
pub(super) fn server_through(
    host: &dyn Host,
    kubeconfig: &Path,
    proxy: Option<&ProxySettings>,
) -> Option<Result<ApiServer, ApiError>> {
    let text = String::from_utf8(host.read(kubeconfig).ok()?).ok()?;
    let ca = host.read(Path::new(value(&text, "certificate-authority")?)).ok()?;
    let address = value(&text, "server")?;
    Some(ApiServer::new(address, &ca, find(host, kubeconfig)?, proxy))
}

fn said(host: &dyn Host, program: &Program) -> Option<Credential> {
    let ended = host.run(program).ok().filter(|ended| ended.exit == Exit::Code(0))?;
    let printed = Secret::new(ended.stdout);
    // Who is not told which version is wanted answers in the first.
    ExecCredential::parse(printed.expose(), ExecVersion::V1).ok().map(|answer| answer.credential)
}

/// The program that a kubeconfig of ours names.
fn plugin(text: &str) -> Option<Program> {
    let (_, exec) = text.split_once("\n    exec:\n")?;
    let word = |line: &str| serde_json::from_str::<String>(line).ok();
    let path = exec.lines().find_map(|line| word(line.trim_start().strip_prefix("command: ")?))?;
    let (_, arguments) = exec.split_once("args:\n")?;
    let arguments = arguments.lines().map_while(|line| word(line.trim_start().strip_prefix("- ")?)).collect();
    Some(Program { path: path.into(), arguments, input: None, within: PLUGIN_WITHIN })
}

fn certificate(host: &dyn Host, text: &str) -> Option<Credential> {
    let read = |key| String::from_utf8(host.read(Path::new(value(text, key)?)).ok()?).ok();
    let chain_pem = read("client-certificate")?;
    let key_pem = Secret::new(read("client-key")?);
    Some(Credential::Certificate { chain_pem: certificates(&chain_pem), key_pem })
}

/// The value of a key that stands on a line of its own, as in kubelet's YAML and in our JSON.
fn value<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    text.lines().find_map(|line| {
        let line = line.trim().trim_start_matches("- ").trim_end_matches(',');
        let (name, value) = line.split_once(':')?;
        (name.trim_matches('"') == key).then(|| value.trim().trim_matches(['"', '\'']))
    })
}

/// The certificates of a PEM text that may hold a key as well.
fn certificates(pem: &str) -> String {
    let mut out = String::new();
    let mut inside = false;
    for line in pem.lines() {
        inside |= line.starts_with("-----BEGIN CERTIFICATE");
        if inside {
            out.push_str(line);
            out.push('\n');
        }
        inside &= !line.starts_with("-----END");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_paths_are_found_in_yaml_and_in_json() {
        for text in [
            "users:\n- name: a\n  user:\n    client-certificate: /c.pem\n    client-key: '/k.pem'\n",
            "{\n  \"user\": {\n    \"client-certificate\": \"/c.pem\",\n    \"client-key\": \"/k.pem\"\n  }\n}\n",
        ] {
            assert_eq!(value(text, "client-certificate"), Some("/c.pem"));
            assert_eq!(value(text, "client-key"), Some("/k.pem"));
        }
        let text = "users:\n- name: client\n  user:\n    exec:\n      apiVersion: client.authentication.k8s.io/v1\n      command: \"/bin/x\"\n      args:\n      - \"a \\\"b\"\n      - \"c\"\n      interactiveMode: Never\n";
        let program = plugin(text).unwrap();
        assert_eq!(
            (program.path.as_path(), program.arguments),
            (Path::new("/bin/x"), vec!["a \"b".to_owned(), "c".to_owned()])
        );
        let pem = "-----BEGIN CERTIFICATE-----\nA\n-----END CERTIFICATE-----\n-----BEGIN PRIVATE KEY-----\nB\n-----END PRIVATE KEY-----\n";
        assert_eq!(certificates(pem), "-----BEGIN CERTIFICATE-----\nA\n-----END CERTIFICATE-----\n");
    }
}
