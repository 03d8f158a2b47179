//! The operating system: swap, kernel settings, limits, the search domain.

use super::findings::Findings;
use super::rules;
use crate::Contract;
use crate::messages::{CustomLinuxOsConfig, SysctlConfig};

rules! {
    SWAP_SIZE_MISSING: Warning "swap-size-missing",
    summary: "Swap comes with its size.",
    reason: "Without a size above zero the node makes no swap file, and says nothing.",
    good: r#"{"custom_linux_os_config": {"enable_swap_config": true, "swap_file_size": 1500}, "kubelet_config": {"kubelet_flags": {"--fail-swap-on": "false"}}}"#,
    bad: r#"{"custom_linux_os_config": {"enable_swap_config": true}}"#;

    SWAP_OFF: Warning "swap-off",
    summary: "A size of the swap file comes with its switch.",
    reason: "Without `enable_swap_config` the node makes no swap file.",
    good: r#"{"custom_linux_os_config": {"enable_swap_config": true, "swap_file_size": 1500}}"#,
    bad: r#"{"custom_linux_os_config": {"swap_file_size": 1500}}"#;

    SWAP_REFUSED: Error "swap-refused",
    summary: "A node with swap tells the kubelet to put up with it.",
    reason: "`fail_swap_on` is true unless it is set to false, and then the kubelet refuses to start on a machine \
             with swap.",
    good: r#"{"custom_linux_os_config": {"enable_swap_config": true, "swap_file_size": 1500}, "kubelet_config": {"kubelet_flags": {"--fail-swap-on": "false"}}}"#,
    bad: r#"{"custom_linux_os_config": {"enable_swap_config": true, "swap_file_size": 1500}}"#;

    NEIGHBOUR_ORDER: Warning "neighbour-order",
    summary: "The three limits of the neighbour table grow: `gc_thresh1` ≤ `gc_thresh2` ≤ `gc_thresh3`.",
    reason: "The table is emptied too early otherwise, and connections to other nodes stall. Unset, they are 4096, \
             8192 and 16384.",
    good: r#"{"custom_linux_os_config": {"sysctl_config": {"net_ipv4_neigh_default_gc_thresh3": 32768}}}"#,
    bad: r#"{"custom_linux_os_config": {"sysctl_config": {"net_ipv4_neigh_default_gc_thresh3": 2048}}}"#;

    SOCKET_BUFFER_ORDER: Warning "socket-buffer-order",
    summary: "The default size of socket buffers is not above the largest.",
    reason: "Sockets begin with buffers that no program may ask for.",
    good: r#"{"custom_linux_os_config": {"sysctl_config": {"net_core_rmem_default": 212992, "net_core_rmem_max": 1048576}}}"#,
    bad: r#"{"custom_linux_os_config": {"sysctl_config": {"net_core_rmem_default": 1048576, "net_core_rmem_max": 212992}}}"#;

    ULIMIT_OVER_NR_OPEN: Warning "ulimit-over-nr-open",
    summary: "containerd's limit of open files is not above the kernel's.",
    reason: "systemd cannot set a limit above `fs.nr_open`, and containerd does not start.",
    good: r#"{"custom_linux_os_config": {"ulimit_config": {"no_file": "1048576"}, "sysctl_config": {"fs_nr_open": 1048576}}}"#,
    bad: r#"{"custom_linux_os_config": {"ulimit_config": {"no_file": "2097152"}, "sysctl_config": {"fs_nr_open": 1048576}}}"#;

    SEARCH_DOMAIN_INCOMPLETE: Warning "search-domain-incomplete",
    summary: "A search domain comes with user and password, or not at all.",
    reason: "The node joins the domain only if all three are there, and says nothing otherwise.",
    good: r#"{"custom_search_domain_config": {"domain_name": "corp.example", "realm_user": "joiner", "realm_password": "secret"}}"#,
    bad: r#"{"custom_search_domain_config": {"domain_name": "corp.example"}}"#;
}

pub(super) fn check(contract: &Contract, findings: &mut Findings<'_>) {
    if let Some(os) = &contract.custom_linux_os_config {
        swap(contract, os, findings);
        if let Some(sysctls) = &os.sysctl_config {
            neighbours(sysctls, findings);
            socket_buffers(sysctls, findings);
        }
        open_files(os, findings);
    }
    search_domain(contract, findings);
}

