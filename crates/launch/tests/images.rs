//! Images against the recordings of the real provider.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod vectors;

use jiff::Timestamp;
use serde_json::{Value, json};
use slipway_launch::Fidelity::{self, Compat, Ours};
use slipway_launch::images::{
    Family, ImageSource, MaintenanceWindow, NodeImageVersion, Question, UpdateQuery, definitions, is_newer,
    list_images, machine_image_version, newest_of_each, select_for, select_image, update_images,
};
use slipway_launch::sizes::instance_type;

/// The case of this name.
fn case(directory: &str, name: &str) -> Value {
    vectors::all(directory).into_iter().find(|case| case["name"] == name).unwrap()
}

fn read<T: serde::de::DeserializeOwned>(value: &Value) -> T {
    serde_json::from_value(value.clone()).unwrap()
}

#[test]
fn node_classes_lead_to_the_recorded_definitions() {
    let tables = vectors::of_kind("images", "table").into_iter();
    let rows = tables
        .filter(|table| table["name"].as_str().unwrap().starts_with("definitions-"))
        .flat_map(|table| table["rows"].as_array().unwrap().clone());
    let mut count = 0;
    for row in rows {
        count += 1;
        let text = |member: &str| row[member].as_str().unwrap().to_owned();
        let source = ImageSource {
            image_family: text("imageFamily"),
            fips_mode: text("fipsMode"),
            trusted_launch: row["trustedLaunch"] == true,
            use_sig: row["useSIG"] == true,
            kubernetes_version: text("kubernetesVersion"),
            ..ImageSource::default()
        };
        let wanted = source.wanted();
        let (family, fitting, rejected) = definitions(&wanted, Compat);
        assert_eq!(json!(family.name()), row["familyName"], "{row}");
        assert_eq!(json!(family == Family::Ubuntu2004), row["resolvesToUbuntu2004"], "{row}");
        let found: Vec<Value> = fitting
            .iter()
            .map(|definition| {
                json!({
                    "communityGallery": family.gallery().community, "gallery": family.gallery().name,
                    "galleryResourceGroup": family.gallery().resource_group,
                    "distro": definition.distro, "imageDefinition": definition.name,
                    "requirements": [
                        {"key": "karpenter.azure.com/sku-hyperv-generation", "operator": "In", "values": [definition.generation.name()]},
                        {"key": "kubernetes.io/arch", "operator": "In", "values": [definition.architecture.name()]},
                    ],
                })
            })
            .collect();
        assert_eq!(json!(found), row["images"], "{row}");
        assert_eq!(fitting.len() + rejected.len(), 24, "every definition fits or has a reason");
    }
    assert!(count > 0);
}

#[test]
fn galleries_lead_to_the_recorded_lists() {
    for (name, vector) in vectors::named("images", "image-list") {
        let source: ImageSource = read(&vector["input"]);
        let found = serde_json::to_value(list_images(&source, Compat)).unwrap();
        assert_eq!(found["images"], vector["expected"]["images"], "{name}");
        assert_eq!(found["error"], vector["expected"]["error"], "{name}");
    }
}

#[test]
fn an_image_without_versions_is_not_offered_and_says_so() {
    let vector = case("images", "list-00");
    let source: ImageSource = read(&vector["input"]);
    let found = serde_json::to_value(list_images(&source, Ours)).unwrap();
    let ids: Vec<&str> =
        found["images"].as_array().unwrap().iter().map(|image| image["id"].as_str().unwrap()).collect();
    assert_eq!(ids.len(), 2);
    assert!(ids.iter().all(|id| !id.ends_with('/')), "{ids:?}");
    let reason = found["rejected"]
        .as_array()
        .unwrap()
        .iter()
        .find(|image| image["definition"] == "2204containerd")
        .unwrap();
    assert_eq!(reason["reason"], "the gallery has no version of it");
}

