//! `slipway launch images`: the images that fit, best first, and why others fell out.

use jiff::Timestamp;
use slipway_launch::images::{Answer, ListedImage, Question, Rejected, is_launch_request};

use super::{fidelity, filled, text};
use crate::Outcome;
use crate::cli::{LaunchImages, Output};
use crate::failure::Failure;
use crate::files;
use crate::screen::{Screen, printable};

pub(crate) fn print(arguments: &LaunchImages, screen: &mut Screen) -> Result<Outcome, Failure> {
    let input = files::read(&arguments.file)?;
    if arguments.live.kubeconfig.is_some() && !is_launch_request(text(&input)?) {
        let found = "a live cluster fills the blanks of a launch request, and this file is none";
        return Err(Failure::input("not-a-launch-request", format!("cannot use {}", input.name), found)
            .with_hint(
                "leave out --kubeconfig, or give a launch request: slipway launch schema describes it",
            ));
    }
    let text = filled(&arguments.live, &input, screen)?;
    let question = Question::parse(&text).map_err(|error| {
        Failure::input("not-about-images", format!("cannot use {}", input.name), error)
            .with_hint("slipway launch schema describes a launch request")
    })?;
    let answer = question
        .answer(Timestamp::now(), fidelity(arguments.compat))
        .map_err(|refused| Failure::input("size-not-offered", "cannot choose an image", refused))?;
    match arguments.output {
        Output::Json => screen.json(&answer),
        Output::Text => describe(&answer, screen),
    }
    Ok(Outcome::Done)
}

fn describe(answer: &Answer, screen: &mut Screen) {
    match answer {
        Answer::List(list) => {
            images(&list.images, "", screen);
            rejected(&list.rejected, screen);
        }
        Answer::Select(selection) => {
            images(
                selection.status_images.as_deref().unwrap_or_default(),
                &selection.selected_image_id,
                screen,
            );
            rejected(&selection.rejected, screen);
            if let Some(error) = &selection.select_error {
                screen.line(format_args!("none       {}", printable(error)));
            }
        }
        Answer::Update(update) => screen.json(update),
    }
}

fn images(images: &[ListedImage], chosen: &str, screen: &mut Screen) {
    for image in images {
        let word = if image.id == chosen { "chosen" } else { "fits" };
        screen.line(format_args!("{word:<11}{}", printable(&image.id)));
    }
}

fn rejected(rejected: &[Rejected], screen: &mut Screen) {
    for Rejected { definition, reason, .. } in rejected {
        screen.line(format_args!("fell out   {definition}: {reason}"));
    }
}
