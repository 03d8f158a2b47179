//! One file for each group of commands.

pub(crate) mod boot;
pub(crate) mod config;
pub(crate) mod custom_data;
pub(crate) mod env;
pub(crate) mod explain;
pub(crate) mod new;
pub(crate) mod plan;
pub(crate) mod provision;
pub(crate) mod result;
