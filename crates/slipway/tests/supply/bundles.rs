//! Bundles with container images, made, shown, checked and planned with by the real binary.

use std::fs;
use std::process::Output;

use sha2::{Digest as _, Sha256};
use slipway_flex::supply::{Architecture, Digest, checksums};

use crate::manifest::{Place, planned, refused, said};
use crate::mirror::{Manner, Mirror};
use crate::releases::{Releases, SECRET};

const PAUSE: &str = "r.example/pause:3.10";

/// An archive as docker saves images, all with one configuration.
fn archive(names: &[&str], architecture: &str) -> Vec<u8> {
    let tags = serde_json::json!([{"Config": "c.json", "RepoTags": names, "Layers": []}]).to_string();
    let config = serde_json::json!({"architecture": architecture, "os": "linux"}).to_string();
    let mut archive = tar::Builder::new(Vec::new());
    for (name, text) in [("c.json", config), ("manifest.json", tags)] {
        let mut header = tar::Header::new_ustar();
        header.set_mode(0o644);
        header.set_size(text.len() as u64);
        archive.append_data(&mut header, name, text.as_bytes()).unwrap();
    }
    archive.into_inner().unwrap()
}

/// What the makers publish, with the checksums beside it.
fn market() -> Mirror {
    let releases = Releases::of(100);
    let mut files = releases.files;
    for release in &releases.manifest.releases {
        let beside = checksums(release.component, &release.version, release.architecture);
        files.insert(beside.replacen("https:/", "", 1), format!("{}\n", release.sha256).into_bytes());
    }
    Mirror::open(files, |_, _| Manner::Serve)
}

fn create(place: &Place, mirror: &Mirror, images: &[String]) -> Output {
    let mut command = place.command("slipway");
    command.args(["flex", "bundle", "create", "--kubernetes", "1.34.3", "--mirror", &mirror.url()]);
    command.args(["--arch", Architecture::own().name(), "--sign-key", &place.put("key", SECRET)]);
    command.args(["--output", &place.path("bundle")]);
    command.args(images.iter().map(|image| format!("--image={image}"))).output().unwrap()
}

fn with_bundle(place: &Place, words: &[&str]) -> Output {
    let mut command = place.command("slipway");
    command.args(["flex", "bundle"]).args(words);
    command.args([&place.path("bundle"), "--key", &place.path("key.pub")]).output().unwrap()
}

#[test]
fn images_of_a_bundle_are_signed_shown_checked_and_planned_with() {
    let (place, mirror) = (Place::new(), market());
    let both = archive(&[PAUSE, "cni:1"], Architecture::own().name());
    let file = place.path("both.tar");
    fs::write(&file, &both).unwrap();
    let made = create(&place, &mirror, &[format!("{PAUSE}={file}"), format!("cni:1={file}")]);
    assert!(made.status.success(), "{}", said(&made));
    let shown = said(&with_bundle(&place, &["show"]));
    for name in [PAUSE, "docker.io/library/cni:1"] {
        assert!(shown.contains(&format!("image        {name}  ")), "{shown}");
    }
    let verified = with_bundle(&place, &["verify"]);
    assert_eq!(said(&verified), "6 files, each as the manifest says\n", "two images are in one archive");
    let plan = place.plan("", &["--bundle", &place.path("bundle")], &[]);
    planned(&plan);
    let digest = Digest::of(&Sha256::digest(&both));
    let line = format!("image         {PAUSE} from /var/lib/slipway/store/{digest}");
    assert!(said(&plan).contains(&line), "{} has no {line}", said(&plan));
    assert!(said(&plan).contains("import-images"), "{}", said(&plan));
}

#[test]
fn an_archive_that_is_not_what_was_said_makes_no_bundle() {
    let (place, mirror) = (Place::new(), market());
    let own = Architecture::own().name();
    let other = if own == "amd64" { "arm64" } else { "amd64" };
    for (content, image, parts) in [
        (
            archive(&["r.example/x:1"], own),
            PAUSE,
            &["does not hold r.example/pause:3.10", "holds r.example/x:1"][..],
        ),
        (
            archive(&[PAUSE, "r.example/x:1"], own),
            PAUSE,
            &["it holds r.example/x:1, too", "--image r.example/x:1="],
        ),
        (archive(&[PAUSE], other), PAUSE, &["not there for what --arch says", other]),
        (b"\x1f\x8b".repeat(512), PAUSE, &["this is no tar archive", "gunzip"]),
    ] {
        let file = place.path("images.tar");
        fs::write(&file, content).unwrap();
        refused(&create(&place, &mirror, &[format!("{image}={file}")]), parts);
        assert!(!fs::exists(place.path("bundle")).unwrap());
    }
    for (image, part) in [("pause", "it is no NAME=ARCHIVE"), ("--p=x", "is no image's name")] {
        let wrong = create(&place, &mirror, &[image.to_owned()]);
        assert_eq!(wrong.status.code(), Some(2), "{}", said(&wrong));
        assert!(said(&wrong).contains(part), "{}", said(&wrong));
    }
    assert!(mirror.asked().is_empty(), "archives are looked at before anything is fetched");
}
