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
    /// What of the contract could not be used; absent where all of it could.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contract_issues: Option<String>,
}

impl ProvisionResult {
    /// The file's content.
    pub fn json(&self) -> String {
        // Strings always have a JSON form.
        html_escaped(&serde_json::to_string(self).unwrap_or_default())
    }
}

/// Somebody else's result with what of the contract could not be used; nothing else in it changes. `None` where the text
/// is not a result that can be added to.
pub fn with_contract_issues(result: &[u8], issues: &str) -> Option<String> {
    let text = std::str::from_utf8(result).ok()?;
    let members: serde_json::Map<String, Value> = serde_json::from_str(text).ok()?;
    let (before, after) = text.rsplit_once('}')?;
    let comma = if members.is_empty() { "" } else { "," };
    let member = html_escaped(&format!("{comma}\"ContractIssues\":{}", Value::from(issues)));
    Some(format!("{}{member}}}{after}", before.trim_end()))
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
            contract_issues: None,
        };
        assert_eq!(result.json(), r#"{"ExitCode":"240","Error":"\u003cnone\u003e","Output":""}"#);
        let result = ProvisionResult { contract_issues: Some("a: b".to_owned()), ..result };
        assert!(result.json().ends_with(r#","Output":"","ContractIssues":"a: b"}"#));
    }

    #[test]
    fn issues_are_added_to_a_result_and_nothing_else_changes() {
        let added = |text: &str| with_contract_issues(text.as_bytes(), "is_kata: \"<\"");
        let written = "{\"ExitCode\": \"0\", \"Boot\": {\"b\": 1}\n}\n";
        assert_eq!(
            added(written).unwrap(),
            "{\"ExitCode\": \"0\", \"Boot\": {\"b\": 1},\"ContractIssues\":\"is_kata: \\\"\\u003c\\\"\"}\n"
        );
        assert_eq!(added("{}").unwrap(), r#"{"ContractIssues":"is_kata: \"\u003c\""}"#);
        assert_eq!((added("[]"), added("{\"ExitCode\":"), added("")), (None, None, None));
    }
}
