use slipway_model::Attributes;

/// Something that an attempt would change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// The step that would change it.
    pub step: &'static str,
    /// A path, a unit, a kernel setting.
    pub what: String,
    /// What is there.
    pub before: Side,
    /// What would be there.
    pub after: Side,
}

/// One side of a difference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Side {
    /// Nothing.
    Absent,
    /// A file that anyone may see.
    Text {
        /// Its content; what is not UTF-8 is replaced.
        text: String,
        /// Its mode and owner.
        attributes: Attributes,
    },
    /// A file whose content is not to be seen.
    Masked {
        /// Its mode and owner.
        attributes: Attributes,
    },
    /// A link.
    Link(String),
    /// A directory.
    Directory(Attributes),
    /// A value, a state: whatever is told in a word.
    Word(String),
}
