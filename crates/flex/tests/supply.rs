//! Manifests, signatures and bundles, against a key and a signature that minisign itself made.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::cell::RefCell;
use std::io::{self, Read, Write};
use std::rc::Rc;

use sha2::Digest as _;
use slipway_flex::supply::bundle::{self, BundleError, Content};
use slipway_flex::supply::{Digest, Manifest, PublicKey, SecretKey, SignatureError, Signed};

const PUBLIC: &str = include_str!("supply/key.pub");
const SECRET: &str = include_str!("supply/key");
const MANIFEST: &str = include_str!("supply/manifest.json");
const SIGNATURE: &str = include_str!("supply/manifest.json.minisig");

fn public() -> PublicKey {
    PublicKey::parse(PUBLIC).unwrap()
}

fn signed() -> Signed {
    Signed { text: MANIFEST.into(), signature: SIGNATURE.to_owned() }
}

fn files(manifest: &Manifest) -> Vec<io::Result<Content<'static>>> {
    let content = |component| format!("the bytes of {component}");
    let file = |(digest, size, content): (Digest, u64, String)| -> io::Result<Content<'static>> {
        Ok((digest, size, Box::new(io::Cursor::new(content)) as Box<dyn Read>))
    };
    let releases = manifest.releases.iter();
    releases.map(|it| file((it.sha256.clone(), it.size, content(it.component)))).collect()
}

fn bundled() -> Vec<u8> {
    let signed = signed();
    let mut bundle = Vec::new();
    bundle::write(&mut bundle, &signed, files(&signed.open(&public()).unwrap())).unwrap();
    bundle
}

/// A writer whose bytes are seen afterwards.
#[derive(Clone, Default)]
struct Kept(Rc<RefCell<Vec<u8>>>);

impl Write for Kept {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_signature_of_minisign_opens_the_manifest_and_no_other() {
    assert_eq!(signed().open(&public()).unwrap().releases.len(), 2);
    let changed = Signed { text: MANIFEST.replace("1.34.3", "1.34.4").into(), ..signed() };
    assert!(matches!(changed.open(&public()), Err(SignatureError::Wrong)));
    let commented = Signed { signature: SIGNATURE.replace("of a test", "of a fest"), ..signed() };
    assert!(matches!(commented.open(&public()), Err(SignatureError::Wrong)));
    let other = PublicKey::parse("RWQf6LRCGA9i53mlYecO4IzT51TGPpvWucNSCh1CBM0QTaLn73Y7GFO3").unwrap();
    assert!(matches!(signed().open(&other), Err(SignatureError::OtherKey)));
    let none = Signed { signature: "no".to_owned(), ..signed() };
    assert!(matches!(none.open(&public()), Err(SignatureError::Unreadable)));
}

#[test]
fn what_we_sign_opens_with_the_public_key() {
    let manifest = Manifest::parse(MANIFEST.as_bytes()).unwrap();
    let key = SecretKey::parse(&SECRET.into()).unwrap();
    let signed = key.sign(&manifest, "made by a test\nsecond line");
    assert_eq!(signed.open(&public()).unwrap(), manifest);
    assert!(!signed.signature.contains("second line"));
}

#[test]
fn a_key_that_does_not_serve_says_why() {
    assert!(matches!(SecretKey::parse(&"AAAA".into()), Err(SignatureError::SecretKey)));
    // The derivation that stands for a password.
    let locked = SECRET.replace("RWQAAEIy", "RWRTY0Iy");
    assert!(matches!(SecretKey::parse(&locked.as_str().into()), Err(SignatureError::Password)));
    assert!(matches!(PublicKey::parse("RWQ"), Err(SignatureError::PublicKey)));
}

#[test]
fn a_bundle_gives_back_what_was_put_in() {
    let bundle = bundled();
    let mut out = Vec::new();
    let (manifest, found) = bundle::unpack(bundle.as_slice(), &public(), |digest, size| {
        let kept = Kept::default();
        out.push((digest.clone(), size, kept.clone()));
        Ok(Some(Box::new(kept) as Box<dyn Write>))
    })
    .unwrap();
    assert_eq!(found.len(), 2);
    for (release, (digest, size, kept)) in manifest.releases.iter().zip(out) {
        assert_eq!((&digest, size), (&release.sha256, release.size));
        assert_eq!(*kept.0.borrow(), format!("the bytes of {}", release.component).into_bytes());
    }
    assert_eq!(bundle::manifest(bundle.as_slice(), &public()).unwrap().1, manifest);
    assert_eq!(bundled(), bundle, "a bundle is the same each time");
}

#[test]
fn no_changed_byte_and_no_cut_changes_what_is_read() {
    let bundle = bundled();
    let nowhere = |_: &Digest, _: u64| Ok(None);
    let whole = bundle::unpack(bundle.as_slice(), &public(), nowhere).unwrap();
    for at in (0..bundle.len()).step_by(7) {
        let mut changed = bundle.clone();
        changed[at] ^= 0x20;
        // What fills up a block and the comment that nobody vouches for may change; nothing else does.
        if let Ok(read) = bundle::unpack(changed.as_slice(), &public(), nowhere) {
            assert_eq!(read, whole, "at {at}");
        }
    }
    for end in [0, 100, 512, 2000, bundle.len() / 2] {
        assert!(bundle::unpack(&bundle[..end], &public(), nowhere).is_err(), "cut at {end}");
    }
}

/// A writer that says whether it was told that all is well.
struct Sealed(Rc<RefCell<Vec<bool>>>, bool);

impl Write for Sealed {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.1 = true;
        Ok(())
    }
}

