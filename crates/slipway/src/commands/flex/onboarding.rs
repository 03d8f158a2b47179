//! What joining takes in Azure: looked at, shown, done, recorded, and taken back.

use std::env;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use slipway_apply::{keep_note, note};
use slipway_azure::arm::{Arm, ArmError, PermissionScope, ResourceId};
use slipway_azure::credential::{KEY_DIRECTORY, Scope};
use slipway_fetch::Patience;
use slipway_flex::FlexConfig;
use slipway_flex::arc::{
    Agent, AgentState, ArcError, ArcRecord, Conflict, Connection, Onboarding, RoleWish, next, remove,
};
use slipway_flex::config::Identity;
use slipway_flex::identity::Installed;
use slipway_flex::preflight::{ArcSeen, Unknown, Unpermitted};
use slipway_host::{Host, os_text};
use slipway_model::Secret;

use super::operator::{Operator, operator};
use super::preflight::unknown;
use super::registration::{REGISTERING, pool_machine};
use super::{identity, settled, tokens};
use crate::failure::Failure;
use crate::native::progress::Told;
use crate::screen::Screen;

/// The record of what we made in Azure, beside the records of what was done to the machine.
const NOTE: &str = "azure.json";
const LOOK_WITHIN: Duration = Duration::from_mins(1);
const WITHIN: Duration = Duration::from_mins(10);
const OPERATOR: &str = "whoever is signed in";
const MACHINE: &str = "the machine's identity";
const CONNECTING: [(&str, bool); 3] = [
    ("Microsoft.HybridCompute/machines/read", true),
    ("Microsoft.HybridCompute/machines/write", true),
    ("Microsoft.HybridCompute/machines/delete", false),
];
const ASSIGNING: [(&str, bool); 3] = [
    ("Microsoft.Authorization/roleAssignments/read", true),
    ("Microsoft.Authorization/roleAssignments/write", true),
    ("Microsoft.Authorization/roleAssignments/delete", false),
];
const BOOTSTRAP_DATA: &str = "Microsoft.ContainerService/managedClusters/agentPools/listBootstrapData/action";
const USER_CREDENTIAL: &str = "Microsoft.ContainerService/managedClusters/listClusterUserCredential/action";

/// What is to be done in Azure before the machine can join.
pub(super) struct Errand {
    agent: Agent<Installed>,
    connection: Connection,
    connected: bool,
    wish: RoleWish,
    operator: Operator,
    arm: Arm,
    scope: Scope,
}

/// What Azure and the agent on the machine say before anything is done.
#[derive(Default)]
pub(super) struct Prospect {
    /// What is to be done, if it is anything.
    pub(super) errand: Option<Errand>,
    /// How the machine is known to Azure Arc, where it is to be.
    pub(super) arc: Option<ArcSeen>,
    /// What is not allowed.
    pub(super) permissions: Option<Result<Vec<Unpermitted>, Unknown>>,
    /// Whether the machine is to be somebody to Azure, and is not yet or not with all that it needs.
    pub(super) is_nobody: bool,
}

/// Looks, and changes nothing.
pub(super) fn look(config: &FlexConfig, host: &dyn Host, stop: &dyn Fn() -> bool) -> Prospect {
    match config.identity {
        _ if !host.is_live() => Prospect::default(),
        None => Prospect::default(),
        Some(Identity::Arc) => look_at_arc(config, host, stop),
        Some(Identity::Managed(_) | Identity::Principal { .. }) => {
            Prospect { permissions: own_permissions(config, host, stop), ..Prospect::default() }
        }
    }
}

