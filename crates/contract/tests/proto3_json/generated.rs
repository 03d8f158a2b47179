// Generated from the tables in schema/ by `cargo schema`. Do not edit.

use std::collections::BTreeMap;

use slipway_contract::codec::{
    Bytes, Decoder, EnumTable, EnumValue, Field, Format, Kind, Label, Message, MessageTable, Refused,
    Sensitivity, View,
};

/// `Msg`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Msg {
    /// test field.
    pub version: String,
    /// test field.
    pub flag: Option<bool>,
    /// test field.
    pub big: i64,
    /// test field.
    pub blob: Bytes,
    /// test field.
    pub color: Color,
    /// test field.
    pub opt_color: Option<Color>,
    /// test field.
    pub colors: Vec<Color>,
    /// test field.
    pub color_map: BTreeMap<String, Color>,
    /// test field.
    pub a_str: Option<String>,
    /// test field.
    pub b_int: Option<i32>,
    /// test field.
    pub c_msg: Option<Box<Inner>>,
    /// test field.
    pub inner: Option<Box<Inner>>,
    /// test field.
    pub names: Vec<String>,
    /// test field.
    pub labels: BTreeMap<String, String>,
    /// test field.
    pub opt_i: Option<i32>,
    /// test field.
    pub dbl: Option<f64>,
    /// test field.
    pub u32: u32,
    /// test field.
    pub u64: u64,
    /// test field.
    pub flt: f32,
    /// test field.
    pub ints: Vec<i32>,
    /// test field.
    pub int_map: BTreeMap<i32, String>,
    /// test field.
    pub bool_map: BTreeMap<bool, String>,
    /// test field.
    pub msg_map: BTreeMap<String, Inner>,
    /// test field.
    pub inners: Vec<Inner>,
    /// test field.
    pub plain_bool: bool,
}

