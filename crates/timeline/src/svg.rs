//! An anatomy as a picture.

use std::cmp::Reverse;
use std::fmt::Write as _;

use jiff::{SignedDuration, Timestamp};

use crate::anatomy::Anatomy;
use crate::gantt::{Row, cut, rows, seconds};

/// More lines than this are no picture; the shortest are left out, and the picture says how many.
const ROWS: usize = 28;
/// The moments that stand for the others.
const MOMENTS: [&str; 5] =
    ["provisioning-started", "containerd-ready", "kubelet-started", "node-registered", "node-ready"];
const WIDTH: f64 = 960.0;
const LEFT: f64 = 216.0;
const RIGHT: f64 = 72.0;
/// Where what the colours mean begins, and how high each line of it is.
const LEGEND: f64 = 52.0;
const LEGEND_LINE: f64 = 18.0;
const ROW: f64 = 20.0;
/// The height of a bar.
const BAR: f64 = 14.0;
/// A letter is about as wide.
const LETTER: f64 = 6.6;

const STYLE: &str = "\
svg{--ground:#fff;--text:#1b2129;--quiet:#5a6573;--line:#d4d9e0;font:12px system-ui,sans-serif}\
text{fill:var(--text)}.quiet{fill:var(--quiet)}.end{text-anchor:end}.mid{text-anchor:middle}\
.ground{fill:var(--ground)}.tick{stroke:var(--line)}.moment{stroke:var(--quiet);stroke-dasharray:2 4}\
.beside{opacity:.45}.gap{fill:url(#gap)}\
.platform{fill:#a07c3f}.kernel{fill:#6b7785}.userspace{fill:#8d99a6}.cloud-init{fill:#c8762a}.agent{fill:#b84c8e}\
.extension{fill:#8a5fc6}.bootstrap{fill:#2f80d6}.containerd{fill:#149b8e}.manager{fill:#5f72d2}.kubelet{fill:#38984c}\
.registration{fill:#86a322}.ready{fill:#1c9159}\
@media(prefers-color-scheme:dark){svg{--ground:#14171c;--text:#e6e9ee;--quiet:#9aa5b4;--line:#353c47}}";

/// The picture: the way to Ready as one bar and what its colours mean, below it a bar for everything that ran, then the
/// moments.
pub fn svg(anatomy: &Anatomy) -> String {
    let (Some(start), Some(end)) = (anatomy.start(), anatomy.end()) else { return String::new() };
    let (rows, left_out) = longest(anatomy);
    let legend = legend(anatomy);
    let top = LEGEND + LEGEND_LINE * legend.last().map_or(0.0, |entry| entry.line + 1.0) + 8.0;
    let scale = Scale { start, whole: end.duration_since(start).as_secs_f64().max(1e-9) };
    let bottom = top + ROW * count(rows.len());
    let height = bottom + 24.0 + 14.0 * count(MOMENTS.len());
    let mut picture = Picture(String::new());
    picture.put(format_args!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" \
         aria-label=\"What took which time until the node was Ready\"><style>{STYLE}</style>\
         <defs><pattern id=\"gap\" width=\"7\" height=\"7\" patternUnits=\"userSpaceOnUse\" \
         patternTransform=\"rotate(45)\"><rect width=\"2.5\" height=\"7\" fill=\"#d05048\"/></pattern></defs>\
         <rect class=\"ground\" width=\"{WIDTH}\" height=\"{height}\"/>"
    ));
    ruler(&mut picture, &scale, top, bottom);
    let ready = anatomy.milestones.contains_key("node-ready");
    picture.text(8.0, 40.0, "", if ready { "The way to Ready" } else { "Not Ready until then" });
    for part in &anatomy.path {
        let phase = part.interval.map_or("gap", |at| anatomy.intervals[at].phase.name());
        picture.bar(&scale, (part.start, part.end), 27.0, BAR, phase);
    }
    let total = SignedDuration::try_from_secs_f64(anatomy.total_seconds).unwrap_or_default();
    picture.text(WIDTH - 8.0, 40.0, "end", &seconds(total));
    for entry in &legend {
        let y = LEGEND + LEGEND_LINE * entry.line;
        let class = entry.class;
        picture.put(format_args!(
            "<rect class=\"{class}\" x=\"{:.1}\" y=\"{:.1}\" width=\"10\" height=\"10\" rx=\"2\"/>",
            entry.x,
            y + 3.0
        ));
        picture.text(entry.x + 15.0, y + 12.0, "quiet", &entry.text);
    }
    for (at, row) in rows.iter().enumerate() {
        let top = top + ROW * count(at);
        picture.text(8.0, top + 14.0, "", &cut(&row.name, 30));
        for interval in &row.bars {
            let beside = if interval.critical { "" } else { " beside" };
            let class = format!("{}{beside}", interval.phase.name());
            // What holds others together did nothing of its own.
            let (down, height) = if interval.envelope { (8.0, 4.0) } else { (3.0, BAR) };
            picture.bar(&scale, (interval.start, interval.end), top + down, height, &class);
        }
        picture.text(WIDTH - 8.0, top + 14.0, "end", &seconds(row.took()));
    }
    moments(&mut picture, anatomy, &scale, top, bottom);
    if left_out > 0 {
        picture.text(8.0, bottom + 18.0, "quiet", &format!("and {left_out} shorter ones"));
    }
    picture.put(format_args!("</svg>\n"));
    picture.0
}