fn look_at_arc(config: &FlexConfig, host: &dyn Host, stop: &dyn Fn() -> bool) -> Prospect {
    let assigns = config.arc.assign_roles && !settled::is_settled(config, host);
    let told = |arc| {
        let is_nobody = !matches!(arc, ArcSeen::Usable(_));
        Prospect { arc: Some(arc), is_nobody, ..Prospect::default() }
    };
    let Some(program) = Installed::find("azcmagent", |name| env::var_os(name)) else {
        let serves = host.entry(Path::new(KEY_DIRECTORY)).is_ok_and(|entry| entry.is_some());
        return told(if serves && !assigns {
            ArcSeen::Usable("Azure Arc's identity service is here; azcmagent is not on the PATH".to_owned())
        } else {
            ArcSeen::Absent
        });
    };
    let agent = Agent::new(program, Path::new(tokens::PLACE));
    let unfit = |problem: String, hint: String| ArcSeen::Conflict { problem, hint };
    let (state, wanted) = match (agent.state(), machine(config)) {
        (Ok(state), Ok(wanted)) => (state, wanted),
        (Err(error), _) => return told(unfit(error.to_string(), error.hint().to_owned())),
        (_, Err(failure)) => return told(unfit(failure.found, failure.hint.unwrap_or_default())),
    };
    match &state.machine {
        Some(other) if *other != wanted => {
            let conflict = Conflict::ConnectedElsewhere(other.clone());
            return told(unfit(conflict.to_string(), conflict.hint().to_owned()));
        }
        Some(_) if !assigns => {
            return told(ArcSeen::Usable(format!("this machine is connected as {wanted}")));
        }
        _ => {}
    }
    match Errand::new(config, host, agent, &state, wanted, stop) {
        Ok((errand, permissions, arc)) => {
            let permissions = Some(Ok(permissions));
            Prospect { errand: Some(errand), arc: Some(arc), permissions, is_nobody: true }
        }
        Err(failure) => {
            Prospect { permissions: Some(Err(unknown(failure))), is_nobody: true, ..Prospect::default() }
        }
    }
}

fn machine(config: &FlexConfig) -> Result<ResourceId, Failure> {
    let arc = &config.arc;
    ResourceId::arc_machine(&config.subscription, &arc.resource_group, &arc.machine_name)
        .map_err(|error| Failure::input("bad-arc-machine", "cannot name the machine in Azure Arc", error))
}

impl Errand {
    fn new(
        config: &FlexConfig,
        host: &dyn Host,
        agent: Agent<Installed>,
        state: &AgentState,
        wanted: ResourceId,
        stop: &dyn Fn() -> bool,
    ) -> Result<(Self, Vec<Unpermitted>, ArcSeen), Failure> {
        let patience = Patience::new(Instant::now() + LOOK_WITHIN, stop);
        let operator = operator(config)?;
        let arm = identity::arm(config, Box::new(Arc::clone(&operator)))?;
        let cluster = identity::cluster(config)?;
        let pool = cluster.child("agentPools", &config.agent_pool);
        let is_known = config.server.is_some() && config.ca.is_some();
        let has_pool = || arm.has_pool(&pool, patience).map_err(|error| identity::unasked(&error));
        let wish = match config.arc.assign_roles {
            false => RoleWish::none(),
            // The pool tells the cluster, and a token with which the node becomes one like others.
            true if !is_known && has_pool()? => RoleWish::least(&pool),
            true => RoleWish::member(&cluster),
        };
        let made = record(host)?.made(&wanted);
        let found = arm.arc_machine(&wanted, patience);
        let arc = match found.map(|machine| next(&wanted, machine.as_ref(), state, made)) {
            Ok(Ok(_)) => ArcSeen::Usable("azcmagent is here".to_owned()),
            Ok(Err(conflict)) => {
                ArcSeen::Conflict { problem: conflict.to_string(), hint: conflict.hint().to_owned() }
            }
            // That it may not be read is told by the permissions.
            Err(error) if error.is_forbidden() => ArcSeen::Usable("azcmagent is here".to_owned()),
            Err(error) => ArcSeen::Conflict { problem: error.to_string(), hint: error.hint() },
        };
        let mut needs = Vec::new();
        if state.machine.is_none() {
            let group = PermissionScope::GroupOf(wanted.clone());
            needs.extend(CONNECTING.map(|(action, needed)| (group.clone(), action, needed)));
        }
        for (scope, _) in &wish.roles {
            let scope = PermissionScope::Resource(scope.clone());
            needs.extend(ASSIGNING.map(|(action, needed)| (scope.clone(), action, needed)));
        }
        let permissions =
            missing(&arm, OPERATOR, &needs, patience).map_err(|error| identity::unasked(&error))?;
        let connection = Connection {
            machine: wanted,
            tenant: config.tenant.clone(),
            location: config.arc.location.clone(),
            cloud: Some(config.arm.agent_cloud.to_owned()).filter(|cloud| !cloud.is_empty()),
            tags: config.arc.tags.clone(),
        };
        let connected = state.machine.is_some();
        let scope = Scope::of(&config.arm.audience);
        Ok((Self { agent, connection, connected, wish, operator, arm, scope }, permissions, arc))
    }

