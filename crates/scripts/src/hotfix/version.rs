//! Versions of the controller: `YYYYMM.DD.PATCH`.

/// What a version is a patch of: the text before its second dot. Leading zeros matter, so this is no number.
pub fn base(version: &str) -> Option<&str> {
    let mut parts = version.splitn(3, '.');
    let (month, day, patch) = (parts.next()?, parts.next()?, parts.next()?);
    let complete = !month.is_empty() && !day.is_empty() && !patch.is_empty();
    complete.then(|| &version[..=month.len() + day.len()])
}

/// Whether a hotfix is meant for the running version: same base, higher patch.
///
/// # Errors
/// Which of the two is no version; builds from a working tree are called `dev`.
pub fn supersedes(hotfix: &str, running: &str) -> Result<bool, String> {
    let parse = |text| numbers(text).ok_or_else(|| format!("{text:?} is not a version"));
    let ([major, minor, patch], [wanted_major, wanted_minor, wanted_patch]) =
        (parse(running)?, parse(hotfix)?);
    Ok(major == wanted_major && minor == wanted_minor && wanted_patch > patch)
}

/// A semantic version, read leniently: `v` before it, leading zeros, and missing minor or patch are fine.
fn numbers(text: &str) -> Option<[u64; 3]> {
    let text = text.strip_prefix('v').unwrap_or(text);
    let (text, build) = text.split_once('+').map_or((text, None), |(text, build)| (text, Some(build)));
    let (core, candidate) = text.split_once('-').map_or((text, None), |(core, tail)| (core, Some(tail)));
    if !build.is_none_or(is_dotted) || !candidate.is_none_or(|tail| is_dotted(tail) && !has_zero_first(tail))
    {
        return None;
    }
    let mut numbers = [0; 3];
    for (at, part) in core.split('.').enumerate() {
        let digits = !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        *numbers.get_mut(at)? = part.parse().ok().filter(|_| digits)?;
    }
    Some(numbers)
}

fn is_dotted(text: &str) -> bool {
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
    text.split('.').all(|word| !word.is_empty() && word.bytes().all(is_word))
}

fn has_zero_first(text: &str) -> bool {
    let is_number = |word: &str| word.bytes().all(|byte| byte.is_ascii_digit());
    text.split('.').any(|word| word.len() > 1 && word.starts_with('0') && is_number(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_base_is_everything_before_the_second_dot() {
        for (version, expected) in [
            ("202601.15.0", Some("202601.15")),
            ("202601.05.12", Some("202601.05")),
            ("1.2.3.4", Some("1.2")),
            ("202601.15", None),
            ("202601.15.", None),
            ("202601..1", None),
            (".15.1", None),
            ("dev", None),
            ("", None),
        ] {
            assert_eq!(base(version), expected, "{version}");
        }
    }

    #[test]
    fn a_hotfix_passes_the_gate_only_as_a_later_patch_of_the_same_base() {
        for (running, hotfix, expected) in [
            ("202601.15.0", "202601.15.1", Some(true)),
            ("202601.15.0", "202601.15.10", Some(true)),
            ("202601.15.9", "202601.15.10", Some(true)),
            ("202601.15.1", "202601.15.1", Some(false)),
            ("202601.15.2", "202601.15.1", Some(false)),
            ("202601.15.0", "202601.16.1", Some(false)),
            ("202601.15.0", "202602.15.1", Some(false)),
            ("202601.5.0", "202601.05.1", Some(true)),
            ("v202601.15.0", "202601.15.1-rc.1", Some(true)),
            ("202601.15", "202601.15.1+build", Some(true)),
            ("dev", "202601.15.1", None),
            ("202601.15.0", "202601.15.x", None),
            ("202601.15.0", "202601.15.1.1", None),
            ("202601.15.0", "", None),
            ("202601.15.0", " 202601.15.1", None),
            ("202601.15.0", "V202601.15.1", None),
            ("202601.15.0", "202601.15.1-01", None),
            ("202601.15.0", "202601.15.+1", None),
            ("202601.15.0", "202601.15.99999999999999999999", None),
        ] {
            assert_eq!(supersedes(hotfix, running).ok(), expected, "{running} {hotfix}");
        }
    }
}
