//! Texts to compare the two readers on: sound ones, and the ways in which a text goes wrong.

use std::ops::Range;

/// A fixed sequence of numbers that look random, so that a failure can be seen again.
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// A number below `end`; 0 where that is not possible.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^= mixed >> 31;
        usize::try_from(mixed % (end.max(1) as u64)).unwrap()
    }

    pub(crate) fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }
}

/// Values that readers disagree about: number forms, quoted numbers with tails, escapes, base64, words.
pub(crate) const ODD: &[&str] = &[
    "null",
    "true",
    "false",
    "{}",
    "[]",
    "[null]",
    "{\"a\":null}",
    "\"\"",
    "\" \"",
    "\"x\"",
    "-",
    "+1",
    "--1",
    "0",
    "-0",
    "00",
    "01",
    "-01",
    "1",
    "42",
    "1.",
    ".5",
    "1.0",
    "1.5",
    "0.1e1",
    "1.0e-1",
    "10e-1",
    "1e",
    "1E",
    "1e+",
    "1e-",
    "1e+1",
    "1E-0",
    "1.e1",
    "1.0e",
    "1.0e+",
    "12e-1",
    "120e-1",
    "1e2",
    "1e9",
    "1e10",
    "1e19",
    "1e20",
    "1e99999999999",
    "0e99999999999",
    "0.0e-9",
    "-0.0",
    "-0e1",
    "1.10e1",
    "0.10e2",
    "100e-2",
    "0.001e3",
    "2147483647",
    "2147483648",
    "-2147483648",
    "-2147483649",
    "4294967295",
    "4294967296",
    "9223372036854775807",
    "9223372036854775808",
    "18446744073709551615",
    "18446744073709551616",
    "-9223372036854775808",
    "1e400",
    "1e-400",
    "3.4028235e38",
    "3.4028236e38",
    "3.5e38",
    "1e308",
    "1.7976931348623159e308",
    "4.9e-324",
    "0x10",
    "1_0",
    "NaN",
    "Infinity",
    "-Infinity",
    "\"NaN\"",
    "\"Infinity\"",
    "\"-Infinity\"",
    "\"-NaN\"",
    "\"inf\"",
    "\"1\"",
    "\"-1\"",
    "\"+1\"",
    "\"1.0\"",
    "\"1e2\"",
    "\"1e\"",
    "\"1e+\"",
    "\"1e-1\"",
    "\"1.5\"",
    "\"01\"",
    "\"1 \"",
    "\" 1\"",
    "\"1 2\"",
    "\"1,2\"",
    "\"1]\"",
    "\"1x\"",
    "\"1\\u0000\"",
    "\"1\\u00a0\"",
    "\"1\\u2003\"",
    "\"1\\n\"",
    "\"1\u{e9}\"",
    "\"1e 5\"",
    "\"1e+ 5\"",
    "\"-\"",
    "\"1/2\"",
    "\"\\u0031\"",
    "\"1e400\"",
    "\"4294967296\"",
    "\"true\"",
    "\"null\"",
    "\"COLOR_RED\"",
    "\"VM_TYPE_VMSS\"",
    "\"vm_type_vmss\"",
    "\"\\ud83d\\ude00\"",
    "\"\\ud83d\"",
    "\"\\ud83dx\"",
    "\"\\ud83d\\n\"",
    "\"\\ude00\"",
    "\"\\ud83d\\ud83d\"",
    "\"\\u12\"",
    "\"\\u123g\"",
    "\"\\u+123\"",
    "\"\\u-123\"",
    "\"\\x\"",
    "\"\\",
    "\"\\u",
    "\"\\u12",
    "\"\\ud83d\\",
    "\"\\ud83d\\u",
    "\"\\'\"",
    "\"\\/\"",
    "\"\u{7f}\"",
    "\"\u{1f}\"",
    "\"\t\"",
    "\"a\nb\"",
    "\"\u{2028}\"",
    "\"\u{feff}\"",
    "\"Zm9v\"",
    "\"Zm9\"",
    "\"Zm8=\"",
    "\"Zg==\"",
    "\"Zg=\"",
    "\"Zg\"",
    "\"Z\"",
    "\"Zh==\"",
    "\"Zm9v\\n\"",
    "\"Zg==\\n\"",
    "\"Zg\\n\"",
    "\"Zg=\\n=\"",
    "\"\\nZg==\"",
    "\"Zm\\r\\n9v\"",
    "\"-_-_\"",
    "\"+/+/\"",
    "\"-/\"",
    "\"====\"",
    "\"=\"",
    "\"Zg\\n\\n\"",
    "\"Z\\n\\n\\n\"",
    "\"Zm9vZg\\n\\n==\"",
    "nul",
    "nulll",
    "truefalse",
    "true1",
    "tru",
    "True",
    "'x'",
    "//",
    "/**/",
    "{\"a\":1",
    "[1",
    "[1,",
    "{,}",
    "[,]",
    "{\"a\"}",
    "{\"a\":}",
    "{1:2}",
    "[1 2]",
    "[1,]",
    "{\"a\":1,}",
    "[]]",
    "{}}",
    "\u{e9}",
    "\u{0}",
    "\"a\"b",
    "1\u{e9}",
    "1\"",
    "true\"",
    "true[",
    "1{",
    "1:",
    "nul\u{e9}",
];