    /// What will be done, for people.
    pub(super) fn lines(&self) -> Vec<String> {
        let mut lines = Vec::new();
        if !self.connected {
            lines.push(format!("connect this machine to Azure Arc as {}", self.connection.machine));
        }
        for (scope, role) in &self.wish.roles {
            lines.push(format!("give its identity the role {} at {scope}, unless it has it", role.name));
        }
        lines
    }

    /// Does it. What is made is on record before it is made.
    pub(super) fn run(&self, host: &dyn Host, told: Told, stop: &dyn Fn() -> bool) -> Result<(), Failure> {
        let patience = Patience::new(Instant::now() + WITHIN, &stop);
        let onboarding = Onboarding {
            arm: &self.arm,
            agent: &self.agent,
            tokens: &self.operator,
            scope: &self.scope,
            connection: &self.connection,
            wish: &self.wish,
        };
        self.lines().iter().for_each(|line| told.remark(&format!("azure: {line}")));
        // Whoever was killed while the agent connected could not take the token away.
        tokens::forget(host, tokens::OF_AGENT).map_err(|error| {
            Failure::machine("token-stays", "cannot remove the token of an earlier attempt", os_text(&error))
        })?;
        let mut record = record(host)?;
        let principal = onboarding
            .run(&mut record, |record| keep(host, record), patience)
            .map_err(|error| undone(&error, "cannot make this machine known to Azure"))?;
        told.remark(&format!("azure: the machine's identity is {principal}"));
        Ok(())
    }
}

fn undone(error: &ArcError, doing: &str) -> Failure {
    Failure { blame: error.blame(), ..Failure::input("azure-arc", doing, error) }.with_hint(error.hint())
}

