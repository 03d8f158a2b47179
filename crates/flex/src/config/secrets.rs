//! Where the secrets of a configuration are.

use std::path::{Path, PathBuf};

use super::keys;
use super::settings::FlexConfig;

impl FlexConfig {
    /// The files that hold its secrets: those that it names, and its own file where one stands in it.
    pub fn secret_files(&self, own: &Path) -> Vec<PathBuf> {
        let named = [keys::TOKEN_FILE, keys::SP_SECRET_FILE, keys::SP_CERTIFICATE];
        let named = named.iter().filter_map(|key| self.values.text(key)).map(PathBuf::from);
        self.holds_secret().then(|| own.to_owned()).into_iter().chain(named).collect()
    }

    fn holds_secret(&self) -> bool {
        let proxies =
            [keys::HTTP_PROXY, keys::HTTPS_PROXY].into_iter().filter_map(|key| self.values.secret(key));
        // An address has a secret where it has a user.
        let mut addresses = proxies.chain(self.values.secrets(keys::MIRRORS));
        [keys::BOOTSTRAP_TOKEN, keys::SP_SECRET].iter().any(|key| self.values.is_set(key))
            || addresses.any(|address| address.expose().contains('@'))
    }
}
