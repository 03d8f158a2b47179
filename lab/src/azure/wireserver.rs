//! The wireserver: goal state, health, and whether the machine takes Azure's root certificates.

use std::net::IpAddr;

use super::answer::Answer;
use super::http::Request;
use super::machine::Machine;
use super::state::{HealthReport, State, hold};

const PROTOCOL: &str = "2012-11-30";
/// With this tag set to `true`, and nothing else, the platform offers its root certificates to a machine.
const OPT_IN_TAG: &str = "platformsettings.host_environment.service.platform_optedin_for_rootcerts";

/// What the wireserver says to this machine.
pub(super) fn answer(state: &State, peer: IpAddr, request: &Request) -> Answer {
    let known = hold(&state.machines).asking(peer).cloned();
    let Some((machine, _)) = known else { return error(404, "ResourceNotAvailable", "no such machine") };
    let component = request.query("comp").unwrap_or_default();
    let path = request.path().trim_end_matches('/');
    match (request.method.as_str(), path, component.as_str()) {
        ("GET", "", "versions") => versions(),
        ("GET", "/machine", "goalstate") => with_protocol(request, || goal_state(&machine)),
        ("POST", "/machine", "health") => with_protocol(request, || health(state, &machine, request)),
        ("GET", "/acms/isOptedInForRootCerts", _) => {
            let opted_in = machine.tag(OPT_IN_TAG).is_some_and(|value| value.eq_ignore_ascii_case("true"));
            Answer::of(200, "text/plain; charset=utf-8", format!("IsOptedInForRootCerts={opted_in}"))
        }
        _ => error(404, "ResourceNotAvailable", "The resource requested is no longer available"),
    }
}

fn error(status: u16, code: &str, message: &str) -> Answer {
    Answer::xml(
        status,
        format!(
            "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<Error><Code>{code}</Code><Message>{message}</Message><Details></Details></Error>"
        ),
    )
}

/// Both speak the protocol of 2012 only when it is named.
fn with_protocol(request: &Request, answer: impl FnOnce() -> Answer) -> Answer {
    match request.header("x-ms-version") {
        Some(PROTOCOL) => answer(),
        Some(_) => error(400, "InvalidHeaderValue", "x-ms-version names no version that is supported"),
        None => error(400, "MissingRequiredHeader", "x-ms-version is missing"),
    }
}

fn versions() -> Answer {
    Answer::xml(
        200,
        format!(
            "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n\
             <Versions>\n\
             \x20 <Preferred><Version>{PROTOCOL}</Version></Preferred>\n\
             \x20 <Supported><Version>{PROTOCOL}</Version></Supported>\n\
             </Versions>"
        ),
    )
}

/// The goal state, without the documents that a guest agent would go on to fetch: no agent runs in the lab.
fn goal_state(machine: &Machine) -> Answer {
    let (container, instance) = (machine.container_id(), machine.role_instance());
    Answer::xml(
        200,
        format!(
            r#"<?xml version="1.0" encoding="utf-8"?>
<GoalState xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:xsd="http://www.w3.org/2001/XMLSchema">
  <Version>{PROTOCOL}</Version>
  <Incarnation>1</Incarnation>
  <Machine>
    <ExpectedState>Started</ExpectedState>
    <StopRolesDeadlineHint>300000</StopRolesDeadlineHint>
    <LBProbePorts><Port>16001</Port></LBProbePorts>
    <ExpectHealthReport>FALSE</ExpectHealthReport>
  </Machine>
  <Container>
    <ContainerId>{container}</ContainerId>
    <RoleInstanceList>
      <RoleInstance>
        <InstanceId>{instance}</InstanceId>
        <State>Started</State>
        <Configuration>
          <ConfigName>{config_name}</ConfigName>
        </Configuration>
      </RoleInstance>
    </RoleInstanceList>
  </Container>
</GoalState>"#,
            config_name = machine.config_name()
        ),
    )
}

/// Takes a report. One about another container comes from a machine that has moved on.
fn health(state: &State, machine: &Machine, request: &Request) -> Answer {
    let Ok(document) = String::from_utf8(request.body.clone()) else {
        return error(400, "InvalidXmlDocument", "the report is not text");
    };
    let container = format!("<ContainerId>{}</ContainerId>", machine.container_id());
    if !document.contains("<Health") {
        return error(400, "InvalidXmlDocument", "the report has no element Health");
    }
    if !document.contains(&container) {
        return error(410, "ResourceGone", "the report is about another container");
    }
    hold(&state.health_reports).push(HealthReport { machine: machine.name.clone(), document });
    Answer::empty(200)
}
