use std::io::{self, Write};
use std::time::Duration;

use sha2::Digest as _;
use slipway_model::Blame;

use crate::HttpError;
use crate::backoff::Backoff;
use crate::checksum::Sha256;
use crate::client::{Call, Client};
use crate::message::Response;
use crate::patience::{Impatience, Patience};
use crate::url::{Scheme, Url};

const MOST_REDIRECTS: u32 = 5;

/// What to download.
#[derive(Debug, Clone)]
pub struct Download {
    /// From where.
    pub url: Url,
    /// What its bytes must add up to.
    pub sha256: Option<Sha256>,
    /// How many bytes it may have.
    pub most: u64,
}

/// What was downloaded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fetched {
    /// How many bytes there were.
    pub length: u64,
    /// What they add up to.
    pub sha256: Sha256,
    /// How often the connection broke and the rest was asked for.
    pub resumed: u32,
}

/// Why there is no download. What was written by then is worthless.
#[derive(Debug, thiserror::Error)]
pub enum FetchError {
    /// No answer, or it broke off more often than the time allows.
    #[error("downloading {url}: {problem}")]
    Connection {
        /// From where.
        url: String,
        /// The last failure.
        problem: HttpError,
    },
    /// The server does not give it.
    #[error("downloading {url}: the server answered with status {status}{}", later(*.retry_after))]
    Status {
        /// From where.
        url: String,
        /// The last status.
        status: u16,
        /// How long it wants to be left alone.
        retry_after: Option<Duration>,
    },
    /// The server sends us elsewhere, and we do not go.
    #[error("downloading {url}: the server redirects {problem}")]
    Redirect {
        /// From where.
        url: String,
        /// Why we do not follow.
        problem: &'static str,
    },
    /// It is too large.
    #[error("downloading {url}: it has more than the {most} bytes that it may have")]
    TooLarge {
        /// From where.
        url: String,
        /// How large it may be.
        most: u64,
    },
    /// It is something else than what was wanted.
    #[error(
        "downloading {url}: its SHA-256 is {found}, not {wanted}; the file there is another one than was ordered"
    )]
    WrongChecksum {
        /// From where.
        url: String,
        /// What came.
        found: Sha256,
        /// What was wanted.
        wanted: Sha256,
    },
    /// What came could not be put away.
    #[error("downloading {url}: the bytes cannot be written: {problem}")]
    Write {
        /// From where.
        url: String,
        /// What the writer said.
        problem: io::Error,
    },
}

fn later(retry_after: Option<Duration>) -> String {
    retry_after
        .map_or_else(String::new, |time| format!(" and asks to be left alone for {} s", time.as_secs()))
}

impl FetchError {
    /// What to try, where there is something.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Connection { problem, .. } => problem.hint(),
            Self::Status { status, .. } => Some(match status {
                401 | 403 => "put a user and a password that may read it into the address",
                404 | 410 => "see whether the address is right and whether the server has the file",
                _ => "wait a moment and try again, or take it from another place",
            }),
            Self::Redirect { .. } => Some("see whether something else answers there, such as a proxy"),
            Self::TooLarge { .. } | Self::WrongChecksum { .. } => {
                Some("see whether the server, or something on the way, has another file under this name")
            }
            Self::Write { .. } => None,
        }
    }

    /// Who has to act.
    pub fn blame(&self) -> Blame {
        match self {
            Self::Connection { problem, .. } => problem.blame(),
            Self::Status { .. } | Self::Redirect { .. } => Blame::Service,
            Self::TooLarge { .. } | Self::WrongChecksum { .. } => Blame::Input,
            Self::Write { .. } => Blame::Machine,
        }
    }
}

/// Downloads into a writer, which sees each byte once and in order: after a broken connection only the rest is asked
/// for. Failures that may pass are tried again while there is patience.
pub fn fetch(
    client: &Client,
    download: &Download,
    into: &mut dyn Write,
    patience: Patience<'_>,
) -> Result<Fetched, FetchError> {
    let mut progress = Progress { download, into, hash: sha2::Sha256::new(), length: 0, version: None };
    let mut backoff = Backoff::default();
    let mut resumed = 0;
    loop {
        let before = progress.length;
        let problem = match progress.attempt(client, patience) {
            Ok(()) => break,
            Err(Attempt::Final(error)) => return Err(error),
            Err(Attempt::Passing(error, asked)) => (error, asked),
        };
        let (error, asked) = problem;
        if progress.length > before {
            backoff.reset();
        }
        match patience.sleep(backoff.pause(asked)) {
            Ok(()) => {}
            // The failure says more than that the time ran out.
            Err(Impatience::Late) => return Err(error),
            Err(end @ Impatience::Stopped) => {
                return Err(progress.connection(HttpError::waiting(end, download.url.host(), "downloading")));
            }
        }
        resumed += u32::from(progress.length > 0);
    }
    let found = Sha256::of(progress.hash);
    match download.sha256 {
        Some(wanted) if wanted != found => {
            Err(FetchError::WrongChecksum { url: download.url.to_string(), found, wanted })
        }
        _ => Ok(Fetched { length: progress.length, sha256: found, resumed }),
    }
}