static MSG: MessageTable = MessageTable {
    name: "Msg",
    fields: &[
        Field { name: "version", json_name: "version", kind: Kind::String, label: Label::Singular, oneof: None, sensitivity: Sensitivity::Public, format: Format::Any },
        Field { name: "flag", json_name: "flag", kind: Kind::Bool, label: Label::Optional, oneof: None, sensitivity: Sensitivity::Public, format: Format::Any },
        Field { name: "big", json_name: "big", kind: Kind::Int64, label: Label::Singular, oneof: None, sensitivity: Sensitivity::Public, format: Format::Any },
        Field { name: "blob", json_name: "blob", kind: Kind::Bytes, label: Label::Singular, oneof: None, sensitivity: Sensitivity::Public, format: Format::Any },
        Field { name: "color", json_name: "color", kind: Kind::Enum(Color::TABLE), label: Label::Singular, oneof: None, sensitivity: Sensitivity::Public, format: Format::Any },
        Field { name: "opt_color", json_name: "optColor", kind: Kind::Enum(Color::TABLE), label: Label::Optional, oneof: None, sensitivity: Sensitivity::Public, format: Format::Any },
        Field { name: "colors", json_name: "colors", kind: Kind::Enum(Color::TABLE), label: Label::Repeated, oneof: None, sensitivity: Sensitivity::Public, format: Format::Any },
        Field { name: "color_map", json_name: "colorMap", kind: Kind::Enum(Color::TABLE), label: Label::Map, oneof: None, sensitivity: Sensitivity::Public, format: Format::Any },
        Field { name: "a_str", json_name: "aStr", kind: Kind::String, label: Label::Optional, oneof: Some(0), sensitivity: Sensitivity::Public, format: Format::Any },
        Field { name: "b_int", json_name: "bInt", kind: Kind::Int32, label: Label::Optional, oneof: Some(0), sensitivity: Sensitivity::Public, format: Format::Any },
        Field { name: "c_msg", json_name: "cMsg", kind: Kind::Message(&INNER), label: Label::Optional, oneof: Some(0), sensitivity: Sensitivity::Public, format: Format::Any },
        Field { name: "inner", json_name: "inner", kind: Kind::Message(&INNER), label: Label::Singular, oneof: None, sensitivity: Sensitivity::Public, format: Format::Any },
        Field { name: "names", json_name: "names", kind: Kind::String, label: Label::Repeated, oneof: None, sensitivity: Sensitivity::Public, format: Format::Any },
        Field { name: "labels", json_name: "labels", kind: Kind::String, label: Label::Map, oneof: None, sensitivity: Sensitivity::Public, format: Format::Any },
        Field { name: "opt_i", json_name: "optI", kind: Kind::Int32, label: Label::Optional, oneof: None, sensitivity: Sensitivity::Public, format: Format::Any },
        Field { name: "dbl", json_name: "dbl", kind: Kind::Double, label: Label::Optional, oneof: None, sensitivity: Sensitivity::Public, format: Format::Any },
        Field { name: "u32", json_name: "u32", kind: Kind::Uint32, label: Label::Singular, oneof: None, sensitivity: Sensitivity::Public, format: Format::Any },
        Field { name: "u64", json_name: "u64", kind: Kind::Uint64, label: Label::Singular, oneof: None, sensitivity: Sensitivity::Public, format: Format::Any },
        Field { name: "flt", json_name: "flt", kind: Kind::Float, label: Label::Singular, oneof: None, sensitivity: Sensitivity::Public, format: Format::Any },
        Field { name: "ints", json_name: "ints", kind: Kind::Int32, label: Label::Repeated, oneof: None, sensitivity: Sensitivity::Public, format: Format::Any },
        Field { name: "int_map", json_name: "intMap", kind: Kind::String, label: Label::Map, oneof: None, sensitivity: Sensitivity::Public, format: Format::Any },
        Field { name: "bool_map", json_name: "boolMap", kind: Kind::String, label: Label::Map, oneof: None, sensitivity: Sensitivity::Public, format: Format::Any },
        Field { name: "msg_map", json_name: "msgMap", kind: Kind::Message(&INNER), label: Label::Map, oneof: None, sensitivity: Sensitivity::Public, format: Format::Any },
        Field { name: "inners", json_name: "inners", kind: Kind::Message(&INNER), label: Label::Repeated, oneof: None, sensitivity: Sensitivity::Public, format: Format::Any },
        Field { name: "plain_bool", json_name: "plainBool", kind: Kind::Bool, label: Label::Singular, oneof: None, sensitivity: Sensitivity::Public, format: Format::Any },
    ],
    keys: &[("aStr", 8), ("a_str", 8), ("bInt", 9), ("b_int", 9), ("big", 2), ("blob", 3), ("boolMap", 21), ("bool_map", 21), ("cMsg", 10), ("c_msg", 10), ("color", 4), ("colorMap", 7), ("color_map", 7), ("colors", 6), ("dbl", 15), ("flag", 1), ("flt", 18), ("inner", 11), ("inners", 23), ("intMap", 20), ("int_map", 20), ("ints", 19), ("labels", 13), ("msgMap", 22), ("msg_map", 22), ("names", 12), ("optColor", 5), ("optI", 14), ("opt_color", 5), ("opt_i", 14), ("plainBool", 24), ("plain_bool", 24), ("u32", 16), ("u64", 17), ("version", 0)],
    retired: &[],
};

