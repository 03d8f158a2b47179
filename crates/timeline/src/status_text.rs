//! Finding results in what Azure shows of them: status texts of the script extension, and JSON around those.

use serde_json::{Deserializer, Map, Value};

use crate::attempt::Attempt;

/// Every attempt that a text tells of: a result document, an extension's status text, or JSON of any shape with such
/// texts inside (an instance view, the error of a deployment). Empty where there is none.
pub fn attempts(text: &[u8]) -> Vec<Attempt> {
    let text = crate::text(text);
    let mut found = Vec::new();
    match serde_json::from_str(&text) {
        Ok(document) => search(&document, "", &mut found),
        Err(_) => found.extend(in_text(&text).or_else(|| in_text(&unescaped(&text)?))),
    }
    found
}

fn search(value: &Value, place: &str, found: &mut Vec<Attempt>) {
    match value {
        Value::Object(members) => match Attempt::from_document(members) {
            Some(attempt) => found.push(Attempt { place: place.to_owned(), ..attempt }),
            None => {
                for (name, inner) in members {
                    let dot = if place.is_empty() { "" } else { "." };
                    search(inner, &format!("{place}{dot}{name}"), found);
                }
            }
        },
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                search(item, &format!("{place}[{index}]"), found);
            }
        }
        Value::String(text) => {
            found.extend(in_text(text).map(|attempt| Attempt { place: place.to_owned(), ..attempt }));
        }
        _ => {}
    }
}

/// An attempt in plain text: the extension's words around a result, or a result among other words.
fn in_text(text: &str) -> Option<Attempt> {
    let Some(Status { sentence, stdout, stderr }) = Status::read(text) else { return document(text) };
    let failed = !sentence.contains("succeeded");
    let code = number_after(sentence, "exit status=").or_else(|| number_after(sentence, "exit status "));
    let mut attempt = document(stdout)
        .or_else(|| rest_of_document(stdout))
        .unwrap_or_else(|| Attempt { output: stdout.trim().to_owned(), ..Attempt::default() });
    match attempt.exit_code {
        // The extension's command may fail after the scripts were done, or the result may be cut.
        Some(0) | None if failed => attempt.exit_code = code,
        None => attempt.exit_code = Some(0),
        Some(_) => {}
    }
    if failed && attempt.error.trim().is_empty() {
        let complaint = if stderr.trim().is_empty() { sentence } else { stderr };
        complaint.trim().clone_into(&mut attempt.error);
    }
    Some(attempt)
}

/// A status text in its parts: `Enable failed: … [stdout] … [stderr] …`.
struct Status<'a> {
    sentence: &'a str,
    stdout: &'a str,
    stderr: &'a str,
}

impl<'a> Status<'a> {
    fn read(text: &'a str) -> Option<Self> {
        let (sentence, streams) = match text.split_once("[stdout]") {
            Some(parts) => parts,
            None if text.contains("Enable failed") || text.contains("Enable succeeded") => (text, ""),
            None => return None,
        };
        // The scripts' own output may contain the word, so the last one is the extension's.
        let (stdout, stderr) = streams.rsplit_once("[stderr]").unwrap_or((streams, ""));
        Some(Self { sentence, stdout, stderr })
    }
}

/// The first result document among other words.
fn document(text: &str) -> Option<Attempt> {
    text.match_indices('{').find_map(|(at, _)| {
        let mut values = Deserializer::from_str(&text[at..]).into_iter::<Map<String, Value>>();
        Attempt::from_document(&values.next()?.ok()?)
    })
}

