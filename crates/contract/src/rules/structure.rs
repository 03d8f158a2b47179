//! What the decoder reports. The rules stand here so that every reason an issue can carry is in one table.

use super::rules;

rules! {
    SYNTAX: Error "syntax",
    summary: "A contract is one JSON object in UTF-8, with nothing after it.",
    reason: "Reading ends at the first syntax error, so everything behind it is missing on the node.",
    good: r#"{"version": "v1"}"#,
    bad: r#"{"version": "v1",}"#;

    WRONG_TYPE: Error "wrong-type",
    summary: "A value has the type of its field.",
    reason: "Slipway skips the one value. The AKS node controller stops there and provisions the node from \
             what came before it.",
    good: r#"{"is_vhd": true}"#,
    bad: r#"{"is_vhd": "true"}"#;

    UNKNOWN_FIELD: Warning "unknown-field",
    summary: "Every key is a field of the contract, by its proto name or its JSON name.",
    reason: "An unknown key is ignored: a misspelt setting looks set and is not. Keys of newer contracts are \
             ignored in the same way. Keys that start with `//` are comments.",
    good: r#"{"//": "a comment", "vmSize": "Standard_D4s_v5"}"#,
    bad: r#"{"vmsize": "Standard_D4s_v5"}"#;

    UNKNOWN_ENUM_VALUE: Warning "unknown-enum-value",
    summary: "An enum's value is one of its names, or the number of one.",
    reason: "A name that is not known is ignored, and the field stays unset.",
    good: r#"{"cluster_config": {"vm_type": "VM_TYPE_VMSS"}}"#,
    bad: r#"{"cluster_config": {"vm_type": "VM_TYPE_VMS"}}"#;

    DUPLICATE_FIELD: Error "duplicate-field",
    summary: "A field is set once; its proto name and its JSON name are the same field.",
    reason: "Slipway keeps the first value. The AKS node controller stops at the second.",
    good: r#"{"vm_size": "Standard_D4s_v5"}"#,
    bad: r#"{"vm_size": "Standard_D4s_v5", "vmSize": "Standard_D8s_v5"}"#;

    DUPLICATE_KEY: Error "duplicate-key",
    summary: "A map has each key once.",
    reason: "Slipway keeps the first value. The AKS node controller stops at the second.",
    good: r#"{"enabled_features": {"A": "1", "B": "2"}}"#,
    bad: r#"{"enabled_features": {"A": "1", "A": "2"}}"#;

    INVALID_KEY: Error "invalid-key",
    summary: "A map's keys have the type that the map is keyed by.",
    reason: "The entry cannot be kept. All maps of today's contract are keyed by text, so this is for messages \
             of other schemas that the codec reads.",
    good: r#"{"enabled_features": {"A": "1"}}"#,
    bad: "";

    EXCLUDED_FIELD: Error "excluded-field",
    summary: "Of fields that exclude each other, one is set.",
    reason: "Only the first can be kept. Today's contract has no such fields, so this is for messages of other \
             schemas that the codec reads.",
    good: r#"{"version": "v1"}"#,
    bad: "";

    NULL_IGNORED: Note "null-ignored",
    summary: "A field that is not wanted is left out.",
    reason: "`null` means unset: the node uses its default. Inside lists and maps `null` is an error.",
    good: r#"{"version": "v1"}"#,
    bad: r#"{"version": "v1", "is_vhd": null}"#;

    TOO_MANY_ISSUES: Error "too-many-issues",
    summary: "A contract has at most a thousand issues of its text and a thousand of its meaning.",
    reason: "A file with more is not a contract; the rest is not listed.",
    good: r#"{"version": "v1"}"#,
    bad: "";
}