impl Message for Msg {
    fn table(&self) -> &'static MessageTable { &MSG }
    fn read_field(&mut self, index: usize, decoder: &mut Decoder<'_>) -> Result<(), Refused> {
        match index {
            0 => decoder.singular(&mut self.version),
            1 => decoder.optional(&mut self.flag),
            2 => decoder.singular(&mut self.big),
            3 => decoder.singular(&mut self.blob),
            4 => decoder.singular(&mut self.color),
            5 => decoder.optional(&mut self.opt_color),
            6 => decoder.list(&mut self.colors),
            7 => decoder.map(&mut self.color_map),
            8 => decoder.optional(&mut self.a_str),
            9 => decoder.optional(&mut self.b_int),
            10 => decoder.boxed(&mut self.c_msg),
            11 => decoder.boxed(&mut self.inner),
            12 => decoder.list(&mut self.names),
            13 => decoder.map(&mut self.labels),
            14 => decoder.optional(&mut self.opt_i),
            15 => decoder.optional(&mut self.dbl),
            16 => decoder.singular(&mut self.u32),
            17 => decoder.singular(&mut self.u64),
            18 => decoder.singular(&mut self.flt),
            19 => decoder.list(&mut self.ints),
            20 => decoder.map(&mut self.int_map),
            21 => decoder.map(&mut self.bool_map),
            22 => decoder.map(&mut self.msg_map),
            23 => decoder.list(&mut self.inners),
            24 => decoder.singular(&mut self.plain_bool),
            _ => Ok(()),
        }
    }
    fn view(&self, index: usize) -> View<'_> {
        match index {
            0 => View::singular(&self.version),
            1 => View::optional(self.flag.as_ref()),
            2 => View::singular(&self.big),
            3 => View::singular(&self.blob),
            4 => View::singular(&self.color),
            5 => View::optional(self.opt_color.as_ref()),
            6 => View::list(&self.colors),
            7 => View::map(&self.color_map),
            8 => View::optional(self.a_str.as_ref()),
            9 => View::optional(self.b_int.as_ref()),
            10 => View::optional(self.c_msg.as_deref()),
            11 => View::optional(self.inner.as_deref()),
            12 => View::list(&self.names),
            13 => View::map(&self.labels),
            14 => View::optional(self.opt_i.as_ref()),
            15 => View::optional(self.dbl.as_ref()),
            16 => View::singular(&self.u32),
            17 => View::singular(&self.u64),
            18 => View::singular(&self.flt),
            19 => View::list(&self.ints),
            20 => View::map(&self.int_map),
            21 => View::map(&self.bool_map),
            22 => View::map(&self.msg_map),
            23 => View::list(&self.inners),
            24 => View::singular(&self.plain_bool),
            _ => View::Absent,
        }
    }
}

/// `Inner`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Inner {
    /// test field.
    pub name: String,
    /// test field.
    pub count: i32,
    /// test field.
    pub inner: Option<Box<Inner>>,
    /// test field.
    pub tags: Vec<String>,
}

static INNER: MessageTable = MessageTable {
    name: "Inner",
    fields: &[
        Field { name: "name", json_name: "name", kind: Kind::String, label: Label::Singular, oneof: None, sensitivity: Sensitivity::Public, format: Format::Any },
        Field { name: "count", json_name: "count", kind: Kind::Int32, label: Label::Singular, oneof: None, sensitivity: Sensitivity::Public, format: Format::Any },
        Field { name: "inner", json_name: "inner", kind: Kind::Message(&INNER), label: Label::Singular, oneof: None, sensitivity: Sensitivity::Public, format: Format::Any },
        Field { name: "tags", json_name: "tags", kind: Kind::String, label: Label::Repeated, oneof: None, sensitivity: Sensitivity::Public, format: Format::Any },
    ],
    keys: &[("count", 1), ("inner", 2), ("name", 0), ("tags", 3)],
    retired: &[],
};

impl Message for Inner {
    fn table(&self) -> &'static MessageTable { &INNER }
    fn read_field(&mut self, index: usize, decoder: &mut Decoder<'_>) -> Result<(), Refused> {
        match index {
            0 => decoder.singular(&mut self.name),
            1 => decoder.singular(&mut self.count),
            2 => decoder.boxed(&mut self.inner),
            3 => decoder.list(&mut self.tags),
            _ => Ok(()),
        }
    }
    fn view(&self, index: usize) -> View<'_> {
        match index {
            0 => View::singular(&self.name),
            1 => View::singular(&self.count),
            2 => View::optional(self.inner.as_deref()),
            3 => View::list(&self.tags),
            _ => View::Absent,
        }
    }
}

/// `Color`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Color {
    /// `UNSPECIFIED`.
    #[default]
    Unspecified,
    /// `COLOR_RED`.
    Red,
    /// `COLOR_BLUE`.
    Blue,
    /// A number that this version of the contract has no name for.
    Unknown(i32),
}

impl EnumValue for Color {
    const TABLE: &'static EnumTable = &EnumTable { name: "Color", values: &[("UNSPECIFIED", 0), ("COLOR_RED", 1), ("COLOR_BLUE", 2)] };
    fn from_number(number: i32) -> Self {
        match number {
            0 => Self::Unspecified,
            1 => Self::Red,
            2 => Self::Blue,
            other => Self::Unknown(other),
        }
    }
    fn number(self) -> i32 {
        match self {
            Self::Unspecified => 0,
            Self::Red => 1,
            Self::Blue => 2,
            Self::Unknown(number) => number,
        }
    }
}

slipway_contract::enum_value!(Color);

