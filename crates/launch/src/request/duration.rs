//! Durations of a request: Go's, or for ever.

use serde::de::{Deserialize, Deserializer, Error};
use serde::ser::{Serialize, Serializer};
pub use slipway_model::GoDuration;

use super::record::{Described, Shape};

impl Described for GoDuration {
    const SHAPE: Shape = Shape::Duration(&[]);
}

/// How long an answer is cached: a duration, or for ever (`Never` expires).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum CacheTime {
    /// It does not expire.
    #[default]
    Never,
    /// It expires after this long.
    After(GoDuration),
}

impl CacheTime {
    const WORD: &'static str = "Never";

    /// Reads a duration or `Never`.
    pub fn parse(text: &str) -> Option<Self> {
        if text == Self::WORD { Some(Self::Never) } else { GoDuration::parse(text).map(Self::After) }
    }

    /// Whole seconds; for ever is as long as a number of seconds can say.
    pub fn seconds(self) -> i32 {
        match self {
            Self::Never => i32::MAX,
            Self::After(duration) => {
                i32::try_from(duration.nanoseconds() / 1_000_000_000).unwrap_or(i32::MAX)
            }
        }
    }
}

impl Described for CacheTime {
    const SHAPE: Shape = Shape::Duration(&[CacheTime::WORD]);
}

impl<'de> Deserialize<'de> for CacheTime {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text)
            .ok_or_else(|| D::Error::custom(format!("{text:?} is neither a duration nor Never")))
    }
}

impl Serialize for CacheTime {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Never => serializer.serialize_str(Self::WORD),
            Self::After(duration) => serializer.collect_str(duration),
        }
    }
}
