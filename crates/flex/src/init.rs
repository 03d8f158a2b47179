//! A configuration to start from.
