//! cloud-config: the files of `write_files`, and what `bootcmd` and `runcmd` do.

use std::collections::HashMap;

use slipway_model::Secret;

use super::{File, Place, ReadError, ReadProblem, Search, json_error, yaml};
use crate::custom_data::tree::Tree;

impl Search {
    /// Reads a cloud-config document.
    pub(super) fn cloud_config(&mut self, text: &str, place: &Place) -> Result<(), ReadError> {
        let first = text.lines().find(|line| !line.trim_start().starts_with('#') && !line.trim().is_empty());
        let tree = match first {
            Some(line) if line.starts_with(['{', '[']) => {
                let at = line.as_ptr().addr() - text.as_ptr().addr();
                let json = text.get(at..).unwrap_or_default().as_bytes();
                Tree::from_json(json).map_err(|error| json_error(&error, json, place))?
            }
            _ => yaml::parse(text).map_err(|problem| place.error(problem))?,
        };
        for file in self.written(&tree, place) {
            self.file(file, place);
        }
        for section in ["bootcmd", "runcmd"] {
            for command in tree.get(section).map(Tree::items).unwrap_or_default() {
                self.script(&shell_text(command), &place.inside(section));
            }
        }
        Ok(())
    }

    /// The files as they are in the end: a later entry for the same path replaces or extends an earlier one.
    fn written(&mut self, tree: &Tree, place: &Place) -> Vec<File> {
        let mut files: Vec<(String, Option<u32>, Vec<u8>)> = Vec::new();
        let mut by_path: HashMap<String, usize> = HashMap::new();
        for entry in tree.get("write_files").map(Tree::items).unwrap_or_default() {
            let Some(path) = entry.get("path").and_then(Tree::text) else { continue };
            let content = match self.content(entry) {
                Ok(content) => content,
                Err(problem) => {
                    self.note(place.inside(path).error(problem));
                    continue;
                }
            };
            let index = *by_path.entry(path.to_owned()).or_insert(files.len());
            if index == files.len() {
                files.push((path.to_owned(), None, Vec::new()));
            }
            let (_, mode, before) = &mut files[index];
            *mode = permissions(entry.get("permissions"));
            if entry.get("append") != Some(&Tree::Bool(true)) {
                before.clear();
            }
            before.extend(content);
        }
        let file = |(path, mode, content)| File { path, mode, content: Secret::new(content) };
        files.into_iter().map(file).collect()
    }

    fn content(&mut self, entry: &Tree) -> Result<Vec<u8>, ReadProblem> {
        let mut content = match entry.get("content") {
            Some(Tree::Text(text)) => text.clone().into_bytes(),
            Some(Tree::Octets(octets)) => octets.clone(),
            _ => Vec::new(),
        };
        let encoding = entry.get("encoding").and_then(Tree::text).unwrap_or_default().to_ascii_lowercase();
        if encoding.ends_with("b64") || encoding.ends_with("base64") {
            content = self.budget.required_base64(&content)?;
        }
        if encoding.starts_with("gz") {
            content = self.budget.gunzip(&content)?;
        }
        Ok(content)
    }
}

/// Permissions are octal in a text, and also in a plain YAML number that starts with a zero.
fn permissions(text: Option<&Tree>) -> Option<u32> {
    match text? {
        Tree::Text(text) => u32::from_str_radix(text.trim_start_matches("0o"), 8).ok(),
        Tree::Number(digits) if digits.starts_with('0') => u32::from_str_radix(digits, 8).ok(),
        Tree::Number(digits) => digits.parse().ok(),
        _ => None,
    }
}

/// A command as a script: a list is one command with its arguments.
fn shell_text(command: &Tree) -> String {
    match command {
        Tree::Text(text) => text.clone(),
        Tree::List(words) => {
            let words: Vec<&str> = words.iter().filter_map(Tree::text).collect();
            match words.as_slice() {
                ["bash" | "sh" | "/bin/bash" | "/bin/sh", flags, script, ..] if flags.ends_with('c') => {
                    (*script).to_owned()
                }
                words => words.join(" "),
            }
        }
        _ => String::new(),
    }
}
