//! The machine as Azure sees it, where it is known in an agent pool: asked for by `slipway flex goal`, which has the identity
//! for it, now and then.

use std::hash::{BuildHasher as _, RandomState};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Deserialize;
use slipway_apply::note;
use slipway_flex::goal::{Pace, RECORD, Record, Resource, Seen, pause};
use slipway_flex::keep::GoalStatus;
use slipway_host::{Child, Host, os_text};

/// How long the question may take.
const WITHIN: Duration = Duration::from_secs(40);
/// The longest answer.
const LONGEST: usize = 1 << 18;

pub(super) struct Pool<'a> {
    host: &'a dyn Host,
    slipway: PathBuf,
    config: PathBuf,
    /// When to ask next, since the daemon began; never asked, at once.
    next: Duration,
    unanswered: u32,
    seen: Option<Seen>,
    /// When it was asked, for people.
    asked: String,
    /// Whether something made the question urgent at the last look.
    was_urgent: bool,
}

/// The answer, as far as it matters here.
#[derive(Deserialize)]
struct Answer {
    machine: Seen,
}

impl<'a> Pool<'a> {
    pub(super) fn new(host: &'a dyn Host, slipway: PathBuf, config: &Path) -> Self {
        Self {
            host,
            slipway,
            config: config.to_owned(),
            next: Duration::ZERO,
            unanswered: 0,
            seen: None,
            asked: String::new(),
            was_urgent: false,
        }
    }

    /// Something changed that may change the answer.
    pub(super) fn forget(&mut self) {
        if self.unanswered == 0 {
            self.next = Duration::ZERO;
        }
    }

    /// The machine's resource against what was applied; Azure is asked if it is time, or as soon as it becomes urgent.
    pub(super) fn look(
        &mut self,
        now: Duration,
        interval: Duration,
        urgent: bool,
        status: &mut GoalStatus,
    ) -> Resource {
        let is_news = urgent && !self.was_urgent && self.unanswered == 0;
        self.was_urgent = urgent;
        if is_news || self.seen.is_none() || now >= self.next {
            let seen = self.ask();
            let silent = matches!(seen, Seen::Unanswered { .. });
            self.unanswered = if silent { self.unanswered.saturating_add(1) } else { 0 };
            let random = RandomState::new().hash_one(now);
            self.next = now + pause(Pace { interval, unanswered: self.unanswered, random }, &seen);
            self.asked = super::now();
            self.seen = Some(seen);
        }
        let record = note(self.host, RECORD).ok().flatten().and_then(|text| Record::parse(&text).ok());
        let record = record.unwrap_or_default();
        let resource = self.seen.as_ref().map_or(Resource::Unknown, |seen| record.resource(seen));
        self.show(resource, &record, status);
        resource
    }

    fn ask(&self) -> Seen {
        let config = self.config.to_string_lossy();
        let arguments = ["flex", "goal", "--output", "json", "--config", &config];
        let ended = Child::new(&self.slipway, arguments).within(WITHIN).keeping(LONGEST).run();
        let unanswered = |why: String| Seen::Unanswered { why, forbidden: false, retry_after: None };
        let ended = match ended {
            Ok(ended) => ended,
            Err(error) => return unanswered(format!("{}: {}", self.slipway.display(), os_text(&error))),
        };
        serde_json::from_slice::<Answer>(&ended.stdout).map_or_else(
            |_| {
                let words = super::repair::last_words(&ended.stderr);
                unanswered(words.unwrap_or_else(|| "slipway flex goal said nothing".to_owned()))
            },
            |answer| answer.machine,
        )
    }

    fn show(&self, resource: Resource, record: &Record, status: &mut GoalStatus) {
        let (kubernetes, settings, silence) = match &self.seen {
            Some(Seen::There { goal }) => (&goal.kubernetes_version, &goal.settings_version, None),
            Some(Seen::Unanswered { why, .. }) => (&String::new(), &String::new(), Some(why.clone())),
            Some(Seen::Gone) | None => (&String::new(), &String::new(), None),
        };
        let failed = record.failed.as_ref().filter(|_| resource == Resource::Failed);
        *status = GoalStatus {
            state: resource.word().to_owned(),
            asked: self.asked.clone(),
            kubernetes: kubernetes.clone(),
            settings: settings.clone(),
            why: silence.or_else(|| failed.map(|failed| failed.why.clone())),
        };
    }
}
