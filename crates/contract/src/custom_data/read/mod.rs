//! What is inside custom data, or inside anything that carries it.
//!
//! A document is a stack of wrappers (base64, gzip, MIME, JSON in JSON) around files, commands and contracts.
//! Each wrapper is read once, wrappers are nested to a bounded depth and everything that is unpacked counts
//! against one budget, so reading takes time and memory in proportion to the input and that budget.

mod cloud_config;
mod command;
mod contents;
mod ignition;
mod mime;
mod resource;
mod shell;
mod unpack;
mod words;
mod yaml;

use crate::Contract;
use crate::codec::{Message as _, Policy, SyntaxError, decode, quote};

use super::tree::Tree;
pub use contents::{
    Command, Contents, Download, File, Finding, FoundContract, ReadError, ReadProblem, Variable, What,
};
use unpack::Budget;

/// Wrappers inside each other.
const DEEPEST: usize = 12;
/// More findings than this are counted as a problem, not listed.
const MOST_FINDINGS: usize = 1_000;
/// Names in a place are cut to this many characters.
const LONGEST_NAME: usize = 80;

/// Reads custom data in any form, a CSE command, a contract, or a resource's JSON that has them in it.
///
/// It fails only when nothing was found; what could not be read next to a finding is in
/// [`Contents::problems`].
pub fn read(bytes: &[u8]) -> Result<Contents, ReadError> {
    let mut search = Search { contents: Contents::default(), budget: Budget::default(), depth: 0 };
    let result = search.anything(bytes, &Place::default());
    let mut contents = search.contents;
    if let Err(problem) = result {
        contents.problems.push(problem);
    }
    if contents.findings.is_empty() {
        let nothing = ReadError { place: String::new(), problem: ReadProblem::Nothing };
        return Err(contents.problems.into_iter().next().unwrap_or(nothing));
    }
    Ok(contents)
}

/// Where something is: members and wrappers from the outside in.
#[derive(Debug, Clone, Default)]
struct Place(String);

impl Place {
    /// A member of a JSON object.
    fn member(&self, name: &str) -> Self {
        let dot = if self.0.is_empty() || self.0.ends_with("> ") { "" } else { "." };
        Self(format!("{}{dot}{}", self.0, shortened(name)))
    }

    /// An element of a JSON list.
    fn element(&self, index: usize) -> Self {
        Self(format!("{}[{index}]", self.0))
    }

    /// Something inside what is here.
    fn inside(&self, name: &str) -> Self {
        Self(format!("{}{}", self.document().0, shortened(name)))
    }

    /// A document inside what is here, whose members follow.
    fn document(&self) -> Self {
        let arrow = if self.0.is_empty() || self.0.ends_with("> ") { "" } else { " > " };
        Self(format!("{}{arrow}", self.0))
    }

    fn error(&self, problem: ReadProblem) -> ReadError {
        ReadError { place: self.0.trim_end_matches(" > ").to_owned(), problem }
    }
}

/// A name from a document, as it may stand in a place.
fn shortened(name: &str) -> String {
    let plain = name.len() <= LONGEST_NAME && !name.chars().any(char::is_control);
    if plain { name.to_owned() } else { quote(name) }
}

/// Everything found so far, and how much more may be unpacked.
struct Search {
    contents: Contents,
    budget: Budget,
    depth: usize,
}

impl Search {
    /// Reads a wrapper or what is in it, one level further in.
    fn anything(&mut self, bytes: &[u8], place: &Place) -> Result<(), ReadError> {
        if self.depth == DEEPEST {
            return Err(place.error(ReadProblem::TooDeep));
        }
        self.depth += 1;
        let result = self.recognise(bytes, place);
        self.depth -= 1;
        result
    }

