//! Texts without the secrets in them: those that are known, and what looks like one.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use slipway_model::Secret;

/// What stands for a secret.
const MASK: &str = "***";

/// A shorter one would be found in words that mean something else.
const SHORTEST: usize = 8;

/// Takes secrets out of a text, line by line.
#[derive(Debug, Default)]
pub struct Scrubber {
    known: Vec<Secret<String>>,
    /// What is left of them in base64, wherever they begin in what was encoded.
    encoded: Vec<Secret<String>>,
    in_key: bool,
}

impl Scrubber {
    /// One that also knows these, as they are, as JSON writes them, and within base64.
    pub fn knowing(secrets: impl IntoIterator<Item = Secret<String>>) -> Self {
        let long_enough = |secret: &Secret<String>| secret.expose().len() >= SHORTEST;
        let (mut known, mut encoded): (Vec<Secret<String>>, _) = (Vec::new(), Vec::new());
        for secret in secrets.into_iter().filter(long_enough) {
            let escaped = secret.expose().replace('\n', "\\n").replace('"', "\\\"");
            if escaped != *secret.expose() {
                known.push(Secret::new(escaped));
            }
            encoded.extend(in_base64(secret.expose()));
            known.push(secret);
        }
        // One may be a part of another.
        known.sort_by_key(|secret| std::cmp::Reverse(secret.expose().len()));
        Self { known, encoded, in_key: false }
    }

    /// A line without its secrets; `None` for a line of a private key.
    pub fn line(&mut self, line: &str) -> Option<String> {
        let (begins, ends) = (line.contains("-----BEGIN"), line.contains("-----END"));
        if begins && line.contains("PRIVATE KEY") {
            // All of it may stand on this line.
            self.in_key = !ends;
            return Some(format!("(a private key: {MASK})"));
        }
        if self.in_key {
            self.in_key = !ends;
            return None;
        }
        let known = self.known.iter().filter(|secret| line.contains(secret.expose().as_str()));
        let masked = known.fold(None, |masked: Option<String>, secret| {
            Some(masked.as_deref().unwrap_or(line).replace(secret.expose().as_str(), MASK))
        });
        let line = masked.as_deref().unwrap_or(line);
        let encoded = self.encoded.iter().filter(|part| line.contains(part.expose().as_str()));
        let masked = encoded.fold(None, |masked: Option<String>, part| {
            Some(without_words(masked.as_deref().unwrap_or(line), part.expose()))
        });
        Some(without_secrets(masked.as_deref().unwrap_or(line)))
    }
}

/// What a secret always leaves in base64: the letters that come from it alone, whether it begins at the first, the second
/// or the third byte of a group; in both alphabets.
fn in_base64(secret: &str) -> Vec<Secret<String>> {
    let mut parts = Vec::new();
    for before in 0..3 {
        let text = BASE64_STANDARD.encode([&[b' '; 3][..before], secret.as_bytes()].concat());
        let whole = (before + secret.len()) / 3 * 4;
        let part = &text[if before == 0 { 0 } else { 4 }..whole];
        let of_urls = part.replace('+', "-").replace('/', "_");
        parts.extend((of_urls != part).then(|| Secret::new(of_urls)));
        parts.push(Secret::new(part.to_owned()));
    }
    parts
}

/// A line without the encoded words that have this part: the letters around it are of the same secret.
fn without_words(line: &str, part: &str) -> String {
    let is_letter = |letter: char| letter.is_ascii_alphanumeric() || "+/-_=".contains(letter);
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(at) = rest.find(part) {
        let before = rest[..at].trim_end_matches(is_letter);
        out.push_str(before);
        out.push_str(MASK);
        rest = rest[at..].trim_start_matches(is_letter);
    }
    out.push_str(rest);
    out
}

/// A text without what looks like a secret: tokens, keys and signatures, and whatever follows a word that announces one.
pub(crate) fn without_secrets(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    // The word before said that a secret comes; this is inside of one.
    let (mut announced, mut inside) = (false, false);
    // Something stands between the word that announced and this one, so that a quote begins a value.
    let mut apart = false;
    let mut quoted: Option<Quoted> = None;
    let mut before = None;
    for word in text.split_inclusive(is_edge) {
        let (core, edge) = match word.char_indices().next_back() {
            Some((at, last)) if is_edge(last) => word.split_at(at),
            _ => (word, ""),
        };
        let escaped = core.is_empty() && before == Some('\\');
        before = edge.chars().next();
        if let Some(value) = &mut quoted {
            value.filled |= !core.is_empty();
            if before == Some(value.quote) && escaped == value.escaped {
                announced = !value.filled;
                value.close(&mut out);
                quoted = None;
            }
            continue;
        }
        // `Authorization: Bearer ...` announces twice.
        let is_scheme = ["Bearer", "Basic"].iter().any(|scheme| core.eq_ignore_ascii_case(scheme));
        if core.is_empty() {
            let opens = before.filter(|edge| announced && !inside && apart && matches!(edge, '"' | '\''));
            quoted = opens.map(|quote| Quoted { quote, escaped, filled: false });
            inside &= !ends_value(edge);
            announced &= !edge.contains([',', ';', '&']);
        } else if !inside && (is_scheme || (!announced && announces_secret(core))) {
            out.push_str(core);
            (announced, apart) = (true, false);
        } else if announced || inside || looks_secret(core) {
            if !inside {
                out.push_str(MASK);
            }
            inside = (announced || inside) && !ends_value(edge);
            announced = false;
            if inside {
                continue;
            }
        } else {
            out.push_str(core);
        }
        apart |= before.is_some_and(|edge| edge.is_whitespace() || matches!(edge, '=' | ':'));
        if !inside {
            out.push_str(edge);
        }
    }
    if quoted.is_some_and(|value| value.filled) {
        out.push_str(MASK);
    }
    out
}