struct Progress<'a> {
    download: &'a Download,
    into: &'a mut dyn Write,
    hash: sha2::Sha256,
    length: u64,
    /// What tells this version of the file from another one: two halves of different files make no file.
    version: Option<String>,
}

enum Attempt {
    Final(FetchError),
    Passing(FetchError, Option<Duration>),
}

impl Progress<'_> {
    fn attempt(&mut self, client: &Client, patience: Patience<'_>) -> Result<(), Attempt> {
        let range = format!("bytes={}-", self.length);
        let mut fields = vec![("Accept-Encoding", "identity")];
        if self.length > 0 {
            fields.push(("Range", &range));
            fields.extend(self.version.as_deref().map(|version| ("If-Range", version)));
        }
        let mut answer = self.ask(client, &fields, patience)?;
        let mut skip = match answer.status() {
            200 => self.length,
            206 if self.length > 0 && starts_at(&answer) == Some(self.length) => 0,
            status => return Err(self.refused(status, &answer)),
        };
        let version = version_of(&answer);
        // Another file: what was written belongs to the old one. A part need not repeat how its file is told from others.
        let other = version != self.version && (skip > 0 || version.is_some() && self.version.is_some());
        if self.length > 0 && other {
            return Err(Attempt::Final(self.connection(HttpError::Unreadable {
                host: self.download.url.host().to_owned(),
                problem: "the file changed while it was downloaded",
            })));
        }
        self.version = version.or_else(|| self.version.take());
        if answer
            .length()
            .is_some_and(|length| length.saturating_add(self.length - skip) > self.download.most)
        {
            return Err(self.too_large());
        }
        let mut piece = vec![0; 64 * 1024];
        loop {
            let length = answer.read(&mut piece).map_err(|error| self.failed(error))?;
            if length == 0 {
                return Ok(());
            }
            // A server that does not resume begins anew; what is already there is passed over.
            let passed = usize::try_from(skip).unwrap_or(usize::MAX).min(length);
            skip -= passed as u64;
            self.keep(&piece[passed..length])?;
        }
    }

    /// Asks, and goes where it is sent.
    fn ask<'p>(
        &self,
        client: &Client,
        fields: &[(&'static str, &str)],
        patience: Patience<'p>,
    ) -> Result<Response<'p>, Attempt> {
        let mut url = self.download.url.clone();
        for _ in 0..=MOST_REDIRECTS {
            let call = Call { fields, ..Call::get(&url) };
            let answer = client.call(&call, patience).map_err(|error| self.failed(error))?;
            if !matches!(answer.status(), 301 | 302 | 303 | 307 | 308) {
                return Ok(answer);
            }
            let next = answer.field("location").and_then(|location| url.follow(location));
            let next = next.ok_or_else(|| self.astray("to no address"))?;
            if url.scheme() == Scheme::Https && next.scheme() == Scheme::Http {
                return Err(self.astray("from TLS to the clear"));
            }
            url = next;
        }
        Err(self.astray("more than five times"))
    }

    fn astray(&self, problem: &'static str) -> Attempt {
        Attempt::Final(FetchError::Redirect { url: self.download.url.to_string(), problem })
    }

    fn keep(&mut self, bytes: &[u8]) -> Result<(), Attempt> {
        if self.length + bytes.len() as u64 > self.download.most {
            return Err(self.too_large());
        }
        self.into.write_all(bytes).map_err(|problem| {
            Attempt::Final(FetchError::Write { url: self.download.url.to_string(), problem })
        })?;
        self.hash.update(bytes);
        self.length += bytes.len() as u64;
        Ok(())
    }

    fn connection(&self, problem: HttpError) -> FetchError {
        FetchError::Connection { url: self.download.url.to_string(), problem }
    }

    fn failed(&self, problem: HttpError) -> Attempt {
        if problem.is_transient() {
            Attempt::Passing(self.connection(problem), None)
        } else {
            Attempt::Final(self.connection(problem))
        }
    }

    fn refused(&self, status: u16, answer: &Response<'_>) -> Attempt {
        let retry_after = answer.retry_after();
        let error = FetchError::Status { url: self.download.url.to_string(), status, retry_after };
        if status >= 500 || matches!(status, 408 | 429) {
            Attempt::Passing(error, retry_after)
        } else {
            Attempt::Final(error)
        }
    }

    fn too_large(&self) -> Attempt {
        Attempt::Final(FetchError::TooLarge { url: self.download.url.to_string(), most: self.download.most })
    }
}

/// Where the part begins that a server sends.
fn starts_at(answer: &Response<'_>) -> Option<u64> {
    let range = answer.field("content-range")?.strip_prefix("bytes ")?;
    range.split('-').next()?.parse().ok()
}

/// A validator that is good enough for a range: a strong tag, or a date.
fn version_of(answer: &Response<'_>) -> Option<String> {
    let strong = answer.field("etag").filter(|tag| !tag.starts_with("W/"));
    strong.or_else(|| answer.field("last-modified")).map(str::to_owned)
}