    fn recognise(&mut self, bytes: &[u8], place: &Place) -> Result<(), ReadError> {
        if bytes.starts_with(unpack::GZIP_MAGIC) {
            let plain = self.budget.gunzip(bytes).map_err(|problem| place.error(problem))?;
            return self.anything(&plain, place);
        }
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes).trim_ascii_start();
        match bytes.first() {
            None => return Err(place.error(ReadProblem::Nothing)),
            Some(b'{' | b'[') => return self.json(bytes, place),
            Some(b'"') => {
                // One value, as `az … --query` prints it.
                let tree = Tree::from_json(bytes).map_err(|error| json_error(&error, bytes, place))?;
                return self.anything(tree.text().unwrap_or_default().as_bytes(), place);
            }
            Some(b'#') => return self.marked(bytes, place),
            Some(_) => {}
        }
        if mime::is_message(bytes) {
            return self.mime(bytes, place);
        }
        if let Some(plain) = self.budget.base64(bytes).map_err(|problem| place.error(problem))? {
            return self.anything(&plain, place);
        }
        if let Ok(text) = std::str::from_utf8(bytes)
            && command::is_command(text)
        {
            self.command(text, place);
            return Ok(());
        }
        Err(place.error(ReadProblem::Unrecognised))
    }

    /// Text whose first line says what it is.
    fn marked(&mut self, bytes: &[u8], place: &Place) -> Result<(), ReadError> {
        let text = String::from_utf8_lossy(bytes);
        if text.starts_with("#!") || text.starts_with("#cloud-boothook") {
            self.script(&text, place);
            return Ok(());
        }
        if text.starts_with("#cloud-config") && !text.starts_with("#cloud-config-") {
            return self.cloud_config(&text, place);
        }
        Err(place.error(ReadProblem::Unrecognised))
    }

    fn json(&mut self, bytes: &[u8], place: &Place) -> Result<(), ReadError> {
        let tree = match Tree::from_json(bytes) {
            Ok(tree) => tree,
            Err(error) => {
                // A contract with a mistake in it is still a contract, and the mistake is worth showing.
                if self.contract(bytes, place) {
                    return Ok(());
                }
                return Err(json_error(&error, bytes, place));
            }
        };
        if tree.get("ignition").is_some_and(|head| head.get("version").is_some()) {
            self.ignition(&tree, place);
            return Ok(());
        }
        if is_contract(&tree) && self.contract(bytes, place) {
            return Ok(());
        }
        self.resource(&tree, &place.document());
        Ok(())
    }

    /// Adds a contract, unless nothing of one can be read there.
    fn contract(&mut self, bytes: &[u8], place: &Place) -> bool {
        let decoded = decode::<Contract>(bytes, Policy::Careful);
        if decoded.stopped && decoded.message == Contract::default() {
            return false;
        }
        let found =
            FoundContract { contract: decoded.message, issues: decoded.issues, stopped: decoded.stopped };
        self.add(place, What::Contract(Box::new(found)));
        true
    }

    /// Adds a file, and what is known to be in a file of its name.
    fn file(&mut self, file: File, place: &Place) {
        let place = place.inside(&file.path);
        let bytes = file.content.expose().clone();
        let path = file.path.clone();
        self.add(&place, What::File(file));
        if path.ends_with(super::CONTRACT) {
            self.contract(&bytes, &place);
        } else if path.ends_with("-nbc-cmd.sh")
            && let Ok(text) = std::str::from_utf8(&bytes)
        {
            self.command(text, &place);
        }
    }

    fn add(&mut self, place: &Place, what: What) {
        if self.contents.findings.len() < MOST_FINDINGS {
            let place = place.0.trim_end_matches(" > ").to_owned();
            self.contents.findings.push(Finding { place, what });
        } else if self.contents.findings.len() == MOST_FINDINGS
            && self.contents.problems.len() < MOST_FINDINGS
        {
            self.note(place.error(ReadProblem::TooMany));
        }
    }

    /// Keeps a problem next to what was found.
    fn note(&mut self, error: ReadError) {
        if self.contents.problems.len() < MOST_FINDINGS {
            self.contents.problems.push(error);
        }
    }
}

/// Whether at least half of an object's names are the contract's.
fn is_contract(tree: &Tree) -> bool {
    let Tree::Object(members) = tree else { return false };
    let table = Contract::default().table();
    let names = members.iter().filter(|(name, _)| !name.starts_with(crate::codec::COMMENT));
    let (known, all) = names.fold((0, 0), |(known, all), (name, _)| {
        (known + usize::from(table.find(name, 0).is_some()), all + 1)
    });
    known > 0 && known * 2 >= all
}

fn json_error(error: &SyntaxError, bytes: &[u8], place: &Place) -> ReadError {
    let before = &bytes[..error.at.min(bytes.len())];
    let line = before.split(|byte| *byte == b'\n').count();
    place.error(ReadProblem::Json { line, problem: error.problem })
}
