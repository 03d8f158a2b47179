//! `cargo lab join`: machines become nodes, each runs a pod, and the time is shown.

use std::io::{Write as _, stdout};
use std::path::PathBuf;
use std::thread;
use std::time::Instant;

use clap::Args;
use slipway_lab::boot::{self, CustomData};
use slipway_lab::image::POD;
use slipway_lab::{Error, Joined, Lab, Machine, Order, Progress, Storage, floor, native, product, release};

/// What is to join, and how.
#[derive(Debug, Args)]
pub(crate) struct Join {
    /// The nodes' names; without them, the next that are free.
    nodes: Vec<String>,
    /// How many, if they are not named.
    #[arg(long = "nodes", value_name = "K", default_value_t = 1, conflicts_with = "nodes")]
    count: usize,
    /// Full copies of the image on disk instead of overlays in memory.
    #[arg(long)]
    copy: bool,
    /// Provision with this build of Slipway; without it, this source's release build.
    #[arg(long, value_name = "PROGRAM")]
    slipway: Option<PathBuf>,
    /// The minor release that the nodes run.
    #[arg(long, value_name = "MINOR", default_value = "1.34", value_parser = release_of)]
    kubernetes: &'static str,
    #[command(flatten)]
    way: Way,
}

/// How a machine becomes a node, if not on a baked image by Slipway's command.
#[derive(Debug, Args)]
#[group(multiple = false)]
struct Way {
    /// On an image that was not baked: Slipway writes everything on the node.
    #[arg(long)]
    unbaked: bool,
    /// As a virtual machine does: cloud-init runs custom data, and the extension waits for the result.
    #[arg(long)]
    cloud_init: bool,
    /// Without Slipway: files written beforehand, and kubelet.
    #[arg(long, conflicts_with_all = ["slipway", "kubernetes"])]
    floor: bool,
}

/// Joins machines side by side.
pub(crate) fn join(lab: &Lab, wishes: &Join, progress: Progress) -> Result<(), Error> {
    let slipway = match &wishes.slipway {
        _ if wishes.way.floor => None,
        Some(given) => Some(given.clone()),
        None => Some(product::provide(progress)?),
    };
    let order = Order {
        storage: if wishes.copy { Storage::Copy } else { Storage::Overlay },
        slipway: slipway.clone().filter(|_| !wishes.way.unbaked),
        ..Order::default()
    };
    let mut machines = Vec::new();
    for name in names(lab, wishes) {
        // A machine that an interrupted join has left goes on from there.
        if let Ok(mut machine) = lab.machine(&name)
            && !wishes.way.cloud_init
        {
            machine.wait_running()?;
            native::abandon(&machine)?;
            machines.push(machine);
            continue;
        }
        let mut machine = lab.prepare(&name, &order, progress)?;
        if !wishes.way.cloud_init {
            progress.part(&format!("booting {name}"), || machine.boot())?;
        }
        machines.push(machine);
    }
    for machine in &machines {
        lab.equip(machine, wishes.kubernetes, progress)?;
    }
    let mut contract = native::contract(&lab.cluster)?;
    contract["kubernetes_version"] = wishes.kubernetes.into();
    let _azure = native::azure(lab, &machines.iter().collect::<Vec<_>>())?;
    let title = machines.iter().map(|machine| machine.name.as_str()).collect::<Vec<_>>().join(", ");
    let joined: Vec<Joined> = progress.part(&format!("joining {title}"), || {
        side_by_side(&mut machines, |machine| match &slipway {
            None => floor::provision(lab, machine),
            Some(slipway) if wishes.way.cloud_init => {
                let data = CustomData::of(slipway, &contract)?;
                boot::join(lab, machine, &data)
            }
            Some(slipway) => {
                native::install(machine, slipway, &contract)?;
                floor::measured(lab, machine, || {
                    let start = Instant::now();
                    native::run(machine)?;
                    Ok(start)
                })
            }
        })
    })?;
    let answers =
        progress.part("running a pod", || side_by_side(&mut machines, |machine| pod(lab, machine)))?;
    let mut out = stdout();
    for ((machine, joined), answer) in machines.iter().zip(joined).zip(answers) {
        if slipway.is_some() {
            let _ = writeln!(out, "\n{}", machine.run("slipway", &["anatomy"])?);
        }
        let _ = writeln!(
            out,
            "{} is Ready {:.2} s after its start; {answer}",
            machine.name,
            joined.ready.as_secs_f64()
        );
    }
    Ok(())
}

fn release_of(minor: &str) -> Result<&'static str, String> {
    release(minor).ok_or_else(|| format!("the lab has no kubelet of Kubernetes {minor}"))
}

fn names(lab: &Lab, wishes: &Join) -> Vec<String> {
    if !wishes.nodes.is_empty() {
        return wishes.nodes.clone();
    }
    let there: Vec<String> = lab.machines().into_iter().map(|machine| machine.name).collect();
    let free = (1..).map(|number| format!("node-{number}")).filter(|name| !there.contains(name));
    free.take(wishes.count).collect()
}

/// Does the same to every machine at the same time.
fn side_by_side<T: Send>(
    machines: &mut [Machine],
    work: impl Fn(&mut Machine) -> Result<T, Error> + Sync,
) -> Result<Vec<T>, Error> {
    thread::scope(|scope| {
        let work = &work;
        let running: Vec<_> = machines.iter_mut().map(|machine| scope.spawn(move || work(machine))).collect();
        let ended = running.into_iter().map(|thread| match thread.join() {
            Ok(ended) => ended,
            Err(panic) => std::panic::resume_unwind(panic),
        });
        ended.collect()
    })
}

fn pod(lab: &Lab, machine: &Machine) -> Result<String, Error> {
    let name = format!("on-{}", machine.name);
    let address = lab.cluster.run_pod(&lab.space, &name, &machine.name, POD)?;
    let answer = machine.run("curl", &["--silent", "--fail", &format!("http://{address}:8080/")])?;
    Ok(format!("pod {} answers at {address}", answer.trim()))
}
