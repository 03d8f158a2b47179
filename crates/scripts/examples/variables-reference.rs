//! Prints the page of variables: `cargo run -p slipway-scripts --example variables-reference`.
#![expect(clippy::print_stdout, reason = "its product is the page")]

#[path = "../tests/reference/page.rs"]
mod page;

fn main() {
    print!("{}", page::page());
}
