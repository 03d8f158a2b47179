//! Azure Arc, case by case as the Go program's first version was recorded, its faults mended.

#![allow(clippy::unwrap_used, clippy::disallowed_methods, clippy::disallowed_types, reason = "tests")]

#[path = "../../azure/tests/arm_world/mod.rs"]
mod arm_world;
#[path = "../../fetch/tests/fakes/mod.rs"]
mod fakes;
mod stand_in;

use std::collections::BTreeMap;

use arm_world::{Asked, Token, World, arm};
use fakes::{never, soon};
use serde_json::Value;
use slipway_azure::arm::{Code, ResourceId};
use slipway_azure::credential::Scope;
use slipway_fetch::Patience;
use slipway_flex::arc::{
    Agent, ArcError, ArcRecord, Connection, MadeAssignment, Onboarding, RoleWish, remove,
};
use stand_in::{Area, StandIn};

/// A recorded case, and what we do in it.
struct Expected {
    text: &'static str,
    /// The requests in order: M machine, L list, P put; a plus after the last when it is repeated until the end.
    asked: &'static str,
    /// How often the agent is told to connect.
    connects: usize,
}

macro_rules! case {
    ($name:literal, $asked:literal, $connects:literal) => {
        Expected {
            text: include_str!(concat!("../../azure/tests/data/arm/", $name, ".json")),
            asked: $asked,
            connects: $connects,
        }
    };
}

const CASES: [Expected; 13] = [
    case!("arc-cli", "ML", 0),
    case!("arc-roles-exist", "ML", 0),
    case!("arc-manual-exist", "ML", 0),
    case!("arc-list-pages", "MLL", 0),
    case!("arc-registered-assign", "MLPPP", 0),
    case!("arc-fresh", "MMLPPP", 1),
    // What the agent has not made is not on record as ours.
    case!("arc-connect-fails", "MM", 1),
    // A machine that may not be read is not one that is not there.
    case!("arc-get-403", "M", 0),
    // The first refusal is the last: the other roles need the same right.
    case!("arc-put-403", "MLP", 0),
    // The service says that the assignment exists and not whose it is.
    case!("arc-put-409-exists", "MLPLPLPL", 0),
    case!("arc-put-429-then-ok", "MLPPPP", 0),
    case!("arc-put-500-always", "MLP+", 0),
    case!("arc-put-principal-not-found", "MLP+", 0),
];

fn text(value: &Value) -> String {
    value.as_str().unwrap().to_owned()
}

fn cluster(case: &Value) -> ResourceId {
    ResourceId::parse(case["config"]["azure"]["targetCluster"]["resourceId"].as_str().unwrap()).unwrap()
}

fn connection(case: &Value) -> Connection {
    let azure = &case["config"]["azure"];
    let (arc, cluster) = (&azure["arc"], cluster(case));
    let or = |value: &Value, other: &str| value.as_str().unwrap_or(other).to_owned();
    let group = or(&arc["resourceGroup"], cluster.group());
    let name = text(&arc["machineName"]);
    let tags = arc["tags"].as_object().into_iter().flatten();
    Connection {
        machine: ResourceId::arc_machine(azure["subscriptionId"].as_str().unwrap(), &group, &name).unwrap(),
        tenant: text(&azure["tenantId"]),
        location: or(&arc["location"], azure["targetCluster"]["location"].as_str().unwrap()),
        cloud: None,
        tags: tags.map(|(key, value)| (key.clone(), text(value))).collect::<BTreeMap<_, _>>(),
    }
}

fn wish(case: &Value) -> RoleWish {
    let assign = case["config"]["azure"]["arc"]["autoRoleAssignment"] == true;
    RoleWish { assign, ..RoleWish::administrator(&cluster(case)) }
}

fn onboard(
    world: &World,
    stand_in: &StandIn,
    area: &Area,
    record: &mut ArcRecord,
    seconds: u64,
) -> Result<String, ArcError> {
    let agent = Agent::new(stand_in, area.path());
    let onboarding = Onboarding {
        arm: &arm(&world.server),
        agent: &agent,
        tokens: &Token,
        scope: &Scope::of("https://management.azure.com"),
        connection: &connection(&world.case),
        wish: &wish(&world.case),
    };
    onboarding.run(record, |_| Ok(()), Patience::new(soon(seconds), &never))
}

