//! What a machine has before it boots: an address, and files of its own over those of its image.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;

use super::{Order, Storage};
use crate::command::Run as _;
use crate::error::At as _;
use crate::image::Image;
use crate::{Error, Space};

/// The arguments are the machine's directory in the area, the image's directories, and how much fits, if not all of memory.
const OVERLAY: &str = r#"set -e
area=$1 lower=$2 size=$3
mkdir -p "$area"
if [ -n "$size" ]; then mount -t tmpfs -o "mode=0755,size=$size" slipway-lab "$area"; fi
mkdir -p "$area/upper" "$area/work" "$area/root"
mount -t overlay overlay -o "lowerdir=$lower,upperdir=$area/upper,workdir=$area/work" "$area/root"
# An overlay cannot hold the layers of another.
if [ -d "$area/root/var/lib/containerd" ]; then cp -a "$area/root/var/lib/containerd" "$area/containerd"; fi"#;

/// The arguments are the root to be filled, and the image's directories, the highest first.
const COPY: &str = r#"set -e
root=$1
shift
mkdir "$root"
for ((at = $#; at > 0; at--)); do
    cp -a --reflink=auto --remove-destination "${!at}/." "$root"
    # A device without a number is how an overlay says that something is gone.
    (cd "${!at}" && find . -xdev -type c -exec stat --format='%Hr:%Lr %n' {} +) |
        while read -r number path; do if [ "$number" = 0:0 ]; then rm -rf "${root:?}/$path"; fi; done
done"#;

/// Gives a machine its files, and says where the lab has them.
pub(super) fn clone(
    space: &Space,
    name: &str,
    files: &Path,
    image: &Image,
    order: &Order,
) -> Result<PathBuf, Error> {
    let area = space.area().join(name);
    if order.storage == Storage::Copy {
        if order.disk.is_some() {
            return Err(Error::refused("a copy on disk has no size of its own", "limit an overlay instead"));
        }
        let root = files.join("root");
        Command::new("bash").args(["-c", COPY, "copy"]).arg(&root).args(&image.layers).printed()?;
        return Ok(root);
    }
    let size = order.disk.map(|octets| octets.to_string()).unwrap_or_default();
    space
        .command("bash")
        .args(["-c", OVERLAY, "overlay"])
        .arg(&area)
        .args([image.lower(), size])
        .printed()?;
    Ok(area.join("root"))
}

/// Takes an address that no other machine of the lab has.
pub(super) fn claim(directory: &Path, name: &str, files: &Path) -> Result<String, Error> {
    if files.exists() {
        return Err(Error::refused(format!("there is a machine {name} already"), "choose another name"));
    }
    fs::create_dir_all(files).at("make", files)?;
    let claims = directory.join("addresses");
    fs::create_dir_all(&claims).at("make", &claims)?;
    // Azure keeps the first addresses of a network for itself.
    let address = (4..=254)
        .map(|last| format!("10.224.0.{last}"))
        .find(|address| File::create_new(claims.join(address)).is_ok())
        .ok_or_else(|| Error::refused("the lab's addresses are used up", "cargo lab down, then up"))?;
    let record = files.join("address");
    fs::write(&record, &address).at("write", &record)?;
    Ok(address)
}
