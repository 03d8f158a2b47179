//! Several starts side by side, phase by phase.

use jiff::Timestamp;
use serde::Serialize;

use crate::anatomy::Anatomy;
use crate::gantt::cut;
use crate::phase::Phase;

/// From this many on, percentiles say more than columns.
pub(crate) const MANY: usize = 4;

/// The longest name that is shown whole.
const NAME: usize = 28;

/// How wide a column is where there is room.
const CELL: usize = 9;

/// What is left of a name in a narrow terminal.
const SHORTEST_NAME: usize = 8;

/// Several starts side by side.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Comparison {
    /// What the starts are called.
    pub runs: Vec<String>,
    /// Seconds of the way to Ready in each phase, then in all.
    pub phases: Vec<Row>,
    /// Seconds from the first thing known to each moment.
    pub milestones: Vec<Row>,
}

/// One thing in every start.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Row {
    /// What.
    pub name: String,
    /// Its seconds in each start; none where the start does not have it.
    pub seconds: Vec<Option<f64>>,
    /// Half of the starts take no longer.
    pub p50: f64,
    /// Nine of ten take no longer.
    pub p90: f64,
    /// Ninety-nine of a hundred take no longer.
    pub p99: f64,
}

impl Comparison {
    /// Puts starts side by side, each with its name.
    pub fn of(runs: &[(String, Anatomy)]) -> Self {
        let phases = Phase::ALL.iter().map(|phase| phase.name()).chain(["gaps"]);
        let row = |name: &str, of: &dyn Fn(&Anatomy) -> Option<f64>| {
            Row::of(name, runs.iter().map(|(_, anatomy)| of(anatomy)).collect())
        };
        let total = |anatomy: &Anatomy| (!anatomy.path.is_empty()).then_some(anatomy.total_seconds);
        let mut moments: Vec<&String> =
            runs.iter().flat_map(|(_, anatomy)| anatomy.milestones.keys()).collect();
        moments.sort_unstable();
        moments.dedup();
        let since =
            |anatomy: &Anatomy, time: &Timestamp| Some(time.duration_since(anatomy.start()?).as_secs_f64());
        let mut milestones: Vec<Row> = moments
            .into_iter()
            .filter_map(|name| row(name, &|it| since(it, it.milestones.get(name)?)))
            .collect();
        milestones.sort_by(|a, b| a.p50.total_cmp(&b.p50));
        Self {
            runs: runs.iter().map(|(name, _)| name.clone()).collect(),
            phases: phases
                .filter_map(|name| row(name, &|it| it.phases.get(name).copied()))
                .chain(row("all", &total))
                .collect(),
            milestones,
        }
    }

    /// The comparison as a table that fits the width: a column for each start, or percentiles where there are many.
    pub fn lines(&self, width: usize) -> Vec<String> {
        let name = self.rows().map(|row| row.name.len()).max().unwrap_or(0).min(NAME);
        let columns = self.runs.len() < MANY && name + self.runs.len() * (CELL + 1) <= width;
        let titles: Vec<String> = if columns {
            self.runs
                .iter()
                .map(|run| cut(run.rsplit('/').find(|part| !part.is_empty()).unwrap_or(run), CELL))
                .collect()
        } else {
            ["starts", "least", "p50", "p90", "p99", "most"].map(str::to_owned).to_vec()
        };
        let mut table = vec![("", titles)];
        for row in self.rows() {
            let values = if columns { row.seconds.clone() } else { row.spread().map(Some).to_vec() };
            let cell =
                |value: &Option<f64>| value.map_or_else(|| "-".to_owned(), |value| format!("{value:.2} s"));
            // Percentiles of a few say nothing about the others.
            let known = row.seconds.iter().flatten().count().to_string();
            let cells: Vec<String> =
                (!columns).then_some(known).into_iter().chain(values.iter().map(cell)).collect();
            table.push((&row.name, cells));
        }
        // Columns become as narrow as what is in them before names are cut.
        let count = table[0].1.len();
        let widest = |at: usize| table.iter().map(|(_, cells)| cells[at].chars().count()).max().unwrap_or(0);
        let wide = name + count * (CELL + 1) <= width;
        let widths: Vec<usize> = (0..count).map(|at| if wide { CELL } else { widest(at) }).collect();
        let room = width.saturating_sub(widths.iter().map(|cell| cell + 1).sum());
        let name = name.min(room.max(SHORTEST_NAME));
        let line = |(first, cells): &(&str, Vec<String>)| {
            let cells = cells.iter().zip(&widths);
            cells.fold(format!("{:name$}", cut(first, name)), |line, (cell, wide)| {
                format!("{line} {cell:>wide$}")
            })
        };
        table.iter().map(line).collect()
    }

