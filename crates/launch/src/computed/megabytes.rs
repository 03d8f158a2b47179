//! Numbers of the node class in the form that the node provisioning service takes them.

use crate::Fidelity;

const MEBIBYTE: f64 = 1_048_576.0;

/// Suffixes of quantities and what they multiply by, as powers: of two, and of ten.
const SUFFIXES: [(&str, i32, i32); 13] = [
    ("Ki", 10, 0),
    ("Mi", 20, 0),
    ("Gi", 30, 0),
    ("Ti", 40, 0),
    ("Pi", 50, 0),
    ("Ei", 60, 0),
    ("m", 0, -3),
    ("k", 0, 3),
    ("M", 0, 6),
    ("G", 0, 9),
    ("T", 0, 12),
    ("P", 0, 15),
    ("E", 0, 18),
];

/// A quantity such as `50Mi` in whole mebibytes; `None` for what is none. What does not fit a number of 32 bits is
/// the largest one, or with [`Fidelity::Compat`] what the peer's overflow gives.
#[expect(clippy::cast_possible_truncation, reason = "the range is checked")]
pub fn whole_megabytes(quantity: &str, fidelity: Fidelity) -> Option<i32> {
    let rounded = (bytes(quantity)? / MEBIBYTE).round();
    if rounded.abs() <= f64::from(i32::MAX) {
        return Some(rounded as i32);
    }
    Some(if fidelity.is_ours() { i32::MAX } else { i32::MIN })
}

#[expect(clippy::cast_precision_loss, reason = "a quantity is capped at what an integer of 64 bits holds")]
fn bytes(quantity: &str) -> Option<f64> {
    let (number, two, ten) = SUFFIXES
        .iter()
        .find_map(|(suffix, two, ten)| Some((quantity.strip_suffix(suffix)?, *two, *ten)))
        .or_else(|| exponent(quantity))
        .unwrap_or((quantity, 0, 0));
    let digits = number.strip_prefix(['+', '-']).unwrap_or(number);
    let is_number = digits.bytes().any(|byte| byte.is_ascii_digit())
        && digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
        && digits.bytes().filter(|byte| *byte == b'.').count() <= 1;
    let bytes = is_number.then(|| number.parse::<f64>().ok()).flatten()? * 2_f64.powi(two) * 10_f64.powi(ten);
    Some(bytes.ceil().min(i64::MAX as f64))
}

fn exponent(quantity: &str) -> Option<(&str, i32, i32)> {
    let (number, exponent) = quantity.split_once(['e', 'E'])?;
    Some((number, 0, exponent.parse().ok()?))
}

/// The limit of processes of a pod as a number of 32 bits; any negative one is "no limit".
pub fn pod_pids(limit: i64) -> i32 {
    if limit < 0 { -1 } else { i32::try_from(limit).unwrap_or(i32::MAX) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities_become_whole_mebibytes() {
        for (quantity, megabytes) in [
            ("50Mi", Some(50)),
            ("1048576Ki", Some(1024)),
            ("1G", Some(954)),
            ("512Ki", Some(1)),
            ("1e9", Some(954)),
            ("1.5Gi", Some(1536)),
            ("0", Some(0)),
            ("1E", Some(i32::MIN)),
            ("8Ei", Some(i32::MIN)),
            ("", None),
            ("Mi", None),
            ("many", None),
            ("1.2.3", None),
        ] {
            assert_eq!(whole_megabytes(quantity, Fidelity::Compat), megabytes, "{quantity}");
        }
        assert_eq!(whole_megabytes("8Ei", Fidelity::Ours), Some(i32::MAX));
        assert_eq!((pod_pids(1 << 31), pod_pids(-7)), (i32::MAX, -1));
    }
}