fn swap(contract: &Contract, os: &CustomLinuxOsConfig, findings: &mut Findings<'_>) {
    const SWITCH: &str = "custom_linux_os_config.enable_swap_config";
    match (os.enable_swap_config, os.swap_file_size > 0) {
        (true, false) => {
            findings.advise(
                &SWAP_SIZE_MISSING,
                SWITCH,
                "swap is on and has no size",
                "set swap_file_size, in megabytes",
            );
        }
        (false, true) => {
            let path = "custom_linux_os_config.swap_file_size";
            findings.advise(&SWAP_OFF, path, "swap has a size and is off", format!("set {SWITCH}"));
        }
        (true, true) if !puts_up_with_swap(contract) => findings.advise(
            &SWAP_REFUSED,
            SWITCH,
            "swap is on, and the kubelet refuses to start with swap",
            "set fail_swap_on to false in kubelet_config.kubelet_config_file_config",
        ),
        _ => {}
    }
}

fn puts_up_with_swap(contract: &Contract) -> bool {
    let Some(kubelet) = &contract.kubelet_config else { return false };
    // The flag wins over the file.
    if let Some(flag) = kubelet.kubelet_flags.get("--fail-swap-on") {
        return flag.eq_ignore_ascii_case("false") || flag == "0" || flag.eq_ignore_ascii_case("f");
    }
    let file = kubelet.kubelet_config_file_config.as_ref();
    kubelet.enable_kubelet_config_file && file.is_some_and(|file| file.fail_swap_on == Some(false))
}

fn neighbours(sysctls: &SysctlConfig, findings: &mut Findings<'_>) {
    let given = [
        sysctls.net_ipv4_neigh_default_gc_thresh1,
        sysctls.net_ipv4_neigh_default_gc_thresh2,
        sysctls.net_ipv4_neigh_default_gc_thresh3,
    ];
    let limits = [given[0].unwrap_or(4096), given[1].unwrap_or(8192), given[2].unwrap_or(16384)];
    if limits.is_sorted() {
        return;
    }
    // The last one that was given is the most likely to be wrong.
    let number = given.iter().rposition(Option::is_some).map_or(1, |index| index + 1);
    let message = format!(
        "the limits of the neighbour table are {}, {} and {}: they do not grow",
        limits[0], limits[1], limits[2]
    );
    let path = format!("custom_linux_os_config.sysctl_config.net_ipv4_neigh_default_gc_thresh{number}");
    findings.advise(&NEIGHBOUR_ORDER, &path, message, "set all three");
}

fn socket_buffers(sysctls: &SysctlConfig, findings: &mut Findings<'_>) {
    for (name, default, largest) in [
        ("net_core_rmem", sysctls.net_core_rmem_default, sysctls.net_core_rmem_max),
        ("net_core_wmem", sysctls.net_core_wmem_default, sysctls.net_core_wmem_max),
    ] {
        if let (Some(default), Some(largest)) = (default, largest)
            && default > largest
        {
            let path = format!("custom_linux_os_config.sysctl_config.{name}_default");
            findings.report(
                &SOCKET_BUFFER_ORDER,
                &path,
                format!("{name}_default is {default}, above {name}_max, {largest}"),
            );
        }
    }
}

fn open_files(os: &CustomLinuxOsConfig, findings: &mut Findings<'_>) {
    let limit = os.ulimit_config.as_ref().and_then(|limits| limits.no_file.as_ref());
    let most = os.sysctl_config.as_ref().and_then(|sysctls| sysctls.fs_nr_open);
    let (Some(limit), Some(most)) = (limit, most) else { return };
    let hard = limit.rsplit(':').next().and_then(|hard| hard.parse::<i64>().ok());
    if hard.is_some_and(|hard| hard > i64::from(most)) {
        let path = "custom_linux_os_config.ulimit_config.no_file";
        findings.advise(
            &ULIMIT_OVER_NR_OPEN,
            path,
            format!("the limit is above fs_nr_open, {most}"),
            "lower it, or raise fs_nr_open",
        );
    }
}

fn search_domain(contract: &Contract, findings: &mut Findings<'_>) {
    let Some(search) = &contract.custom_search_domain_config else { return };
    let fields = [
        ("domain_name", search.domain_name.is_empty()),
        ("realm_user", search.realm_user.is_empty()),
        ("realm_password", search.realm_password.expose().is_empty()),
    ];
    let missing: Vec<&str> = fields.iter().filter(|(_, empty)| *empty).map(|(name, _)| *name).collect();
    if !missing.is_empty() && missing.len() < fields.len() {
        let message = format!("the search domain is incomplete: {} missing", missing.join(" and "));
        findings.advise(
            &SEARCH_DOMAIN_INCOMPLETE,
            "custom_search_domain_config",
            message,
            "set all three fields, or none",
        );
    }
}
