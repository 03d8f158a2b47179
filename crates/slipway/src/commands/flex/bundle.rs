//! `slipway flex bundle`: everything that a node needs, in one signed file.

use std::collections::BTreeSet;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;
use slipway_fetch::{Client, Download, FetchError, Patience, Url, fetch};
use slipway_flex::supply::bundle::{self, Content};
use slipway_flex::supply::{
    Architecture, Digest, Image, Manifest, Mirror, Release, SecretKey, UnknownArchitecture, Version,
    checksums, is_needed, published,
};
use slipway_model::Secret;
use slipway_model::node::Component;

use super::images;
use super::outward::Outward;
use super::stock::{key, mirrors, unusable_bundle};
use crate::Outcome;
use crate::cli::{BundleCreate, BundleFile, FlexBundle, Output};
use crate::failure::{Blame, Failure};
use crate::files;
use crate::screen::Screen;

/// How long one file may take to come.
const WITHIN: Duration = Duration::from_mins(15);
const LARGEST: u64 = 1 << 30;
const LARGEST_TEXT: usize = 1 << 20;

pub(crate) fn run(command: &FlexBundle, screen: &mut Screen) -> Result<Outcome, Failure> {
    match command {
        FlexBundle::Create(arguments) => create(arguments, screen),
        FlexBundle::Verify(arguments) => verify(arguments, screen),
        FlexBundle::Show(arguments) => show(arguments, screen),
    }
}

fn show(arguments: &BundleFile, screen: &mut Screen) -> Result<Outcome, Failure> {
    let opened = bundle::manifest(files::open(&arguments.file)?, &key(&arguments.key)?);
    let (_, manifest) = opened.map_err(|error| unusable_bundle(&arguments.file, &error))?;
    tell(&manifest, arguments.output, screen);
    Ok(Outcome::Done)
}

fn verify(arguments: &BundleFile, screen: &mut Screen) -> Result<Outcome, Failure> {
    let read = bundle::unpack(files::open(&arguments.file)?, &key(&arguments.key)?, |_, _| Ok(None));
    let (manifest, found) = read.map_err(|error| unusable_bundle(&arguments.file, &error))?;
    let found: BTreeSet<&Digest> = found.iter().collect();
    let missing: Vec<&Digest> =
        manifest.files().map(|(digest, _)| digest).filter(|digest| !found.contains(digest)).collect();
    match arguments.output {
        Output::Json => screen.json(&json!({
            "whole": missing.is_empty(),
            "files": found.len(),
            "missing": missing.iter().map(ToString::to_string).collect::<Vec<_>>(),
        })),
        Output::Text => {
            for digest in &missing {
                screen.line(format_args!("missing {digest}"));
            }
            screen.line(format_args!("{} files, each as the manifest says", found.len()));
        }
    }
    Ok(if missing.is_empty() { Outcome::Done } else { Outcome::Negative })
}

fn tell(manifest: &Manifest, output: Output, screen: &mut Screen) {
    if output == Output::Json {
        screen.json(manifest);
        return;
    }
    for release in &manifest.releases {
        let Release { component, version, architecture, size, .. } = release;
        screen.line(format_args!("{component:<12} {version:<10} {architecture}  {size:>11} bytes"));
    }
    for Image { name, architecture, size, .. } in &manifest.images {
        screen.line(format_args!("image        {name}  {architecture}  {size} bytes"));
    }
}

fn create(arguments: &BundleCreate, screen: &mut Screen) -> Result<Outcome, Failure> {
    let secret = Secret::new(String::from_utf8_lossy(&files::read(&arguments.sign_key)?.text).into_owned());
    let secret = SecretKey::parse(&secret).map_err(|error| {
        Failure::input("bad-key", format!("cannot use {}", arguments.sign_key.display()), error)
    })?;
    let architectures = architectures(arguments)?;
    let held = images::held(&arguments.image, &architectures)?;
    let market = Market::new(arguments)?;
    let wanted = wanted(arguments, &architectures, &market)?;
    let parts: Vec<PathBuf> = (0..wanted.len()).map(|number| part(&arguments.output, number)).collect();
    let fetched: Result<Vec<Option<Release>>, Failure> = thread::scope(|scope| {
        let market = &market;
        let wanted = wanted.iter().zip(&parts);
        let running: Vec<_> =
            wanted.map(|(wanted, part)| scope.spawn(move || market.bring(wanted, part))).collect();
        let ended = running.into_iter().map(thread::ScopedJoinHandle::join);
        ended.map(|it| it.unwrap_or_else(|panic| std::panic::resume_unwind(panic))).collect()
    });
    let made = fetched.and_then(|releases| {
        let there = releases.into_iter().zip(&parts).filter_map(|(release, part)| Some((release?, part)));
        let (releases, parts): (Vec<Release>, Vec<&PathBuf>) = there.unzip();
        let (images, archives): (Vec<Image>, Vec<&PathBuf>) =
            held.iter().map(|held| (held.image.clone(), &held.archive)).unzip();
        let manifest = Manifest::new(releases, images);
        let files: Vec<&PathBuf> = parts.into_iter().chain(archives).collect();
        seal(&manifest, &secret, &files, &arguments.output).map(|()| manifest)
    });
    for part in &parts {
        files::discard(part);
    }
    tell(&made?, Output::Text, screen);
    screen.line(format_args!("{} is signed and whole", arguments.output.display()));
    Ok(Outcome::Done)
}

