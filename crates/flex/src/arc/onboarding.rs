//! A machine becomes known to Azure Arc, and its identity gets its roles.

use std::io;
use std::time::Duration;

use slipway_azure::arm::{Arm, Assigned, ResourceId, Role, RoleAssignment};
use slipway_azure::credential::{RunProgram, Scope, TokenSource};
use slipway_fetch::Patience;

use super::{Agent, ArcError, ArcRecord, Connection, MadeAssignment, Move, next};

/// Between two looks whether somebody has assigned the roles.
const LOOK_EVERY: Duration = Duration::from_secs(10);

/// The roles that the machine's identity is to have, and who sees to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RoleWish {
    /// Where, and which.
    pub roles: Vec<(ResourceId, Role)>,
    /// Whether we assign those that are missing; otherwise somebody else does, and is waited for.
    pub assign: bool,
}

impl RoleWish {
    /// What a node needs that joins with what its pool tells it, and no more.
    pub fn least(pool: &ResourceId) -> Self {
        Self { roles: vec![(pool.clone(), Role::FLEX_NODE_AGENT)], assign: true }
    }

    /// What a node needs that shows the machine's own identity to the API server. Azure has no smaller role for it.
    pub fn member(cluster: &ResourceId) -> Self {
        Self { roles: vec![(cluster.clone(), Role::RBAC_CLUSTER_ADMIN)], assign: true }
    }

    /// Nothing that we see to.
    pub fn none() -> Self {
        Self { roles: Vec::new(), assign: false }
    }

    /// What the Go program's first version gave: the cluster's administrator.
    pub fn administrator(cluster: &ResourceId) -> Self {
        let roles = [Role::READER, Role::RBAC_CLUSTER_ADMIN, Role::CLUSTER_ADMIN];
        Self { roles: roles.map(|role| (cluster.clone(), role)).to_vec(), assign: true }
    }
}

/// All that is needed to make a machine known.
pub struct Onboarding<'a, P> {
    /// Azure, as whoever may connect machines and assign roles.
    pub arm: &'a Arm,
    /// The agent on the machine.
    pub agent: &'a Agent<P>,
    /// The same person as `arm`, for the agent's own token.
    pub tokens: &'a dyn TokenSource,
    /// The scope of that token.
    pub scope: &'a Scope,
    /// What the machine is to be.
    pub connection: &'a Connection,
    /// What its identity is to be allowed.
    pub wish: &'a RoleWish,
}

impl<P: RunProgram> Onboarding<'_, P> {
    /// Does what is left to do, and returns the object id of the machine's identity. What we are about to make is in
    /// the record, and `remember` has written it down, before it is made.
    pub fn run(
        &self,
        record: &mut ArcRecord,
        mut remember: impl FnMut(&ArcRecord) -> io::Result<()>,
        patience: Patience<'_>,
    ) -> Result<String, ArcError> {
        let wanted = &self.connection.machine;
        let machine = self.arm.arc_machine(wanted, patience)?;
        let agent = self.agent.state()?;
        let step = next(wanted, machine.as_ref(), &agent, record.made(wanted))?;
        if step == Move::ConnectAgain {
            self.arm.remove_arc_machine(wanted, patience)?;
        }
        if step != Move::Use {
            let token = self.tokens.token(self.scope, patience)?;
            record.machine = Some(wanted.to_string());
            remember(record).map_err(ArcError::Record)?;
            if let Err(error) = self.agent.connect(self.connection, &token) {
                self.forget_unmade(record, &mut remember, patience);
                return Err(error.into());
            }
        }
        let principal = match machine.and_then(|machine| machine.principal) {
            Some(principal) if step == Move::Use => principal,
            _ => self.arm.arc_principal(wanted, patience)?,
        };
        let wishes: Vec<_> = self
            .wish
            .roles
            .iter()
            .map(|(scope, role)| RoleAssignment {
                scope: scope.clone(),
                principal: principal.clone(),
                role: *role,
            })
            .collect();
        if self.wish.assign {
            self.assign(&wishes, record, &mut remember, patience)?;
        } else {
            self.await_roles(&wishes, patience)?;
        }
        Ok(principal)
    }

    /// A connection that failed before there was anything is not ours: whoever makes it afterwards keeps it. What cannot be
    /// asked about stays on record, since the agent may have made it.
    fn forget_unmade(
        &self,
        record: &mut ArcRecord,
        remember: &mut impl FnMut(&ArcRecord) -> io::Result<()>,
        patience: Patience<'_>,
    ) {
        if matches!(self.arm.arc_machine(&self.connection.machine, patience), Ok(None)) {
            let made = record.machine.take();
            if remember(record).is_err() {
                record.machine = made;
            }
        }
    }

    fn assign(
        &self,
        wishes: &[RoleAssignment],
        record: &mut ArcRecord,
        remember: &mut impl FnMut(&ArcRecord) -> io::Result<()>,
        patience: Patience<'_>,
    ) -> Result<(), ArcError> {
        for wish in self.missing(wishes, patience)? {
            let made = MadeAssignment { scope: wish.scope.to_string(), name: wish.name() };
            if !record.assignments.contains(&made) {
                record.assignments.push(made.clone());
                remember(record).map_err(ArcError::Record)?;
            }
            if self.arm.assign(wish, patience)? == Assigned::ByOthers {
                record.assignments.retain(|other| *other != made);
                remember(record).map_err(ArcError::Record)?;
            }
        }
        Ok(())
    }

    fn await_roles(&self, wishes: &[RoleAssignment], patience: Patience<'_>) -> Result<(), ArcError> {
        loop {
            let missing = self.missing(wishes, patience)?;
            if missing.is_empty() {
                return Ok(());
            }
            if patience.sleep(LOOK_EVERY).is_err() {
                let said = |wish: &&RoleAssignment| format!("{} at {}", wish.role.name, wish.scope);
                return Err(ArcError::RolesMissing(missing.iter().map(said).collect()));
            }
        }
    }

    /// The wishes that are not fulfilled; each scope is listed once.
    fn missing<'w>(
        &self,
        wishes: &'w [RoleAssignment],
        patience: Patience<'_>,
    ) -> Result<Vec<&'w RoleAssignment>, ArcError> {
        let mut missing = Vec::new();
        for group in wishes.chunk_by(|one, other| one.scope == other.scope) {
            let found = self.arm.assigned(&group[0].scope, group, patience)?;
            missing
                .extend(group.iter().zip(found).filter(|(_, found)| found.is_none()).map(|(wish, _)| wish));
        }
        Ok(missing)
    }
}
