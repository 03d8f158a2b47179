//! The bundle that a configuration names.

use std::path::{Path, PathBuf};

/// Why a text names no bundle.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OfflineError {
    /// It is of a kind that we do not read.
    #[error("{0}: bundles are files here; fetch it first, and give its path")]
    NoFile(String),
    /// It is no path from the root.
    #[error("{0:?} is no path from the root, such as /var/lib/node-1.34.bundle")]
    NotFromRoot(String),
    /// It has a word in braces that means nothing.
    #[error(
        "{{{{{0}}}}} stands for nothing; .KubernetesVersion and .KubernetesVersionNoV stand for the version"
    )]
    NoWord(String),
}

/// Where the bundle is that `source` names for a version of Kubernetes: a path or a `file://` address, in which
/// `{{.KubernetesVersion}}` stands for the version with its `v` and `{{.KubernetesVersionNoV}}` for the version without.
pub fn offline_bundle(source: &str, kubernetes: &str) -> Result<PathBuf, OfflineError> {
    let bare = kubernetes.strip_prefix('v').unwrap_or(kubernetes);
    let mut text = String::new();
    let mut rest = source;
    while let Some((before, after)) = rest.split_once("{{") {
        let (word, behind) = after.split_once("}}").ok_or_else(|| OfflineError::NoWord(after.to_owned()))?;
        text.push_str(before);
        match word.trim().trim_matches('-').trim() {
            ".KubernetesVersion" => text.extend(["v", bare]),
            ".KubernetesVersionNoV" => text.push_str(bare),
            _ => return Err(OfflineError::NoWord(word.to_owned())),
        }
        rest = behind;
    }
    text.push_str(rest);
    let path = text.strip_prefix("file://").unwrap_or(&text);
    if path.contains("://") {
        return Err(OfflineError::NoFile(text));
    }
    if Path::new(path).is_absolute() { Ok(path.into()) } else { Err(OfflineError::NotFromRoot(text)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_source_is_a_file_whose_name_may_hold_the_version() {
        for (source, path) in [
            ("/b", "/b"),
            ("file:///b/{{.KubernetesVersion}}.bundle", "/b/v1.34.1.bundle"),
            ("/b/{{ .KubernetesVersionNoV }}/{{- .KubernetesVersion -}}", "/b/1.34.1/v1.34.1"),
        ] {
            for version in ["1.34.1", "v1.34.1"] {
                assert_eq!(offline_bundle(source, version), Ok(path.into()), "{source}");
            }
        }
        for (source, error) in [
            ("oci://r.example/b:{{.KubernetesVersion}}", "oci://r.example/b:v1: bundles are files here"),
            ("b", "\"b\" is no path from the root"),
            ("/b/{{.Version}}", "{{.Version}} stands for nothing"),
            ("/b/{{.KubernetesVersion", "stands for nothing"),
        ] {
            let said = offline_bundle(source, "1").unwrap_err().to_string();
            assert!(said.contains(error), "{said}");
        }
    }
}
