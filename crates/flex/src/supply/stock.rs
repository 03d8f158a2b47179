//! What one machine was given, and from where.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use slipway_model::Secret;
use slipway_model::node::{Download, HeldImage, Supply};
use zeroize::Zeroizing;

use super::component::members;
use super::manifest::{Digest, Image};
use super::mirror::Mirror;
use super::order::Pick;

/// Where a machine keeps files from a bundle, by their digests: beside the record of what was done, so that they go with
/// it.
pub const STORE: &str = "/var/lib/slipway/store";

/// What one machine is given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stock {
    /// The releases.
    pub picks: Vec<Pick>,
    /// Where they are besides the place where they are published.
    pub mirrors: Vec<Mirror>,
    /// Container images that it gets from a bundle.
    pub images: Vec<Image>,
}

/// A text that is no stock.
#[derive(Debug, thiserror::Error)]
#[error("the record of installed programs cannot be read: {0}")]
pub struct StockError(String);

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Form {
    picks: Vec<Pick>,
    mirrors: Vec<Zeroizing<String>>,
    #[serde(default)]
    images: Vec<Image>,
}

impl Stock {
    /// As a node is told of it.
    pub fn supplies(&self) -> Vec<Supply> {
        let supply = |pick: &Pick| Supply {
            component: pick.component,
            version: pick.version.as_str().to_owned(),
            download: Download {
                url: Mirror::find(&self.mirrors, &pick.url),
                sha256: Some(pick.sha256.as_str().to_owned()),
            },
            held: stored(&pick.sha256),
            members: members(pick.component, &pick.version),
        };
        self.picks.iter().map(supply).collect()
    }

    /// Its images as a node is told of them.
    pub fn held_images(&self) -> Vec<HeldImage> {
        let held = |image: &Image| HeldImage {
            name: image.name.as_str().to_owned(),
            archive: stored(&image.sha256),
            sha256: image.sha256.as_str().to_owned(),
        };
        self.images.iter().map(held).collect()
    }

    /// The digests of all its files.
    pub fn digests(&self) -> impl Iterator<Item = &Digest> {
        self.picks.iter().map(|pick| &pick.sha256).chain(self.images.iter().map(|image| &image.sha256))
    }

    /// The text by which it is kept; mirrors may hold passwords.
    pub fn text(&self) -> Secret<String> {
        let mirrors = self.mirrors.iter().map(|it| Zeroizing::new(it.text().expose().clone())).collect();
        let form = Form { picks: self.picks.clone(), mirrors, images: self.images.clone() };
        // Texts and numbers can always be written.
        Secret::new(serde_json::to_string(&form).unwrap_or_default())
    }

    /// Reads what [`text`](Self::text) wrote.
    pub fn parse(text: &Secret<String>) -> Result<Self, StockError> {
        let form: Form =
            serde_json::from_str(text.expose()).map_err(|error| StockError(error.to_string()))?;
        let mirrors = form.mirrors.iter().map(|it| it.parse()).collect::<Result<_, _>>();
        Ok(Self {
            picks: form.picks,
            mirrors: mirrors.map_err(|it: super::MirrorError| StockError(it.to_string()))?,
            images: form.images,
        })
    }
}

/// Where a machine keeps the file of a digest.
pub fn stored(digest: &Digest) -> PathBuf {
    PathBuf::from(STORE).join(digest.as_str())
}

#[cfg(test)]
mod tests {
    use slipway_model::node::Component;

    use super::*;
    use crate::supply::Architecture;

    #[test]
    fn a_stock_survives_its_text_and_names_its_places() {
        let stock = Stock {
            picks: vec![Pick {
                component: Component::Kubelet,
                version: "1.34.3".parse().unwrap(),
                url: "https://dl.k8s.io/v1.34.3/bin/linux/amd64/kubelet".to_owned(),
                sha256: Digest::of(&[10; 32]),
                size: 3,
            }],
            mirrors: vec!["https://dl.k8s.io=https://u:word@m".parse().unwrap()],
            images: vec![Image {
                name: "r.example/p:1".parse().unwrap(),
                architecture: Architecture::Amd64,
                sha256: Digest::of(&[11; 32]),
                size: 4,
            }],
        };
        assert_eq!(Stock::parse(&stock.text()).unwrap(), stock);
        let supply = &stock.supplies()[0];
        assert_eq!(supply.download.url.expose(), "https://u:word@m/v1.34.3/bin/linux/amd64/kubelet");
        assert_eq!(supply.held, PathBuf::from(format!("{STORE}/{}", "0a".repeat(32))));
        let image = HeldImage {
            name: "r.example/p:1".to_owned(),
            archive: stored(&Digest::of(&[11; 32])),
            sha256: "0b".repeat(32),
        };
        assert_eq!(stock.held_images(), [image]);
        assert_eq!(stock.digests().count(), 2);
        let before = Secret::new(r#"{"picks":[],"mirrors":[]}"#.to_owned());
        assert!(Stock::parse(&before).unwrap().images.is_empty(), "one of before there were images");
        assert!(Stock::parse(&"{}".into()).unwrap_err().to_string().contains("missing field"));
    }
}
