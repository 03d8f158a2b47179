//! Runs as a table for people.

use std::fmt::Write as _;
use std::time::Duration;

use super::run::Run;
use super::statistics::Spread;

/// A column: its title, how many decimals, and the value.
struct Column {
    title: &'static str,
    decimals: usize,
    value: fn(&Run) -> Option<f64>,
}

const fn column(title: &'static str, decimals: usize, value: fn(&Run) -> Option<f64>) -> Column {
    Column { title, decimals, value }
}

fn seconds(duration: Option<Duration>) -> Option<f64> {
    duration.map(|duration| duration.as_secs_f64())
}

#[expect(clippy::cast_precision_loss, reason = "counts of a run are small")]
const COLUMNS: [Column; 11] = [
    column("socket", 3, |run| seconds(run.socket)),
    column("credentials", 3, |run| seconds(run.credentials)),
    column("kubelet", 3, |run| seconds(run.kubelet)),
    column("registered", 3, |run| seconds(run.registered)),
    column("Ready", 3, |run| seconds(Some(run.ready))),
    column("own CPU", 3, |run| seconds(Some(run.command_cpu))),
    column("all CPU", 3, |run| seconds(Some(run.machine_cpu))),
    column("processes", 0, |run| Some(run.processes as f64)),
    column("own", 0, |run| Some(run.by_command as f64)),
    column("reloads", 0, |run| Some(run.reloads as f64)),
    column("others", 2, |run| Some(run.others)),
];

/// The median of a contender's times to Ready, over the runs of one condition.
pub fn ready(runs: &[Run], contender: &str, busy: bool) -> Option<Spread> {
    let of = runs.iter().filter(|run| run.contender == contender && run.busy == busy);
    Spread::of(of.map(|run| run.ready.as_secs_f64()))
}

/// How many times as long as the floor of its starting state a contender takes to Ready, by the medians.
pub fn ratio(runs: &[Run], contender: &str, busy: bool) -> Option<f64> {
    let floor = runs.iter().find(|run| run.contender == contender)?.floor;
    Some(ready(runs, contender, busy)?.median / ready(runs, floor, busy)?.median)
}

/// The runs, condition by condition: for each contender the median, the least and the greatest of each column.
pub fn table(runs: &[Run]) -> String {
    let mut text = String::new();
    for (busy, title) in [(false, "idle"), (true, "one busy loop per processor")] {
        let mut names: Vec<&str> = Vec::new();
        for run in runs.iter().filter(|run| run.busy == busy) {
            if !names.contains(&run.contender.as_str()) {
                names.push(&run.contender);
            }
        }
        if names.is_empty() {
            continue;
        }
        let _ = write!(text, "{title:<28}");
        for column in &COLUMNS {
            let _ = write!(text, " {:>11}", column.title);
        }
        let _ = writeln!(text, " {:>11}", "× floor");
        for name in names {
            rows(&mut text, runs, name, busy);
        }
        text.push('\n');
    }
    text.push_str(
        "Seconds from the start of the command. own: of the command and its children, to its end; processes: forks in \
         the\nmachine until Ready, told by the kernel; reloads: of the service manager, told by its journal; others: \
         processors\nused by what is not of the lab; × floor: median of Ready, of the floor's from the same start.\n",
    );
    text
}

fn rows(text: &mut String, runs: &[Run], name: &str, busy: bool) {
    let of: Vec<&Run> = runs.iter().filter(|run| run.contender == name && run.busy == busy).collect();
    let spreads =
        COLUMNS.map(|column| (column.decimals, Spread::of(of.iter().filter_map(|run| (column.value)(run)))));
    for (index, kind) in ["median", "least", "most"].into_iter().enumerate() {
        let value = |spread: Spread| [spread.median, spread.least, spread.greatest][index];
        let title = if kind == "median" { format!("{name} ({} runs)", of.len()) } else { String::new() };
        let _ = write!(text, "{title:<21} {kind:<6}");
        for (decimals, spread) in spreads {
            let cell =
                spread.map_or_else(|| "–".to_owned(), |spread| format!("{:.decimals$}", value(spread)));
            let _ = write!(text, " {cell:>11}");
        }
        match ratio(runs, name, busy).filter(|_| kind == "median") {
            Some(ratio) => drop(writeln!(text, " {ratio:>11.2}")),
            None => text.push('\n'),
        }
    }
}