#[test]
fn azure_linux_has_no_fips_image_that_boots_with_trusted_launch() {
    let source = ImageSource {
        image_family: "AzureLinux".to_owned(),
        fips_mode: "FIPS".to_owned(),
        trusted_launch: true,
        use_sig: true,
        kubernetes_version: "1.33.0".to_owned(),
        ..ImageSource::default()
    };
    assert_eq!(definitions(&source.wanted(), Ours).1.len(), 0);
    assert_eq!(definitions(&source.wanted(), Compat).1.len(), 3);
}

#[test]
fn sizes_get_the_recorded_images() {
    for (name, vector) in vectors::named("images", "image-select") {
        let query: ImageSource = read(&vector["input"]);
        let found = serde_json::to_value(select_image(&query, Compat)).unwrap();
        let expected = vector["expected"].as_object().unwrap();
        for (member, expected) in expected {
            // Only whether there is an error is promised, not its words.
            if member.ends_with("Error") {
                let is_error = |value: Option<&Value>| value.is_some_and(|value| !value.is_null());
                assert_eq!(is_error(found.get(member)), is_error(Some(expected)), "{name} {member}: {found}");
            } else {
                assert_eq!(found.get(member), Some(expected), "{name} {member}");
            }
        }
    }
}

#[test]
fn a_selection_says_why_other_images_fell_out() {
    let vector = case("images", "select-00");
    let query: ImageSource = read(&vector["input"]);
    let found = select_image(&query, Ours);
    let reason = |definition: &str| {
        found
            .rejected
            .iter()
            .find(|rejected| rejected.definition == definition)
            .map(|rejected| rejected.reason.to_string())
    };
    assert_eq!(reason("V3gen2"), None);
    assert_eq!(reason("V3").unwrap(), "the size boots generation 2");
    assert_eq!(reason("V3gen2arm64").unwrap(), "the size is amd64");
    assert_eq!(
        reason("V3gen2TL").unwrap(),
        "the node class wants images without FIPS and without trusted launch"
    );
    assert_eq!(reason("2404containerd").unwrap(), "the node class resolves to AzureLinux3");
}

#[test]
fn recorded_images_move_as_the_provider_moves_them() {
    for (name, vector) in vectors::named("images", "image-update") {
        let query: UpdateQuery = read(&vector["input"]);
        let found = serde_json::to_value(update_images(&query, Timestamp::UNIX_EPOCH, Compat)).unwrap();
        assert_eq!(found, vector["expected"], "{name}");
    }
}

#[test]
fn outside_of_the_window_recorded_versions_stay() {
    let vector = case("images", "update-00");
    let mut query: UpdateQuery = read(&vector["input"]);
    query.window = MaintenanceWindow {
        system_namespace: "kube-system".to_owned(),
        has_config_map: true,
        start_offset_seconds: Some(60),
        end_offset_seconds: Some(120),
        ..MaintenanceWindow::default()
    };
    let recorded = query.existing_images.clone().unwrap();
    query.existing_images.as_mut().unwrap().truncate(2);
    let ids = |query: &UpdateQuery| -> Vec<String> {
        let update = update_images(query, Timestamp::UNIX_EPOCH, Ours);
        update.status_images.unwrap().into_iter().map(|image| image.id).collect()
    };
    let kept = ids(&query);
    let stale = update_images(&query, Timestamp::UNIX_EPOCH, Ours).stale;
    assert_eq!(stale.len(), 2);
    assert_eq!(stale[0].recorded, recorded[0].id);
    assert!(stale[0].newest.ends_with("/202612.07.2"), "{stale:?}");
    assert_eq!(kept[0], recorded[0].id);
    assert_eq!(kept[1], recorded[1].id);
    assert_ne!(kept[2], recorded[2].id, "an image that was not recorded comes in its newest version");
    query.images_ready = false;
    assert_ne!(ids(&query)[0], recorded[0].id, "after an upgrade all images are new");
    query.images_ready = true;
    query.window.end_offset_seconds = None;
    let update = update_images(&query, Timestamp::UNIX_EPOCH, Ours);
    assert!(update.error.is_some());
    assert_eq!(update.status_images.unwrap()[0].id, recorded[0].id);
}

