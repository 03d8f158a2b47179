//! The golden cases of the peer's library: what a node gets from our documents is what it gets from those.

use serde_json::{Value, json};
use slipway_contract::codec::{Options, encode};
use slipway_contract::custom_data::{CSE, Form, read};

use super::{CONTRACT_PATH, FEATURES_PATH, contract, rendered, starts};

macro_rules! vectors {
    ($($name:literal),*) => {
        [$(include_str!(concat!("../data/custom-data/", $name, ".json"))),*]
    };
}

const VECTORS: [&str; 12] = vectors![
    "001-empty",
    "002-typical",
    "003-typical-camel-input",
    "004-features",
    "005-features-filtered",
    "006-features-all-invalid",
    "007-odd-values",
    "008-flatcar-typical",
    "009-flatcar-features",
    "010-cse",
    "011-marshal-full",
    "012-marshal-odd"
];

struct Vector {
    name: String,
    data: Value,
    contract: slipway_contract::Contract,
}

fn vectors(variant: &str) -> Vec<Vector> {
    let all = VECTORS.iter().map(|text| serde_json::from_str::<Value>(text).unwrap());
    let chosen: Vec<Vector> = all
        .filter(|data| data["variant"] == variant)
        .map(|data| {
            let mut contract = contract(data["config_text"].as_str().unwrap());
            if !data["enabled_features"].is_null() {
                contract.enabled_features = serde_json::from_value(data["enabled_features"].clone()).unwrap();
            }
            Vector { name: data["name"].as_str().unwrap().to_owned(), data, contract }
        })
        .collect();
    assert!(!chosen.is_empty());
    chosen
}

fn limit(vector: &Vector) -> usize {
    usize::try_from(vector.data["output_base64_length"].as_u64().unwrap()).unwrap()
}

/// The same data, with the sign of zero dropped: the vectors' `json` lost it, their `text` has it.
fn unsigned_zeros(mut value: Value) -> Value {
    match &mut value {
        Value::Number(number) if number.as_f64() == Some(0.0) => value = json!(0),
        Value::Array(items) => items.iter_mut().for_each(|item| *item = unsigned_zeros(item.take())),
        Value::Object(members) => {
            members.values_mut().for_each(|member| *member = unsigned_zeros(member.take()));
        }
        _ => {}
    }
    value
}

