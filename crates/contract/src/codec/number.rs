//! Number texts, with protobuf-go's rules for what counts as a whole number.

/// Whether a byte would continue a number or word instead of ending it.
pub(super) fn continues(byte: u8) -> bool {
    matches!(byte, b'-' | b'+' | b'.' | b'_' | b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9')
}

/// The parts of a number: `-12.50e3` is negative, `12`, `50`, `3`.
struct Parts<'a> {
    negative: bool,
    whole: &'a str,
    fraction: &'a str,
    exponent: &'a str,
    length: usize,
}

fn digits(text: &str) -> usize {
    text.bytes().take_while(u8::is_ascii_digit).count()
}

/// Splits the number at the start of the text; `None` where there is none. `more` says whether anything
/// follows the text, which matters to an exponent without digits.
fn parts(text: &str, more: bool) -> Option<Parts<'_>> {
    let negative = text.starts_with('-');
    let mut at = usize::from(negative);
    let whole = match text[at..].bytes().next()? {
        b'0' => &text[at..=at],
        b'1'..=b'9' => &text[at..at + digits(&text[at..])],
        _ => return None,
    };
    at += whole.len();
    let mut fraction = "";
    if text[at..].starts_with('.') && digits(&text[at + 1..]) > 0 {
        fraction = &text[at + 1..at + 1 + digits(&text[at + 1..])];
        at += 1 + fraction.len();
    }
    let mut exponent = "";
    if text[at..].starts_with(['e', 'E']) && (more || text.len() > at + 1) {
        let sign = usize::from(text[at + 1..].starts_with(['+', '-']));
        if sign == 1 && text.len() == at + 2 && !more {
            return None;
        }
        // No digit has to follow: protobuf-go reads `1e` as 1.
        exponent = &text[at + 1..at + 1 + sign + digits(&text[at + 1 + sign..])];
        at += 1 + exponent.len();
    }
    Some(Parts { negative, whole, fraction, exponent, length: at })
}

/// The length of the number at the start of the text; `more` as above.
pub(super) fn length(text: &str, more: bool) -> Option<usize> {
    let length = parts(text, more)?.length;
    (!text[length..].bytes().next().is_some_and(continues)).then_some(length)
}

/// The whole number that a number text stands for; `1.0` and `1e2` are whole, `1.5` is not.
pub(super) fn integer(text: &str) -> Option<i128> {
    const MOST_DIGITS: i64 = 20;
    if let Ok(plain) = text.parse::<i64>() {
        return Some(i128::from(plain));
    }
    let number = parts(text, false)?;
    let whole = if number.whole == "0" { "" } else { number.whole };
    let fraction = number.fraction.trim_end_matches('0');
    if whole.is_empty() && fraction.is_empty() {
        return Some(0);
    }
    let exponent = match number.exponent {
        "" => 0,
        text => i64::from(text.parse::<i32>().ok()?),
    };
    let (whole_digits, fraction_digits) =
        (i64::try_from(whole.len()).ok()?, i64::try_from(fraction.len()).ok()?);
    let (kept, zeros) = if exponent >= 0 {
        if fraction_digits > exponent || whole_digits + exponent > MOST_DIGITS {
            return None;
        }
        (whole, exponent - fraction_digits)
    } else {
        let point = usize::try_from(whole_digits + exponent).ok()?;
        if !fraction.is_empty()
            || whole.len() - point > 0 && whole[point..].bytes().any(|digit| digit != b'0')
        {
            return None;
        }
        (&whole[..point], 0)
    };
    let fraction = if exponent >= 0 { fraction } else { "" };
    let mut value: i128 = 0;
    for digit in kept.bytes().chain(fraction.bytes()).chain((0..zeros).map(|_| b'0')) {
        value = value.checked_mul(10)?.checked_add(i128::from(digit - b'0'))?;
    }
    Some(if number.negative { -value } else { value })
}

/// The number inside a quoted text. What follows the number's end inside the quotes does not count, as in
/// protobuf-go; white space around it is refused.
pub(super) fn quoted(text: &str) -> Option<&str> {
    if text.trim().len() != text.len() {
        return None;
    }
    text.get(..length(text, false)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_may_be_written_with_point_and_exponent() {
        for (text, value) in [
            ("0", Some(0)),
            ("-0", Some(0)),
            ("0e99999999999", Some(0)),
            ("120e-1", Some(12)),
            ("1.5e1", Some(15)),
            ("0.001e3", Some(1)),
            ("1e", Some(1)),
            ("1e+", None),
            ("1.50", None),
            ("1e-1", None),
            ("10e-2", None),
            ("1e20", None),
            ("1e19", Some(10_000_000_000_000_000_000)),
            ("99999999999999999999", Some(99_999_999_999_999_999_999)),
            ("100000000000000000000", None),
            ("-", None),
        ] {
            assert_eq!(integer(text), value, "{text}");
        }
    }

    #[test]
    fn a_number_ends_at_a_delimiter() {
        for (text, expected) in [
            ("12,", Some(2)),
            ("-1.5e+3]", Some(7)),
            ("1e}", Some(2)),
            ("1e+}", Some(3)),
            ("1e", None),
            ("007", None),
            ("5.", None),
            ("1_0", None),
        ] {
            assert_eq!(length(text, false), expected, "{text}");
        }
        assert_eq!(length("1e", true), Some(2), "bytes that are not UTF-8 follow");
    }

    #[test]
    fn a_quoted_number_ends_at_the_first_delimiter() {
        assert_eq!(quoted("7"), Some("7"));
        assert_eq!(quoted("7 8"), Some("7"));
        assert_eq!(quoted("7]"), Some("7"));
        assert_eq!(quoted("7 "), None);
        assert_eq!(quoted("7x"), None);
    }
}