/// An agent that is connected when the recorded machine is there from the beginning.
fn stand_in(world: &World) -> StandIn {
    let first_is_404 = world.case["requests"][0]["status"] == 404;
    let connected = world.state.lock().unwrap().machine && !first_is_404;
    let code = world.case["world"]["command_exit_codes"]["azcmagent"].as_i64();
    StandIn::new(
        connected.then(|| connection(&world.case).machine),
        connection(&world.case).machine,
        code.map(|code| code.try_into().unwrap()),
    )
}

/// The kind of a request by one letter.
fn letter(asked: &Asked) -> char {
    match asked.method.as_str() {
        "GET" if asked.path.contains("HybridCompute") => 'M',
        "GET" => 'L',
        "PUT" => 'P',
        _ => 'D',
    }
}

/// A request as the recordings have it: no names that differ from run to run, sorted query, no principal type.
fn normal(asked: &Asked) -> Asked {
    let mut asked = asked.clone();
    if let Some((above, name)) = asked.path.rsplit_once('/')
        && above.ends_with("roleAssignments")
    {
        assert!(name == "{guid}" || name.len() == 36, "{name}");
        asked.path = format!("{above}/{{guid}}");
    }
    let mut query: Vec<_> = asked.query.split('&').collect();
    query.sort_unstable();
    asked.query = query.join("&");
    if let Some(body) = &mut asked.body {
        body["properties"].as_object_mut().unwrap().remove("principalType");
    }
    asked
}

#[test]
fn every_recorded_onboarding_ends_as_it_did_or_better() {
    for expected in CASES {
        let world = World::of(expected.text, |_| {});
        let name = text(&world.case["name"]);
        let (stand_in, area) = (stand_in(&world), Area::new(&name));
        let mut record = ArcRecord::default();
        let end = onboard(&world, &stand_in, &area, &mut record, 5);
        assert_eq!(end.is_ok(), world.case["outcome"] == "ok", "{name}: {end:?}");

        let asked = world.asked();
        let letters: String = asked.iter().map(letter).collect();
        match expected.asked.strip_suffix('+') {
            Some(first) => {
                let repeated = letters.strip_prefix(first).unwrap_or_else(|| panic!("{name}: {letters}"));
                assert!(
                    repeated.len() > 2 && repeated.bytes().all(|letter| letter == b'P'),
                    "{name}: {letters}"
                );
            }
            None => assert_eq!(letters, expected.asked, "{name}"),
        }
        let recorded: Vec<_> = world.recorded().iter().map(normal).collect();
        for request in &asked {
            assert!(recorded.contains(&normal(request)), "{name}: {request:?} was never asked");
            let kind = request.body.as_ref().map(|body| body["properties"]["principalType"].clone());
            assert!(kind.is_none_or(|kind| kind == "ServicePrincipal"), "{name}");
        }
        assert_eq!(stand_in.calls("connect"), expected.connects, "{name}");
        assert_eq!(record.machine.is_some(), expected.connects > 0 && name != "arc-connect-fails", "{name}");
        assert!(area.is_empty(), "{name}: a file stays behind");
        if end.is_ok() && name != "arc-list-pages" {
            let left = world.state.lock().unwrap().assignments.len();
            assert_eq!(left as u64, world.case["role_assignments_after"].as_u64().unwrap(), "{name}");
        }
        match end {
            Err(ArcError::Azure(error)) => match error.code() {
                Some(Code::AuthorizationFailed) => {
                    let right = if name == "arc-get-403" {
                        "Microsoft.HybridCompute/machines/read"
                    } else {
                        "Microsoft.Authorization/roleAssignments/write"
                    };
                    assert!(error.is_forbidden() && error.hint().contains(right), "{name}: {}", error.hint());
                }
                Some(Code::PrincipalNotFound) => assert_eq!(name, "arc-put-principal-not-found"),
                code => assert_eq!(code, Some(&Code::Other("InternalServerError".to_owned())), "{name}"),
            },
            Err(error) => {
                assert_eq!(name, "arc-connect-fails", "{error}");
                assert!(error.to_string().contains("code 42"), "{error}");
                // The stand-in repeats its token.
                assert!(error.to_string().contains("<secret> is no good"), "{error}");
            }
            Ok(principal) => assert_eq!(principal, text(&world.case["world"]["machine_identity"]), "{name}"),
        }
    }
}