/// What is left of a document whose beginning, and with it the exit code, was cut off: the extension keeps the last
/// 4 KB only, and the output before the other members fills them. A quote inside the output is escaped, so that the
/// first member after it can be told from it.
fn rest_of_document(stdout: &str) -> Option<Attempt> {
    let next = ["Error", "ExecDuration"].map(|name| {
        let key = format!("\"{name}\":");
        stdout.match_indices(&key).map(|(at, _)| at).find(|at| !stdout[..*at].ends_with('\\'))
    });
    let at = next.into_iter().flatten().min()?;
    let rest = format!("{{\"ExitCode\":\"\",{}", &stdout[at..]);
    let mut values = Deserializer::from_str(&rest).into_iter::<Map<String, Value>>();
    let attempt = Attempt::from_document(&values.next()?.ok()?)?;
    let output = stdout[..at].trim_end().trim_end_matches(',').trim_end().trim_end_matches('"');
    let output = unescaped(output.trim_start()).unwrap_or_else(|| output.to_owned());
    Some(Attempt { output, cut: true, ..attempt })
}

fn number_after(text: &str, words: &str) -> Option<i64> {
    let (_, rest) = text.split_once(words)?;
    let end = rest.find(|letter: char| !letter.is_ascii_digit() && letter != '-').unwrap_or(rest.len());
    rest[..end].parse().ok()
}

/// Text that was taken out of JSON with its escapes, without them.
fn unescaped(text: &str) -> Option<String> {
    serde_json::from_str(&format!("\"{}\"", text.trim().replace('\n', "\\n"))).ok()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const RESULT: &str = r#"{ "ExitCode": "52", "Output": "+ nslookup\nserver can't find it\n+ exit 52", "Error": "", "ExecDuration": "7" }"#;

    fn failed(stdout: &str) -> String {
        format!(
            "Enable failed: failed to execute command: command terminated with exit status=52\n[stdout]\n{stdout}\n\n[stderr]\n"
        )
    }

    fn codes(text: &str) -> Vec<Option<i64>> {
        attempts(text.as_bytes()).iter().map(|attempt| attempt.exit_code).collect()
    }

    #[test]
    fn a_result_is_found_in_every_wrapping() {
        let status = failed(RESULT);
        let view = json!({ "instanceView": { "extensions": [{ "name": "vmssCSE", "statuses": [
            { "code": "ProvisioningState/failed/52", "message": status } ] }] } });
        for text in [RESULT, &status, &format!("some words {RESULT} more"), &view.to_string()] {
            assert_eq!(codes(text), [Some(52)], "{text}");
        }
        let escaped = json!(status).to_string();
        assert_eq!(codes(escaped.trim_matches('"')), [Some(52)], "pasted out of JSON");
        let place = &attempts(view.to_string().as_bytes())[0].place;
        assert_eq!(place, "instanceView.extensions[0].statuses[0].message");
    }

    #[test]
    fn a_result_whose_beginning_was_cut_off_keeps_what_is_left() {
        let stdout = &RESULT[RESULT.find("server").unwrap()..];
        let attempt = &attempts(failed(stdout).as_bytes())[0];
        assert_eq!((attempt.exit_code, attempt.cut, attempt.duration_seconds), (Some(52), true, Some(7)));
        assert_eq!(attempt.telling_lines(5), ["server can't find it"]);
    }

    #[test]
    fn the_extensions_word_counts_where_there_is_no_result() {
        assert_eq!(codes("Enable succeeded: \n[stdout]\n\n[stderr]\n"), [Some(0)]);
        assert_eq!(codes(&failed("no json")), [Some(52)]);
        assert_eq!(codes("Enable failed: failed to get configuration"), [None]);
        let late = failed(r#"{"ExitCode":"0"}"#);
        assert_eq!(codes(&late), [Some(52)], "the command failed after the scripts had succeeded");
        let waited = failed(RESULT).replace("status=52", "status=1");
        assert_eq!(codes(&waited), [Some(52)], "the waiter exits with 1, the result knows more");
    }

    #[test]
    fn what_is_no_result_gives_none() {
        for text in ["", "{}", "[]", "null", "hello", "{\"a\":{\"b\":[1,\"two\"]}}", "{{{{", "\u{0}"] {
            assert_eq!(codes(text), [], "{text}");
        }
        assert_eq!(codes(r#"{"ExitCode":"x"}"#), [None]);
        assert_eq!(codes(r#"{"exitCode":7}"#), [Some(7)]);
    }
}
