//! Writes what a package brings besides the binary into a directory: manual pages and shell completions, both made from
//! the definitions of the commands.

use std::io;
use std::path::Path;

use clap::CommandFactory as _;
use clap_complete::{Shell, generate_to};
use slipway::cli::Cli;

#[expect(clippy::disallowed_methods, reason = "the files are for the package, not for a node")]
fn main() -> io::Result<()> {
    let directory = std::env::args_os().nth(1).ok_or_else(|| io::Error::other("which directory?"))?;
    let directory = Path::new(&directory);
    let man = directory.join("man");
    std::fs::create_dir_all(&man)?;
    clap_mangen::generate_to(Cli::command(), man)?;
    for (shell, name) in [(Shell::Bash, "bash"), (Shell::Zsh, "zsh"), (Shell::Fish, "fish")] {
        let directory = directory.join(name);
        std::fs::create_dir_all(&directory)?;
        let file = generate_to(shell, &mut Cli::command(), "slipway", directory)?;
        if shell == Shell::Bash {
            // bash-completion looks for a file with the program's name.
            std::fs::rename(&file, file.with_file_name("slipway"))?;
        }
    }
    Ok(())
}