#[test]
fn the_agent_gets_what_it_got_but_the_token_by_a_file_that_only_root_reads() {
    let world = World::of(include_str!("../../azure/tests/data/arm/arc-fresh.json"), |_| {});
    let (stand_in, area) = (stand_in(&world), Area::new("token"));
    onboard(&world, &stand_in, &area, &mut ArcRecord::default(), 5).unwrap();
    let (settings, mode) = stand_in.settings().unwrap();
    assert_eq!(mode, 0o600);
    let command = world.case["commands"][0].as_array().unwrap().iter().skip(2).map(text).collect::<Vec<_>>();
    let given = settings.as_object().unwrap();
    assert_eq!(given.len(), command.len() / 2);
    for option in command.chunks(2) {
        let value = if option[0] == "--access-token" { "arm-token" } else { option[1].as_str() };
        assert_eq!(given[option[0].trim_start_matches("--")], value, "{}", option[0]);
    }
    assert!(!stand_in.all_arguments().contains("arm-token"));
}

#[test]
fn an_identity_that_the_directory_learns_late_gets_its_roles() {
    let world =
        World::of(include_str!("../../azure/tests/data/arm/arc-put-principal-not-found.json"), |case| {
            case["world"]["rules"][0]["once"] = true.into();
        });
    let (stand_in, area) = (stand_in(&world), Area::new("late"));
    let mut record = ArcRecord::default();
    onboard(&world, &stand_in, &area, &mut record, 10).unwrap();
    assert_eq!(world.asked().iter().map(letter).collect::<String>(), "MLPPPP");
    assert_eq!(record.assignments.len(), 3);
    // Doing it again changes nothing, and finds its own by their names.
    onboard(&world, &stand_in, &area, &mut record, 10).unwrap();
    assert_eq!(world.asked().iter().skip(6).map(letter).collect::<String>(), "ML");
    assert_eq!(world.state.lock().unwrap().assignments.len(), 3);
}

#[test]
fn an_onboarding_that_was_killed_while_it_connected_is_done_again() {
    let world = World::of(include_str!("../../azure/tests/data/arm/arc-registered-assign.json"), |_| {});
    let machine = connection(&world.case).machine;
    let stand_in = StandIn::new(None, machine.clone(), None);
    let area = Area::new("killed");
    let error = onboard(&world, &stand_in, &area, &mut ArcRecord::default(), 5).unwrap_err();
    assert!(matches!(error, ArcError::Conflict(_)), "{error}");
    let mut record = ArcRecord { machine: Some(machine.to_string()), ..ArcRecord::default() };
    stand_in.on_connect({
        let state = std::sync::Arc::clone(&world.state);
        move || state.lock().unwrap().machine = true
    });
    onboard(&world, &stand_in, &area, &mut record, 5).unwrap();
    assert_eq!(world.asked().iter().map(letter).collect::<String>(), "MMDMLPPP");
}

#[test]
fn a_connection_that_failed_half_way_stays_on_record() {
    let world = World::of(include_str!("../../azure/tests/data/arm/arc-connect-fails.json"), |_| {});
    let (stand_in, area) = (stand_in(&world), Area::new("half"));
    stand_in.on_connect({
        let state = std::sync::Arc::clone(&world.state);
        move || state.lock().unwrap().machine = true
    });
    let mut record = ArcRecord::default();
    onboard(&world, &stand_in, &area, &mut record, 5).unwrap_err();
    assert!(record.made(&connection(&world.case).machine));
}

#[test]
fn by_default_an_identity_gets_the_agents_role_at_its_pool_and_no_other() {
    let world = World::of(include_str!("../../azure/tests/data/arm/arc-registered-assign.json"), |_| {});
    let pool = cluster(&world.case).child("agentPools", "aksflexnodes");
    let (stand_in, area) = (stand_in(&world), Area::new("least"));
    let onboarding = Onboarding {
        arm: &arm(&world.server),
        agent: &Agent::new(&stand_in, area.path()),
        tokens: &Token,
        scope: &Scope::of("https://management.azure.com"),
        connection: &connection(&world.case),
        wish: &RoleWish::least(&pool),
    };
    let mut record = ArcRecord::default();
    // What is about to be made is written down before it is made.
    let mut written = Vec::new();
    let remember = |record: &ArcRecord| {
        written.push((record.assignments.len(), world.state.lock().unwrap().assignments.len()));
        Ok(())
    };
    onboarding.run(&mut record, remember, Patience::new(soon(5), &never)).unwrap();
    assert_eq!(written, [(1, 0)]);
    let state = world.state.lock().unwrap();
    let [(name, _, role)] = &state.assignments[..] else { panic!("{:?}", state.assignments) };
    assert!(role.ends_with("/8f139b0f-7eaf-460b-a9da-5b1246d9ed0d"), "{role}");
    assert_eq!(record.assignments, [MadeAssignment { scope: pool.to_string(), name: name.clone() }]);
    let text = serde_json::to_string(&record).unwrap();
    assert_eq!(serde_json::from_str::<ArcRecord>(&text).unwrap(), record);
}