const BYTES: &[u8] = b"{}[]:,\"\\ \n\t\r\x00\x1f\x7f\x80\xbf\xc3\xe2\xed\xf0\xff0123456789eE+-._aunft/'x";

/// The tokens of a text, roughly: strings, words and numbers, single characters; no white space.
fn tokens(text: &[u8]) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let start = at;
        at += 1;
        match text[start] {
            b'"' => {
                while at < text.len() && text[at] != b'"' {
                    at += if text[at] == b'\\' { 2 } else { 1 };
                }
                at = (at + 1).min(text.len());
            }
            byte if byte.is_ascii_whitespace() => continue,
            byte if byte.is_ascii_alphanumeric() || byte == b'-' => {
                while at < text.len() && (text[at].is_ascii_alphanumeric() || b"+-.".contains(&text[at])) {
                    at += 1;
                }
            }
            _ => {}
        }
        found.push(start..at);
    }
    found
}

/// The values of a text: where each starts and ends, without its key.
fn values(text: &[u8]) -> Vec<Range<usize>> {
    let tokens = tokens(text);
    let mut found = Vec::new();
    let mut open = Vec::new();
    for (index, token) in tokens.iter().enumerate() {
        let is_key = tokens.get(index + 1).is_some_and(|next| text[next.start] == b':');
        match text[token.start] {
            b'{' | b'[' => open.push(token.start),
            b'}' | b']' => found.extend(open.pop().map(|start| start..token.end)),
            b':' | b',' => {}
            _ if is_key => {}
            _ => found.push(token.clone()),
        }
    }
    found
}

/// The members of a text's objects: each key with its value.
fn members(text: &[u8]) -> Vec<Range<usize>> {
    let tokens = tokens(text);
    let values = values(text);
    let keys = tokens.windows(3).filter(|window| text[window[1].start] == b':');
    keys.filter_map(|window| {
        let value = values.iter().find(|value| value.start == window[2].start)?;
        Some(window[0].start..value.end)
    })
    .collect()
}

/// The text with one thing wrong, or at least unusual.
pub(crate) fn mutate(text: &[u8], dice: &mut Dice) -> Vec<u8> {
    let mut text = text.to_vec();
    let somewhere = dice.below(text.len() + 1);
    match dice.below(12) {
        0 => {
            let at = dice.below(text.len());
            text.splice(at..(at + 1).min(text.len()), [*dice.pick(BYTES)]);
        }
        1 => text.splice(somewhere..somewhere, [*dice.pick(BYTES)]).for_each(drop),
        2 => {
            let end = (somewhere + 1 + dice.below(3)).min(text.len());
            text.drain(somewhere..end);
        }
        3 => text.truncate(somewhere),
        4 => {
            let tokens = tokens(&text);
            if let [_, _, ..] = tokens[..] {
                let (first, second) = (dice.below(tokens.len()), dice.below(tokens.len()));
                let (first, second) = (&tokens[first.min(second)], &tokens[first.max(second)]);
                let (early, late) = (text[first.clone()].to_vec(), text[second.clone()].to_vec());
                text.splice(second.clone(), early);
                text.splice(first.clone(), late);
            }
        }
        5 => {
            let tokens = tokens(&text);
            if !tokens.is_empty() {
                let (from, to) = (dice.pick(&tokens).clone(), dice.pick(&tokens).start);
                let token = text[from].to_vec();
                text.splice(to..to, token);
            }
        }
        6 => {
            let members = members(&text);
            if !members.is_empty() {
                let (from, to) = (dice.pick(&members).clone(), dice.pick(&members).end);
                let mut member = b",".to_vec();
                member.extend_from_slice(&text[from]);
                text.splice(to..to, member);
            }
        }
        7 => {
            let tokens = tokens(&text);
            if !tokens.is_empty() {
                let gap =
                    dice.pick(&[" ", "\n", "\r\n\t", "\"\u{e9}\u{1f600}\"", "\u{a0}", "\u{c}"]).as_bytes();
                let at = dice.pick(&tokens).start;
                text.splice(at..at, gap.iter().copied());
            }
        }
        _ => {
            let values = values(&text);
            if !values.is_empty() {
                let value = dice.pick(&values).clone();
                text.splice(value, dice.pick(ODD).bytes());
            }
        }
    }
    text
}
