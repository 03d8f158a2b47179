# The service and nothing else. Needs a static binary beside it:
#   cargo build --release --package slipwayd --target x86_64-unknown-linux-musl
#   docker build -f packaging/container/slipwayd.Dockerfile target/x86_64-unknown-linux-musl/release
FROM scratch
COPY slipwayd /slipwayd
USER 65532:65532
ENTRYPOINT ["/slipwayd"]
