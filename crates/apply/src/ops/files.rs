//! Files, directories and links of which the plan knows everything.

use std::borrow::Cow;
use std::path::Path;

use slipway_host::Host;
use slipway_plan::{Action, Content};

use crate::attempt::Problem;
use crate::tree::{Edit, There, Wanted, look};
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
            let (before, attributes) = match look(host, &edit.path).map_err(|error| at(&edit.path, &error))? {
                There::File { content, attributes, .. } => (content, attributes),
                _ => (Vec::new(), edit.attributes),
            };
            let before = String::from_utf8(before).map_err(|_| {
                Problem::new(edit.path.display().to_string(), "is no text, so no line of it can be changed")
            })?;
            let after = edit.change.apply(&before);
            (&edit.path, Wanted::File { attributes, content: Cow::Owned(after.into_bytes()) }, false)
        }
        _ => return Ok(None),
    };
    Ok(Some(vec![Edit { path: Cow::Borrowed(path), wanted, secret }]))
}
