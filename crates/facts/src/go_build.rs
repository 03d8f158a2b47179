//! What the Go linker leaves in a program about its build, read from the few kilobytes where it is.

use std::path::Path;

use slipway_host::Host;

const ELF64_LITTLE: &[u8] = b"\x7fELF\x02\x01";
const SECTION: &[u8] = b".go.buildinfo\0";
const MAGIC: &[u8] = b"\xff Go buildinf:";
/// Set from Go 1.18 on: the texts follow the header in place.
const INLINE: u8 = 2;
const HEADER: usize = 32;
/// The texts stand between marks of this length, which the linker searches for.
const MARK: usize = 16;
const LARGEST: u64 = 1024 * 1024;
const MOST_SECTIONS: usize = 1000;

/// How a Go program was built.
#[derive(Debug)]
pub(crate) struct GoBuild {
    text: String,
}

/// Reads it; `None` for what is no Go program for 64-bit little-endian machines.
pub(crate) fn read(host: &dyn Host, path: &Path) -> Option<GoBuild> {
    let part = |from: u64, length: u64| {
        let length = usize::try_from(length).ok().filter(|_| length <= LARGEST)?;
        host.read_part(path, from, length).ok().filter(|bytes| bytes.len() == length)
    };
    let header = part(0, 64)?;
    if !header.starts_with(ELF64_LITTLE) {
        return None;
    }
    let size = u64::from(u16_at(&header, 58)?).max(64);
    let count = usize::from(u16_at(&header, 60)?).min(MOST_SECTIONS);
    let names = usize::from(u16_at(&header, 62)?);
    let table = part(u64_at(&header, 40)?, size * count as u64)?;
    let sections: Vec<&[u8]> = table.chunks_exact(usize::try_from(size).ok()?).collect();
    let names = sections.get(names)?;
    let names = part(u64_at(names, 24)?, u64_at(names, 32)?)?;
    let section = sections.iter().find(|section| {
        let name = u32_at(section, 0).and_then(|at| names.get(usize::try_from(at).ok()?..));
        name.is_some_and(|name| name.starts_with(SECTION))
    })?;
    parse(&part(u64_at(section, 24)?, u64_at(section, 32)?)?)
}

fn parse(section: &[u8]) -> Option<GoBuild> {
    if !section.starts_with(MAGIC) || section.get(15)? & INLINE == 0 {
        return None;
    }
    let mut rest = section.get(HEADER..)?;
    // The first text is the version of Go.
    counted(&mut rest)?;
    let text = counted(&mut rest)?;
    let text = text.get(MARK..text.len().checked_sub(MARK)?)?;
    Some(GoBuild { text: String::from_utf8(text.to_vec()).ok()? })
}

/// A text after its length.
fn counted<'a>(rest: &mut &'a [u8]) -> Option<&'a [u8]> {
    let mut length = 0usize;
    for shift in (0..28).step_by(7) {
        let (byte, tail) = rest.split_first()?;
        *rest = tail;
        length |= usize::from(byte & 0x7f) << shift;
        if *byte < 0x80 {
            let (text, tail) = rest.split_at_checked(length)?;
            *rest = tail;
            return Some(text);
        }
    }
    None
}

impl GoBuild {
    /// What the linker was told to set a variable to, by the end of the variable's name. Absent in programs that were
    /// built with their paths trimmed.
    pub(crate) fn linked(&self, variable: &str) -> Option<String> {
        let flags = self.text.lines().find_map(|line| line.strip_prefix("build\t-ldflags="))?;
        let set = flags.split([' ', '"', '\'', '\\']).filter_map(|word| word.split_once('='));
        let (_, value) =
            set.into_iter().find(|(name, value)| name.ends_with(variable) && !value.is_empty())?;
        Some(value.to_owned())
    }

    /// The version of the program's module; `None` when it was built from a working tree.
    pub(crate) fn module_version(&self) -> Option<String> {
        let line = self.text.lines().find_map(|line| line.strip_prefix("mod\t"))?;
        let version = line.split('\t').nth(1)?;
        // A version that counts from no release says nothing about the program.
        (version.starts_with('v') && !version.starts_with("v0.0.0-")).then(|| version.to_owned())
    }
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(bytes.get(at..at + 2)?.try_into().ok()?))
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(bytes.get(at..at + 8)?.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn build(text: &str) -> GoBuild {
        GoBuild { text: text.to_owned() }
    }

    #[test]
    fn the_linkers_words_are_found_in_either_quoting() {
        for flags in [
            r#""-s -w -X github.com/containerd/containerd/version.Version=1.7.20 -X a.b=c""#,
            r"-X 'github.com/containerd/containerd/v2/version.Version=1.7.20'",
            r#""-X \"github.com/containerd/containerd/version.Version=1.7.20\"""#,
        ] {
            let text = format!(
                "path\tx\nmod\tgithub.com/containerd/containerd\t(devel)\t\nbuild\t-ldflags={flags}\n"
            );
            assert_eq!(build(&text).linked("/version.Version").as_deref(), Some("1.7.20"), "{flags}");
            assert_eq!(build(&text).module_version(), None);
        }
        assert_eq!(build("build\t-trimpath=true\n").linked("/version.Version"), None);
    }

    #[test]
    fn a_module_built_from_a_release_has_its_version() {
        assert_eq!(
            build("mod\tk8s.io/kubernetes\tv1.34.3\th1:x\n").module_version().as_deref(),
            Some("v1.34.3")
        );
        assert_eq!(build("mod\tx\tv0.0.0-20240101000000-abc\t\n").module_version(), None);
    }

    #[test]
    fn what_is_no_build_information_is_none() {
        for section in [&b""[..], b"\xff Go buildinf:\x08\x00", b"\xff Go buildinf:\x08\x02"] {
            assert!(parse(section).is_none());
        }
        let mut cut = [MAGIC, b"\x08\x02", &[0; 16], b"\x02go"].concat();
        assert!(parse(&cut).is_none());
        cut.extend_from_slice(b"\xff\xff\xff\xff\xff");
        assert!(parse(&cut).is_none());
    }
}
