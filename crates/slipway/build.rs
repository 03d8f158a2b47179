//! How the binary is linked.

use std::env::var;

fn main() {
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