/// A secret in quotes: whatever stands in them is of it.
struct Quoted {
    quote: char,
    /// The quotes are those of a text within a text.
    escaped: bool,
    filled: bool,
}

impl Quoted {
    fn close(&self, out: &mut String) {
        if self.filled {
            out.push_str(MASK);
        }
        if self.escaped {
            out.push('\\');
        }
        out.push(self.quote);
    }
}

fn is_edge(letter: char) -> bool {
    letter.is_whitespace() || letter.is_control() || "\"'=:,;&?()[]{}<>/\\@".contains(letter)
}

/// Whether a value is over at an edge; others may stand within one, such as the slash of an encoded key.
fn ends_value(edge: &str) -> bool {
    edge.chars()
        .all(|letter| letter.is_whitespace() || letter.is_control() || "\"'\\,;&()[]{}<>".contains(letter))
}

/// Whether the next word is nobody's business.
fn announces_secret(word: &str) -> bool {
    const WORDS: [&str; 7] =
        ["token", "password", "secret", "sig", "key", "authorization", "protectedsettings"];
    let word = word.to_ascii_lowercase();
    WORDS.iter().any(|known| word.ends_with(known))
}

/// A bootstrap token, or letters of all kinds as only keys and signatures have them.
fn looks_secret(word: &str) -> bool {
    let plain = |part: &str| part.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit());
    let is_token = word
        .split_once('.')
        .is_some_and(|(id, secret)| id.len() == 6 && secret.len() == 16 && plain(id) && plain(secret));
    let mixed = [u8::is_ascii_lowercase, u8::is_ascii_uppercase, u8::is_ascii_digit];
    let is_key =
        |part: &str| part.len() >= 32 && mixed.iter().all(|kind| part.bytes().any(|byte| kind(&byte)));
    // Names of files and versions have dots and dashes between short parts.
    is_token || word.split(['.', '-']).any(is_key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_looks_like_a_secret_goes_and_everything_else_stays() {
        for (line, expected) in [
            ("+ nc -vz host 443", "+ nc -vz host 443"),
            (
                "curl -H 'Authorization: Bearer abc.def' https://x",
                "curl -H 'Authorization: Bearer ***' https://x",
            ),
            ("--token abcdef.0123456789abcdef --x", "--token *** --x"),
            ("using abcdef.0123456789abcdef now", "using *** now"),
            ("https://x.blob/y?sv=1&sig=Zm9v%2B&se=2", "https://x.blob/y?sv=1&sig=***&se=2"),
            ("password: hunter2 end", "password: *** end"),
            ("--password=MyPassword", "--password=***"),
            (r#"{"protectedSettings": "MIIB/abc+def==", "a": 1}"#, r#"{"protectedSettings": "***", "a": 1}"#),
            ("k8Zq0vYh3Lw9Xr5Tb7Nc1Md4Pf6Sg2Ja", "***"),
            ("token=", "token="),
            ("key=a/b/c, next=d", "key=***, next=d"),
            (r#"password="a b, c" d"#, r#"password="***" d"#),
            (r"--password 'a b' d", r"--password '***' d"),
            (r#"{"client_secret": "a \" b", "x": 1}"#, r#"{"client_secret": "***", "x": 1}"#),
            (r#""{\"password\":\"a b\",\"x\":1}""#, r#""{\"password\":\"***\",\"x\":1}""#),
            (r#"password="" d"#, r#"password="" ***"#),
            (r#"token="cut he"#, r#"token="***"#),
            (
                "/var/lib/Microsoft.Azure.Extensions.CustomScript-2.1.10/0.status ok",
                "/var/lib/Microsoft.Azure.Extensions.CustomScript-2.1.10/0.status ok",
            ),
        ] {
            assert_eq!(without_secrets(line), expected);
        }
    }

    #[test]
    fn known_secrets_go_wherever_they_stand_and_private_keys_with_all_their_lines() {
        let secrets = ["plainword1", "two\nlines1", "short"].map(|secret| Secret::new(secret.to_owned()));
        let mut scrubber = Scrubber::knowing(secrets);
        let mut lines = |line: &str| scrubber.line(line);
        assert_eq!(lines("a=xplainword1y").as_deref(), Some("a=x***y"));
        assert_eq!(lines(r#"{"x":"two\nlines1"}"#).as_deref(), Some(r#"{"x":"***"}"#));
        assert_eq!(lines("shorter").as_deref(), Some("shorter"));
        for before in ["", "a", "ab"] {
            for after in ["", "b", "bc", "bcd"] {
                let word = BASE64_STANDARD.encode(format!("{before}plainword1{after}"));
                assert_eq!(lines(&format!("x {word} y")).as_deref(), Some("x *** y"), "{before} {after}");
            }
        }
        assert_eq!(lines("-----BEGIN EC PRIVATE KEY-----").as_deref(), Some("(a private key: ***)"));
        assert_eq!(lines("MHcCAQEE/abc"), None);
        assert_eq!(lines("-----END EC PRIVATE KEY-----"), None);
        assert_eq!(lines("after").as_deref(), Some("after"));
    }
}
