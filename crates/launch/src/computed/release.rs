//! Kubernetes releases: what of a node's flags and downloads goes by the version.

/// Where AKS keeps binaries.
const MIRROR: &str = "https://acs-mirror.azureedge.net";
const AZURE_CNI: &str = "1.4.32";
const CNI_PLUGINS: &str = "1.1.1";

/// The image of the container that holds a pod's namespaces.
pub(crate) const PAUSE_IMAGE: &str = "mcr.microsoft.com/oss/kubernetes/pause:3.6";

/// A Kubernetes version with all of its three numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Release<'a> {
    /// The version, as it is written.
    pub text: &'a str,
    /// The first number.
    pub major: u64,
    /// The second number, which everything here goes by.
    pub minor: u64,
}

/// A text that is not a version with three numbers.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a Kubernetes version such as 1.33.4")]
pub struct NotARelease(pub String);

impl<'a> Release<'a> {
    /// Reads a version, strictly: three numbers, no `v`, no leading zeros.
    pub fn parse(text: &'a str) -> Result<Self, NotARelease> {
        Self::read(text).ok_or_else(|| NotARelease(text.to_owned()))
    }

    fn read(text: &'a str) -> Option<Self> {
        let (rest, build) = text.split_once('+').map_or((text, None), |(rest, build)| (rest, Some(build)));
        let (core, candidate) = rest.split_once('-').map_or((rest, None), |(core, tail)| (core, Some(tail)));
        let words_fit =
            |part: Option<&str>, fits: fn(&str) -> bool| part.is_none_or(|part| part.split('.').all(fits));
        if !words_fit(build, is_word) || !words_fit(candidate, |word| is_word(word) && !is_padded(word)) {
            return None;
        }
        let mut numbers = core.split('.').map(|number| {
            let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
            (is_number && !is_padded(number)).then(|| number.parse::<u64>().ok()).flatten()
        });
        let (major, minor, _) = (numbers.next()??, numbers.next()??, numbers.next()??);
        numbers.next().is_none().then_some(Self { text, major, minor })
    }

    /// Where kubelet and kubectl come from; images since 1.34 know that themselves.
    pub fn kube_binary_url(self, arch: &str) -> String {
        if self.minor >= 34 {
            return String::new();
        }
        format!("{MIRROR}/kubernetes/v{}/binaries/kubernetes-node-linux-{arch}.tar.gz", self.text)
    }

    /// Where the provider of registry credentials comes from; before 1.30 kubelet was its own.
    pub fn credential_provider_url(self, arch: &str) -> String {
        let provider = match self.minor {
            ..30 => return String::new(),
            30 => "1.30.12",
            31 => "1.31.6",
            32 => "1.32.5",
            _ => "1.33.0",
        };
        format!(
            "{MIRROR}/cloud-provider-azure/v{provider}/binaries/azure-acr-credential-provider-linux-{arch}-v{provider}.tar.gz"
        )
    }

    /// Whether kubelet asks a program for registry credentials.
    pub fn has_credential_provider(self) -> bool {
        self.minor >= 30
    }
}

fn is_word(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}

/// A number with a zero before it.
fn is_padded(word: &str) -> bool {
    word.len() > 1 && word.starts_with('0') && word.bytes().all(|byte| byte.is_ascii_digit())
}

/// Where Azure's network plugin comes from.
pub(crate) fn azure_cni_url(arch: &str) -> String {
    format!("{MIRROR}/azure-cni/v{AZURE_CNI}/binaries/azure-vnet-cni-linux-{arch}-v{AZURE_CNI}.tgz")
}

/// Where the common network plugins come from.
pub(crate) fn cni_plugins_url(arch: &str) -> String {
    format!("{MIRROR}/cni-plugins/v{CNI_PLUGINS}/binaries/cni-plugins-linux-{arch}-v{CNI_PLUGINS}.tgz")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_versions_are_releases() {
        for (text, minor) in [("1.33.0", 33), ("2.1.0", 1), ("1.34.0-rc.1", 34), ("1.30.0+build.01", 30)] {
            assert_eq!(Release::parse(text).unwrap().minor, minor, "{text}");
        }
        for text in [
            "",
            "latest",
            "v1.33.0",
            "1.33",
            "1.33.0.1",
            "1.033.0",
            "1.33.0-01",
            "1.33.0-",
            "1.33.x",
            " 1.33.0",
        ] {
            assert!(Release::parse(text).is_err(), "{text}");
        }
    }
}
