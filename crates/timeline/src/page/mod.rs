//! An anatomy as a page for a browser: one file that asks nothing of the network and works from a disk.

use serde::Serialize;

use crate::compare::MANY;
use crate::{Anatomy, Comparison, html_escaped, svg};

const PAGE: &str = include_str!("page.html");
const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

#[derive(Serialize)]
struct Data<'a> {
    runs: Vec<Run<'a>>,
    comparison: Comparison,
    /// From this many starts on, percentiles say more than columns.
    many: usize,
}

#[derive(Serialize)]
struct Run<'a> {
    name: &'a str,
    anatomy: &'a Anatomy,
}

/// The page of some starts, each under its name; of one alone, without what compares.
pub fn page(runs: &[(String, Anatomy)]) -> Result<String, serde_json::Error> {
    let data = Data {
        runs: runs.iter().map(|(name, anatomy)| Run { name, anatomy }).collect(),
        comparison: Comparison::of(runs),
        many: MANY,
    };
    let data = html_escaped(&serde_json::to_string(&data)?);
    let picture: String = runs.iter().map(|(_, anatomy)| svg(anatomy)).collect();
    // The template alone is searched for places: what evidence says is never taken for one.
    let filled = |place| match place {
        "style" => STYLE,
        "picture" => &picture,
        "script" => SCRIPT,
        _ => &data,
    };
    let parts = PAGE.split("{{").map(|part| match part.split_once("}}") {
        Some((place, rest)) => [filled(place), rest],
        None => ["", part],
    });
    Ok(parts.flatten().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_look_like_places_of_the_page_stay_names() {
        let page = page(&[("{{data}} {{script}}".to_owned(), Anatomy::default())]).unwrap();
        assert_eq!(page.matches("{{data}} {{script}}").count(), 2, "in its run and in the comparison");
        assert_eq!((page.matches("\"use strict\"").count(), page.matches("</html>").count()), (1, 1));
    }
}
