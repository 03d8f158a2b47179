//! Payloads inside the JSON of resources, and inputs that try to do harm.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use proptest::prelude::*;
use serde_json::{Value, json};
use slipway_contract::custom_data::{CSE, Form, ReadProblem, What, read};

use super::{CONTRACT_PATH, FORMS, difficult, noisy, rendered};

#[test]
fn payloads_are_found_in_a_machine_a_scale_set_and_an_activity_log_entry() {
    for (contract, form) in FORMS.iter().flat_map(|form| [(difficult(), form), (noisy(30_000), form)]) {
        let custom_data = rendered(&contract, *form).base64().expose().clone();
        let machine = json!({"id": "/subscriptions/x", "properties": {"osProfile": {"customData": custom_data},
            "userData": null, "hardwareProfile": {"vmSize": "x"}}});
        let scale_set = json!({"name": "s", "properties": {"virtualMachineProfile": {
            "osProfile": {"computerNamePrefix": "a", "customData": custom_data},
            "extensionProfile": {"extensions": [{"properties": {"protectedSettings": {"commandToExecute": CSE}}}]}}}});
        let entry = json!([{"operationName": {"value": "write"},
            "properties": {"requestbody": scale_set.to_string(), "responseBody": json!(scale_set.to_string()).to_string()}}]);
        let terraform = json!({"resource": {"custom_data": custom_data}});
        for (document, contracts, commands, place) in [
            (machine, 1, 0, "properties.osProfile.customData > "),
            (scale_set, 1, 1, "properties.virtualMachineProfile.osProfile.customData > "),
            (
                entry,
                1,
                1,
                "[0].properties.requestbody > properties.virtualMachineProfile.osProfile.customData > ",
            ),
            (terraform, 1, 0, "resource.custom_data > "),
        ] {
            let text = serde_json::to_string_pretty(&document).unwrap();
            let contents = read(text.as_bytes()).unwrap();
            assert_eq!(contents.problems, [], "{text}");
            let found: Vec<_> = contents.contracts().map(|found| &found.contract).collect();
            assert!(found.len() >= contracts && found.iter().all(|found| **found == contract), "{place}");
            let is_command = |what: &What| matches!(what, What::Command(command) if command.program == CSE);
            assert!(contents.findings.iter().filter(|finding| is_command(&finding.what)).count() >= commands);
            let is_contract = |what: &What| matches!(what, What::Contract(_));
            let found = contents.findings.iter().find(|finding| is_contract(&finding.what)).unwrap();
            assert!(
                found.place.starts_with(place) && found.place.ends_with(CONTRACT_PATH),
                "{}",
                found.place
            );
        }
    }
}

#[test]
fn what_cannot_be_read_is_noted_next_to_what_can() {
    let contract = rendered(&noisy(8), Form::Boothook).base64().expose().clone();
    let document = json!([
        {"customData": contract},
        {"customData": "<redacted>"},
        {"protectedSettings": "MIIB8QYJKoZIhvcNAQcDoIIB4jCCAd4CAQAxggF"},
        {"USER_DATA": BASE64_STANDARD.encode(b"\x1f\x8b\x08\x00 broken")},
    ]);
    let contents = read(document.to_string().as_bytes()).unwrap();
    assert_eq!(contents.contracts().count(), 1);
    let problems: Vec<_> =
        contents.problems.iter().map(|error| (error.place.as_str(), error.problem)).collect();
    assert_eq!(
        problems,
        [
            ("[1].customData", ReadProblem::Unrecognised),
            ("[2].protectedSettings", ReadProblem::Encrypted),
            ("[3].USER_DATA", ReadProblem::Gzip)
        ]
    );
}

#[test]
fn what_holds_nothing_says_so() {
    for (input, problem) in [
        ("", ReadProblem::Nothing),
        (" \n", ReadProblem::Nothing),
        ("{}", ReadProblem::Nothing),
        ("[1, 2]", ReadProblem::Nothing),
        ("\"\"", ReadProblem::Nothing),
        ("hello", ReadProblem::Unrecognised),
        ("#include https://x", ReadProblem::Unrecognised),
        ("Content-Type: multipart/mixed\n\n", ReadProblem::Mime("the document names no boundary")),
        ("Content-Type: multipart/mixed; boundary=x\n\n", ReadProblem::Mime("the document has no parts")),
        ("#!/bin/sh\necho hi\n", ReadProblem::Nothing),
    ] {
        assert_eq!(read(input.as_bytes()).unwrap_err().problem, problem, "{input:?}");
    }
}

