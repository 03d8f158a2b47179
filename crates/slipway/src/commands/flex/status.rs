//! `slipway flex status`: what the machine was joined to, how it is kept, and what was repaired.

use std::path::Path;

use serde_json::{Value, json};
use slipway_flex::keep::{GoalStatus, Joined, Record, Repaired, STATUS, Status};
use slipway_host::{Host, unix_seconds};

use super::kept;
use crate::cli::{Output, Status as Arguments};
use crate::commands::status::units;
use crate::failure::Failure;
use crate::screen::Screen;
use crate::{Outcome, Surroundings};

const KEEPER: &str = "slipway-flex.service";

/// What there is to say.
struct Told {
    record: Option<Record>,
    /// What the daemon says, and whether it still looks.
    daemon: Option<(Status, bool)>,
    /// The node's units, and whether they run.
    units: Vec<(&'static str, bool)>,
}

pub(crate) fn print(
    arguments: &Arguments,
    around: &Surroundings<'_>,
    screen: &mut Screen,
) -> Result<Outcome, Failure> {
    let host = around.host(&arguments.place)?;
    let told = Told::of(&*host)?;
    match arguments.output {
        Output::Json => screen.json(&told.document()),
        Output::Text => told.tell(screen),
    }
    Ok(if told.is_well() { Outcome::Done } else { Outcome::Negative })
}

impl Told {
    fn of(host: &dyn Host) -> Result<Self, Failure> {
        let said = host.read(Path::new(STATUS)).ok();
        let status = said.and_then(|text| serde_json::from_slice::<Status>(&text).ok());
        let runs = host.is_live() && host.runs(KEEPER).is_ok_and(|runs| runs);
        let record = match kept::record(host) {
            // The record is for root alone; the daemon's word is for everyone.
            Err(_) if status.is_some() => None,
            other => other?,
        };
        Ok(Self {
            record,
            daemon: status.map(|status| {
                let alive = runs && status.is_fresh(unix_seconds());
                (status, alive)
            }),
            units: units(host).into_iter().map(|(name, state)| (name, state.runs())).collect(),
        })
    }

    fn status(&self) -> Option<&Status> {
        self.daemon.as_ref().map(|(status, _)| status)
    }

    fn is_alive(&self) -> bool {
        self.daemon.as_ref().is_some_and(|(_, alive)| *alive)
    }

    fn joined(&self) -> Joined {
        match (&self.record, &self.daemon) {
            (Some(record), _) => record.joined(),
            (None, Some((status, _))) if !status.cluster.is_empty() => Joined::Done,
            (None, _) => Joined::Never,
        }
    }

    fn is_well(&self) -> bool {
        let daemon = self.status().is_some_and(Status::is_well) && self.is_alive();
        self.joined() == Joined::Done && daemon && self.units.iter().all(|(_, runs)| *runs)
    }

    /// The same fact from the record, or else from the daemon.
    fn fact(&self, of_record: fn(&Record) -> &String, of_status: fn(&Status) -> &String) -> &str {
        let record = self.record.as_ref().map(of_record);
        record.or_else(|| self.status().map(of_status)).map_or("", String::as_str)
    }

    fn identity(&self) -> &[String] {
        let record = self.record.as_ref().map(|record| &record.identity);
        record.or_else(|| self.status().map(|status| &status.identity)).map_or(&[], Vec::as_slice)
    }

    fn document(&self) -> Value {
        let joined = match self.joined() {
            Joined::Never => "never",
            Joined::Unfinished => "unfinished",
            Joined::Done => "done",
            Joined::Upgrading => "upgrading",
            Joined::Leaving => "leaving",
        };
        json!({
            "healthy": self.is_well(),
            "joined": joined,
            "cluster": self.fact(|it| &it.cluster, |it| &it.cluster),
            "node": self.fact(|it| &it.node, |it| &it.node.name),
            "identity": self.identity(),
            "kubernetes": self.fact(|it| &it.kubernetes, |it| &it.kubernetes),
            "config": self.fact(|it| &it.config, |it| &it.config),
            "units": self.units.iter().map(|(name, runs)| ((*name).to_owned(), Value::from(*runs))).collect::<serde_json::Map<_, _>>(),
            "daemon": self.daemon.as_ref().map(|(status, alive)| json!({ "alive": alive, "status": status })),
        })
    }

    fn tell(&self, screen: &mut Screen) {
        match self.joined() {
            Joined::Never => return screen.line("this machine was not joined to a cluster"),
            Joined::Unfinished => screen.line("joining was begun and has not come to its end"),
            Joined::Upgrading => screen.line("an upgrade was begun and has not come to its end"),
            Joined::Leaving => screen.line("leaving was begun and has not come to its end"),
            Joined::Done => {}
        }
        screen.line(format_args!("cluster     {}", self.fact(|it| &it.cluster, |it| &it.cluster)));
        screen.line(format_args!("node        {}", self.fact(|it| &it.node, |it| &it.node.name)));
        screen.line(format_args!("kubernetes  {}", self.fact(|it| &it.kubernetes, |it| &it.kubernetes)));
        screen.line(format_args!("identity    {}", self.identity().join(", ")));
        screen.line(format_args!("config      {}", self.fact(|it| &it.config, |it| &it.config)));
        for (name, runs) in &self.units {
            let how = if *runs { "runs" } else { "does not run" };
            screen.line(format_args!("{:<11} {how}", name.trim_end_matches(".service")));
        }
        let Some((status, alive)) = &self.daemon else {
            return screen.line("daemon      has said nothing: nobody keeps this machine");
        };
        let how = if *alive { "alive" } else { "not alive" };
        screen.line(format_args!("daemon      {how}, looked last at {}", status.looked));
        screen.line(format_args!("health      {}{}", status.health.word(), because(status.why.as_ref())));
        let ready = match status.node.ready {
            Some(true) => "Ready",
            Some(false) => "not Ready",
            None => "nobody can say",
        };
        screen.line(format_args!("ready       {ready}{}", because(status.node.why.as_ref())));
        if let Some(GoalStatus { state, kubernetes, why, .. }) = &status.goal {
            let what =
                if kubernetes.is_empty() { String::new() } else { format!("Kubernetes {kubernetes}, ") };
            screen.line(format_args!("goal        {what}{state}{}", because(why.as_ref())));
        }
        for path in &status.drift {
            screen.line(format_args!("drift       {path}"));
        }
        for repair in &status.repairs {
            let Repaired { time, repair, reason, about, error } = repair;
            let how = error.as_ref().map_or_else(|| "done".to_owned(), |error| format!("failed: {error}"));
            screen.line(format_args!("repair      {time} {repair} ({reason}) {about}: {how}"));
        }
    }
}

fn because(why: Option<&String>) -> String {
    why.map(|why| format!(": {why}")).unwrap_or_default()
}
