//! Members of a tar archive, plain or compressed with gzip, written out while it arrives: nothing is kept in memory
//! or on the way.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use flate2::write::MultiGzDecoder;
use slipway_host::Writer;

const BLOCK: usize = 512;

/// Where the members of an archive are wanted.
type Members<'a> = &'a [(String, PathBuf)];
type Open<'a> = &'a mut dyn FnMut(&Path) -> io::Result<Box<dyn Writer>>;

/// Takes the bytes of a file as they come.
pub(super) enum Unpacked<'a> {
    /// Nothing came yet: the first two bytes tell what it is.
    Unknown {
        head: Vec<u8>,
        tar: Option<Tar<'a>>,
    },
    /// The file itself is what is wanted.
    File(File<'a>),
    Plain(Tar<'a>),
    Gzip(Box<MultiGzDecoder<Tar<'a>>>),
}

pub(super) struct File<'a> {
    path: &'a Path,
    open: Open<'a>,
    writer: Option<Box<dyn Writer>>,
}

/// Takes the bytes of an archive as they come.
pub(super) struct Tar<'a> {
    members: Members<'a>,
    open: Open<'a>,
    header: Vec<u8>,
    writer: Option<Box<dyn Writer>>,
    /// What is left of the present member, and of the filling after it.
    content: u64,
    filling: u64,
    found: Vec<&'a str>,
}

impl<'a> Unpacked<'a> {
    pub(super) fn new(members: Members<'a>, open: Open<'a>) -> Self {
        match members {
            [(name, path)] if name.is_empty() => Self::File(File { path, open, writer: None }),
            _ => {
                let tar = Tar {
                    members,
                    open,
                    header: Vec::with_capacity(BLOCK),
                    writer: None,
                    content: 0,
                    filling: 0,
                    found: Vec::new(),
                };
                Self::Unknown { head: Vec::new(), tar: Some(tar) }
            }
        }
    }

    /// Nothing more comes: an error unless all that was wanted has come, whole.
    pub(super) fn finish(self) -> io::Result<()> {
        match self {
            Self::File(file) if file.writer.is_some() => Ok(()),
            Self::Plain(tar) => tar.finish(),
            Self::Gzip(gzip) => gzip.finish()?.finish(),
            Self::File(_) | Self::Unknown { .. } => Err(broken("it is empty")),
        }
    }
}

impl Write for Unpacked<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::File(file) => file.write(bytes),
            Self::Plain(tar) => tar.write(bytes),
            Self::Gzip(gzip) => gzip.write(bytes),
            Self::Unknown { head, tar } => {
                head.extend_from_slice(bytes);
                let (true, Some(tar)) = (head.len() >= 2, tar.take_if(|_| head.len() >= 2)) else {
                    return Ok(bytes.len());
                };
                let head = std::mem::take(head);
                *self = if head.starts_with(&[0x1f, 0x8b]) {
                    Self::Gzip(Box::new(MultiGzDecoder::new(tar)))
                } else {
                    Self::Plain(tar)
                };
                self.write_all(&head)?;
                Ok(bytes.len())
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl File<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.writer.is_none() {
            self.writer = Some((self.open)(self.path)?);
        }
        self.writer.as_mut().map_or(Ok(0), |writer| writer.write(bytes))
    }
}

impl Tar<'_> {
    fn begin(&mut self) -> io::Result<()> {
        let header = std::mem::take(&mut self.header);
        if header.iter().all(|byte| *byte == 0) {
            // The end of the archive, or nothing of it.
            return Ok(());
        }
        let size = octal(&header[124..136]).ok_or_else(|| broken("it is no tar archive"))?;
        let checksum: u64 = header
            .iter()
            .enumerate()
            .map(|(at, byte)| if (148..156).contains(&at) { 32 } else { u64::from(*byte) })
            .sum();
        if octal(&header[148..156]) != Some(checksum) {
            return Err(broken("it is no tar archive"));
        }
        let name = name(&header);
        self.content = size;
        self.filling = (BLOCK as u64 - size % BLOCK as u64) % BLOCK as u64;
        let regular = matches!(header[156], 0 | b'0');
        let wanted = self.members.iter().find(|(member, _)| regular && *member == name);
        if let Some((member, path)) = wanted {
            self.writer = Some((self.open)(path)?);
            self.found.push(member);
        }
        if self.content == 0 {
            self.writer = None;
        }
        Ok(())
    }

    fn finish(self) -> io::Result<()> {
        if self.content > 0 || !self.header.is_empty() {
            return Err(broken("it ends too early"));
        }
        match self.members.iter().find(|(member, _)| !self.found.contains(&member.as_str())) {
            Some((member, _)) => Err(broken(&format!("there is no {member} in it"))),
            None => Ok(()),
        }
    }
}

