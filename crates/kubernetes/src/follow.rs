//! Following one object: a list, then a watch from there, and again from the list when the watch ends.

use std::time::Duration;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use slipway_fetch::{Backoff, Impatience, Patience, Response};

use crate::server::{escaped, pause, retrying, stopped};
use crate::{ApiError, ApiServer};

/// How long a watch goes on before the object is listed again. Load balancers drop idle connections without a word.
const WATCH_FOR: u64 = 30;
/// How much longer than that the server may take to end it.
const GRACE: Duration = Duration::from_secs(5);
const LONGEST_EVENT: usize = 4 * 1024 * 1024;
const GONE: u16 = 410;

/// An object of a collection.
pub(crate) struct Place<'a> {
    /// The path of the collection.
    pub(crate) collection: &'a str,
    /// The object's name.
    pub(crate) name: &'a str,
}

#[derive(Deserialize)]
struct List<T> {
    metadata: Metadata,
    // An empty list may be null.
    items: Option<Vec<T>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Metadata {
    resource_version: String,
}

#[derive(Deserialize)]
struct Event<'a> {
    #[serde(rename = "type")]
    kind: String,
    #[serde(borrow)]
    object: &'a RawValue,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Status {
    code: u16,
    message: String,
}

/// How following ended without what was waited for.
pub(crate) enum Unfollowed {
    /// The time ran out; the last failure, if there was one since the last answer.
    Late(Option<ApiError>),
    /// It makes no sense to go on.
    Failed(ApiError),
}

impl ApiServer {
    /// Shows each state of an object to `judge` until it has decided. `None` is an object that does not exist.
    /// With `since` the state of that version is known already.
    pub(crate) fn follow<T: DeserializeOwned, R>(
        &self,
        place: &Place<'_>,
        mut since: Option<String>,
        patience: Patience<'_>,
        mut judge: impl FnMut(Option<T>) -> Option<R>,
    ) -> Result<R, Unfollowed> {
        let mut backoff = Backoff::default();
        loop {
            let ended = match self.follow_once(place, since.take(), patience, &mut judge) {
                Ok(Some(result)) => return Ok(result),
                Ok(None) => None,
                Err(error) if error.has_status(GONE) => None,
                Err(error) if error.is_transient() => Some(error),
                Err(error) => return Err(Unfollowed::Failed(error)),
            };
            let late = match ended {
                Some(error) => pause(patience, &mut backoff, error).err().map(Some),
                None => match patience.sleep(Backoff::default().pause(None)) {
                    Ok(()) => None,
                    Err(Impatience::Late) => Some(None),
                    Err(Impatience::Stopped) => Some(Some(stopped())),
                },
            };
            match late {
                None => {}
                Some(Some(error)) if error.is_stop() => return Err(Unfollowed::Failed(error)),
                // That a watch was cut off by the deadline is no news.
                Some(last) => return Err(Unfollowed::Late(last.filter(|error| !error.is_late()))),
            }
        }
    }

    fn follow_once<T: DeserializeOwned, R>(
        &self,
        place: &Place<'_>,
        since: Option<String>,
        patience: Patience<'_>,
        judge: &mut impl FnMut(Option<T>) -> Option<R>,
    ) -> Result<Option<R>, ApiError> {
        let selected = format!("{}?fieldSelector=metadata.name%3D{}", place.collection, escaped(place.name));
        let version = if let Some(version) = since {
            version
        } else {
            let list: List<T> = retrying(patience, || self.get(&selected, patience))?;
            if let Some(result) = judge(list.items.unwrap_or_default().pop()) {
                return Ok(Some(result));
            }
            list.metadata.resource_version
        };
        let path = format!("{selected}&watch=true&resourceVersion={version}&timeoutSeconds={WATCH_FOR}");
        let patience = patience.at_most(Duration::from_secs(WATCH_FOR) + GRACE);
        let mut lines =
            Lines { answer: self.ask("GET", &path, &[], patience)?, pending: Vec::new(), read: 0 };
        while let Some(line) = lines.next(self)? {
            let event: Event<'_> = serde_json::from_slice(line).map_err(|error| self.unreadable(&error))?;
            let object = match event.kind.as_str() {
                "ADDED" | "MODIFIED" => {
                    Some(serde_json::from_str(event.object.get()).map_err(|error| self.unreadable(&error))?)
                }
                "DELETED" => None,
                "ERROR" => return Err(self.watch_error(event.object)),
                _ => continue,
            };
            if let Some(result) = judge(object) {
                return Ok(Some(result));
            }
        }
        Ok(None)
    }

    fn watch_error(&self, object: &RawValue) -> ApiError {
        let Status { code, message } = serde_json::from_str(object.get()).unwrap_or_default();
        // A watch that fails without a code is begun again like one that broke.
        let status = if code == 0 { 500 } else { code };
        ApiError::Status { server: self.name(), status, message, retry_after: None }
    }
}

/// The lines of an answer, as they arrive.
struct Lines<'p> {
    answer: Response<'p>,
    pending: Vec<u8>,
    /// How much of `pending` was given out.
    read: usize,
}

impl Lines<'_> {
    fn next(&mut self, server: &ApiServer) -> Result<Option<&[u8]>, ApiError> {
        self.pending.drain(..self.read);
        self.read = 0;
        let mut searched = 0;
        loop {
            if let Some(end) = self.pending[searched..].iter().position(|byte| *byte == b'\n') {
                self.read = searched + end + 1;
                return Ok(Some(&self.pending[..self.read]));
            }
            searched = self.pending.len();
            if searched > LONGEST_EVENT {
                return Err(server.unreadable(&"an event of a watch does not end"));
            }
            let mut piece = [0; 16 * 1024];
            let length = self.answer.read(&mut piece)?;
            if length == 0 {
                return Ok(None);
            }
            self.pending.extend_from_slice(&piece[..length]);
        }
    }
}
