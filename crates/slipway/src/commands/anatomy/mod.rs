//! `slipway anatomy`: what took which time from the kernel's start to Ready, on this machine or in collected evidence.

mod collected;
pub(crate) mod live;

use std::io;

use slipway_host::Host;
use slipway_timeline::{Anatomy, Comparison, Sorted, gantt, page, summary, svg};

use crate::cli::{Anatomy as Arguments, AnatomyOutput as Output};
use crate::failure::Failure;
use crate::screen::Screen;
use crate::{Outcome, Surroundings};

pub(crate) fn print(
    arguments: &Arguments,
    around: &Surroundings<'_>,
    screen: &mut Screen,
) -> Result<Outcome, Failure> {
    let runs = runs(arguments, around)?;
    match (&runs[..], arguments.output) {
        ([(_, anatomy)], Output::Json) => screen.json(anatomy),
        ([(_, anatomy)], Output::Svg) => screen.line(svg(anatomy).trim_end()),
        ([(_, anatomy)], Output::Text) if anatomy.start().is_none() => {
            screen.line(match &arguments.from {
                Some(_) => "nothing is known: the evidence has no times of a node's start",
                None => "nothing is known: this machine has no records of its start as a node",
            });
            problems("", anatomy, screen);
        }
        ([(_, anatomy)], Output::Text) => {
            draw(anatomy, if arguments.longest { Sorted::ByLength } else { Sorted::ByTime }, screen);
        }
        (_, Output::Html) => {
            let page = page(&runs).map_err(|error| {
                Failure::input("no-page", "the anatomy cannot be put into a page", error.to_string())
            })?;
            screen.line(page.trim_end());
        }
        (_, Output::Json) => screen.json(&Comparison::of(&runs)),
        (_, Output::Text) => {
            for line in Comparison::of(&runs).lines(width()) {
                screen.line(line);
            }
            for (name, anatomy) in &runs {
                problems(&format!("{name}: "), anatomy, screen);
            }
        }
        (_, Output::Svg) => {
            return Err(Failure::input(
                "one-picture",
                "a picture shows one start",
                "--compare names several",
            )
            .with_hint("-o html shows several on one page"));
        }
    }
    Ok(Outcome::Done)
}

/// The starts that are asked for, by name: the one of `--from`, or this machine's where no two others are named; then
/// those that it is compared with.
fn runs(arguments: &Arguments, around: &Surroundings<'_>) -> Result<Vec<(String, Anatomy)>, Failure> {
    let collected = arguments.from.iter().chain(&arguments.compare);
    let mut runs = collected
        .map(|path| Ok((path.display().to_string(), Anatomy::of(collected::evidence(path)?))))
        .collect::<Result<Vec<_>, Failure>>()?;
    if arguments.from.is_none() && arguments.compare.len() < 2 {
        runs.insert(0, ("this machine".to_owned(), of_machine(&*around.host(&arguments.place)?)));
    }
    Ok(runs)
}

/// What this machine's records, its service manager and its logs say.
pub(crate) fn of_machine(host: &dyn Host) -> Anatomy {
    Anatomy::of(live::evidence(host))
}

/// The anatomy in the terminal.
pub(crate) fn draw(anatomy: &Anatomy, order: Sorted, screen: &mut Screen) {
    for line in gantt(anatomy, width(), order) {
        screen.line(line);
    }
    screen.line("█ on the way to Ready   ░ beside it   ◆ a moment");
    for line in summary(anatomy, width()) {
        screen.line(line);
    }
    problems("", anatomy, screen);
}

/// What of the evidence could not be read.
fn problems(of: &str, anatomy: &Anatomy, screen: &Screen) {
    for problem in &anatomy.problems {
        let line = problem.line.map(|line| format!(":{line}")).unwrap_or_default();
        screen.warning(format_args!("{of}{}{line}: {}", problem.file, problem.message));
    }
}

fn width() -> usize {
    terminal_size::terminal_size_of(io::stdout())
        .map_or(100, |(terminal_size::Width(width), _)| usize::from(width))
}
