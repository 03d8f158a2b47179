//! "Did you mean": the known word nearest to one that is not known.

/// Longer words are not typing errors of known ones, and comparing them would cost time.
const LONGEST: usize = 80;

/// The nearest of the known words, if it is near enough to be meant. Case, `-` and `_` hardly count.
pub fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if word.is_empty() || word.len() > LONGEST {
        return None;
    }
    let folded = fold(word);
    let allowed = 1 + folded.len() / 4;
    known
        .into_iter()
        .map(|candidate| (fold(candidate), candidate))
        // Every character that one word has more than the other is an edit.
        .filter(|(known, _)| known.len().abs_diff(folded.len()) <= allowed)
        .map(|(known, candidate)| (distance(&folded, &known), candidate))
        .filter(|(distance, _)| *distance <= allowed)
        .min_by_key(|(distance, candidate)| (*distance, candidate.len().abs_diff(word.len())))
        .map(|(_, candidate)| candidate)
}

fn fold(word: &str) -> Vec<u8> {
    word.bytes().filter(|byte| !matches!(byte, b'-' | b'_')).map(|byte| byte.to_ascii_lowercase()).collect()
}

/// Edits that turn one word into the other; swapping two neighbours is one edit.
fn distance(a: &[u8], b: &[u8]) -> usize {
    let mut before = vec![0; b.len() + 1];
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut row = vec![i + 1; b.len() + 1];
        for (j, y) in b.iter().enumerate() {
            row[j + 1] = (last[j + 1] + 1).min(row[j] + 1).min(last[j] + usize::from(x != y));
            if i > 0 && j > 0 && *x == b[j - 1] && a[i - 1] == *y {
                row[j + 1] = row[j + 1].min(before[j - 1] + 1);
            }
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_words_are_found_and_far_ones_are_not() {
        let known = ["vm_size", "kubernetes_version", "is_vhd"];
        assert_eq!(nearest("vmsize", known), Some("vm_size"));
        assert_eq!(nearest("vm_szie", known), Some("vm_size"));
        assert_eq!(nearest("kubernetesversoin", known), Some("kubernetes_version"));
        assert_eq!(nearest("flavour", known), None);
        assert_eq!(nearest("", known), None);
    }
}
