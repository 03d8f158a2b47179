//! A program of this machine as a layer.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::{Layer, LayerFile};

impl Layer {
    /// A layer of one program and the shared libraries that it is linked with, each where this machine has it.
    pub fn of_program(program: &Path, path: &str) -> io::Result<Self> {
        let linked = Command::new("ldd").arg(program).output()?;
        let names = libraries(&String::from_utf8_lossy(&linked.stdout));
        let contents = names.iter().map(fs::read).collect::<io::Result<Vec<_>>>()?;
        let executable = fs::read(program)?;
        let libraries = names
            .iter()
            .zip(&contents)
            .filter_map(|(name, content)| Some(LayerFile { path: name.to_str()?, mode: 0o755, content }));
        let program = LayerFile { path, mode: 0o755, content: &executable };
        Self::of(&libraries.chain([program]).collect::<Vec<_>>())
    }
}

/// The files in the answer of `ldd`, which names none for a static program.
fn libraries(answer: &str) -> Vec<PathBuf> {
    answer.split_whitespace().filter(|word| word.starts_with('/')).map(PathBuf::from).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_loader_and_every_library_are_found_and_a_static_program_has_none() {
        let answer = "\tlinux-vdso.so.1 (0x00007ffd)\n\tlibc.so.6 => /lib/libc.so.6 (0x00007f2a)\n\
                      \t/lib64/ld-linux-x86-64.so.2 (0x00007f2b)\n";
        assert_eq!(libraries(answer), ["/lib/libc.so.6", "/lib64/ld-linux-x86-64.so.2"].map(PathBuf::from));
        assert_eq!(libraries("\tstatically linked\n"), Vec::<PathBuf>::new());
    }
}
