//! `slipway anatomy`: what took which time from the kernel's start to Ready.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use jiff::Timestamp;
use slipway_apply::{LastAttempt, StepStatus, status};
use slipway_host::{Host, Program, now};
use slipway_timeline::{Anatomy, Interval, gantt, journal_milestones, journal_start, text};

use crate::cli::{Anatomy as Arguments, Output};
use crate::failure::Failure;
use crate::native::boot;
use crate::screen::Screen;
use crate::{Outcome, Surroundings};

/// Where the journal of the machine's services is read with.
const JOURNALCTL: &str = "/usr/bin/journalctl";

pub(crate) fn print(
    arguments: &Arguments,
    around: &Surroundings<'_>,
    screen: &mut Screen,
) -> Result<Outcome, Failure> {
    let host = around.host(&arguments.place)?;
    let status = status(&*host).map_err(super::status::unreadable)?;
    let anatomy = of_machine(&*host, status.last.as_ref());
    match arguments.output {
        Output::Json => screen.json(&anatomy),
        Output::Text if anatomy.start().is_none() => {
            screen.line("nothing is known: this machine was never provisioned natively");
        }
        Output::Text => draw(&anatomy, screen),
    }
    Ok(Outcome::Done)
}

/// The anatomy in the terminal.
pub(crate) fn draw(anatomy: &Anatomy, screen: &mut Screen) {
    let width = terminal_size::terminal_size_of(io::stdout())
        .map_or(100, |(terminal_size::Width(width), _)| usize::from(width));
    for line in gantt(anatomy, width) {
        screen.line(line);
    }
    screen.line("█ on the way to Ready   ░ beside it   ◆ a moment");
    for finding in &anatomy.findings {
        screen.line(format_args!("{}: {}", finding.about, finding.message));
    }
}

/// What the records, the service manager and kubelet's log say.
pub(crate) fn of_machine(host: &dyn Host, last: Option<&LastAttempt>) -> Anatomy {
    let steps = last.map(|last| last.steps.iter().filter_map(interval).collect()).unwrap_or_default();
    let kubelet = journal_milestones(&journal(host, "--unit=kubelet"), now().time_zone());
    let kubelet = kubelet.iter().map(|(milestone, time)| (milestone.name(), *time));
    let boothook = journal_start(&journal(host, "--identifier=aks-boothook"));
    let milestones: Vec<(&str, Timestamp)> =
        kubelet.chain(boothook.map(|time| ("boothook-started", time))).collect();
    Anatomy::of(steps, &boot::moments(host), &milestones)
}

fn interval(step: &StepStatus) -> Option<Interval> {
    Some(Interval {
        name: step.id.clone(),
        phase: "provision".to_owned(),
        start: step.began?,
        end: step.ended?,
        source: "journal".to_owned(),
        critical: step.critical,
        after: step.waited_for.clone(),
        outcome: Some(step.state.clone()),
    })
}

/// Lines of the present boot's journal, as JSON. A machine without a journal has none.
fn journal(host: &dyn Host, selection: &str) -> String {
    if !host.is_live() {
        return String::new();
    }
    let program = Program {
        path: PathBuf::from(JOURNALCTL),
        arguments: [selection, "--boot", "--output=json", "--no-pager", "--quiet"]
            .map(str::to_owned)
            .to_vec(),
        input: None,
        within: Duration::from_secs(10),
    };
    host.run(&program).map(|ended| text(&ended.stdout)).unwrap_or_default()
}
