//! What is written down about an upgrade, so that whoever comes after a crash can go on or go back.

use serde::{Deserialize, Serialize};
use slipway_model::Secret;
use zeroize::Zeroizing;

use crate::supply::{Stock, StockError};

/// The name of the record of an upgrade that is under way.
pub const RECORD: &str = "upgrade.json";
/// The name of the record of a version that an upgrade chose.
pub const CHOICE: &str = "kubernetes.json";

/// An upgrade that is under way. It is written down before each phase begins, and goes when all is over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// What the machine had before.
    pub from: Stock,
    /// What it is to have.
    pub to: Stock,
    /// How far it has come.
    pub phase: Phase,
    /// Whether pods could come to the node before: then they can afterwards.
    pub schedulable: bool,
    /// The Node that it is about.
    pub uid: String,
    /// The configuration's wish at that time.
    pub wish: Option<String>,
}

/// How far an upgrade has come.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[serde(tag = "is", rename_all = "kebab-case")]
pub enum Phase {
    /// Pods leave; nothing of the machine is changed yet.
    Draining,
    /// The new programs take over.
    Switching,
    /// The old programs take over again.
    Returning {
        /// Why.
        why: String,
    },
}

/// The version that an upgrade chose. It counts for as long as the configuration says what it said then, so that there is
/// one answer to which version a node is to have.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Choice {
    /// What the configuration said.
    pub wish: Option<String>,
    /// What was chosen.
    pub kubernetes: String,
}

/// A text that is no record.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// It cannot be read.
    #[error("the record of the upgrade cannot be read: {0}")]
    Unreadable(#[from] serde_json::Error),
    /// It speaks of programs that cannot be read.
    #[error(transparent)]
    Stock(#[from] StockError),
}

/// Stocks as their own texts: mirrors may hold passwords.
#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Form {
    from: Zeroizing<String>,
    to: Zeroizing<String>,
    phase: Phase,
    schedulable: bool,
    uid: String,
    wish: Option<String>,
}

impl Record {
    /// The text by which it is kept.
    pub fn text(&self) -> Secret<String> {
        let stock = |stock: &Stock| Zeroizing::new(stock.text().expose().clone());
        let form = Form {
            from: stock(&self.from),
            to: stock(&self.to),
            phase: self.phase.clone(),
            schedulable: self.schedulable,
            uid: self.uid.clone(),
            wish: self.wish.clone(),
        };
        // Texts and switches can always be written.
        Secret::new(serde_json::to_string(&form).unwrap_or_default())
    }

    /// Reads what [`text`](Self::text) wrote.
    pub fn parse(text: &Secret<String>) -> Result<Self, RecordError> {
        let Form { from, to, phase, schedulable, uid, wish } = serde_json::from_str(text.expose())?;
        let stock = |text: &Zeroizing<String>| Stock::parse(&Secret::new(String::clone(text)));
        Ok(Self { from: stock(&from)?, to: stock(&to)?, phase, schedulable, uid, wish })
    }
}

impl Choice {
    /// The text by which it is kept.
    pub fn text(&self) -> Secret<String> {
        // Texts can always be written.
        Secret::new(serde_json::to_string(self).unwrap_or_default())
    }

    /// Reads what [`text`](Self::text) wrote.
    pub fn parse(text: &Secret<String>) -> Result<Self, RecordError> {
        Ok(serde_json::from_str(text.expose())?)
    }

    /// The version that a node is to have: what was chosen, until the configuration says something else than it did then.
    pub fn desired<'a>(chosen: Option<&'a Self>, wish: Option<&'a str>) -> Option<&'a str> {
        match chosen {
            Some(choice) if choice.wish.as_deref() == wish => Some(&choice.kubernetes),
            _ => wish,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_survives_its_text_and_hides_passwords() {
        let stock = |mirror: &str| Stock {
            picks: Vec::new(),
            mirrors: vec![mirror.parse().unwrap()],
            images: Vec::new(),
        };
        for phase in [Phase::Draining, Phase::Switching, Phase::Returning { why: "it \"broke\"".to_owned() }]
        {
            let record = Record {
                from: stock("https://u:word@m"),
                to: stock("https://m"),
                phase,
                schedulable: true,
                uid: "1-2".to_owned(),
                wish: Some("1.34".to_owned()),
            };
            assert_eq!(Record::parse(&record.text()).unwrap(), record);
            assert!(!format!("{record:?}").contains("word"));
        }
        assert!(Record::parse(&"{}".into()).is_err());
    }

    #[test]
    fn what_was_chosen_counts_until_the_configuration_changes() {
        let choice =
            |wish: Option<&str>| Choice { wish: wish.map(str::to_owned), kubernetes: "1.34.3".to_owned() };
        for (chosen, wish, desired) in [
            (None, Some("1.33"), Some("1.33")),
            (None, None, None),
            (Some(choice(Some("1.33"))), Some("1.33"), Some("1.34.3")),
            (Some(choice(Some("1.33"))), Some("1.35"), Some("1.35")),
            (Some(choice(Some("1.33"))), None, None),
            (Some(choice(None)), None, Some("1.34.3")),
        ] {
            assert_eq!(Choice::desired(chosen.as_ref(), wish), desired, "{chosen:?} {wish:?}");
        }
        let choice = choice(Some("1.33"));
        assert_eq!(Choice::parse(&choice.text()).unwrap(), choice);
    }
}
