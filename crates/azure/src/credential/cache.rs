use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use slipway_fetch::Patience;

use super::{AccessToken, Scope, TokenError, TokenSource};

/// How long before its end a token counts as ended: the work that it is for takes a while.
const MARGIN: Duration = Duration::from_mins(5);

/// A source that is asked again only when what it gave is about to end.
pub struct Cached<S> {
    source: S,
    kept: Mutex<BTreeMap<Scope, Kept>>,
}

struct Kept {
    token: AccessToken,
    /// By the clock that nobody sets: a machine's clock may jump back over a token's end.
    until: Option<Instant>,
}

impl<S: TokenSource> Cached<S> {
    /// Puts a memory before a source.
    pub fn new(source: S) -> Self {
        Self { source, kept: Mutex::default() }
    }
}

impl<S: TokenSource> TokenSource for Cached<S> {
    fn token(&self, scope: &Scope, patience: Patience<'_>) -> Result<AccessToken, TokenError> {
        // Held while asking: those who come meanwhile would ask for the same.
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = kept.get(scope)
            && found.token.lasts(MARGIN)
            && found.until.is_some_and(|until| until > Instant::now())
        {
            return Ok(found.token.clone());
        }
        let token = self.source.token(scope, patience)?;
        let until = Instant::now().checked_add(token.left().saturating_sub(MARGIN));
        kept.insert(scope.clone(), Kept { token: token.clone(), until });
        Ok(token)
    }

    fn forget(&self) {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).clear();
        self.source.forget();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use slipway_model::Secret;

    use super::super::token::now;
    use super::*;

    /// Gives tokens that are numbered and end after so many seconds.
    struct Counting(AtomicU64, u64);

    impl TokenSource for Counting {
        fn token(&self, _: &Scope, _: Patience<'_>) -> Result<AccessToken, TokenError> {
            let number = self.0.fetch_add(1, Ordering::Relaxed);
            Ok(AccessToken::new(Secret::new(format!("t{number}")), now() + self.1).unwrap())
        }
    }

    #[test]
    fn a_token_is_asked_for_once_until_five_minutes_before_its_end() {
        let never = || false;
        let patience = Patience::new(Instant::now() + Duration::from_secs(5), &never);
        for (lifetime, expected) in [(3600, "t0"), (310, "t0"), (299, "t1"), (0, "t1")] {
            let cached = Cached::new(Counting(AtomicU64::new(0), lifetime));
            let scope = Scope::of("a");
            cached.token(&scope, patience).unwrap();
            assert_eq!(cached.token(&scope, patience).unwrap().secret().expose(), expected, "{lifetime}");
        }
        let cached = Cached::new(Counting(AtomicU64::new(0), 3600));
        cached.token(&Scope::of("a"), patience).unwrap();
        assert_eq!(cached.token(&Scope::of("b"), patience).unwrap().secret().expose(), "t1");
        cached.forget();
        assert_eq!(cached.token(&Scope::of("a"), patience).unwrap().secret().expose(), "t2");
    }
}
