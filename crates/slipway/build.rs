//! How the binary is linked, and what lies in it compressed.

#![expect(clippy::disallowed_methods, clippy::disallowed_types, reason = "a build reads and writes files")]

use std::env::var;
use std::error::Error;
use std::fs::{self, File};
use std::io::Write as _;
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;

fn main() -> Result<(), Box<dyn Error>> {
    link();
    compress("../../schema/aksnodeconfig-v1.schema.json", "schema.json.gz")
}

/// A file that few commands print is a twelfth of its size in the binary.
fn compress(file: &str, name: &str) -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed={file}");
    let output = File::create(Path::new(&var("OUT_DIR")?).join(name))?;
    let mut encoder = GzEncoder::new(output, Compression::best());
    encoder.write_all(&fs::read(file)?)?;
    encoder.finish()?;
    Ok(())
}

fn link() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=no-unwinding.ld");
    let target = ["CARGO_CFG_TARGET_OS", "CARGO_CFG_TARGET_ENV"].map(|name| var(name).unwrap_or_default());
    // As a shared library the unwinder would be the only one besides libc, and loading it costs a fifth of the time
    // that `slipway version` takes.
    if target == ["linux", "gnu"] {
        println!("cargo::rustc-link-arg-bins=-Wl,--whole-archive,-l:libgcc_eh.a,--no-whole-archive");
    }
    // A release aborts when it panics: the tables by which a stack is unwound are a tenth of the file, and unused.
    if var("PROFILE").is_ok_and(|profile| profile == "release") && target[0] == "linux" {
        let script = format!("{}/no-unwinding.ld", var("CARGO_MANIFEST_DIR").unwrap_or_default());
        println!("cargo::rustc-link-arg-bins=-Wl,--no-eh-frame-hdr,-T,{script}");
    }
}
