//! `cargo schema`: writes every file that is generated from the contract's tables.

use std::path::Path;

#[expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "a developer's tool that writes files is the edge"
)]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    for output in slipway_schema::outputs()? {
        let path = root.join(output.path);
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        std::fs::write(&path, output.text)?;
        println!("wrote {}", output.path);
    }
    Ok(())
}
