//! Before a join: everything is looked at, and what Azure has to know is told to it. Nothing of the machine is touched.

use slipway_flex::FlexConfig;
use slipway_flex::preflight::Observed;
use slipway_host::Host;
use slipway_model::Facts;

use super::join::confirmed;
use super::onboarding::Errand;
use super::outward::Outward;
use super::preflight::{Ignored, Provided, Site};
use super::{identity, kept, onboarding};
use crate::cli::FlexJoin;
use crate::failure::Failure;
use crate::native::progress::Told;
use crate::screen::Screen;

/// The name by which looking beforehand is left out, as steps are.
pub(super) const PREFLIGHT: &str = "preflight";

/// A wish to join.
pub(super) struct Wish<'a> {
    pub(super) arguments: &'a FlexJoin,
    /// Whether somebody can be asked.
    pub(super) asks: bool,
    pub(super) told: Told,
    /// What the machine gets.
    pub(super) provided: Provided<'a>,
    pub(super) outward: &'a Outward,
    /// Whether we are to stop.
    pub(super) stop: &'a dyn Fn() -> bool,
}

impl Wish<'_> {
    /// Makes sure that the machine can join. Afterwards the configuration says all that Azure had to add; nothing comes back
    /// where the person at the keyboard, or the wish to see a plan only, ends it here.
    pub(super) fn ready(
        &self,
        config: &mut FlexConfig,
        host: &dyn Host,
        facts: &Facts,
        screen: &mut Screen,
    ) -> Result<Option<Observed>, Failure> {
        if self.arguments.skip.iter().any(|step| step == PREFLIGHT) {
            kept::recall(config, host);
            self.unless_stopped(identity::complete(config, host, None, self.stop))?;
            return Ok(Some(Observed::default()));
        }
        let ignored = Ignored::new(&self.arguments.ignore)?;
        let file = self.arguments.config.as_path();
        let prospect = onboarding::look(config, host, self.stop);
        let site = Site { config, file, host, facts, outward: self.outward, stop: self.stop };
        let mut seen = site.observe(&prospect);
        site.look_at_sources(self.provided, &mut seen);
        self.unless_stopped(Ok(()))?;
        self.judge(&ignored, &seen, screen)?;
        let is_new = prospect.errand.is_some();
        if let Some(errand) = prospect.errand
            && !self.onboard(&errand, host, screen)?
        {
            return Ok(None);
        }
        let is_known = config.server.is_some() && config.ca.is_some();
        if is_new && self.arguments.dry_run && !is_known {
            screen.line("the rest can be planned when the machine is known to Azure");
            return Ok(None);
        }
        // A role that was given a moment ago may not count yet.
        let told = identity::complete(config, host, self.waiting().filter(|_| is_new), self.stop);
        self.unless_stopped(told)?;
        let node_name = Some(config.agent.node_name.clone());
        let mut seen = Observed { live: seen.live, ours: seen.ours, node_name, ..Observed::default() };
        let site = Site { config, file, host, facts, outward: self.outward, stop: self.stop };
        if site.look_at_server(&mut seen) && !(is_new && self.arguments.dry_run) {
            site.look_at_credential(&mut seen, self.waiting());
        }
        self.judge(&ignored, &seen, screen).map(|()| Some(seen))
    }

    /// The last look, when the plan is what was wanted: it leaves a request for a certificate in the cluster.
    pub(super) fn look_as_node(
        &self,
        config: &FlexConfig,
        host: &dyn Host,
        facts: &Facts,
        mut seen: Observed,
        screen: &Screen,
    ) -> Result<(), Failure> {
        let known = seen.active.is_some();
        let file = self.arguments.config.as_path();
        let site = Site { config, file, host, facts, outward: self.outward, stop: self.stop };
        if let Err(why) = site.look_as_node(&mut seen) {
            let name = &config.agent.node_name;
            screen.warning(format_args!(
                "active-node: whether another machine is at work as {name} was not looked at: {why}\n  hint: kubectl get node \
                 {name} --output wide tells, with the credential of someone who may"
            ));
        }
        self.unless_stopped(Ok(()))?;
        if known || seen.active.is_none() {
            return Ok(());
        }
        let Observed { live, ours, node_name, active, .. } = seen;
        let seen = Observed { live, ours, node_name, active, ..Observed::default() };
        self.judge(&Ignored::new(&self.arguments.ignore)?, &seen, screen)
    }

    /// What a signal has cut short proves nothing.
    fn unless_stopped(&self, done: Result<(), Failure>) -> Result<(), Failure> {
        if (self.stop)() {
            return Err(Failure::machine("interrupted", "cannot join", "a signal has ended it")
                .with_hint("nothing of the machine was touched; the same command begins anew"));
        }
        done
    }

    /// Whoever hears what is waited for; nobody waits for a plan.
    fn waiting(&self) -> Option<Told> {
        (!self.arguments.dry_run).then_some(self.told)
    }

    fn judge(&self, ignored: &Ignored, seen: &Observed, screen: &Screen) -> Result<(), Failure> {
        match ignored.judge(seen, self.told, screen) {
            // Whoever wants to see a plan has seen what stands against it.
            Err(_) if self.arguments.dry_run => Ok(()),
            judged => judged,
        }
    }

    /// Shows what Azure is to be told, and tells it; `false` where the person at the keyboard does not want it.
    fn onboard(&self, errand: &Errand, host: &dyn Host, screen: &mut Screen) -> Result<bool, Failure> {
        if self.arguments.dry_run || self.asks {
            errand.lines().iter().for_each(|line| screen.line(format_args!("azure: {line}")));
        }
        if self.arguments.dry_run {
            return Ok(true);
        }
        if self.asks {
            screen.flush()?;
            if !confirmed("Do this in Azure?") {
                screen.line("nothing was touched");
                return Ok(false);
            }
        }
        errand.run(host, self.told, self.stop).map(|()| true)
    }
}
