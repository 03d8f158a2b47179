//! Parts of custom data that the user adds.

use slipway_model::Secret;

use super::record::record;

record! {
    /// A part of custom data that every node gets beside what makes it a node.
    pub struct CustomDataPart {
        /// Its MIME type, such as `text/cloud-config`; may be left out where the first line tells it, such as `#!/bin/sh`.
        content_type: String = "contentType",
        /// The text.
        content: Secret<String> = "content",
    }
}
