//! Other places for the same files.

use std::str::FromStr;

use slipway_model::Secret;

/// Addresses that begin with one text are asked for at another, which may hold a user and a password.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mirror {
    /// How the addresses begin; empty for all.
    from: String,
    to: Secret<String>,
}

/// Text that is no mirror.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MirrorError {
    /// The mirror itself is no address.
    #[error("a mirror is an https or http address, such as https://mirror.example/k8s")]
    NoAddress,
    /// What is mirrored is no address.
    #[error("what is mirrored, {0}, is no https or http address, such as https://dl.k8s.io")]
    Of(String),
}

impl Mirror {
    /// Addresses that begin with `from` are at `to`. With an empty `from`, every address is at `to`, below the name of
    /// its host: `https://a.example/x` is at `to/a.example/x`.
    pub fn new(from: &str, to: &str) -> Result<Self, MirrorError> {
        let is_address = |text: &str| text.starts_with("https://") || text.starts_with("http://");
        if !is_address(to) {
            return Err(MirrorError::NoAddress);
        }
        if !from.is_empty() && !is_address(from) {
            return Err(MirrorError::Of(from.to_owned()));
        }
        Ok(Self { from: from.trim_end_matches('/').to_owned(), to: to.trim_end_matches('/').into() })
    }

    /// Where an address is, if this mirror has it.
    fn place(&self, url: &str) -> Option<String> {
        let to = self.to.expose();
        if self.from.is_empty() {
            let (_, rest) = url.split_once("://")?;
            return Some(format!("{to}/{rest}"));
        }
        let rest = url.strip_prefix(self.from.as_str())?;
        (rest.is_empty() || rest.starts_with(['/', '?'])).then(|| format!("{to}{rest}"))
    }

    /// Where an address is, given these mirrors: the one that knows it most exactly counts.
    pub fn find(mirrors: &[Self], url: &str) -> Secret<String> {
        let mut best: Option<(usize, String)> = None;
        for mirror in mirrors {
            if let Some(place) = mirror.place(url)
                && best.as_ref().is_none_or(|(length, _)| mirror.from.len() > *length)
            {
                best = Some((mirror.from.len(), place));
            }
        }
        best.map_or_else(|| url.into(), |(_, place)| Secret::new(place))
    }
}

impl FromStr for Mirror {
    type Err = MirrorError;

    /// `TO`, or `FROM=TO`.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.split_once("=http") {
            Some((from, rest)) => Self::new(from, &format!("http{rest}")),
            None => Self::new("", text),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mirror_that_knows_an_address_best_has_it() {
        let mirrors: Vec<Mirror> =
            ["https://m/all", "https://dl.k8s.io=http://u:p@m/k8s/", "https://dl.k8s.io/v1=https://m/one"]
                .map(|text| text.parse().unwrap())
                .to_vec();
        for (url, place) in [
            ("https://github.com/a?b", "https://m/all/github.com/a?b"),
            ("https://dl.k8s.io/v2/x", "http://u:p@m/k8s/v2/x"),
            ("https://dl.k8s.io/v1/x", "https://m/one/x"),
            ("https://dl.k8s.io.evil/v1", "https://m/all/dl.k8s.io.evil/v1"),
        ] {
            assert_eq!(Mirror::find(&mirrors, url).expose(), place);
        }
        assert_eq!(Mirror::find(&[], "https://a/b").expose(), "https://a/b");
    }

    #[test]
    fn a_mirror_is_an_address_and_its_password_is_not_shown() {
        assert_eq!("m/all".parse::<Mirror>(), Err(MirrorError::NoAddress));
        assert_eq!("dl.k8s.io=https://m".parse::<Mirror>(), Err(MirrorError::Of("dl.k8s.io".to_owned())));
        assert!(!format!("{:?}", "https://u:word@m".parse::<Mirror>().unwrap()).contains("word"));
    }
}
