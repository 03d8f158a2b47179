//! One file for each group of commands.

pub(crate) mod anatomy;
pub(crate) mod boot;
pub(crate) mod collect;
pub(crate) mod config;
pub(crate) mod custom_data;
pub(crate) mod diff;
pub(crate) mod doctor;
pub(crate) mod env;
pub(crate) mod explain;
pub(crate) mod facts;
pub(crate) mod findings;
pub(crate) mod flex;
pub(crate) mod launch;
pub(crate) mod new;
pub(crate) mod plan;
pub(crate) mod provision;
pub(crate) mod reset;
pub(crate) mod result;
pub(crate) mod status;
pub(crate) mod try_it;
