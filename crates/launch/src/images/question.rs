//! The questions about images that a file can hold.

use jiff::Timestamp;
use serde::Serialize;
use serde_json::Value;
use thiserror::Error;

use super::selection::{Selection, select_for, select_image};
use super::source::{ImageList, ImageSource, list_images};
use super::update::{Update, UpdateQuery, update_images};
use crate::Fidelity;
use crate::request::{Problems, Request};
use crate::sizes::{NotOffered, instance_type};

/// A question about images.
#[derive(Debug)]
pub enum Question {
    /// Which images a node class can use.
    List(ImageSource),
    /// Which image a size gets.
    Select(ImageSource),
    /// What becomes of recorded images.
    Update(Box<UpdateQuery>),
    /// Which image the size of a launch request gets.
    Launch(Box<Request>),
}

/// The answer to a question about images.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub enum Answer {
    /// The images, best first.
    List(ImageList),
    /// The image.
    Select(Box<Selection>),
    /// The images that are recorded now.
    Update(Box<Update>),
}

/// Why a text is no question about images.
#[derive(Debug, Error)]
pub enum NoQuestion {
    /// It is not JSON, or a member is unknown or of the wrong type.
    #[error("{0}; give a launch request, or what is wanted of images and what the galleries have")]
    Json(#[from] serde_json::Error),
    /// It is a launch request with problems.
    #[error(transparent)]
    Request(#[from] Problems),
}

/// Whether a text is a launch request rather than another question about images.
pub fn is_launch_request(text: &str) -> bool {
    serde_json::from_str(text).is_ok_and(|value| has_request_members(&value))
}

fn has_request_members(value: &Value) -> bool {
    value.get("options").is_some() || value.get("nodeClass").is_some()
}

impl Question {
    /// Reads a question; what it is, its members tell: a launch request has `options`, a selection has `arch`, and
    /// an update has `source`.
    pub fn parse(text: &str) -> Result<Self, NoQuestion> {
        let value: Value = serde_json::from_str(text)?;
        if !value.is_object() {
            return Err(NoQuestion::Json(serde::de::Error::custom("this is not a JSON object")));
        }
        Ok(if has_request_members(&value) {
            Self::Launch(Box::new(Request::parse(text)?))
        } else if value.get("source").is_some() {
            Self::Update(serde_json::from_str(text)?)
        } else if value.get("arch").is_some() {
            Self::Select(serde_json::from_str(text)?)
        } else {
            Self::List(serde_json::from_str(text)?)
        })
    }

    /// The answer. A launch request can ask for a size that is not offered.
    pub fn answer(&self, now: Timestamp, fidelity: Fidelity) -> Result<Answer, NotOffered> {
        Ok(match self {
            Self::List(source) => Answer::List(list_images(source, fidelity)),
            Self::Select(source) => Answer::Select(Box::new(select_image(source, fidelity))),
            Self::Update(query) => Answer::Update(Box::new(update_images(query, now, fidelity))),
            Self::Launch(request) => {
                let Request { options, node_class, sku, environment, .. } = &**request;
                let size = instance_type(options, node_class, sku, &environment.location)?;
                Answer::Select(Box::new(select_for(options, node_class, &size, fidelity)))
            }
        })
    }
}
