use serde::Serialize;
use serde_json::Value;

use crate::html_escaped;

/// What provisioning leaves behind when it ends before the scripts could.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "PascalCase")]
pub struct ProvisionResult {
    /// The exit code, as text.
    pub exit_code: String,
    /// What failed.
    pub error: String,
    /// What the command printed.
    pub output: String,
}

impl ProvisionResult {
    /// The file's content.
    pub fn json(&self) -> String {
        // Strings always have a JSON form.
        html_escaped(&serde_json::to_string(self).unwrap_or_default())
    }
}

/// Why a result is not a success, in the words that callers search for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unsuccessful {
    /// The sentence.
    pub message: String,
    /// The exit code in the result, where there is one.
    pub exit_code: Option<i64>,
}

/// Whether a result file says that provisioning succeeded.
pub fn judge(text: &[u8]) -> Result<(), Unsuccessful> {
    let failed = |message: String| Unsuccessful { message, exit_code: None };
    let document: Value =
        serde_json::from_slice(text).map_err(|error| failed(format!("parse provision.json: {error}")))?;
    let members = match &document {
        Value::Object(members) => members.iter().collect(),
        Value::Null => Vec::new(),
        _ => return Err(failed("parse provision.json: it is not an object".to_owned())),
    };
    // Keys are matched without case, and the last one counts, as Go reads them.
    let member = |name: &str| match members.iter().rev().find(|(key, _)| key.eq_ignore_ascii_case(name)) {
        None | Some((_, Value::Null)) => Ok(""),
        Some((_, Value::String(text))) => Ok(text.as_str()),
        Some(_) => Err(failed(format!("parse provision.json: {name} is not a string"))),
    };
    let (code, error, output) = (member("ExitCode")?, member("Error")?, member("Output")?);
    if code.is_empty() {
        return Err(failed("missing ExitCode in provision.json".to_owned()));
    }
    match code.parse::<i64>() {
        Err(_) => Err(failed(format!("invalid ExitCode in provision.json: {code}"))),
        Ok(0) => Ok(()),
        Ok(number) => Err(Unsuccessful {
            message: format!(
                "provision failed: exitCode={number} error={error} output={}",
                Value::from(output)
            ),
            exit_code: Some(number),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_is_judged_by_its_exit_code() {
        for (text, expected) in [
            (r#"{"ExitCode":"0"}"#, None),
            (r#"{"exitcode":"+00","Other":1}"#, None),
            (
                r#"{"ExitCode":"50","Error":"boom","Output":"a\"b\n"}"#,
                Some(r#"provision failed: exitCode=50 error=boom output="a\"b\n""#),
            ),
            ("{}", Some("missing ExitCode in provision.json")),
            ("null", Some("missing ExitCode in provision.json")),
            (r#"{"ExitCode":"x"}"#, Some("invalid ExitCode in provision.json: x")),
            (r#"{"ExitCode":0}"#, Some("parse provision.json: ExitCode is not a string")),
        ] {
            let message = judge(text.as_bytes()).err().map(|error| error.message);
            assert_eq!(message.as_deref(), expected, "{text}");
        }
        assert!(judge(b"not json").unwrap_err().message.starts_with("parse provision.json: "));
    }

    #[test]
    fn a_result_is_written_with_its_keys_in_order() {
        let result = ProvisionResult {
            exit_code: "240".to_owned(),
            error: "<none>".to_owned(),
            output: String::new(),
        };
        assert_eq!(result.json(), r#"{"ExitCode":"240","Error":"\u003cnone\u003e","Output":""}"#);
    }
}