#[test]
fn roles_that_somebody_else_is_to_assign_are_waited_for_and_named() {
    let world = World::of(include_str!("../../azure/tests/data/arm/arc-registered-assign.json"), |case| {
        case["config"]["azure"]["arc"]["autoRoleAssignment"] = false.into();
    });
    let (stand_in, area) = (stand_in(&world), Area::new("await"));
    let error = onboard(&world, &stand_in, &area, &mut ArcRecord::default(), 1).unwrap_err();
    let expected = "Azure Kubernetes Service RBAC Cluster Admin at /subscriptions/";
    assert!(matches!(error, ArcError::RolesMissing(_)) && error.to_string().contains(expected), "{error}");
    assert!(world.asked().iter().all(|request| request.method == "GET"));
}

/// The record of somebody who made everything that the recorded identity has.
fn made_all(world: &World) -> ArcRecord {
    let scope = cluster(&world.case).to_string();
    let own = text(&world.case["world"]["machine_identity"]);
    let state = world.state.lock().unwrap();
    let ours = state.assignments.iter().filter(|(_, principal, _)| *principal == own);
    ArcRecord {
        machine: Some(connection(&world.case).machine.to_string()),
        assignments: ours
            .map(|(name, ..)| MadeAssignment { scope: scope.clone(), name: name.clone() })
            .collect(),
        ..ArcRecord::default()
    }
}

fn take_back(world: &World, stand_in: &StandIn, record: &mut ArcRecord) -> Result<(), ArcError> {
    let area = Area::new("removal");
    let agent = Agent::new(stand_in, area.path());
    remove(&arm(&world.server), Some(&agent), record, |_| Ok(()), Patience::new(soon(5), &never))
}

#[test]
fn removal_takes_what_we_made_and_nothing_else() {
    let world = World::of(include_str!("../../azure/tests/data/arm/un-normal.json"), |_| {});
    let stand_in = stand_in(&world);
    let mut record = made_all(&world);
    let before = world.state.lock().unwrap().assignments.len();
    assert_eq!((before, record.assignments.len()), (4, 3));
    take_back(&world, &stand_in, &mut record).unwrap();
    assert!(record.is_empty());
    let recorded: Vec<_> = world.recorded().iter().map(normal).collect();
    assert!(world.asked().iter().all(|request| recorded.contains(&normal(request))));
    assert_eq!(world.asked().iter().map(letter).collect::<String>(), "DDDD");
    assert_eq!(stand_in.last_arguments(), ["disconnect", "--force-local-only"]);
    {
        let state = world.state.lock().unwrap();
        assert!(!state.machine && state.assignments.len() == 1, "the assignment of another identity stays");
    }
    // A second removal has nothing to do, and asks nobody.
    take_back(&world, &stand_in, &mut record).unwrap();
    assert_eq!(world.asked().len(), 4);
}

#[test]
fn what_we_did_not_make_stays() {
    let world = World::of(include_str!("../../azure/tests/data/arm/un-normal.json"), |_| {});
    let stand_in = stand_in(&world);
    take_back(&world, &stand_in, &mut ArcRecord::default()).unwrap();
    assert!(world.asked().is_empty() && stand_in.all_arguments().is_empty());
}

#[test]
fn a_removal_that_azure_refuses_is_not_done() {
    let world = World::of(include_str!("../../azure/tests/data/arm/un-delete-403.json"), |_| {});
    let stand_in = stand_in(&world);
    let mut record = made_all(&world);
    let error = take_back(&world, &stand_in, &mut record).unwrap_err();
    // The recorded program says that all went well, and leaves the machine in Azure.
    assert_eq!(world.case["outcome"], "ok");
    assert!(error.hint().contains("Microsoft.HybridCompute/machines/delete"), "{}", error.hint());
    assert!(record.machine.is_some() && record.assignments.is_empty());
    assert_eq!(stand_in.calls("disconnect"), 0);
}

#[test]
fn a_machine_that_may_not_be_read_does_not_count_as_removed() {
    let world = World::of(include_str!("../../azure/tests/data/arm/un-done-403.json"), |_| {});
    let id = connection(&world.case).machine;
    let error = arm(&world.server).arc_machine(&id, Patience::new(soon(5), &never)).unwrap_err();
    assert!(error.is_forbidden(), "{error}");
    assert_eq!(world.asked(), world.recorded());
    // The recorded program takes this for a yes.
    assert_eq!(world.case["outcome"], "true");
}
