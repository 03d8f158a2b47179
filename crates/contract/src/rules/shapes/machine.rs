//! Values that the machine's own programs read: versions, sizes, users, paths, limits, kernel settings.

use super::super::rules;
use super::{Parse, Shape, Verdict, wrong, wrong_try};

rules! {
    VERSION: Warning "version",
    summary: "The value is a version such as `1.7.28`, perhaps with a suffix.",
    reason: "It becomes part of package names and URLs.",
    good: r#"{"containerd_config": {"containerd_version": "1.7.28"}}"#,
    bad: r#"{"containerd_config": {"containerd_version": "latest"}}"#;

    VM_SIZE: Warning "vm-size",
    summary: "The value is the name of an Azure VM size, such as `Standard_D4s_v5`.",
    reason: "GPU drivers, the fabric manager and SGX are chosen by it; a name of another form matches none.",
    good: r#"{"vm_size": "Standard_D4s_v5"}"#,
    bad: r#"{"vm_size": "D4s v5"}"#;

    USER_NAME: Error "user-name",
    summary: "The value is a name that Linux takes for a user.",
    reason: "The node manages that user's keys and its home directory by name.",
    good: r#"{"linux_admin_username": "azureuser"}"#,
    bad: r#"{"linux_admin_username": "azure user"}"#;

    PATH: Warning "path",
    summary: "The value is an absolute path.",
    reason: "A relative path is looked for beside whatever the reader takes as its base.",
    good: r#"{"kubelet_config": {"container_data_dir": "/mnt/containers"}}"#,
    bad: r#"{"kubelet_config": {"container_data_dir": "mnt/containers"}}"#;

    UUID: Warning "uuid",
    summary: "The value is a UUID: 8-4-4-4-12 hexadecimal digits.",
    reason: "Tenants, subscriptions and client ids have this form; Azure answers anything else with an error.",
    good: r#"{"auth_config": {"tenant_id": "72f988bf-86f1-41af-91ab-2d7cd011db47"}}"#,
    bad: r#"{"auth_config": {"tenant_id": "contoso.onmicrosoft.com"}}"#;

    CGROUP: Warning "cgroup",
    summary: "The value is the path of a cgroup, such as `/kubereserved.slice`.",
    reason: "The kubelet refuses to start if it enforces a reservation on a cgroup that is not there.",
    good: r#"{"kubelet_config": {"kubelet_config_file_config": {"kube_reserved_cgroup": "/kubereserved.slice"}}}"#,
    bad: r#"{"kubelet_config": {"kubelet_config_file_config": {"kube_reserved_cgroup": "kube reserved"}}}"#;

    SYSCTL_PATTERN: Error "sysctl-pattern",
    summary: "An unsafe sysctl is one that a pod can have for itself, or a pattern of them that ends in `*`.",
    reason: "The kubelet refuses to start with one outside the namespaces of a pod.",
    good: r#"{"kubelet_config": {"kubelet_config_file_config": {"allowed_unsafe_sysctls": ["kernel.msg*", "net.core.somaxconn"]}}}"#,
    bad: r#"{"kubelet_config": {"kubelet_config_file_config": {"allowed_unsafe_sysctls": ["vm.swappiness"]}}}"#;

    PORT_RANGE: Error "port-range",
    summary: "The value is two ports with one blank between them, the lower one first.",
    reason: "The kernel refuses the setting otherwise. Only with exactly one blank does the node also reserve \
             port 65330, where the range reaches it.",
    good: r#"{"custom_linux_os_config": {"sysctl_config": {"net_ipv4_ip_local_port_range": "32768 60999"}}}"#,
    bad: r#"{"custom_linux_os_config": {"sysctl_config": {"net_ipv4_ip_local_port_range": "60999-32768"}}}"#;

    ULIMIT: Error "ulimit",
    summary: "The value is a limit as systemd writes it: a number, `infinity`, or `soft:hard`.",
    reason: "The node writes it into containerd's unit. systemd ignores a line that it cannot read.",
    good: r#"{"custom_linux_os_config": {"ulimit_config": {"no_file": "1048576", "max_locked_memory": "infinity"}}}"#,
    bad: r#"{"custom_linux_os_config": {"ulimit_config": {"max_locked_memory": "unlimited"}}}"#;

    FEATURE: Error "feature",
    summary: "A feature's name has letters, digits and underscores, and its value is one line.",
    reason: "Features are written as lines `NAME=value`; an entry of another form is dropped without a word.",
    good: r#"{"enabled_features": {"FAST_START": "true"}}"#,
    bad: r#"{"enabled_features": {"fast-start": "true"}}"#;

    CSE_TIMEOUT: Warning "cse-timeout",
    summary: "The timeout of the provisioning script lies between 1 and 21600 seconds.",
    reason: "A value outside is not clamped: the node uses 900 seconds instead.",
    good: r#"{"cse_timeout": 1200}"#,
    bad: r#"{"cse_timeout": 86400}"#;
}

