//! Links the unwinder into the binary. As a shared library it would be the only one besides libc, and loading it
//! costs a fifth of the time that `slipway version` takes.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let gnu_linux = ["linux", "gnu"];
    let target =
        ["CARGO_CFG_TARGET_OS", "CARGO_CFG_TARGET_ENV"].map(|name| std::env::var(name).unwrap_or_default());
    if target == gnu_linux {
        println!("cargo::rustc-link-arg-bins=-Wl,--whole-archive,-l:libgcc_eh.a,--no-whole-archive");
    }
}
