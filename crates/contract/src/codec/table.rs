//! What a message looks like, as data. The tables themselves are generated from `schema/`.

/// A message type: its fields in declaration order, and where each name leads.
#[derive(Debug)]
pub struct MessageTable {
    /// The proto message name.
    pub name: &'static str,
    /// Fields in declaration order, which is also the order of output.
    pub fields: &'static [Field],
    /// Every accepted key (proto name and JSON name) with its field's index, sorted by key.
    pub keys: &'static [(&'static str, u8)],
    /// Keys that earlier versions of the contract had and that are ignored now.
    pub retired: &'static [&'static str],
}

/// One field of a message.
#[derive(Debug)]
pub struct Field {
    /// The proto name (`vm_size`): the name in contract files.
    pub name: &'static str,
    /// The JSON name (`vmSize`): also accepted, and the name in kubelet's configuration file.
    pub json_name: &'static str,
    /// What a value is.
    pub kind: Kind,
    /// How many values there can be, and whether "unset" differs from "zero".
    pub label: Label,
    /// Fields of one message with the same number exclude each other.
    pub oneof: Option<u8>,
    /// What may be shown of the value.
    pub sensitivity: Sensitivity,
    /// What the value has to look like, beyond its type; see the rules of validation.
    pub format: Format,
}

/// The type of a field's value; of the map's values where the field is a map.
#[derive(Debug, Clone, Copy)]
pub enum Kind {
    /// `true` or `false`.
    Bool,
    /// A whole number of 32 bits.
    Int32,
    /// A whole number of 64 bits; written as a string.
    Int64,
    /// A whole number from zero on, 32 bits.
    Uint32,
    /// A whole number from zero on, 64 bits; written as a string.
    Uint64,
    /// A number of 32-bit precision.
    Float,
    /// A number of 64-bit precision.
    Double,
    /// Text.
    String,
    /// Octets, as base64.
    Bytes,
    /// One of a set of names.
    Enum(&'static EnumTable),
    /// Another message.
    Message(&'static MessageTable),
}

/// How often a field occurs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Label {
    /// Once; the zero value and "unset" are the same.
    Singular,
    /// Once; "unset" and the zero value differ.
    Optional,
    /// Any number of times.
    Repeated,
    /// Any number of times, by key.
    Map,
}

/// What may be shown of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sensitivity {
    /// Everything.
    Public,
    /// A URL: its user information and query are hidden.
    Credentials,
    /// Nothing.
    Secret,
}

/// The shape that a text or number has to have to make sense on a node.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Format {
    /// Any value.
    Any,
    /// A named shape, such as `url`.
    Named(&'static str),
    /// One of these words.
    OneOf(&'static [&'static str]),
    /// A number within these bounds, both included.
    Range(i64, i64),
    /// A kernel setting, with the bounds that AKS documents for it.
    Sysctl(i64, i64),
}

/// An enum type.
#[derive(Debug)]
pub struct EnumTable {
    /// The proto enum name.
    pub name: &'static str,
    /// Value names with their numbers, in declaration order.
    pub values: &'static [(&'static str, i32)],
}

impl MessageTable {
    /// The field that a key names; `hint` is the index that is looked at first.
    ///
    /// Documents are usually written in declaration order, so the hint is nearly always right.
    pub fn find(&self, key: &str, hint: usize) -> Option<usize> {
        if let Some(field) = self.fields.get(hint)
            && (field.name == key || field.json_name == key)
        {
            return Some(hint);
        }
        let found = self.keys.binary_search_by(|(name, _)| (*name).cmp(key)).ok()?;
        Some(usize::from(self.keys[found].1))
    }

    /// The field with this proto name.
    pub fn field(&self, name: &str) -> Option<&'static Field> {
        self.fields.iter().find(|field| field.name == name)
    }
}

impl EnumTable {
    /// The number of a value name.
    pub fn number(&self, name: &str) -> Option<i32> {
        self.values.iter().find(|(known, _)| *known == name).map(|(_, number)| *number)
    }

    /// The name of a value number.
    pub fn name_of(&self, number: i32) -> Option<&'static str> {
        self.values.iter().find(|(_, known)| *known == number).map(|(name, _)| *name)
    }
}