#[test]
fn windows_are_open_when_the_provider_finds_them_open() {
    for row in vectors::table("images", "maintenance-window") {
        let window: MaintenanceWindow = read(&row["window"]);
        let found = window.is_open(Timestamp::UNIX_EPOCH);
        assert_eq!(found.is_err(), !row["error"].is_null(), "{row}");
        if let Ok(open) = found {
            assert_eq!(json!(open), row["open"], "{row}");
        }
    }
}

#[test]
fn versions_have_the_recorded_order() {
    for row in vectors::table("images", "version-order") {
        let newer = is_newer(row["a"].as_str().unwrap(), row["b"].as_str().unwrap());
        assert_eq!(json!(newer), row["aNewerThanB"], "{row}");
    }
}

#[test]
fn the_newest_of_each_image_is_kept() {
    for row in vectors::table("images", "latest-filter") {
        let versions: Vec<NodeImageVersion> = read(&row["versions"]);
        assert_eq!(json!(newest_of_each(&versions)), row["kept"]);
    }
}

#[test]
fn machines_know_images_by_the_recorded_names() {
    for row in vectors::table("images", "machine-image-version") {
        let found = machine_image_version(row["imageID"].as_str().unwrap());
        assert_eq!(found.is_err(), !row["error"].is_null(), "{row}");
        assert_eq!(json!(found.unwrap_or_default()), row["machineImageVersion"], "{row}");
    }
}

#[test]
fn names_for_machines_are_found_in_any_case_and_only_in_whole_identifiers() {
    let id = "/SUBSCRIPTIONS/s/resourcegroups/g/Providers/microsoft.compute/Galleries/AKSUbuntu/Images/d/Versions/2022.10.03-build.1";
    assert_eq!(machine_image_version(id).unwrap(), "AKSUbuntu-d-2022.10.03-build.1");
    for id in [
        "",
        "/",
        "/subscriptions/s",
        &format!("{id}/x"),
        &id.replace("/d/", "//"),
        &id.replace("Images", "images2"),
    ] {
        assert!(machine_image_version(id).is_err(), "{id}");
    }
}

#[test]
fn launch_vectors_select_the_same_images() {
    for (name, vector) in vectors::named("bootstrap", "launch-template") {
        let request: slipway_launch::Request = read(&vector["input"]);
        let location = &request.environment.location;
        let Ok(size) = instance_type(&request.options, &request.node_class, &request.sku, location) else {
            continue;
        };
        let found =
            serde_json::to_value(select_for(&request.options, &request.node_class, &size, Fidelity::Compat))
                .unwrap();
        if !vector["expected"]["launchTemplate"].is_null() {
            assert_eq!(found["selectedImageID"], vector["expected"]["launchTemplate"]["imageID"], "{name}");
            assert_eq!(found["statusImages"], vector["expected"]["statusImages"], "{name}");
        }
    }
}

#[test]
fn a_file_is_asked_for_what_it_holds() {
    let now = Timestamp::UNIX_EPOCH;
    for (directory, kind, member) in [
        ("images", "image-list", "images"),
        ("images", "image-select", "selectedImageID"),
        ("images", "image-update", "requeueAfterSeconds"),
        ("bootstrap", "launch-template", "selectedImageID"),
    ] {
        for (name, vector) in vectors::named(directory, kind) {
            let question = Question::parse(&vector["input"].to_string()).unwrap();
            let Ok(answer) = question.answer(now, Ours) else {
                assert_eq!(vector["expected"]["notOffered"], true, "{name}");
                continue;
            };
            assert!(serde_json::to_value(answer).unwrap().get(member).is_some(), "{name}: {member}");
        }
    }
}

#[test]
fn a_misspelt_member_of_a_question_is_refused() {
    for text in [
        r#"{"imageFamly": "Ubuntu"}"#,
        r#"{"arch": "x64"}"#,
        r#"{"arch": "amd64", "hyperVGenerations": ["3"]}"#,
        "[]",
    ] {
        assert!(Question::parse(text).is_err(), "{text}");
    }
}
