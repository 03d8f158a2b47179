//! Ignition documents, of version 2 or 3: files in data URLs, downloads, and units that are started.

use std::collections::HashSet;

use slipway_model::Secret;

use super::{Download, File, Place, ReadProblem, Search, What, unpack};
use crate::codec::mask_url;
use crate::custom_data::tree::Tree;

const UNITS: &str = "/etc/systemd/system";

impl Search {
    /// Reads an Ignition document.
    pub(super) fn ignition(&mut self, tree: &Tree, place: &Place) {
        let list = |section: &str, name: &str| {
            tree.get(section).and_then(|section| section.get(name)).map(Tree::items).unwrap_or_default()
        };
        for file in list("storage", "files") {
            self.ignition_file(file, place);
        }
        let mut started = HashSet::new();
        for unit in list("systemd", "units") {
            let Some(name) = unit.get("name").and_then(Tree::text) else { continue };
            if let Some(text) = unit.get("contents").and_then(Tree::text) {
                let content = Secret::new(text.as_bytes().to_vec());
                self.file(File { path: format!("{UNITS}/{name}"), mode: None, content }, place);
            }
            if unit.get("enabled") == Some(&Tree::Bool(true)) && started.insert(name) {
                self.add(place, What::Start(name.to_owned()));
            }
        }
        for link in list("storage", "links") {
            let path = link.get("path").and_then(Tree::text).unwrap_or_default();
            if let Some((_, unit)) = path.rsplit_once(".wants/")
                && started.insert(unit)
            {
                self.add(place, What::Start(unit.to_owned()));
            }
        }
        self.merged(tree, place);
    }

    fn ignition_file(&mut self, file: &Tree, place: &Place) {
        let Some(path) = file.get("path").and_then(Tree::text) else { return };
        let mode = match file.get("mode") {
            Some(Tree::Number(digits)) => digits.parse().ok(),
            _ => None,
        };
        let appended = file.get("append").map(Tree::items).unwrap_or_default();
        for contents in file.get("contents").into_iter().chain(appended) {
            let Some(source) = contents.get("source").and_then(Tree::text) else { continue };
            let packed = contents.get("compression").and_then(Tree::text) == Some("gzip");
            if !source.starts_with("data:") {
                let hash =
                    contents.get("verification").and_then(|check| check.get("hash")).and_then(Tree::text);
                let download = Download {
                    url: mask_url(source),
                    sha256: hash.and_then(|hash| hash.strip_prefix("sha256-")).map(str::to_owned),
                    path: Some(path.to_owned()),
                };
                self.add(place, What::Download(download));
                continue;
            }
            match self.data_url(source, packed) {
                Ok(content) => {
                    let content = Secret::new(content);
                    self.file(File { path: path.to_owned(), mode, content }, place);
                }
                Err(problem) => self.note(place.inside(path).error(problem)),
            }
        }
    }

    /// Documents that this one is merged with or replaced by, where they are inside it.
    fn merged(&mut self, tree: &Tree, place: &Place) {
        let Some(config) = tree.get("ignition").and_then(|head| head.get("config")) else { return };
        let merged = ["merge", "append"].iter().filter_map(|name| config.get(name)).flat_map(Tree::items);
        for (index, other) in merged.chain(config.get("replace")).enumerate() {
            let Some(source) = other.get("source").and_then(Tree::text) else { continue };
            let packed = other.get("compression").and_then(Tree::text) == Some("gzip");
            if !source.starts_with("data:") {
                continue;
            }
            let place = place.inside(&format!("merged document {}", index + 1));
            let result = self.data_url(source, packed).map_err(|problem| place.error(problem));
            if let Err(error) = result.and_then(|content| self.anything(&content, &place)) {
                self.note(error);
            }
        }
    }

    /// The content of `data:[type][;base64],…`.
    fn data_url(&mut self, url: &str, packed: bool) -> Result<Vec<u8>, ReadProblem> {
        let (head, data) = url.split_once(',').unwrap_or((url, ""));
        let mut content = unpack::percent(data.as_bytes());
        if head.ends_with(";base64") {
            content = self.budget.required_base64(&content)?;
        }
        if packed {
            content = self.budget.gunzip(&content)?;
        }
        Ok(content)
    }
}
