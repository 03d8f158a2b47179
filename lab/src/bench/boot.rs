//! From a machine's start to the start of its provisioning, under real cloud-init: custom data that is a boothook, and
//! the same work in `runcmd`, which cloud-init does last.

use std::fmt::Write as _;
use std::path::Path;

use jiff::Timestamp;
use serde_json::{Value, json};

use super::statistics::Spread;
use crate::boot::{CustomData, join};
use crate::command::Run as _;
use crate::native::{self, PROGRAM};
use crate::{Error, Lab, Order, Progress};

/// When the work is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// In a boothook, as soon as cloud-init has its data.
    Boothook,
    /// In `runcmd`, at the end of cloud-init.
    Runcmd,
}

/// One boot of a fresh machine. Times are seconds from the start of its systemd.
#[derive(Debug, Clone)]
pub struct Boot {
    /// When the work was done.
    pub form: Form,
    /// Until the first step of provisioning.
    pub provisioning: f64,
    /// Until the node was Ready.
    pub ready: f64,
}

impl Form {
    /// Its name in the table.
    pub fn name(self) -> &'static str {
        match self {
            Self::Boothook => "boothook",
            Self::Runcmd => "runcmd",
        }
    }

    /// Custom data that has the boothook's work in this form.
    fn of(self, boothook: CustomData) -> CustomData {
        if self == Self::Boothook {
            return boothook;
        }
        let text = String::from_utf8_lossy(&boothook.0).into_owned();
        let script = text
            .lines()
            .skip_while(|line| !line.starts_with("#!/"))
            .take_while(|line| !line.starts_with("--"));
        let script = script.fold(String::new(), |script, line| script + line + "\n");
        let config = json!({"runcmd": [["/bin/bash", "-c", script]]});
        CustomData(format!("#cloud-config\n{config}\n").into_bytes())
    }
}

/// Boots machines with both forms by turns.
pub fn boots(lab: &Lab, slipway: &Path, runs: usize, progress: Progress) -> Result<Vec<Boot>, Error> {
    let azure = native::azure(lab, &[])?;
    let boothook = CustomData::of(slipway, &native::contract(&lab.cluster)?)?;
    let order = Order { slipway: Some(slipway.to_owned()), ..Order::default() };
    let mut names = super::names(lab, "boot");
    let mut boots = Vec::new();
    for round in 1..=runs {
        for form in [Form::Boothook, Form::Runcmd] {
            let title = format!("{}, {round} of {runs}", form.name());
            boots.push(progress.part(&title, || {
                let mut machine =
                    lab.prepare(&names.next().unwrap_or_default(), &order, Progress::silent())?;
                azure.admit(native::metadata(&machine)?);
                join(lab, &mut machine, &form.of(boothook.clone()))?;
                let anatomy = machine.run(PROGRAM, &["anatomy", "--output", "json"])?;
                let boot = read(form, &serde_json::from_str(&anatomy).unwrap_or_default());
                let name = machine.name.clone();
                machine.remove(&lab.space)?;
                lab.cluster.kubectl(&lab.space, &["delete", "node", &name]).printed()?;
                boot.ok_or_else(|| {
                    Error::refused(
                        format!("no times of the boot are known\n{anatomy}"),
                        "see slipway anatomy",
                    )
                })
            })?);
        }
    }
    Ok(boots)
}

fn read(form: Form, anatomy: &Value) -> Option<Boot> {
    let time = |value: &Value| value.as_str()?.parse::<Timestamp>().ok();
    let start = time(&anatomy["milestones"]["userspace-started"])?;
    let steps = anatomy["intervals"].as_array()?.iter().filter(|interval| interval["source"] == "journal");
    let first = steps.filter_map(|step| time(&step["start"])).min()?;
    let ready = time(&anatomy["milestones"]["node-ready"])?;
    let since = |time: Timestamp| time.duration_since(start).as_secs_f64();
    Some(Boot { form, provisioning: since(first), ready: since(ready) })
}

/// The median of a form's times from the machine's start to the first step of provisioning.
pub fn provisioning(boots: &[Boot], form: Form) -> Option<Spread> {
    Spread::of(boots.iter().filter(|boot| boot.form == form).map(|boot| boot.provisioning))
}

/// The boots as a table.
pub fn boot_table(boots: &[Boot]) -> String {
    let mut text = format!("{:<20}{:<8}{:>14}{:>14}\n", "custom data", "", "first step", "Ready");
    for form in [Form::Boothook, Form::Runcmd] {
        let of: Vec<&Boot> = boots.iter().filter(|boot| boot.form == form).collect();
        let Some(first) = provisioning(boots, form) else { continue };
        let Some(ready) = Spread::of(of.iter().map(|boot| boot.ready)) else { continue };
        let rows = [
            (format!("{} ({} runs)", form.name(), of.len()), "median", first.median, ready.median),
            (String::new(), "least", first.least, ready.least),
            (String::new(), "most", first.greatest, ready.greatest),
        ];
        for (title, kind, first, ready) in rows {
            let _ = writeln!(text, "{title:<20}{kind:<8}{first:>14.3}{ready:>14.3}");
        }
    }
    text.push_str("Seconds from the start of the machine's systemd, told by `slipway anatomy`.\n");
    text
}

impl Boot {
    /// Everything about the boot.
    pub fn json(&self) -> Value {
        json!({"form": self.form.name(), "seconds": {"provisioning": self.provisioning, "ready": self.ready}})
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_work_of_a_boothook_goes_into_runcmd_as_it_is() {
        let boothook = "MIME-Version: 1.0\n\n--x\nContent-Type: text/cloud-boothook\n\n#cloud-boothook\n\
                        #!/bin/bash\necho 'a'\n--x\n#cloud-config\n";
        let data = Form::Runcmd.of(CustomData(boothook.as_bytes().to_vec())).0;
        let text = String::from_utf8(data).unwrap();
        let config: Value = serde_json::from_str(text.strip_prefix("#cloud-config\n").unwrap()).unwrap();
        assert_eq!(config["runcmd"][0][2], "#!/bin/bash\necho 'a'\n");
    }
}