#[test]
fn a_boothook_has_the_parts_files_and_starts_of_the_vector_and_is_not_longer() {
    for vector in vectors("boothook") {
        let name = &vector.name;
        let data = rendered(&vector.contract, Form::Boothook);
        let base64 = data.base64();
        assert!(base64.expose().len() <= limit(&vector), "{name}: {}", base64.expose().len());

        let document = String::from_utf8(data.document.expose().clone()).unwrap();
        let parts: Vec<&str> =
            document.lines().filter_map(|line| line.strip_prefix("Content-Type: text/")).collect();
        let expected: Vec<&str> =
            vector.data["parts"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
        assert_eq!(parts.iter().map(|part| format!("text/{part}")).collect::<Vec<_>>(), expected, "{name}");

        let contents = read(base64.expose().as_bytes()).unwrap();
        assert_eq!(contents.problems, [], "{name}");
        let expected = vector.data["effects"]["files"].as_object().unwrap();
        assert_eq!(contents.files().count(), expected.len(), "{name}");
        for file in contents.files() {
            let expected = &expected[&file.path];
            assert_eq!(json!(format!("{:04o}", file.mode.unwrap())), expected["mode"], "{name}");
            let text = std::str::from_utf8(file.content.expose()).unwrap();
            match expected.get("json") {
                Some(json) => {
                    assert_eq!(unsigned_zeros(serde_json::from_str(text).unwrap()), *json, "{name}");
                }
                None => assert_eq!(text, expected["text"], "{name}"),
            }
        }
        assert_eq!(contents.contracts().next().unwrap().contract, vector.contract, "{name}");
        assert_eq!(
            starts(&contents),
            [
                "/opt/azure/containers/provision_preload.sh",
                "/opt/azure/containers/slipway boot",
                "/opt/azure/containers/aks-node-controller-launcher.sh",
                "aks-node-controller.service",
            ],
            "{name}"
        );
    }
}

#[test]
fn features_that_no_variable_can_hold_are_left_out_of_the_file_with_a_warning() {
    for vector in vectors("boothook") {
        let data = rendered(&vector.contract, Form::Boothook);
        let expected = match vector.name.as_str() {
            "005-features-filtered" => 7,
            "006-features-all-invalid" => 2,
            _ => 0,
        };
        assert_eq!(data.warnings.len(), expected, "{}: {:?}", vector.name, data.warnings);
        assert!(data.warnings.iter().all(|warning| !warning.contains('\n')));
    }
}

#[test]
fn an_ignition_document_holds_that_of_the_vector_and_what_a_node_needs_besides() {
    for vector in vectors("flatcar") {
        let name = &vector.name;
        let data = rendered(&vector.contract, Form::Ignition);
        let document: Value = serde_json::from_slice(data.document.expose()).unwrap();
        let expected = &vector.data["ignition"];
        assert_eq!(document["ignition"], expected["ignition"], "{name}");
        let (file, peer) = (&document["storage"]["files"][0], &expected["storage"]["files"][0]);
        assert_eq!((&file["path"], &file["mode"]), (&peer["path"], &peer["mode"]), "{name}");

        let contents = read(data.document.expose()).unwrap();
        let files: Vec<_> = contents.files().collect();
        let json: Value = serde_json::from_slice(files[0].content.expose()).unwrap();
        assert_eq!(json, vector.data["embedded_config"], "{name}");
        assert_eq!(starts(&contents), ["aks-node-controller.service"], "{name}");
        // On purpose more than the vector: the peer's document loses the features file. The length bound
        // holds for what both have.
        if vector.contract.enabled_features.is_empty() {
            assert_eq!(files.len(), 1, "{name}");
            assert!(data.base64().expose().len() <= limit(&vector), "{name}");
        } else {
            assert_eq!((files[1].path.as_str(), files[1].mode), (FEATURES_PATH, Some(0o600)), "{name}");
            assert_eq!(files[1].content.expose(), b"ENABLE_PROVISIONING_HOTFIX=true\n", "{name}");
            assert!(data.base64().expose().len() <= limit(&vector), "{name}");
        }
    }
}

#[test]
fn a_cloud_config_writes_the_same_files_as_a_boothook() {
    for vector in vectors("boothook") {
        let boothook = rendered(&vector.contract, Form::Boothook);
        let cloud_config = rendered(&vector.contract, Form::CloudConfig);
        let [boothook, cloud_config] =
            [boothook, cloud_config].map(|data| read(data.document.expose()).unwrap());
        let files = |contents: &slipway_contract::custom_data::Contents| {
            contents
                .files()
                .map(|file| (file.path.clone(), file.mode, file.content.expose().clone()))
                .collect::<Vec<_>>()
        };
        assert_eq!(files(&boothook), files(&cloud_config), "{}", vector.name);
        assert_eq!(files(&boothook)[0].0, CONTRACT_PATH);
        assert_eq!(starts(&boothook), starts(&cloud_config), "{}", vector.name);
    }
}

#[test]
fn the_cse_command_is_that_of_the_vector() {
    for vector in vectors("cse") {
        assert_eq!(CSE, vector.data["command"]);
    }
}

#[test]
fn a_contract_file_says_the_same_as_the_vector() {
    for vector in vectors("marshal") {
        for options in [Options::FILE, Options::EMBEDDED] {
            let json: Value = serde_json::from_str(&encode(&vector.contract, options)).unwrap();
            let text: Value = serde_json::from_str(vector.data["text"].as_str().unwrap()).unwrap();
            assert_eq!(json, text, "{}", vector.name);
            assert_eq!(unsigned_zeros(json), vector.data["json"], "{}", vector.name);
        }
    }
}