impl Write for Tar<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let at_most = |left: u64| bytes.len().min(usize::try_from(left).unwrap_or(usize::MAX));
        if self.content > 0 {
            let piece = at_most(self.content);
            if let Some(writer) = &mut self.writer {
                writer.write_all(&bytes[..piece])?;
            }
            self.content -= piece as u64;
            if self.content == 0 {
                self.writer = None;
            }
            return Ok(piece);
        }
        if self.filling > 0 {
            let piece = at_most(self.filling);
            self.filling -= piece as u64;
            return Ok(piece);
        }
        let piece = bytes.len().min(BLOCK - self.header.len());
        self.header.extend_from_slice(&bytes[..piece]);
        if self.header.len() == BLOCK {
            self.begin()?;
        }
        Ok(piece)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The member's name as it is asked for: without `./` before it.
fn name(header: &[u8]) -> String {
    let text = |from: usize, to: usize| {
        let field = &header[from..to];
        let end = field.iter().position(|byte| *byte == 0).unwrap_or(field.len());
        String::from_utf8_lossy(&field[..end]).into_owned()
    };
    let (name, prefix) = (text(0, 100), text(345, 500));
    let posix = header[257..].starts_with(b"ustar\0");
    let whole = if posix && !prefix.is_empty() { format!("{prefix}/{name}") } else { name };
    whole.trim_start_matches("./").to_owned()
}

fn octal(field: &[u8]) -> Option<u64> {
    let text = std::str::from_utf8(field).ok()?;
    let digits = text.trim_matches(['\0', ' ']);
    if digits.is_empty() { None } else { u64::from_str_radix(digits, 8).ok() }
}

fn broken(problem: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, problem)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::sync::{Arc, Mutex};

    use super::*;

    type Written = Arc<Mutex<BTreeMap<PathBuf, Vec<u8>>>>;

    struct Pen(PathBuf, Written);

    impl Writer for Pen {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.1.lock().unwrap().entry(self.0.clone()).or_default().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn sync(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn member(name: &str, content: &[u8]) -> Vec<u8> {
        let mut block = vec![0_u8; BLOCK];
        block[..name.len()].copy_from_slice(name.as_bytes());
        block[124..135].copy_from_slice(format!("{:011o}", content.len()).as_bytes());
        block[148..156].fill(b' ');
        block[156] = b'0';
        let sum: u32 = block.iter().map(|byte| u32::from(*byte)).sum();
        block[148..155].copy_from_slice(format!("{sum:06o}\0").as_bytes());
        block.extend_from_slice(content);
        block.resize(block.len().next_multiple_of(BLOCK), 0);
        block
    }

    fn unpack(archive: &[u8], members: &[(String, PathBuf)], piece: usize) -> io::Result<Written> {
        let written = Written::default();
        let mut open = |path: &Path| Ok(Box::new(Pen(path.to_owned(), written.clone())) as Box<dyn Writer>);
        let mut unpacked = Unpacked::new(members, &mut open);
        archive.chunks(piece).try_for_each(|piece| unpacked.write_all(piece))?;
        unpacked.finish()?;
        Ok(written)
    }

    #[test]
    fn members_are_found_however_the_bytes_arrive() {
        let mut archive = member("./a/kubelet", &[7; 1300]);
        archive.extend(member("a/other", b"other"));
        archive.extend(member("empty", b""));
        archive.extend([0; 1024]);
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        gzip.write_all(&archive).unwrap();
        let gzip = gzip.finish().unwrap();
        let wanted = [("a/kubelet".to_owned(), "/k".into()), ("a/other".to_owned(), "/o".into())];
        for (bytes, piece) in [(&archive, 1), (&archive, 4096), (&gzip, 1), (&gzip, 4096)] {
            let written = unpack(bytes, &wanted, piece).unwrap();
            let written = written.lock().unwrap();
            assert_eq!(written[Path::new("/k")], vec![7; 1300]);
            assert_eq!(written[Path::new("/o")], b"other");
        }
        for (bytes, error) in [
            (&archive[..700], "it ends too early"),
            (&b"<html>no</html>".repeat(60)[..], "it is no tar archive"),
            (&b""[..], "it is empty"),
            (&member("x", b"x")[..], "there is no a/kubelet in it"),
        ] {
            assert_eq!(unpack(bytes, &wanted, 100).unwrap_err().to_string(), error);
        }
        assert!(unpack(&gzip[..gzip.len() / 2], &wanted, 100).is_err());
        let plain = unpack(b"#!", &[(String::new(), "/p".into())], 1).unwrap();
        assert_eq!(plain.lock().unwrap()[Path::new("/p")], b"#!");
    }
}
