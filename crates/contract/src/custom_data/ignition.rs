//! The Ignition document: files, and the link that makes a unit start.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;

use super::{Bring, DIRECTORY, Files, size};
use crate::codec::string;

const VERSION: &str = "3.4.0";
const UNITS: &str = "/etc/systemd/system";

/// Units are started by links: an enabled unit is only a preset, and presets apply to a first boot alone.
const IMAGE_UNIT: (&str, &str) = ("basic.target.wants", "aks-node-controller.service");
const OUR_UNIT: (&str, &str) = ("multi-user.target.wants", "slipway-boot.service");

const OUR_UNIT_TEXT: &str = "\
[Unit]
Description=Make this machine a Kubernetes node
Wants=network-online.target
After=network-online.target

[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/opt/azure/containers/slipway boot

[Install]
WantedBy=multi-user.target
";

/// The document, with the files in it compressed or not.
pub(super) fn document(files: &Files, bring: Option<&Bring>, compress: bool) -> Vec<u8> {
    let mut entries: Vec<String> =
        files.each().map(|(name, content)| file(name, 0o600, &data(content, compress))).collect();
    let ((wants, unit), ours) = match bring {
        None => (IMAGE_UNIT, String::new()),
        Some(bring) => {
            let hash = bring.sha256();
            let contents =
                format!("\"source\":{},\"verification\":{{\"hash\":\"sha256-{hash}\"}}", string(bring.url()));
            entries.push(file("slipway", 0o755, &contents));
            let (_, name) = OUR_UNIT;
            let text = string(OUR_UNIT_TEXT);
            let units = format!("{{\"name\":\"{name}\",\"enabled\":true,\"contents\":{text}}}");
            (OUR_UNIT, format!(",\"systemd\":{{\"units\":[{units}]}}"))
        }
    };
    let link =
        format!("{{\"path\":\"{UNITS}/{wants}/{unit}\",\"target\":\"{UNITS}/{unit}\",\"overwrite\":true}}");
    let files = entries.join(",");
    format!(
        "{{\"ignition\":{{\"version\":\"{VERSION}\"}},\
         \"storage\":{{\"files\":[{files}],\"links\":[{link}]}}{ours}}}\n"
    )
    .into_bytes()
}

/// A file that replaces what the image may have in its place; without that Ignition would stop the boot.
fn file(name: &str, mode: u32, contents: &str) -> String {
    format!(
        "{{\"path\":\"{DIRECTORY}/{name}\",\"mode\":{mode},\"overwrite\":true,\"contents\":{{{contents}}}}}"
    )
}

fn data(content: &str, compress: bool) -> String {
    if !compress {
        format!("\"source\":\"data:;base64,{}\"", BASE64_STANDARD.encode(content))
    } else {
        format!(
            "\"source\":\"data:;base64,{}\",\"compression\":\"gzip\"",
            BASE64_STANDARD.encode(size::gzip(content.as_bytes()))
        )
    }
}
