//! The peer: Go's protojson on types that protoc-gen-go makes from our tables.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// What the Go program can be asked for.
#[derive(Clone, Copy)]
pub(crate) enum Work {
    Decode,
    CustomData,
}

/// One round's cost for each repetition.
pub(crate) struct Round {
    pub(crate) microseconds: f64,
    pub(crate) allocations: f64,
    pub(crate) bytes: f64,
}

/// The running Go program.
pub(crate) struct Peer {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Peer {
    /// Generates the types, builds and starts the program. The generated file stays out of the source tree: the
    /// Go tool is told to see it there.
    pub(crate) fn start() -> Self {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let source = root.join("tests/protobuf_go/go");
        let scratch = Path::new(env!("CARGO_TARGET_TMPDIR"));
        let (types, overlay) = (scratch.join("contract.pb.go"), scratch.join("overlay.json"));
        let schema = root.join("../schema");
        let generated = command("go")
            .args(["run", ".", "generate"])
            .arg(schema.join("aksnodeconfig-v1.tsv"))
            .arg(schema.join("aksnodeconfig-v1-enums.tsv"))
            .current_dir(&source)
            .stderr(Stdio::inherit())
            .output()
            .expect("comparing with Go needs `go` in PATH");
        assert!(generated.status.success(), "the Go types could not be generated");
        save(&types, &generated.stdout);
        let seen = source.join("contract/contract.pb.go");
        let replace = serde_json::json!({ "Replace": { seen.to_string_lossy(): types.to_string_lossy() } });
        save(&overlay, replace.to_string().as_bytes());
        let program = scratch.join("speed");
        let built = command("go")
            .args(["build", "-trimpath", "-overlay"])
            .args([&overlay, Path::new("-o"), &program, Path::new("./speed")])
            .current_dir(&source)
            .status();
        assert!(built.is_ok_and(|status| status.success()), "the Go program could not be built");
        let mut child = command(&program.to_string_lossy())
            .arg(root.join("../crates/contract/tests/data/populated.json"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the Go program starts");
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().expect("a pipe"));
        Self { child, input, output }
    }

    /// Does the work on the populated contract this often.
    pub(crate) fn round(&mut self, work: Work, times: u32) -> Round {
        let input = self.input.as_mut().expect("a pipe");
        let name = match work {
            Work::Decode => "decode",
            Work::CustomData => "custom-data",
        };
        writeln!(input, "{name} {times}").expect("the Go program listens");
        let mut line = String::new();
        self.output.read_line(&mut line).expect("the Go program answers");
        let mut each =
            line.split_whitespace().map(|number| number.parse::<f64>().expect("a number") / f64::from(times));
        let mut next = || each.next().expect("three numbers");
        Round { microseconds: next() / 1e3, allocations: next(), bytes: next() }
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        // The end of its input is its end.
        self.input = None;
        let _ = self.child.wait();
    }
}

#[expect(clippy::disallowed_methods, reason = "the peer is another program")]
fn command(program: &str) -> Command {
    Command::new(program)
}

#[expect(clippy::disallowed_methods, reason = "the Go tool reads files")]
fn save(path: &Path, text: &[u8]) {
    std::fs::write(path, text).expect("the scratch folder can be written");
}
