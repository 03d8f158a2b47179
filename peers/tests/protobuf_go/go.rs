//! The Go program in `go/`: built once, asked over pipes.

use std::io::{BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Which of the two tables a text is read by; the number is the one that the Go program knows it by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Table {
    Contract = 0,
    Proto3 = 1,
}

/// What protobuf-go makes of a text.
pub(crate) struct Answer {
    /// Empty where the text is accepted.
    pub(crate) error: String,
    /// The message left behind, as JSON with proto names.
    pub(crate) message: Vec<u8>,
}

/// Asks protobuf-go about every text.
pub(crate) fn ask(questions: &[(Table, Vec<u8>)]) -> Vec<Answer> {
    let schema = Path::new(env!("CARGO_MANIFEST_DIR")).join("../schema");
    let tables =
        ["aksnodeconfig-v1.tsv", "aksnodeconfig-v1-enums.tsv", "proto3-json.tsv", "proto3-json-enums.tsv"];
    let mut program = command(&build());
    program.arg("answer").args(tables.map(|table| schema.join(table)));
    let mut child = program.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut input = BufWriter::new(child.stdin.take().unwrap());
    let mut output = BufReader::new(child.stdout.take().unwrap());
    let answers = std::thread::scope(|scope| {
        scope.spawn(move || {
            for (table, text) in questions {
                input.write_all(&(*table as u32).to_le_bytes()).unwrap();
                input.write_all(&u32::try_from(text.len()).unwrap().to_le_bytes()).unwrap();
                input.write_all(text).unwrap();
            }
            input.flush().unwrap();
        });
        let mut part = move || {
            let mut length = [0; 4];
            output.read_exact(&mut length).unwrap();
            let mut text = vec![0; usize::try_from(u32::from_le_bytes(length)).unwrap()];
            output.read_exact(&mut text).unwrap();
            text
        };
        let answer = |_| Answer { error: String::from_utf8_lossy(&part()).into_owned(), message: part() };
        questions.iter().map(answer).collect()
    });
    assert!(child.wait().unwrap().success(), "the Go program failed");
    answers
}

fn build() -> PathBuf {
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join("peer");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/protobuf_go/go");
    let built = command(Path::new("go"))
        .args(["build", "-trimpath", "-o"])
        .arg(&program)
        .arg(".")
        .current_dir(source)
        .status()
        .expect("this test compares with protobuf-go and needs Go 1.26 or later in PATH (https://go.dev/dl)");
    assert!(
        built.success(),
        "`go build` of tests/protobuf_go/go failed; its modules come from the Go module proxy"
    );
    program
}

#[expect(clippy::disallowed_methods, reason = "the peer is another program")]
fn command(program: &Path) -> Command {
    Command::new(program)
}