    fn rows(&self) -> impl Iterator<Item = &Row> {
        self.phases.iter().chain(&self.milestones)
    }
}

impl Row {
    /// A row of values; `None` where no start has it.
    fn of(name: &str, seconds: Vec<Option<f64>>) -> Option<Self> {
        let mut known: Vec<f64> = seconds.iter().flatten().copied().collect();
        known.sort_by(f64::total_cmp);
        let at = |percent: usize| known.get((known.len() * percent).div_ceil(100).max(1) - 1).copied();
        let (p50, p90, p99) = (at(50)?, at(90)?, at(99)?);
        Some(Self { name: name.to_owned(), seconds, p50, p90, p99 })
    }

    fn spread(&self) -> [f64; 5] {
        let known = || self.seconds.iter().flatten().copied();
        [known().fold(f64::INFINITY, f64::min), self.p50, self.p90, self.p99, known().fold(0.0, f64::max)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_values_that_were_measured() {
        let values = |count: u32| (1..=count).rev().map(|value| Some(f64::from(value))).collect();
        let row = Row::of("x", values(100)).unwrap();
        assert_eq!(format!("{:?}", row.spread()), "[1.0, 50.0, 90.0, 99.0, 100.0]");
        let row = Row::of("x", values(1)).unwrap();
        assert_eq!(format!("{:?}", row.spread()), "[1.0, 1.0, 1.0, 1.0, 1.0]");
        assert_eq!(Row::of("x", vec![None, None]), None);
    }

    #[test]
    fn few_starts_get_columns_and_many_get_percentiles_and_both_fit() {
        let runs = |count: u32| -> Vec<(String, Anatomy)> {
            let anatomy =
                |at: u32| Anatomy { phases: [("kernel", f64::from(at))].into(), ..Anatomy::default() };
            (1..=count).map(|at| (format!("nodes/n{at}"), anatomy(at))).collect()
        };
        let lines = Comparison::of(&runs(2)).lines(80);
        assert_eq!(lines, ["              n1        n2", "kernel    1.00 s    2.00 s"]);
        let lines = Comparison::of(&runs(20)).lines(80);
        assert_eq!(lines[0], "          starts     least       p50       p90       p99      most");
        assert_eq!(lines[1], "kernel        20    1.00 s   10.00 s   18.00 s   20.00 s   20.00 s");
        assert!(lines.iter().all(|line| line.chars().count() <= 80));
    }

    #[test]
    fn the_longest_names_and_long_starts_fit_a_terminal_of_80_columns() {
        let start = "2026-11-15T08:00:00Z".parse::<Timestamp>().unwrap();
        let names = ["kubelet-runtime-initialised", "cloud-init-network-started", "kubelet-main-sync-loop"];
        let runs = |seconds: i64| -> Vec<(String, Anatomy)> {
            let late = start + jiff::SignedDuration::from_secs(seconds);
            let moments = names.map(|name| (name.to_owned(), late)).into_iter();
            let milestones = moments.chain([("kernel-started".to_owned(), start)]).collect();
            let anatomy = Anatomy { milestones, ..Anatomy::default() };
            (0..5).map(|at| (at.to_string(), anatomy.clone())).collect()
        };
        for (seconds, width, whole) in [(300, 80, true), (1_800, 80, false), (1_800, 100, true)] {
            let lines = Comparison::of(&runs(seconds)).lines(width);
            assert!(lines.iter().all(|line| line.chars().count() <= width), "{lines:#?}");
            let shown = lines.iter().any(|line| line.starts_with("kubelet-runtime-initialised "));
            assert_eq!(shown, whole, "{lines:#?}");
        }
        let narrow = Comparison::of(&runs(300)[..2]).lines(60);
        assert!(narrow.iter().all(|line| line.chars().count() <= 60), "{narrow:#?}");
    }
}