pub(super) static SHAPES: &[Shape] = &[
    Shape { rule: &VERSION, noun: "a version", parse: Parse::Text(version) },
    Shape { rule: &VM_SIZE, noun: "the name of a VM size", parse: Parse::Text(vm_size) },
    Shape { rule: &USER_NAME, noun: "a user name", parse: Parse::Text(user_name) },
    Shape { rule: &PATH, noun: "an absolute path", parse: Parse::Text(path) },
    Shape { rule: &UUID, noun: "a UUID", parse: Parse::Text(uuid) },
    Shape { rule: &CGROUP, noun: "the path of a cgroup", parse: Parse::Text(cgroup) },
    Shape {
        rule: &SYSCTL_PATTERN,
        noun: "a sysctl that a pod can have for itself",
        parse: Parse::Text(sysctl_pattern),
    },
    Shape { rule: &PORT_RANGE, noun: "a range of ports", parse: Parse::Text(port_range) },
    Shape { rule: &ULIMIT, noun: "a limit", parse: Parse::Text(ulimit) },
    Shape { rule: &FEATURE, noun: "a feature that can be written", parse: Parse::Entry(feature) },
    Shape { rule: &CSE_TIMEOUT, noun: "a timeout that counts", parse: Parse::Number(cse_timeout) },
];

fn version(text: &str) -> Verdict {
    let number = text.strip_prefix('v').unwrap_or(text).split(['-', '+', '~']).next().unwrap_or_default();
    let parts: Vec<&str> = number.split('.').collect();
    let numeric = |part: &&str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    if (2..=4).contains(&parts.len()) && parts.iter().all(numeric) { Ok(()) } else { wrong("") }
}

fn vm_size(text: &str) -> Verdict {
    let tier = text.split_once('_').map(|(tier, _)| tier.to_ascii_lowercase());
    if !matches!(tier.as_deref(), Some("standard" | "basic" | "experimental")) {
        return wrong_try("", "write it like Standard_D4s_v5");
    }
    if text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')) {
        return Ok(());
    }
    wrong("only letters, digits, hyphens and underscores are allowed")
}

fn user_name(text: &str) -> Verdict {
    if text.len() > 64 {
        return wrong("it is longer than 64 characters");
    }
    let starts = text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    let plain = text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'));
    if starts && plain {
        return Ok(());
    }
    wrong("it begins with a letter or _, and goes on with letters, digits, hyphens, dots and underscores")
}

fn path(text: &str) -> Verdict {
    if text.starts_with('/') { Ok(()) } else { wrong("it does not begin with a slash") }
}

fn uuid(text: &str) -> Verdict {
    let lengths = [8, 4, 4, 4, 12];
    let parts: Vec<&str> = text.split('-').collect();
    let well_formed = parts.len() == lengths.len()
        && parts
            .iter()
            .zip(lengths)
            .all(|(part, length)| part.len() == length && part.bytes().all(|byte| byte.is_ascii_hexdigit()));
    if well_formed { Ok(()) } else { wrong("") }
}

fn cgroup(text: &str) -> Verdict {
    if text.contains(char::is_whitespace) {
        return wrong("a blank stands in it");
    }
    if text.starts_with('/') { Ok(()) } else { wrong_try("", format!("write /{text}")) }
}

pub(in crate::rules) fn sysctl_pattern(text: &str) -> Verdict {
    const NAMESPACED: [&str; 5] = ["kernel.shm", "kernel.msg", "kernel.sem", "fs.mqueue.", "net."];
    let name = text.strip_suffix('*').unwrap_or(text);
    let plain = name.bytes().all(|byte| {
        byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'.' | b'-' | b'_' | b'/')
    });
    if name.is_empty() || !plain {
        return wrong("it is a name in lower case, with * only at its end");
    }
    let dotted = name.replace('/', ".");
    if NAMESPACED.iter().any(|prefix| dotted.starts_with(prefix)) {
        return Ok(());
    }
    wrong_try("", "known: kernel.shm*, kernel.msg*, kernel.sem, fs.mqueue.*, net.*")
}

fn port_range(text: &str) -> Verdict {
    let Some((low, high)) = text.split_once(' ') else {
        return wrong_try("there is no blank in it", "write it like \"32768 60999\"");
    };
    match (low.parse::<u16>(), high.parse::<u16>()) {
        (Ok(low), Ok(high)) if 0 < low && low < high => Ok(()),
        (Ok(_), Ok(_)) => wrong("the first port has to be above zero and below the second"),
        _ => wrong("there are not two numbers from 1 to 65535 with one blank between them"),
    }
}

fn ulimit(text: &str) -> Verdict {
    let one = |limit: &str| {
        let number = limit.strip_suffix(['K', 'M', 'G', 'T', 'P', 'E']).unwrap_or(limit);
        limit == "infinity" || !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
    };
    if text == "unlimited" || text == "-1" {
        return wrong_try("", "systemd's word for no limit is infinity");
    }
    let well_formed = match text.split_once(':') {
        Some((soft, hard)) => one(soft) && one(hard),
        None => one(text),
    };
    if well_formed { Ok(()) } else { wrong("") }
}

fn feature(key: &str, value: &str) -> Verdict {
    let starts = key.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    if !starts || !key.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') {
        return wrong_try(
            "its name is not one of letters, digits and underscores",
            format!("write {}", key.replace(|c: char| !c.is_ascii_alphanumeric(), "_")),
        );
    }
    if value.contains(['\n', '\r']) { wrong("its value has a line break") } else { Ok(()) }
}

fn cse_timeout(seconds: i64) -> Verdict {
    if (1..=21_600).contains(&seconds) { Ok(()) } else { wrong("the node uses 900 seconds instead") }
}
