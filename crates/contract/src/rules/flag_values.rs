//! Values of the kubelet's flags, held against what the flag takes.

use super::flag_table::Value;
use super::shapes::address::{cidr, domain, ip, url};
use super::shapes::kube::{
    cipher_suite, eviction_grace, eviction_threshold, feature_gate, is_duration, is_quantity, label,
    label_value, qualified_name, reserved_resource,
};
use super::shapes::machine::sysctl_pattern;
use super::shapes::{Verdict, wrong, wrong_try};
use crate::codec::names;
use crate::suggest::nearest;

const EFFECTS: [&str; 3] = ["NoSchedule", "PreferNoSchedule", "NoExecute"];

/// What the kubelet's flag parser would say, as far as it can be known.
pub(super) fn held_against(kind: Value, text: &str) -> Verdict {
    match kind {
        Value::Text => Ok(()),
        Value::Bool => boolean(text),
        Value::Int => whole(text, i64::from(i32::MIN), i64::from(i32::MAX)),
        Value::Long => whole(text, i64::MIN, i64::MAX),
        Value::Percent => whole(text, 0, 100),
        Value::Port => whole(text, 0, 65_535),
        Value::Duration => is_duration(text),
        Value::Quantity => is_quantity(text),
        Value::Url => url(text),
        Value::Domain => domain(text),
        Value::Ip => ip(text),
        Value::Ips => each(text, |item| ip(item.trim())),
        Value::Cidr => cidr(text),
        Value::Choice(words) => choice(text, words),
        Value::Ciphers => each(text, cipher_suite),
        Value::Sysctls => each(text, sysctl_pattern),
        Value::Thresholds => each(text, |item| pair(item, "<", eviction_threshold)),
        Value::Grace => each(text, |item| pair(item, "=", eviction_grace)),
        Value::Gates => {
            each(text, |item| pair(item, "=", |gate, value| feature_gate(gate).and_then(|()| boolean(value))))
        }
        Value::Reserved => each(text, |item| pair(item, "=", reserved_resource)),
        Value::Labels => each(text, |item| pair(item, "=", label)),
        Value::Taints => each(text, taint),
    }
}

/// The items of a list with commas; the first that is wrong is named.
fn each(text: &str, check: impl Fn(&str) -> Verdict) -> Verdict {
    for item in text.split(',').filter(|item| !item.is_empty()) {
        check(item).map_err(|mut wrong| {
            let colon = if wrong.why.is_empty() { "" } else { ": " };
            wrong.why = format!("{}{colon}{}", crate::codec::quote(item), wrong.why).into();
            wrong
        })?;
    }
    Ok(())
}

fn pair(item: &str, sign: &'static str, check: impl Fn(&str, &str) -> Verdict) -> Verdict {
    match item.split_once(sign) {
        Some((key, value)) => check(key.trim(), value.trim()),
        None => wrong(format!("it has no {sign}")),
    }
}

fn boolean(text: &str) -> Verdict {
    // Go's strconv.ParseBool.
    let known = ["1", "t", "T", "true", "TRUE", "True", "0", "f", "F", "false", "FALSE", "False"];
    if known.contains(&text) { Ok(()) } else { wrong_try("expected true or false", "") }
}

fn whole(text: &str, low: i64, high: i64) -> Verdict {
    match text.parse::<i64>() {
        Ok(number) if (low..=high).contains(&number) => Ok(()),
        _ => wrong(format!("expected a whole number from {low} to {high}")),
    }
}

fn choice(text: &str, words: &[&'static str]) -> Verdict {
    if words.contains(&text) {
        return Ok(());
    }
    let hint = match nearest(text, words.iter().copied()) {
        Some(meant) => format!("did you mean {meant}?"),
        None => format!("known: {}", names(words.iter().copied())),
    };
    wrong_try("", hint)
}

fn taint(item: &str) -> Verdict {
    let Some((key_value, effect)) = item.rsplit_once(':') else {
        return wrong_try("it has no effect", "write it like key=value:NoSchedule");
    };
    choice(effect, &EFFECTS)?;
    let (key, value) = key_value.split_once('=').unwrap_or((key_value, ""));
    qualified_name(key)?;
    label_value(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_flags_follow_the_kubelet() {
        let cases: &[(Value, &[&str], &[&str])] = &[
            (Value::Bool, &["true", "False", "0"], &["yes", "b"]),
            (Value::Int, &["110", "-1"], &["3000000000", "1.5", ""]),
            (Value::Ips, &["10.0.0.10", "10.0.0.4,fd00::4"], &["10.0.0.10/16", "dns"]),
            (Value::Cidr, &["10.244.0.0/24", "fd00::/64"], &["10.244.0.0", "10.244.0.0/40"]),
            (
                Value::Thresholds,
                &["memory.available<750Mi,nodefs.available<10%"],
                &["memory.available=750Mi"],
            ),
            (
                Value::Taints,
                &["a=b:NoSchedule,c:NoExecute", "example.com/x=:PreferNoSchedule"],
                &["a=b", "a=b:Never", "a b=c:NoExecute"],
            ),
            (Value::Gates, &["A=true,B=false"], &["a=b", "A"]),
            (Value::Labels, &["a=b,example.com/c=d"], &["a", "a=b c"]),
        ];
        for (kind, good, bad) in cases {
            for text in *good {
                assert!(held_against(*kind, text).is_ok(), "{kind:?} {text}");
            }
            for text in *bad {
                assert!(held_against(*kind, text).is_err(), "{kind:?} {text}");
            }
        }
    }
}
