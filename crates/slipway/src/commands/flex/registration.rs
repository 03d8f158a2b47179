//! The machine in its agent pool: made known there, and told what its owner changed.

use std::time::{Duration, Instant};

use slipway_azure::arm::{ArmError, MachineWish, ResourceId};
use slipway_fetch::Patience;
use slipway_flex::FlexConfig;
use slipway_flex::goal::{Record as GoalRecord, Wanted};
use slipway_host::{Host, os_text};

use super::{goal, identity, onboarding};
use crate::failure::Failure;
use crate::native::progress::Told;
use crate::screen::Screen;

/// What registering takes.
pub(super) const REGISTERING: &str = "Microsoft.ContainerService/managedClusters/agentPools/machines/write";
const WITHIN: Duration = Duration::from_mins(10);

/// The machine in its agent pool.
pub(super) fn pool_machine(config: &FlexConfig) -> Result<ResourceId, Failure> {
    let pool = identity::cluster(config)?.child("agentPools", &config.agent_pool);
    Ok(pool.child("machines", &config.agent.node_name))
}

/// Makes the machine known in its agent pool, where that is configured, and tells Azure what its owner has changed since.
pub(super) fn register(
    config: &FlexConfig,
    said: &MachineWish,
    host: &dyn Host,
    told: Told,
    screen: &Screen,
    stop: &dyn Fn() -> bool,
) -> Result<(), Failure> {
    let mut goals = goal::record(host)?;
    if !config.registers() || !has_news(&goals, config, said) {
        return Ok(());
    }
    let patience = Patience::new(Instant::now() + WITHIN, stop);
    let id = pool_machine(config)?;
    let arm = identity::own_arm(config, host)?;
    let mut record = onboarding::record(host)?;
    let registered = arm.pool_machine(&id, patience).and_then(|machine| {
        if machine.is_none() {
            record.pool_machine = Some(id.to_string());
            onboarding::keep(host, &record).map_err(|error| ArmError::Unreadable {
                action: REGISTERING,
                resource: id.to_string(),
                problem: format!("it cannot be recorded: {}", os_text(&error)),
            })?;
        }
        told.remark(&format!("azure: this machine is {id}"));
        let goal = config.pool_machine();
        match (machine, &goals.applied) {
            // Whoever comes first says only which version it has; what is known already is told what changed.
            (_, None) | (None, _) => arm.ensure_pool_machine(&id, &goal, patience).map(Some),
            (Some(machine), Some(applied)) if machine.settings_version == applied.settings_version => {
                arm.put_pool_machine(&id, &goal, patience).map(Some)
            }
            // Azure wants something else since: that comes first.
            (Some(_), Some(_)) => Ok(None),
        }
    });
    match registered {
        Ok(None) => Ok(()),
        Ok(Some(machine)) => {
            // At a join the configuration counts, whatever Azure says besides the version.
            let known = Wanted { wish: config.wish(), ..machine.into() };
            goals.apply(known, said.clone());
            goal::keep(host, &goals)
        }
        Err(error) if config.agent.require_registration => Err(identity::unasked(&error)),
        Err(error) => {
            screen.warning(format_args!("the machine is not known in its agent pool: {error}"));
            Ok(())
        }
    }
}

/// Whether Azure is to be told something: that the machine is there, or what its owner has changed.
fn has_news(goals: &GoalRecord, config: &FlexConfig, said: &MachineWish) -> bool {
    let version = config.versions.kubernetes.as_deref().unwrap_or_default();
    match (&goals.pending, &goals.applied) {
        (Some(_), _) => false,
        (None, None) => true,
        (None, Some(applied)) => goals.base != *said || !applied.is_version(version),
    }
}
