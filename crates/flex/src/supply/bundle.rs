//! A manifest together with the files that it names, in one file: for machines without a network.
//!
//! It is a tar archive: `manifest.json`, `manifest.json.minisig`, then each file as `sha256/` and its digest. Whoever
//! reads it checks the signature before anything else and each file while it is written.

use std::io::{self, Read, Write};

use sha2::{Digest as _, Sha256};

use super::manifest::{Digest, Manifest};
use super::signature::{PublicKey, SignatureError, Signed};

const MANIFEST: &str = "manifest.json";
const SIGNATURE: &str = "manifest.json.minisig";
const FILES: &str = "sha256/";
/// A manifest has some hundred bytes for each release.
const LARGEST_MANIFEST: u64 = 16 << 20;

/// Why a bundle cannot be read or made. What was written by then is worthless.
#[derive(Debug, thiserror::Error)]
pub enum BundleError {
    /// It is none.
    #[error("this is no bundle: {0}")]
    NoBundle(&'static str),
    /// Its manifest does not count.
    #[error("the bundle's manifest does not count: {0}")]
    Manifest(#[from] SignatureError),
    /// It holds a file that the manifest does not name.
    #[error("the bundle holds {0}, which its manifest does not name")]
    Stranger(String),
    /// A file is not what the manifest says.
    #[error("the file {digest} in the bundle is damaged: {found}")]
    Damaged {
        /// Which.
        digest: Digest,
        /// What is there instead.
        found: String,
    },
    /// It cannot be read or written.
    #[error("the bundle: {0}")]
    Io(#[from] io::Error),
}

/// A file of a bundle: its digest, how many bytes it has, and the bytes.
pub type Content<'a> = (Digest, u64, Box<dyn Read + 'a>);

/// Writes a bundle.
pub fn write<'a>(
    into: impl Write,
    signed: &Signed,
    files: impl IntoIterator<Item = io::Result<Content<'a>>>,
) -> Result<(), BundleError> {
    let mut archive = tar::Builder::new(into);
    let mut add = |name: &str, size: u64, content: &mut dyn Read| {
        let mut header = tar::Header::new_ustar();
        header.set_mode(0o644);
        header.set_size(size);
        archive.append_data(&mut header, name, content)
    };
    add(MANIFEST, signed.text.len() as u64, &mut signed.text.as_slice())?;
    add(SIGNATURE, signed.signature.len() as u64, &mut signed.signature.as_bytes())?;
    for file in files {
        let (digest, size, content) = file?;
        let mut checked = Checked { content, size, sum: Sha256::new() };
        add(&format!("{FILES}{digest}"), size, &mut (&mut checked).take(size))?;
        checked.finish(&digest)?;
    }
    archive.into_inner()?.flush()?;
    Ok(())
}

/// The manifest of a bundle, if its signature is that of the key.
pub fn manifest(from: impl Read, key: &PublicKey) -> Result<(Signed, Manifest), BundleError> {
    let mut archive = tar::Archive::new(from);
    opened(&mut archive.entries()?, key)
}

/// Reads a whole bundle. Each file goes to what `open` gives for it, or nowhere. That is flushed once the file is what the
/// manifest says, and dropped without where it is not: then what was written is worthless. Returns the manifest and the
/// digests of what is in the bundle.
pub fn unpack<'a>(
    from: impl Read,
    key: &PublicKey,
    mut open: impl FnMut(&Digest, u64) -> io::Result<Option<Box<dyn Write + 'a>>>,
) -> Result<(Manifest, Vec<Digest>), BundleError> {
    let mut archive = tar::Archive::new(from);
    let mut entries = archive.entries()?;
    let (_, manifest) = opened(&mut entries, key)?;
    let mut found = Vec::new();
    for entry in entries {
        let entry = entry?;
        let name = name_of(&entry);
        let known = name.strip_prefix(FILES);
        let known = known.and_then(|digits| manifest.files().find(|(digest, _)| digest.as_str() == digits));
        let Some((digest, size)) = known else { return Err(BundleError::Stranger(name)) };
        if entry.size() != size {
            return Err(other_length(digest));
        }
        let mut into = open(digest, size)?.unwrap_or_else(|| Box::new(io::sink()));
        let mut checked = Checked { content: entry, size, sum: Sha256::new() };
        io::copy(&mut checked, &mut into)?;
        checked.finish(digest)?;
        into.flush()?;
        found.push(digest.clone());
    }
    Ok((manifest, found))
}

fn opened<R: Read>(
    entries: &mut tar::Entries<'_, R>,
    key: &PublicKey,
) -> Result<(Signed, Manifest), BundleError> {
    let mut next = |wanted: &str| {
        let entry = entries.next().ok_or(BundleError::NoBundle("it is empty"))?;
        let mut entry = entry.map_err(|_| BundleError::NoBundle("it is no tar archive"))?;
        if name_of(&entry) != wanted {
            return Err(BundleError::NoBundle("it does not begin with a manifest and its signature"));
        }
        if entry.size() > LARGEST_MANIFEST {
            return Err(BundleError::NoBundle("its manifest has more than 16 MiB"));
        }
        let mut content = Vec::new();
        entry.read_to_end(&mut content)?;
        Ok(content)
    };
    let text = next(MANIFEST)?;
    let signature = next(SIGNATURE)?;
    let signature =
        String::from_utf8(signature).map_err(|_| BundleError::Manifest(SignatureError::Unreadable))?;
    let signed = Signed { text, signature };
    let manifest = signed.open(key)?;
    Ok((signed, manifest))
}

fn name_of<R: Read>(entry: &tar::Entry<'_, R>) -> String {
    String::from_utf8_lossy(&entry.path_bytes()).into_owned()
}

/// Bytes on their way, added up.
struct Checked<R> {
    content: R,
    size: u64,
    sum: Sha256,
}

impl<R: Read> Read for Checked<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self.content.read(into)?;
        self.sum.update(&into[..read]);
        self.size = self.size.wrapping_sub(read as u64);
        Ok(read)
    }
}

impl<R> Checked<R> {
    /// All that was expected has come, and nothing else.
    fn finish(self, digest: &Digest) -> Result<(), BundleError> {
        if self.size != 0 {
            return Err(other_length(digest));
        }
        let sum = Digest::of(&self.sum.finalize());
        if sum == *digest {
            return Ok(());
        }
        Err(BundleError::Damaged { digest: digest.clone(), found: format!("its SHA-256 is {sum}") })
    }
}

fn other_length(digest: &Digest) -> BundleError {
    let found = "it has another length than the manifest says".to_owned();
    BundleError::Damaged { digest: digest.clone(), found }
}
