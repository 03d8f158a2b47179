//! The kernel's texts, read.

/// Whether a table of file systems has swap in it.
pub(super) fn has_swap(fstab: &str) -> bool {
    let is_swap = |line: &str| line.split_whitespace().nth(2) == Some("swap");
    fstab.lines().any(|line| !line.trim_start().starts_with('#') && is_swap(line))
}

/// Whether a process is root's, by its `status`.
pub(super) fn is_root(status: &str) -> bool {
    let ids = status.lines().find_map(|line| line.strip_prefix("Uid:"));
    // The real id comes first, then the one that counts.
    ids.and_then(|ids| ids.split_whitespace().nth(1)) == Some("0")
}

/// The ports that somebody listens on, by `/proc/net/tcp`.
pub(super) fn listening(text: &str) -> Vec<u16> {
    const LISTENS: &str = "0A";
    let port = |line: &str| {
        let mut words = line.split_whitespace().skip(1);
        let (local, state) = (words.next()?, words.nth(1)?);
        let (_, port) = local.rsplit_once(':')?;
        u16::from_str_radix(port, 16).ok().filter(|_| state == LISTENS)
    };
    text.lines().skip(1).filter_map(port).collect()
}

/// The servers that a `resolv.conf` names.
pub(super) fn name_servers(text: &str) -> Vec<String> {
    let server = |line: &str| {
        let mut words = line.split_whitespace();
        words.next().filter(|word| *word == "nameserver")?;
        words.next().map(str::to_owned)
    };
    text.lines().filter_map(server).collect()
}

/// Whether an index of modules has one of this name; dashes and underscores are the same there.
pub(super) fn names_module(index: &str, name: &str) -> bool {
    let plain = |text: &str| text.replace('-', "_");
    index.lines().any(|line| {
        let path = line.split(':').next().unwrap_or_default();
        let file = path.rsplit('/').next().unwrap_or_default();
        plain(file.split(".ko").next().unwrap_or_default()) == plain(name)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernels_texts_are_read() {
        assert!(has_swap("# x\n/dev/sda2 none swap sw 0 0\n"));
        assert!(!has_swap("#/dev/sda2 none swap sw 0 0\n/dev/sda1 / ext4 swap 0 1\n"));
        assert!(is_root("Name:\tx\nUid:\t1000\t0\t0\t0\n") && !is_root("Uid:\t0\t1000\t0\t0\n"));
        let tcp = "  sl  local_address rem_address   st\n   \
                   0: 0100007F:2808 00000000:0000 0A 00000000:00000000\n   \
                   1: 00000000:280A 00000000:0000 0A 00000000:00000000\n   \
                   2: 0100007F:1F90 0100007F:D431 01 00000000:00000000\n";
        assert_eq!(listening(tcp), [10248, 10250]);
        assert_eq!(
            name_servers("# x\nsearch a b\nnameserver 127.0.0.53\n nameserver  ::1 \nnameservers x\n"),
            ["127.0.0.53", "::1"]
        );
        let index = "kernel/net/bridge/br_netfilter.ko.xz: kernel/net/bridge/bridge.ko.xz\nkernel/x/nf-conntrack.ko:\n";
        assert!(names_module(index, "br_netfilter") && names_module(index, "nf_conntrack"));
        assert!(!names_module(index, "bridge") && !names_module(index, "overlay"));
    }
}
