//! One table: what the Node, the machine's resource and the goal together ask for.

/// Whether the Node has the taint by which Azure says that it is to go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    /// It has.
    Deleting,
    /// It has not, or nobody knows.
    None,
}

/// The machine's resource, against what was applied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Resource {
    /// Nobody knows.
    Unknown,
    /// It was never there.
    Unregistered,
    /// It was there, and is not.
    Gone,
    /// It is there, and its goal is applied.
    Applied,
    /// It is there, and its goal is not applied.
    Unapplied,
    /// It is there, and its goal was tried and does not work.
    Failed,
}

impl Resource {
    /// Its word in the status.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Unknown => "unknown",
            Self::Unregistered => "unregistered",
            Self::Gone => "gone",
            Self::Applied => "applied",
            Self::Unapplied => "unapplied",
            Self::Failed => "failed",
        }
    }
}

/// The Node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Member {
    /// Nobody knows.
    Unknown,
    /// It is there.
    There,
    /// It is not there.
    Absent,
}

/// What follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Course {
    /// Nothing: the machine is kept as ever.
    Keep,
    /// Make the goal true; it brings the Node back where that is gone.
    Apply,
    /// Leave the cluster.
    Leave,
    /// Nothing yet: the Node is to go, and its machine is still there.
    AwaitRemoval,
    /// Nothing: the machine is gone and nobody has marked the Node. A Node that is gone, too, is not brought back.
    Ambiguous,
    /// Nothing until the goal changes: it does not work.
    GivenUp,
}

/// What to do. Both the mark and the missing machine are needed to leave: one of them alone may be a mistake.
pub const fn course(mark: Mark, resource: Resource, member: Member) -> Course {
    match (mark, resource, member) {
        (Mark::Deleting, Resource::Gone, Member::There) => Course::Leave,
        (Mark::Deleting, Resource::Applied | Resource::Unapplied | Resource::Failed, Member::There) => {
            Course::AwaitRemoval
        }
        (_, Resource::Gone, _) => Course::Ambiguous,
        (_, Resource::Failed, _) => Course::GivenUp,
        (Mark::None, Resource::Unregistered, _)
        | (_, Resource::Unapplied, Member::There | Member::Absent) => Course::Apply,
        // Without the API server nothing can be upgraded, and no one can see whether the node serves.
        (_, Resource::Unknown | Resource::Unregistered | Resource::Unapplied | Resource::Applied, _) => {
            Course::Keep
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every row of the peer's table, with what it does in words, and the rows that it does not have.
    #[test]
    fn every_row_has_its_course() {
        use Course::{Ambiguous, Apply, AwaitRemoval, GivenUp, Keep, Leave};
        use Member::{Absent, There};
        use Resource::{Applied, Failed, Gone, Unapplied, Unregistered};
        let (yes, no) = (Mark::Deleting, Mark::None);
        let nobody_knows = Member::Unknown;
        let table = [
            // Resets locally, then removes its daemon.
            (yes, Gone, There, Leave),
            // Waits.
            (yes, Applied, There, AwaitRemoval),
            (yes, Unapplied, There, AwaitRemoval),
            (yes, Failed, There, AwaitRemoval),
            // Waits for ever.
            (no, Gone, There, Ambiguous),
            (no, Gone, Absent, Ambiguous),
            (no, Gone, nobody_knows, Ambiguous),
            // Waits for ever, too; here the machine is registered.
            (no, Unregistered, There, Apply),
            (no, Unregistered, Absent, Apply),
            (no, Unregistered, nobody_knows, Apply),
            // Builds the node anew with the goal's version.
            (no, Unapplied, Absent, Apply),
            // Says that it succeeded, and the Node does not come back; here whoever keeps the machine brings it.
            (no, Applied, Absent, Keep),
            // Says that it succeeded.
            (no, Applied, There, Keep),
            // Waits until somebody deletes the Node; here pods are asked to leave.
            (no, Unapplied, There, Apply),
            // What the peer has no rows for.
            (no, Unapplied, nobody_knows, Keep),
            (no, Applied, nobody_knows, Keep),
            (no, Failed, There, GivenUp),
            (no, Failed, Absent, GivenUp),
            (no, Failed, nobody_knows, GivenUp),
            (yes, Unregistered, There, Keep),
            (no, Resource::Unknown, There, Keep),
            (no, Resource::Unknown, Absent, Keep),
            (no, Resource::Unknown, nobody_knows, Keep),
            (yes, Resource::Unknown, There, Keep),
        ];
        for (mark, resource, member, expected) in table {
            assert_eq!(course(mark, resource, member), expected, "{mark:?} {resource:?} {member:?}");
        }
        // A Node that nobody sees has no taint that anybody sees: all other rows are these.
        let rows: std::collections::BTreeSet<String> = table
            .iter()
            .map(|(mark, resource, member, _)| format!("{mark:?}{resource:?}{member:?}"))
            .collect();
        assert_eq!(rows.len(), 6 * 3 + 6, "each row once, and none is missing");
    }
}
