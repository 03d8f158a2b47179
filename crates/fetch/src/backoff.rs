use std::hash::{BuildHasher as _, RandomState};
use std::time::Duration;

const FIRST: Duration = Duration::from_millis(200);
const LONGEST: Duration = Duration::from_secs(5);

/// The pauses between tries: each twice as long as the one before, and never quite as long as another node's.
#[derive(Debug, Default)]
pub struct Backoff {
    tries: u32,
}

impl Backoff {
    /// The next pause; not shorter than what the server asked for. Whoever comes sooner is sent away for longer: a caller
    /// without that much time gives up at once, and can say why.
    pub fn pause(&mut self, asked: Option<Duration>) -> Duration {
        let longest = FIRST.saturating_mul(1 << self.tries.min(16)).min(LONGEST);
        self.tries += 1;
        // A thousand nodes that lost the same server must not come back in the same instant.
        let part = u32::try_from(RandomState::new().hash_one(self.tries) % 512).unwrap_or_default();
        let jittered = longest / 2 + longest / 1024 * part;
        asked.map_or(jittered, |asked| jittered.max(asked))
    }

    /// Begins anew, after something worked.
    pub fn reset(&mut self) {
        self.tries = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_to_a_limit_and_obey_the_server() {
        let mut backoff = Backoff::default();
        for longest in [200, 400, 800, 1600, 3200, 5000, 5000] {
            let pause = backoff.pause(None);
            let longest = Duration::from_millis(longest);
            assert!(pause >= longest / 2 && pause <= longest, "{pause:?} {longest:?}");
        }
        assert_eq!(backoff.pause(Some(Duration::from_secs(9))), Duration::from_secs(9));
        assert_eq!(backoff.pause(Some(Duration::from_hours(1))), Duration::from_hours(1));
        backoff.reset();
        assert!(backoff.pause(None) <= FIRST);
    }
}