/// Writes manifest, signature and bundle of these files, which are in the manifest's order; each has its name when all of it
/// is there.
fn seal(manifest: &Manifest, key: &SecretKey, files: &[&PathBuf], output: &Path) -> Result<(), Failure> {
    let signed = key.sign(manifest, &format!("slipway {}", crate::VERSION));
    let named = |end: &str| {
        let mut name = output.as_os_str().to_owned();
        name.push(end);
        PathBuf::from(name)
    };
    // An archive may hold several images.
    let mut taken = BTreeSet::new();
    let once = manifest.files().zip(files).filter(move |((digest, _), _)| taken.insert(*digest));
    let contents = once.map(|((digest, size), file)| -> io::Result<Content<'_>> {
        let file = files::open(file).map_err(|failure| io::Error::other(failure.found))?;
        Ok((digest.clone(), size, Box::new(io::BufReader::new(file))))
    });
    files::publish(output, |file| {
        bundle::write(io::BufWriter::new(file), &signed, contents).map_err(io::Error::other)
    })?;
    files::publish(&named(".manifest.json"), |file| file.write_all(&signed.text))?;
    files::publish(&named(".manifest.json.minisig"), |file| file.write_all(signed.signature.as_bytes()))
}

fn part(output: &Path, number: usize) -> PathBuf {
    let mut name = output.as_os_str().to_owned();
    name.push(format!(".part{number}"));
    name.into()
}

/// A release that is to be fetched.
#[derive(Clone)]
struct Wanted {
    component: Component,
    version: Version,
    architecture: Architecture,
}

fn architectures(arguments: &BundleCreate) -> Result<Vec<Architecture>, Failure> {
    let parsed = arguments.arch.iter().map(|text| text.parse());
    parsed.collect::<Result<_, _>>().map_err(|error: UnknownArchitecture| {
        Failure::input("bad-architecture", "cannot make a bundle", error)
    })
}

fn wanted(
    arguments: &BundleCreate,
    architectures: &[Architecture],
    market: &Market,
) -> Result<Vec<Wanted>, Failure> {
    let kubernetes = market.kubernetes(&arguments.kubernetes)?;
    let version = |text: &str| {
        text.parse::<Version>().map_err(|error| Failure::input("bad-version", "cannot make a bundle", error))
    };
    let versions = [
        (Component::Kubelet, kubernetes.clone()),
        (Component::Kubectl, kubernetes.clone()),
        (Component::Kubeadm, kubernetes),
        (Component::Containerd, version(&arguments.containerd)?),
        (Component::Runc, version(&arguments.runc)?),
        (Component::CniPlugins, version(&arguments.cni_plugins)?),
    ];
    let mut wanted = Vec::new();
    for &architecture in architectures {
        for (component, version) in &versions {
            wanted.push(Wanted { component: *component, version: version.clone(), architecture });
        }
    }
    Ok(wanted)
}

/// Where releases are fetched.
struct Market {
    client: Client,
    mirrors: Vec<Mirror>,
}

impl Market {
    fn new(arguments: &BundleCreate) -> Result<Self, Failure> {
        let client = Outward::of_environment(arguments.ca.as_deref())?.client()?;
        Ok(Self { client, mirrors: mirrors(&arguments.mirror)? })
    }

    fn url(&self, address: &str) -> Result<Url, Failure> {
        Url::parse(Mirror::find(&self.mirrors, address).expose())
            .map_err(|error| Failure::input("bad-address", "cannot use a --mirror", error))
    }

    /// A whole version: of a minor, what its makers call its newest patch.
    fn kubernetes(&self, text: &str) -> Result<Version, Failure> {
        let bad = |error| Failure::input("bad-version", "cannot make a bundle", error);
        let Some((major, minor)) = Version::minor(text) else { return text.parse().map_err(bad) };
        let newest = self.text(&format!("https://dl.k8s.io/release/stable-{major}.{minor}.txt"))?;
        newest.trim().parse().map_err(bad)
    }

    /// Fetches a release into a file, and holds it against the checksum that its makers publish. What no node needs may
    /// be missing.
    fn bring(&self, wanted: &Wanted, part: &Path) -> Result<Option<Release>, Failure> {
        let Wanted { component, version, architecture } = wanted.clone();
        let address = published(component, &version, architecture);
        let url = self.url(&address)?;
        let mut file = files::create(part)?;
        let never = || false;
        let patience = Patience::new(Instant::now() + WITHIN, &never);
        let download = Download { url, sha256: None, most: LARGEST };
        let fetched = match fetch(&self.client, &download, &mut file, patience) {
            Err(FetchError::Status { status: 404, .. }) if !is_needed(component) => return Ok(None),
            fetched => fetched.map_err(|error| unfetched(&address, error.blame(), &error))?,
        };
        let sha256 = Digest::try_from(fetched.sha256.to_string())
            .map_err(|error| Failure::machine("bad-digest", "cannot add up a file", error))?;
        if !self.text(&checksums(component, &version, architecture))?.contains(sha256.as_str()) {
            let found = format!("its SHA-256 is {sha256}, and its makers publish another one");
            return Err(unfetched(&address, Blame::Service, &found)
                .with_hint("the mirror, or something on the way, has another file under this name"));
        }
        let size = fetched.length;
        Ok(Some(Release { component, version, architecture, url: address, sha256, size }))
    }

    fn text(&self, address: &str) -> Result<String, Failure> {
        let url = self.url(address)?;
        let mut text = Vec::new();
        let never = || false;
        let patience = Patience::new(Instant::now() + WITHIN, &never);
        let download = Download { url, sha256: None, most: LARGEST_TEXT as u64 };
        fetch(&self.client, &download, &mut text, patience)
            .map_err(|error| unfetched(address, error.blame(), &error))?;
        Ok(String::from_utf8_lossy(&text).into_owned())
    }
}

fn unfetched(address: &str, blame: Blame, found: &dyn std::fmt::Display) -> Failure {
    Failure { blame, ..Failure::input("not-fetched", format!("cannot fetch {address}"), found) }
        .with_hint("--mirror names another place for it")
}
