use std::fmt;

use zeroize::Zeroize;

/// A value that must not be seen: no `Display`, a redacting `Debug`, zeroed when dropped.
///
/// The inside is reached only by [`expose`](Self::expose), so every place where a secret can leave is
/// found by searching for that word.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Secret<T: Zeroize>(T);

impl<T: Zeroize> Secret<T> {
    /// What is printed in place of a secret.
    pub const MASK: &'static str = "<secret>";

    /// Wraps a value.
    pub fn new(value: T) -> Self {
        Self(value)
    }

    /// The value itself, for the one place that hands it over.
    pub fn expose(&self) -> &T {
        &self.0
    }
}

impl<T: Zeroize> fmt::Debug for Secret<T> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(Self::MASK)
    }
}

impl<T: Zeroize> Drop for Secret<T> {
    fn drop(&mut self) {
        self.0.zeroize();
    }
}

impl<'de> serde::Deserialize<'de> for Secret<String> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(Self)
    }
}

impl From<&str> for Secret<String> {
    fn from(text: &str) -> Self {
        Self(text.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debug_output_never_shows_the_value() {
        let token = Secret::from("abcdef.0123456789abcdef");
        assert_eq!(format!("{token:?} {:?}", Some(&token)), "<secret> Some(<secret>)");
        assert_eq!(token.expose(), "abcdef.0123456789abcdef");
    }
}
