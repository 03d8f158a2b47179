//! Several starts side by side, phase by phase.

use jiff::Timestamp;
use serde::Serialize;

use crate::anatomy::Anatomy;
use crate::gantt::cut;
use crate::phase::Phase;

/// From this many on, percentiles say more than columns.
const MANY: usize = 4;

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
        let name = self.rows().map(|row| row.name.len()).max().unwrap_or(0).min(28);
        let fits = name + self.runs.len() * 10 <= width;
        let titles: Vec<String> = if fits && self.runs.len() < MANY {
            self.runs
                .iter()
                .map(|run| cut(run.rsplit('/').find(|part| !part.is_empty()).unwrap_or(run), 9))
                .collect()
        } else {
            ["starts", "least", "p50", "p90", "p99", "most"].map(str::to_owned).to_vec()
        };
        let columns = fits && self.runs.len() < MANY;
        let line = |first: &str, cells: &[String]| {
            cells.iter().fold(format!("{:name$}", cut(first, name)), |line, cell| format!("{line} {cell:>9}"))
        };
        let mut lines = vec![line("", &titles)];
        for row in self.rows() {
            let values = if columns { row.seconds.clone() } else { row.spread().map(Some).to_vec() };
            let cell =
                |value: &Option<f64>| value.map_or_else(|| "-".to_owned(), |value| format!("{value:.2} s"));
            // Percentiles of a few say nothing about the others.
            let known = row.seconds.iter().flatten().count().to_string();
            let cells: Vec<String> =
                (!columns).then_some(known).into_iter().chain(values.iter().map(cell)).collect();
            lines.push(line(&row.name, &cells));
        }
        lines
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
}