/// What of these somebody may not do. A scope at which even asking is not allowed tells nothing.
fn missing(
    arm: &Arm,
    who: &'static str,
    needs: &[(PermissionScope, &'static str, bool)],
    patience: Patience<'_>,
) -> Result<Vec<Unpermitted>, ArmError> {
    let mut missing = Vec::new();
    for group in needs.chunk_by(|(one, ..), (other, ..)| one == other) {
        let scope = &group[0].0;
        let permissions = match arm.permissions(scope, patience) {
            Err(error) if error.is_forbidden() || error.is_absent() => continue,
            permissions => permissions?,
        };
        let refused = group.iter().filter(|(_, action, _)| !permissions.allow(action));
        missing.extend(refused.map(|(scope, action, needed)| Unpermitted {
            who,
            action,
            scope: scope.to_string(),
            needed: *needed,
        }));
    }
    Ok(missing)
}

/// What a machine that is somebody to Azure already may not do and has to.
fn own_permissions(
    config: &FlexConfig,
    host: &dyn Host,
    stop: &dyn Fn() -> bool,
) -> Option<Result<Vec<Unpermitted>, Unknown>> {
    let asks = config.server.is_none() || config.ca.is_none();
    if !asks && !config.registers() {
        return None;
    }
    let patience = Patience::new(Instant::now() + LOOK_WITHIN, stop);
    let look = || -> Result<Vec<Unpermitted>, Failure> {
        let arm = identity::own_arm(config, host)?;
        let cluster = identity::cluster(config)?;
        let pool = PermissionScope::Resource(cluster.child("agentPools", &config.agent_pool));
        let cluster = PermissionScope::Resource(cluster);
        let lacking = |scope: &PermissionScope, action, needed| {
            missing(&arm, MACHINE, &[(scope.clone(), action, needed)], patience)
                .map_err(|error| identity::unasked(&error))
        };
        let mut found = Vec::new();
        // Either of them tells where the API server is.
        if asks && !lacking(&cluster, USER_CREDENTIAL, true)?.is_empty() {
            found.extend(lacking(&pool, BOOTSTRAP_DATA, true)?);
        }
        if config.registers() {
            found.extend(lacking(&pool, REGISTERING, config.agent.require_registration)?);
        }
        Ok(found)
    };
    Some(look().map_err(unknown))
}

/// What we made in Azure.
pub(super) fn record(host: &dyn Host) -> Result<ArcRecord, Failure> {
    let unreadable = |error: &dyn std::fmt::Display| {
        Failure::machine("no-record", format!("cannot read /var/lib/slipway/{NOTE}"), error)
    };
    let Some(text) = note(host, NOTE).map_err(|error| unreadable(&os_text(&error)))? else {
        return Ok(ArcRecord::default());
    };
    serde_json::from_str(text.expose()).map_err(|error| unreadable(&error))
}

pub(super) fn keep(host: &dyn Host, record: &ArcRecord) -> io::Result<()> {
    keep_note(host, NOTE, &Secret::new(serde_json::to_string(record)?))
}

/// A machine that Azure has removed from its pool by itself needs nobody who is signed in: its own identity can see that.
fn forget_removed(config: &FlexConfig, host: &dyn Host, record: &mut ArcRecord) {
    if record.pool_machine.is_none() {
        return;
    }
    let never = || false;
    let patience = Patience::new(Instant::now() + LOOK_WITHIN, &never);
    if let (Ok(arm), Ok(id)) = (identity::own_arm(config, host), pool_machine(config))
        && matches!(arm.pool_machine(&id, patience), Ok(None))
    {
        record.pool_machine = None;
    }
}

/// Takes back what we made in Azure, and nothing else.
pub(super) fn undo(config: &FlexConfig, host: &dyn Host, screen: &mut Screen) -> Result<(), Failure> {
    let mut record = record(host)?;
    if record.is_empty() {
        return Ok(());
    }
    let never = || false;
    let patience = Patience::new(Instant::now() + WITHIN, &never);
    let lines = record.lines();
    forget_removed(config, host, &mut record);
    if record.is_empty() {
        return keep(host, &record).map_err(|error| undone(&ArcError::Record(error), "cannot leave Azure"));
    }
    let arm = identity::arm(config, Box::new(operator(config)?))?;
    if let Some(id) = record.pool_machine.clone() {
        let pool = identity::cluster(config)?.child("agentPools", &config.agent_pool);
        let name = id.rsplit('/').next().unwrap_or_default();
        arm.remove_pool_machine(&pool, name, patience).map_err(|error| identity::unasked(&error))?;
        record.pool_machine = None;
        keep(host, &record).map_err(|error| undone(&ArcError::Record(error), "cannot leave Azure"))?;
    }
    let agent = Installed::find("azcmagent", |name| env::var_os(name));
    let agent = agent.map(|program| Agent::new(program, Path::new(tokens::PLACE)));
    remove(&arm, agent.as_ref(), &mut record, |record| keep(host, record), patience)
        .map_err(|error| undone(&error, "cannot take back what was made in Azure"))?;
    for line in lines {
        screen.line(format_args!("{line} is removed"));
    }
    Ok(())
}