impl Drop for Sealed {
    fn drop(&mut self) {
        self.0.borrow_mut().push(self.1);
    }
}

#[test]
fn a_damaged_file_is_never_sealed() {
    let mut bundle = bundled();
    let sealed = Rc::new(RefCell::new(Vec::new()));
    let read = |bundle: &[u8]| {
        let open = |_: &Digest, _: u64| -> io::Result<Option<Box<dyn Write>>> {
            Ok(Some(Box::new(Sealed(Rc::clone(&sealed), false))))
        };
        let read = bundle::unpack(bundle, &public(), open).map(drop);
        (read, sealed.take())
    };
    assert!(matches!(read(&bundle), (Ok(()), sealed) if sealed == [true, true]));
    let at = bundle.windows(20).position(|bytes| bytes == b"the bytes of kubelet").unwrap();
    bundle[at] ^= 1;
    assert!(matches!(read(&bundle), (Err(BundleError::Damaged { .. }), sealed) if sealed == [false]));
}

#[test]
fn a_file_that_is_something_else_or_unknown_is_refused() {
    let signed = signed();
    let manifest = signed.open(&public()).unwrap();
    let release = &manifest.releases[0];
    let write = |digest: Digest, size: u64, content: &'static str| {
        let content: Content<'_> = (digest, size, Box::new(content.as_bytes()));
        let mut bundle = Vec::new();
        bundle::write(&mut bundle, &signed, [Ok(content)]).map(|()| bundle)
    };
    let other = write(release.sha256.clone(), release.size, "the bytes of kubelex");
    assert!(matches!(other, Err(BundleError::Damaged { .. })));
    let short = write(release.sha256.clone(), release.size, "the bytes");
    assert!(matches!(short, Err(BundleError::Damaged { .. } | BundleError::Io(_))), "{short:?}");

    let stranger = Digest::of(&sha2::Sha256::digest(b"who"));
    let bundle = write(stranger, 3, "who").unwrap();
    let read = bundle::unpack(bundle.as_slice(), &public(), |_, _| Ok(None));
    assert!(matches!(read, Err(BundleError::Stranger(_))));
    let read = bundle::manifest(b"<html>".repeat(200).as_slice(), &public());
    assert!(matches!(read, Err(BundleError::NoBundle(_))));
}
