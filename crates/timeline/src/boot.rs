//! What began when on a node before and beside provisioning.

use jiff::Zoned;

use crate::evidence::{Certainty, Evidence, Place, Seen, Source};

/// The moments of a boot that results carry; `None` where nobody knows.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct BootMoments {
    /// The kernel started.
    pub kernel: Option<Zoned>,
    /// The first program of user space started.
    pub userspace: Option<Zoned>,
    /// The manager had started everything.
    pub finished: Option<Zoned>,
    /// cloud-init, before the network.
    pub cloud_init_local: Option<Zoned>,
    /// cloud-init, with the network.
    pub cloud_init: Option<Zoned>,
    /// cloud-init, its last part.
    pub cloud_final: Option<Zoned>,
    /// The network's service.
    pub networkd: Option<Zoned>,
    /// Azure's agent.
    pub guest_agent: Option<Zoned>,
    /// The container runtime.
    pub containerd: Option<Zoned>,
    /// The node's agent.
    pub kubelet: Option<Zoned>,
}

/// The units whose starts are moments of a boot, and where each goes.
pub const BOOT_UNITS: [(&str, BootUnit); 8] = [
    ("cloud-init-local.service", |moments, time| moments.cloud_init_local = time),
    ("cloud-init.service", |moments, time| moments.cloud_init = time),
    // cloud-init 24.3 renamed it.
    ("cloud-init-network.service", |moments, time| moments.cloud_init = moments.cloud_init.take().or(time)),
    ("cloud-final.service", |moments, time| moments.cloud_final = time),
    ("systemd-networkd.service", |moments, time| moments.networkd = time),
    ("walinuxagent.service", |moments, time| moments.guest_agent = time),
    ("containerd.service", |moments, time| moments.containerd = time),
    ("kubelet.service", |moments, time| moments.kubelet = time),
];

/// Takes the start of a unit into the moments.
pub type BootUnit = fn(&mut BootMoments, Option<Zoned>);

impl BootMoments {
    /// What they tell of a start.
    pub fn evidence(&self) -> Evidence {
        let moments = [
            ("kernel-started", &self.kernel),
            ("userspace-started", &self.userspace),
            ("startup-finished", &self.finished),
            ("cloud-init-started", &self.cloud_init_local),
            ("cloud-init-network-started", &self.cloud_init),
            ("cloud-init-final-started", &self.cloud_final),
            ("network-started", &self.networkd),
            ("guest-agent-started", &self.guest_agent),
            ("containerd-started", &self.containerd),
            ("kubelet-started", &self.kubelet),
        ];
        let seen = |(name, time): (&'static str, &Option<Zoned>)| {
            Some(Seen {
                name,
                time: time.as_ref()?.timestamp().into(),
                source: Source::Systemd,
                certainty: Certainty::Measured,
                place: Place { file: "systemd".to_owned(), ..Place::default() },
            })
        };
        Evidence { seen: moments.into_iter().filter_map(seen).collect(), ..Evidence::default() }
    }
}

/// A time as systemd prints it, or nothing.
pub(crate) fn as_systemd(time: Option<&Zoned>) -> String {
    time.map(|time| time.strftime("%a %Y-%m-%d %H:%M:%S %Z").to_string()).unwrap_or_default()
}

/// A time as `date` prints it.
pub(crate) fn as_date(time: &Zoned) -> String {
    time.strftime("%a %b %e %H:%M:%S %Z %Y").to_string()
}
