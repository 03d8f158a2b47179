//! Names of VM sizes: `NC16as_T4_v3` is family N, sub-family C, 16 CPUs, features `as`, a T4, third version.

/// Letters that may stand for features of a size.
const FEATURES: &[u8] = b"abcdeiflmnotspPr";

/// What the name of a VM size says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SizeName<'a> {
    /// Family and sub-family: `D`, `NC`, `HB`.
    letters: &'a str,
    features: &'a str,
    /// The CPUs that are left where a size has fewer than its like: `24` in `E96-24s_v5`.
    pub constrained_cpus: Option<&'a str>,
    /// The accelerator, where the name gives one of letters and a number: `T4`, `A100`.
    pub accelerator: Option<&'a str>,
    version: Option<&'a str>,
}

impl<'a> SizeName<'a> {
    /// Reads a name without its tier; `None` for names that do not follow the convention.
    pub fn parse(size: &'a str) -> Option<Self> {
        let (letters, rest) = split(size, |byte| byte.is_ascii_uppercase());
        let (cpus, rest) = split(rest, |byte| byte.is_ascii_digit());
        if !(1..=3).contains(&letters.len()) || cpus.is_empty() {
            return None;
        }
        let (constrained, rest) = match rest.strip_prefix('-') {
            Some(rest) => split(rest, |byte| byte.is_ascii_digit()),
            None => ("", rest),
        };
        let (features, rest) = features(rest);
        let mut parts =
            rest.strip_prefix('_').unwrap_or(rest).split('_').filter(|part| !part.is_empty()).peekable();
        let mut take = |wanted: fn(&str) -> bool| parts.next_if(|part| wanted(part));
        take(|part| part == "NDR");
        let extra_large = take(|part| part == "xl").is_some();
        let accelerator = take(|part| !is_version(part) && accelerator_digits(part).is_some());
        if extra_large && accelerator.is_none() {
            return None;
        }
        take(|part| part == "cc");
        take(|part| part.bytes().all(|byte| byte.is_ascii_digit()));
        let version = take(is_version);
        take(|part| part == "Promo");
        if parts.next().is_some() {
            return None;
        }
        Some(Self {
            letters,
            features,
            constrained_cpus: Some(constrained).filter(|cpus| !cpus.is_empty()),
            // The peer gives no name to accelerators that end in letters, such as MI300X.
            accelerator: accelerator.filter(|name| accelerator_digits(name) == Some(name.len())),
            version,
        })
    }

    /// The family's letter.
    pub fn family(&self) -> &'a str {
        &self.letters[..1]
    }

    /// The series: the name without the number of CPUs and the accelerator, such as `NCas_v3`.
    pub fn series(&self) -> String {
        let separator = if self.version.is_some() { "_" } else { "" };
        [self.letters, self.features, separator, self.version.unwrap_or("")].concat()
    }

    /// The version's number, 1 where the name has none.
    pub fn version(&self) -> &'a str {
        self.version.map_or("1", |version| &version[1..])
    }

    /// Whether the host cannot look into the VM's memory.
    pub fn is_confidential(&self) -> bool {
        self.letters.starts_with("DC") || self.letters.starts_with("EC")
    }
}

fn split(text: &str, wanted: fn(u8) -> bool) -> (&str, &str) {
    text.split_at(text.bytes().position(|byte| !wanted(byte)).unwrap_or(text.len()))
}

fn features(text: &str) -> (&str, &str) {
    if let Some(rest) = text.strip_prefix("NP") {
        return ("NP", rest);
    }
    match split(text, |byte| FEATURES.contains(&byte)) {
        ("", _) => split(text, |byte| byte == b'C'),
        found => found,
    }
}

/// Where the digits of an accelerator's name end: capitals, digits, and perhaps capitals again.
fn accelerator_digits(part: &str) -> Option<usize> {
    let (letters, rest) = split(part, |byte| byte.is_ascii_uppercase());
    let (digits, rest) = split(rest, |byte| byte.is_ascii_digit());
    let fits =
        !letters.is_empty() && !digits.is_empty() && rest.bytes().all(|byte| byte.is_ascii_uppercase());
    fits.then_some(letters.len() + digits.len())
}

fn is_version(part: &str) -> bool {
    matches!(part.as_bytes(), [b'v' | b'V', b'1'..=b'9'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_taken_apart() {
        for (size, series, version, accelerator, constrained) in [
            ("D2s_v3", "Ds_v3", "3", None, None),
            ("M128s", "Ms", "1", None, None),
            ("DS2_v2_Promo", "DS_v2", "2", None, None),
            ("NC16as_T4_v3", "NCas_v3", "3", Some("T4"), None),
            ("E96-24s_v5", "Es_v5", "5", None, Some("24")),
            ("M416s_8_v2", "Ms_v2", "2", None, None),
            ("DC16as_cc_v5", "DCas_v5", "5", None, None),
            ("ND96isr_MI300X_v5", "NDisr_v5", "5", None, None),
            ("ND128isr_NDR_GB200_v6", "NDisr_v6", "6", Some("GB200"), None),
            ("NC24lds_xl_RTXPRO6000BSE_v6", "NClds_v6", "6", None, None),
            ("NG8ads_V620_v1", "NGads_v1", "1", Some("V620"), None),
            ("D2darm_V3", "Ddarm_V3", "3", None, None),
        ] {
            let name = SizeName::parse(size).unwrap_or_else(|| panic!("{size}"));
            let found = (name.version(), name.accelerator, name.constrained_cpus);
            assert_eq!(
                (name.series().as_str(), found),
                (series, (version, accelerator, constrained)),
                "{size}"
            );
        }
    }

    #[test]
    fn names_outside_the_convention_are_not_read() {
        for size in [
            "",
            "D",
            "2s",
            "d2s_v3",
            "Z8xq_v7",
            "ND96is_flex_H100_v5",
            "NC6_xl_v3",
            "D2s_v10",
            "D2s_v3_x",
            "Ü2",
        ] {
            assert_eq!(SizeName::parse(size), None, "{size}");
        }
    }
}