#[test]
fn wrappers_cannot_be_nested_without_end() {
    let mut text = BASE64_STANDARD.encode("{\"version\":\"v1\"}");
    assert!(read(text.as_bytes()).is_ok());
    for _ in 0..15 {
        text = BASE64_STANDARD.encode(text);
    }
    assert_eq!(read(text.as_bytes()).unwrap_err().problem, ReadProblem::TooDeep);
    let mut value = json!({"customData": "eyJ2ZXJzaW9uIjoidjEifQo="});
    for _ in 0..13 {
        value = json!({"a": value.to_string()});
    }
    assert_eq!(read(value.to_string().as_bytes()).unwrap_err().problem, ReadProblem::TooDeep);
    for deep in ["[", "{\"a\":", "[{\"a\":"] {
        assert!(read(deep.repeat(500_000).as_bytes()).is_err());
    }
}

#[test]
fn hostile_documents_take_bounded_time_and_memory() {
    let many = json!({"k".repeat(100_000): vec![json!({"customData": "eyJ2ZXJzaW9uIjoidjEifQo="}); 20_000]});
    let contents = read(many.to_string().as_bytes()).unwrap();
    assert!(contents.findings.len() <= 1000);
    assert!(contents.findings.iter().all(|finding| finding.place.len() < 300));
    let long = 300_000;
    for text in [
        "#!/bin/sh\n".to_owned() + &"cat <<A\n".repeat(long),
        "#!/bin/sh\n".to_owned() + &"a=$a$a$a$a\n".repeat(long),
        "#!/bin/sh\na=b\n".to_owned() + &"$a".repeat(long),
        "#!/bin/sh\n".to_owned() + &"$(".repeat(long),
        "#cloud-config\n".to_owned() + &"- ".repeat(long),
        "#cloud-config\n".to_owned() + &"a: |\n".repeat(long),
        "#cloud-config\nwrite_files:\n".to_owned() + &"- {path: /a}\n".repeat(long),
        "Content-Type: multipart/mixed; boundary=x\n\n".to_owned() + &"--x\n".repeat(long),
        "A=1 ".repeat(long) + "/opt/azure/x",
    ] {
        let _ = read(text.as_bytes());
    }
}

/// Pieces of all the grammars, so that random texts get far.
const PIECES: &[&str] = &[
    "{",
    "}",
    "[",
    "]",
    "\"",
    ":",
    ",",
    "\\",
    "\n",
    "\r\n",
    " ",
    "  ",
    "- ",
    "|",
    ">",
    "#",
    "!",
    "'",
    "<<",
    "EOF",
    "#cloud-config\n",
    "#cloud-boothook\n",
    "#!/bin/bash\n",
    "write_files:\n",
    "path: /a\n",
    "content: ",
    "!!binary ",
    "encoding: gz+b64\n",
    "runcmd:\n",
    "Content-Type: multipart/mixed; boundary=x\n\n",
    "--x\n",
    "--x--\n",
    "Content-Transfer-Encoding: base64\n",
    "\"customData\":",
    "\"ignition\":{\"version\":\"3.4.0\"},",
    "\"storage\":",
    "\"files\":",
    "\"source\":\"data:;base64,",
    "%",
    "=",
    "$",
    "${",
    "$(",
    ")",
    "é",
    "\u{1f600}",
    "\0",
    "nohup /a",
    "cat ",
    "base64 -d",
    "/opt/azure/",
    "curl http://",
    "eyJ2ZXJzaW9uIjoidjEifQo=",
    "H4sIAAAAAAAA/w==",
    "\t",
    "~",
    "-",
];

proptest! {
    #[test]
    fn no_text_makes_reading_panic(pieces in prop::collection::vec(prop::sample::select(PIECES), 0..60)) {
        let text = pieces.concat();
        let _ = read(text.as_bytes());
        let _ = read(BASE64_STANDARD.encode(&text).as_bytes());
        let _ = read(Value::from(text).to_string().as_bytes());
    }

    #[test]
    fn no_damage_to_a_document_makes_reading_panic(at in 0_usize..4000, byte: u8, cut: bool, form in 0_usize..3) {
        let mut document = rendered(&difficult(), FORMS[form]).document.expose().clone();
        let at = at % document.len();
        document[at] = byte;
        if cut {
            document.truncate(at + 1);
        }
        let _ = read(&document);
        let _ = read(BASE64_STANDARD.encode(&document).as_bytes());
    }
}
