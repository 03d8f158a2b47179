//! Secrets taken out of a stream that comes in pieces.

use slipway_model::Secret;

/// What is shorter than this would be found everywhere.
const SHORTEST: usize = 4;

/// Masks secrets in a stream, wherever it is cut.
#[derive(Debug)]
pub(crate) struct Veil {
    /// The longest first, so that one that begins like another is found whole.
    secrets: Vec<Secret<String>>,
    /// What may be the beginning of a secret.
    held: Vec<u8>,
}

impl Veil {
    pub(crate) fn over(secrets: &[Secret<String>]) -> Self {
        let mut secrets: Vec<_> =
            secrets.iter().filter(|secret| secret.expose().len() >= SHORTEST).cloned().collect();
        secrets.sort_by_key(|secret| std::cmp::Reverse(secret.expose().len()));
        Self { secrets, held: Vec::new() }
    }

    /// What of the stream can be shown now that this piece has come.
    pub(crate) fn pass(&mut self, piece: &[u8]) -> Vec<u8> {
        self.held.extend_from_slice(piece);
        self.take(false)
    }

    /// What is left when the stream has ended.
    pub(crate) fn rest(&mut self) -> Vec<u8> {
        self.take(true)
    }

    fn take(&mut self, ended: bool) -> Vec<u8> {
        let mut shown = Vec::with_capacity(self.held.len());
        let mut at = 0;
        while at < self.held.len() {
            let ahead = &self.held[at..];
            let secret = self.secrets.iter().map(|secret| secret.expose().as_bytes()).find(|secret| {
                secret[0] == ahead[0] && (ahead.starts_with(secret) || !ended && secret.starts_with(ahead))
            });
            match secret {
                Some(secret) if ahead.len() < secret.len() => break,
                Some(secret) => {
                    shown.extend_from_slice(Secret::<String>::MASK.as_bytes());
                    at += secret.len();
                }
                None => {
                    shown.push(ahead[0]);
                    at += 1;
                }
            }
        }
        self.held.drain(..at);
        shown
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_found_however_the_stream_is_cut() {
        let text = b"x token12 token123 tok token1".as_slice();
        for cut in 0..=text.len() {
            let mut veil = Veil::over(&["token12".into(), "token123".into(), "to".into()]);
            let mut seen = veil.pass(&text[..cut]);
            seen.extend(veil.pass(&text[cut..]));
            seen.extend(veil.rest());
            assert_eq!(String::from_utf8_lossy(&seen), "x <secret> <secret> tok token1", "cut at {cut}");
        }
    }
}