/// A colour, and what it is.
struct Entry {
    x: f64,
    line: f64,
    class: &'static str,
    text: String,
}

/// What the way to Ready was made of, the largest first, on as many lines as it takes.
fn legend(anatomy: &Anatomy) -> Vec<Entry> {
    let mut phases: Vec<(&'static str, f64)> =
        anatomy.phases.iter().map(|(name, took)| (*name, *took)).filter(|(_, took)| *took > 0.0).collect();
    phases.sort_by(|a, b| b.1.total_cmp(&a.1));
    let (mut x, mut line) = (LEFT, 0.0);
    let mut entries = Vec::new();
    for (name, took) in phases {
        let length = SignedDuration::try_from_secs_f64(took).unwrap_or_default();
        let text = format!("{name} {}", seconds(length));
        let width = 15.0 + LETTER * count(text.chars().count()) + 14.0;
        if x + width > WIDTH {
            (x, line) = (LEFT, line + 1.0);
        }
        entries.push(Entry { x, line, class: if name == "gaps" { "gap" } else { name }, text });
        x += width;
    }
    entries
}

/// The rows that fit, in their order, and how many do not.
fn longest(anatomy: &Anatomy) -> (Vec<Row<'_>>, usize) {
    let mut rows = rows(anatomy);
    let all = rows.len();
    if all > ROWS {
        let mut lengths: Vec<Reverse<SignedDuration>> = rows.iter().map(|row| Reverse(row.took())).collect();
        lengths.sort_unstable();
        let least = lengths[ROWS - 1].0;
        rows.retain(|row| row.took() >= least);
        rows.truncate(ROWS);
    }
    let left_out = all - rows.len();
    (rows, left_out)
}

/// Lines at round seconds, and what they are.
fn ruler(picture: &mut Picture, scale: &Scale, top: f64, bottom: f64) {
    let rough = scale.whole / 8.0;
    let power = 10_f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].map(|factor| factor * power).into_iter().find(|step| *step >= rough);
    let step = step.unwrap_or(rough);
    for tick in
        std::iter::successors(Some(0.0), |tick| Some(tick + step)).take_while(|tick| *tick <= scale.whole)
    {
        let at = scale.of(tick);
        picture.put(format_args!("<path class=\"tick\" d=\"M{at:.1} 22V44M{at:.1} {top:.1}V{bottom:.1}\"/>"));
        let label = if step < 1.0 { format!("{:.0} ms", tick * 1_000.0) } else { format!("{tick:.0} s") };
        picture.text(at, 16.0, "quiet mid", &label);
    }
}

/// A line through everything for each moment, and below its name.
fn moments(picture: &mut Picture, anatomy: &Anatomy, scale: &Scale, top: f64, bottom: f64) {
    let moments = MOMENTS.iter().filter_map(|name| Some((name, anatomy.milestones.get(*name)?)));
    for (row, (name, time)) in moments.enumerate() {
        let at = scale.at(*time);
        let below = bottom + 14.0 + 14.0 * count(row);
        picture.put(format_args!(
            "<line class=\"moment\" x1=\"{at:.1}\" y1=\"{top:.1}\" x2=\"{at:.1}\" y2=\"{below:.1}\"/>"
        ));
        // Left of its line where the right has no room.
        let (x, class) = if at > WIDTH / 2.0 { (at - 4.0, "quiet end") } else { (at + 4.0, "quiet") };
        let after = seconds(time.duration_since(scale.start));
        picture.text(x, below, class, &format!("{name} +{after}"));
    }
}

struct Scale {
    start: Timestamp,
    whole: f64,
}

impl Scale {
    fn of(&self, seconds: f64) -> f64 {
        LEFT + (WIDTH - LEFT - RIGHT) * seconds / self.whole
    }

    fn at(&self, time: Timestamp) -> f64 {
        self.of(time.duration_since(self.start).as_secs_f64())
    }
}

struct Picture(String);

impl Picture {
    fn put(&mut self, text: std::fmt::Arguments<'_>) {
        // Writing to a string cannot fail.
        let _ = self.0.write_fmt(text);
    }

    fn bar(&mut self, scale: &Scale, (from, to): (Timestamp, Timestamp), top: f64, height: f64, class: &str) {
        let (from, to) = (scale.at(from), scale.at(to));
        let width = (to - from).max(1.5);
        self.put(format_args!(
            "<rect class=\"{class}\" x=\"{from:.1}\" y=\"{top:.1}\" width=\"{width:.1}\" height=\"{height}\" rx=\"2\"/>"
        ));
    }

    fn text(&mut self, x: f64, y: f64, class: &str, text: &str) {
        let text = text.replace('&', "&amp;").replace('<', "&lt;");
        self.put(format_args!("<text class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\">{text}</text>"));
    }
}

fn count(of: usize) -> f64 {
    f64::from(u32::try_from(of).unwrap_or(u32::MAX))
}
