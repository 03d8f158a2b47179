//! Files, directories and links of which the plan knows everything.

use std::borrow::Cow;
use std::io;
use std::path::Path;

use slipway_host::{EntryKind, Host};
use slipway_plan::{Action, Change, Content, Edit as PartlyOurs};

use crate::attempt::Problem;
use crate::tree::{Edit, Wanted};
use crate::work::at;

/// What an operation wants at which paths; `None` for operations of other families.
pub(crate) fn edits<'a>(host: &dyn Host, action: &'a Action) -> Result<Option<Vec<Edit<'a>>>, Problem> {
    let (path, wanted, secret): (&Path, _, _) = match action {
        Action::Directory(directory) => (&directory.path, Wanted::Directory(directory.attributes), false),
        Action::Link(link) => (&link.path, Wanted::Link(Cow::Borrowed(&link.target)), false),
        Action::Remove(remove) => (&remove.path, Wanted::Absent, false),
        Action::File(file) => {
            let (text, secret) = match &file.content {
                Content::Plain(text) => (text, false),
                Content::Secret(text) => (text.expose(), true),
            };
            let content = Cow::Borrowed(text.as_bytes());
            (&file.path, Wanted::File { attributes: file.attributes, content }, secret)
        }
        Action::Edit(edit) => {
            let Some(wanted) = edited(host, edit)? else { return Ok(Some(Vec::new())) };
            (&edit.path, wanted, false)
        }
        _ => return Ok(None),
    };
    Ok(Some(vec![Edit { path: Cow::Borrowed(path), wanted, secret }]))
}

/// The file after a change; `None` where there is none and the change needs one.
fn edited<'a>(host: &dyn Host, edit: &PartlyOurs) -> Result<Option<Wanted<'a>>, Problem> {
    let problem = |error| at(&edit.path, &error);
    let entry = host.entry(&edit.path).map_err(problem)?;
    let before = match host.read(&edit.path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        content => Some(content.map_err(problem)?),
    };
    // What a link leads to may be shared with others: the link gives way to a file with the same text.
    let own = entry.filter(|entry| entry.kind == EntryKind::File);
    let attributes = own.filter(|_| !edit.exact).map_or(edit.attributes, |entry| entry.attributes);
    let text = String::from_utf8(before.clone().unwrap_or_default()).map_err(|_| {
        Problem::new(edit.path.display().to_string(), "is no text, so no part of it can be changed")
    })?;
    let after = edit.change.apply(&text);
    if after == text && (own.is_none() && (before.is_some() || edit.change != Change::Present)) {
        return Ok(None);
    }
    Ok(Some(Wanted::File { attributes, content: Cow::Owned(after.into_bytes()) }))
}
