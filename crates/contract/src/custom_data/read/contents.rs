//! What reading gives: findings and problems. Whatever may be secret is in a [`Secret`].

use std::fmt;

use slipway_model::Secret;

use crate::codec::Problem;
use crate::{Contract, Issue};

/// What was found in a document.
#[derive(Debug, Default)]
pub struct Contents {
    /// In the order of the document.
    pub findings: Vec<Finding>,
    /// What could not be read.
    pub problems: Vec<ReadError>,
}

impl Contents {
    /// The contracts among the findings.
    pub fn contracts(&self) -> impl Iterator<Item = &FoundContract> {
        self.findings.iter().filter_map(|finding| match &finding.what {
            What::Contract(found) => Some(&**found),
            _ => None,
        })
    }

    /// The files among the findings.
    pub fn files(&self) -> impl Iterator<Item = &File> {
        self.findings.iter().filter_map(|finding| match &finding.what {
            What::File(file) => Some(file),
            _ => None,
        })
    }
}

/// Something found, and where.
#[derive(Debug)]
pub struct Finding {
    /// From the outside in: `properties.osProfile.customData > part 1 text/cloud-boothook > /opt/…`. Empty
    /// when it is the whole document.
    pub place: String,
    /// What it is.
    pub what: What,
}

/// The kinds of things that a node is given.
#[derive(Debug)]
pub enum What {
    /// A file that is written.
    File(File),
    /// A command line with its variables.
    Command(Command),
    /// A node contract.
    Contract(Box<FoundContract>),
    /// A program or unit that is started.
    Start(String),
    /// A file that the node fetches.
    Download(Download),
}

/// A file.
#[derive(Debug)]
pub struct File {
    /// Where it is written.
    pub path: String,
    /// Its permission bits, if the document says them.
    pub mode: Option<u32>,
    /// What is in it.
    pub content: Secret<Vec<u8>>,
}

/// A command line.
#[derive(Debug)]
pub struct Command {
    /// What is run, without the assignments.
    pub program: String,
    /// The assignments, in their order.
    pub variables: Vec<Variable>,
    /// The whole line.
    pub line: Secret<String>,
}

/// A variable that a command is given.
#[derive(Debug)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// Its value, quotes removed.
    pub value: Secret<String>,
    /// Whether its name says that the value must not be seen.
    pub secret: bool,
}

impl Variable {
    /// The value, or a mask in its place.
    pub fn shown(&self) -> &str {
        if self.secret { Secret::<String>::MASK } else { self.value.expose() }
    }
}

/// A contract, read carefully.
#[derive(Debug)]
pub struct FoundContract {
    /// What was understood.
    pub contract: Contract,
    /// What there is to say about its text.
    pub issues: Vec<Issue>,
    /// Whether its text breaks off or is not JSON from some place on.
    pub stopped: bool,
}

/// Something that is fetched.
#[derive(Debug)]
pub struct Download {
    /// From where; user information and query are hidden.
    pub url: String,
    /// What it has to be, in hexadecimal, if the document says so.
    pub sha256: Option<String>,
    /// Where it is put, if the document says so.
    pub path: Option<String>,
}

/// Something that could not be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadError {
    /// Where it is, as in [`Finding::place`].
    pub place: String,
    /// What is wrong with it.
    pub problem: ReadProblem,
}

/// The ways in which reading fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReadProblem {
    /// There is nothing in it that concerns a node.
    Nothing,
    /// It is not one of the forms that are known here.
    Unrecognised,
    /// Documents are wrapped in documents too often.
    TooDeep,
    /// Unpacked, it is larger than anything a node can be given.
    TooLarge,
    /// There is more in it than is listed.
    TooMany,
    /// It starts like gzip but cannot be unpacked.
    Gzip,
    /// It should be base64 and is not.
    Base64,
    /// It starts like JSON and is not.
    Json {
        /// Line in that document, from 1.
        line: usize,
        /// What is wrong there.
        problem: Problem,
    },
    /// It is YAML beyond the plain block style of `write_files`.
    Yaml {
        /// Line in that document, from 1.
        line: usize,
        /// What is not read there.
        what: &'static str,
    },
    /// It is a multipart document that cannot be taken apart.
    Mime(&'static str),
    /// It is encrypted for the machine.
    Encrypted,
}

impl fmt::Display for ReadError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.place.is_empty() {
            write!(out, "{}: ", self.place)?;
        }
        self.problem.fmt(out)
    }
}

impl fmt::Display for ReadProblem {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nothing => out.write_str("nothing in it concerns a node"),
            Self::Unrecognised => out.write_str(
                "this is neither custom data, a command, a contract, nor base64 or gzip of one of them",
            ),
            Self::TooDeep => out.write_str("documents are wrapped in documents more often than is sensible"),
            Self::TooLarge => out.write_str("unpacked, this is larger than anything a node can be given"),
            Self::TooMany => out.write_str("there is more in it than is listed"),
            Self::Gzip => out.write_str("this starts like gzip but cannot be unpacked"),
            Self::Base64 => out.write_str("this should be base64 and is not"),
            Self::Json { line, problem } => write!(out, "line {line}: {}", problem.describe()),
            Self::Yaml { line, what } => write!(out, "line {line}: {what}"),
            Self::Mime(what) => out.write_str(what),
            Self::Encrypted => out.write_str("this is encrypted for the machine and cannot be read here"),
        }
    }
}

impl std::error::Error for ReadError {}
