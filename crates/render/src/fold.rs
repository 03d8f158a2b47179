//! Comparing words without regard to case, as Go does it.

/// Lower case, character by character: what a character's own lower case begins with.
pub(crate) fn lowercase(text: &str) -> String {
    text.chars().map(|character| character.to_lowercase().next().unwrap_or(character)).collect()
}

/// Whether a text is this ASCII word in any case. The Kelvin sign and the long s fold to ASCII letters.
pub(crate) fn same_word(text: &str, ascii: &str) -> bool {
    let folded = |character| match character {
        '\u{212a}' => 'k',
        '\u{17f}' => 's',
        other => other.to_ascii_lowercase(),
    };
    text.chars().map(folded).eq(ascii.chars().map(folded))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unicode_folds_to_ascii_where_go_does() {
        assert!(same_word("AKScustom", "akscustom"));
        assert!(same_word("a\u{212a}\u{17f}custom", "akscustom"));
        assert!(!same_word("akscustom ", "akscustom"));
        assert_eq!(lowercase("CHİNA"), "china");
    }
}
