//! The shell that runs on the node: terse, because it travels in every machine's custom data.
//!
//! It runs on every boot, as root, with its output in cloud-init's pipes. So whatever goes on in the
//! background has its own streams, and the image's launcher is not started a second time: that would turn a
//! failed node's record into success. `slipway boot` decides for itself what a later boot is for.

use super::{Bring, DIRECTORY, Files};

/// Names that the rest uses. Files come from `mktemp`, which makes them 0600 whatever the umask is, and get
/// their names when they are complete.
const START: &str = r#"set -euo pipefail
d=@directory
l() { logger -t aks-boothook "$*" || :; }
r() { nohup "$@" </dev/null >>$o 2>&1 & }
"#;

const WRITER: &str = r"w() { t=$(mktemp $d/$1.XXX); cat >$t; mv -fT $t $d/$1; }
";

const PRELOAD: &str = r"mkdir -p $d /var/log/azure
o=/dev/null
[ ! -x $d/provision_preload.sh ] || r $d/provision_preload.sh
";

const LAUNCH: &str = r"l launching aks-node-controller
o=/var/log/azure/aks-node-controller.output
";

const SLIPWAY_OR: &str = "if [ -x $d/slipway ]; then r $d/slipway boot\nel";

const IMAGE: &str = r"if [ -e $d/provision.complete ]; then l provisioned already
elif [ -f $d/aks-node-controller-launcher.sh ]; then r $d/aks-node-controller-launcher.sh
else systemctl start --no-block aks-node-controller.service
fi
";

/// Fetches in the background, so that a slow server does not hold up the boot. A binary is run only while its
/// hash is the one that was asked for; in all other cases the image does what it would have done.
const BRING: &str = r#"u='@url'
h=@sha256
v() { echo "$h  $1" | sha256sum -c --status; }
f() {
t=$(mktemp $d/slipway.XXX)
if command -v curl; then curl -fsSL --connect-timeout 10 --max-time 120 --retry 9 --retry-max-time 300 -o $t "$u"
else wget -q -t 9 -T 30 -O $t "$u"
fi && v $t && chmod 755 $t && mv -fT $t $d/slipway || { rm -f $t; return 1; }
}
b() {
if [ -x $d/slipway ] && v $d/slipway || f; then exec nohup $d/slipway boot; fi
l slipway could not be fetched or is not what was asked for: the image goes on without it
@image}
b </dev/null >>$o 2>&1 &
"#;

/// Everything a boothook does: the files, then the start.
pub(super) fn boothook(files: &Files, bring: Option<&Bring>) -> String {
    let mut script = String::with_capacity(files.contract.expose().len() + 2048);
    script.push_str("#!/bin/bash\n");
    script.push_str(&START.replace("@directory", DIRECTORY));
    script.push_str(WRITER);
    script.push_str("l start\n");
    script.push_str(PRELOAD);
    for (name, content) in files.each() {
        // No line can end it early: the contract is one line that starts with a brace, and every line of the
        // features has an equals sign.
        script.extend(["w ", name, " <<'EOF'\n", content, "EOF\n"]);
    }
    push_launch(&mut script, bring);
    script
}

/// The start alone, for a document that writes its files in another way.
pub(super) fn start(bring: Option<&Bring>) -> String {
    let mut script = START.replace("@directory", DIRECTORY);
    script.push_str(PRELOAD);
    push_launch(&mut script, bring);
    script
}

fn push_launch(script: &mut String, bring: Option<&Bring>) {
    script.push_str(LAUNCH);
    match bring {
        None => script.extend([SLIPWAY_OR, IMAGE]),
        Some(bring) => {
            let text = BRING.replace("@image", IMAGE).replace("@sha256", bring.sha256());
            // Last, so that nothing in an address is taken for a placeholder.
            script.push_str(&text.replace("@url", bring.url()));
        }
    }
}
