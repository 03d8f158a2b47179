//! Container images for a bundle: archives on the disk of whoever makes it.

use std::path::{Path, PathBuf};

use slipway_flex::supply::{Architecture, Digest, Image, ImageName, archive};

use crate::failure::{Blame, Failure};
use crate::files;

/// An image and the archive that has it.
pub(super) struct Held {
    pub(super) image: Image,
    pub(super) archive: PathBuf,
}

/// What `--image` asks for, each image once for each architecture that its archive has and the bundle is for.
pub(super) fn held(wanted: &[String], architectures: &[Architecture]) -> Result<Vec<Held>, Failure> {
    let wanted = wanted.iter().map(|text| asked(text)).collect::<Result<Vec<_>, _>>()?;
    let mut held: Vec<Held> = Vec::new();
    for (name, path) in &wanted {
        let mut file = files::open(path)?;
        let found = archive::images(&mut file).map_err(|error| {
            let blame =
                if matches!(error, archive::ArchiveError::Io(_)) { Blame::Machine } else { Blame::Input };
            Failure { blame, ..unusable(path, &error) }
        })?;
        let names = || found.keys().map(ImageName::as_str).collect::<Vec<_>>().join(", ");
        let Some(on) = found.get(name) else {
            let names = if found.is_empty() { "nothing with a whole name".to_owned() } else { names() };
            return Err(unusable(path, &format!("it does not hold {name}; it holds {names}")));
        };
        let is_asked = |other: &&ImageName| wanted.iter().any(|(name, file)| name == *other && file == path);
        if let Some(stranger) = found.keys().find(|other| !is_asked(other)) {
            let text = format!("it holds {stranger}, too, which the manifest would not name");
            return Err(unusable(path, &text)
                .with_hint(format!("add --image {stranger}={}, or write {name} alone", path.display())));
        }
        let (sha256, size) = Digest::of_file(file).map_err(|error| unusable(path, &error))?;
        let fitting: Vec<_> = architectures.iter().filter(|wanted| on.contains(wanted)).collect();
        if fitting.is_empty() {
            let has: Vec<&str> = on.iter().map(|it| it.name()).collect();
            let has = if has.is_empty() { "none that nodes have".to_owned() } else { has.join(", ") };
            return Err(unusable(
                path,
                &format!("{name} is not there for what --arch says; it is for {has}"),
            ));
        }
        for &architecture in fitting {
            let image = Image { name: name.clone(), architecture, sha256: sha256.clone(), size };
            let is_it = |other: &Held| {
                (&other.image.name, other.image.architecture) == (&image.name, image.architecture)
            };
            if held.iter().any(is_it) {
                return Err(unusable(path, &format!("{name} for {architecture} is in another archive, too")));
            }
            held.push(Held { image, archive: path.clone() });
        }
    }
    Ok(held)
}

fn asked(text: &str) -> Result<(ImageName, PathBuf), Failure> {
    let bad = |found: &dyn std::fmt::Display| Failure {
        code: 2,
        ..Failure::input("bad-image", format!("cannot use --image {text}"), found)
    };
    let (name, path) = text.split_once('=').ok_or_else(|| bad(&"it is no NAME=ARCHIVE"))?;
    Ok((name.parse().map_err(|error| bad(&error))?, PathBuf::from(path)))
}

fn unusable(path: &Path, found: &dyn std::fmt::Display) -> Failure {
    Failure::input("bad-image", format!("cannot use {}", path.display()), found).with_hint(
        "docker save, ctr images export and skopeo copy to docker-archive:FILE:NAME write archives that name their images",
    )
}
