//! The store: files on the machine by their digests, each of them checked before it counts.

use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use slipway_apply::adds_up;
use slipway_flex::supply::bundle::{BundleError, unpack};
use slipway_flex::supply::{Digest, PublicKey, STORE, stored};
use slipway_host::{Host, Writer};
use slipway_model::Attributes;

/// Makes the place for files.
pub(super) fn make(host: &dyn Host) -> io::Result<()> {
    let store = Path::new(STORE);
    match host.entry(store)? {
        Some(_) => Ok(()),
        None => host.make_directory(store, Attributes::root(0o700)),
    }
}

/// Whether the store has a file. One of the right length may be another one: what counts is what it adds up to.
pub(super) fn has(host: &dyn Host, digest: &Digest, size: u64) -> io::Result<bool> {
    let path = stored(digest);
    let is_as_long = host.entry(&path)?.is_some_and(|entry| entry.size == size);
    Ok(is_as_long && adds_up(host, &path, digest.as_str())?)
}

/// Takes from a bundle what is wanted and not here.
pub(super) fn fill(
    bundle: impl Read,
    key: &PublicKey,
    wanted: impl Fn(&Digest) -> bool,
    host: &dyn Host,
) -> Result<(), BundleError> {
    make(host)?;
    let unpacked = unpack(bundle, key, |digest, size| {
        if !wanted(digest) || has(host, digest, size)? {
            return Ok(None);
        }
        Ok(Some(Box::new(Filing::new(host, digest)?)))
    });
    unpacked.map(drop)
}

/// A file on its way into the store. Flushed, it has its name; dropped before, it is gone.
struct Filing<'a> {
    host: &'a dyn Host,
    path: PathBuf,
    new: PathBuf,
    writer: Box<dyn Writer>,
    is_kept: bool,
}

impl<'a> Filing<'a> {
    fn new(host: &'a dyn Host, digest: &Digest) -> io::Result<Self> {
        let path = stored(digest);
        let new = path.with_extension("new");
        if host.entry(&new)?.is_some() {
            host.remove(&new)?;
        }
        let writer = host.create(&new, Attributes::root(0o600))?;
        Ok(Self { host, path, new, writer, is_kept: false })
    }
}

impl Write for Filing<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.writer.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer.sync()?;
        self.host.rename(&self.new, &self.path)?;
        self.is_kept = true;
        Ok(())
    }
}

impl Drop for Filing<'_> {
    fn drop(&mut self) {
        if !self.is_kept {
            // Whatever went wrong is told by whoever dropped it.
            let _ = self.host.remove(&self.new);
        }
    }
}

#[cfg(test)]
mod tests {
    use slipway_flex::supply::Signed;
    use slipway_flex::supply::bundle::{Content, write};
    use slipway_host::Recorded;

    use super::*;

    const PUBLIC: &str = include_str!("../../../../flex/tests/supply/key.pub");
    const MANIFEST: &str = include_str!("../../../../flex/tests/supply/manifest.json");
    const SIGNATURE: &str = include_str!("../../../../flex/tests/supply/manifest.json.minisig");

    fn bundle(key: &PublicKey) -> Vec<u8> {
        let signed = Signed { text: MANIFEST.into(), signature: SIGNATURE.to_owned() };
        let manifest = signed.open(key).unwrap();
        let content = |component| io::Cursor::new(format!("the bytes of {component}"));
        let files = manifest.releases.iter().map(|it| -> io::Result<Content<'static>> {
            Ok((it.sha256.clone(), it.size, Box::new(content(it.component))))
        });
        let mut bundle = Vec::new();
        write(&mut bundle, &signed, files).unwrap();
        bundle
    }

    /// What the store holds, by its names.
    fn held(host: &Recorded) -> Vec<(String, String)> {
        let names = host.list(Path::new(STORE)).unwrap();
        let text = |name: &Path| String::from_utf8(host.read(&Path::new(STORE).join(name)).unwrap()).unwrap();
        names.iter().map(|name| (name.to_string_lossy()[..4].to_owned(), text(Path::new(name)))).collect()
    }

    #[test]
    fn a_damaged_bundle_leaves_nothing_that_a_good_one_would_trust() {
        let key = PublicKey::parse(PUBLIC).unwrap();
        let good = bundle(&key);
        let host = Recorded::live().with_directory("/var/lib/slipway", 0o700);
        for word in [b"the bytes of runc".as_slice(), b"the bytes of kubelet"] {
            let mut damaged = good.clone();
            let at = damaged.windows(word.len()).position(|bytes| bytes == word).unwrap();
            damaged[at..at + 3].copy_from_slice(b"THE");
            let filled = fill(damaged.as_slice(), &key, |_| true, &host);
            assert!(matches!(filled, Err(BundleError::Damaged { .. })), "{filled:?}");
            assert!(held(&host).iter().all(|(_, text)| text.starts_with("the")), "{:?}", held(&host));
        }
        fill(good.as_slice(), &key, |_| true, &host).unwrap();
        let whole = [("6a48", "the bytes of kubelet"), ("b2f5", "the bytes of runc")];
        let whole = whole.map(|(name, text)| (name.to_owned(), text.to_owned()));
        assert_eq!(held(&host), whole);
    }

    #[test]
    fn a_file_of_the_right_length_and_other_bytes_is_written_anew() {
        let key = PublicKey::parse(PUBLIC).unwrap();
        let good = bundle(&key);
        let path = format!("{STORE}/6a48c53db845028d41496bfd63c11f1c3d5337b416b750b25b1924d58963eb8d");
        let host = Recorded::live().with_files([(path.as_str(), "the bytes of kubelex", 0o600)]);
        fill(good.as_slice(), &key, |_| true, &host).unwrap();
        assert_eq!(held(&host)[0].1, "the bytes of kubelet");
        let before = host.changes().len();
        fill(good.as_slice(), &key, |_| true, &host).unwrap();
        assert_eq!(host.changes().len(), before, "what is there and whole is left alone");
    }
}
