//! From what is given to the plan.

use std::path::Path;
use std::thread;

use slipway_contract::node::{Refused, node};
use slipway_host::Host;
use slipway_model::{Facts, Node};
use slipway_plan::{Plan, Refusal, Unplanned, plan};

use super::given::{Given, Obstacle};
use super::knowledge::{self, Knowledge};
use crate::failure::{Blame, Failure};
use crate::screen::Screen;

/// A plan, and everything that it was made of.
pub(crate) struct Planned {
    pub(crate) given: Given,
    pub(crate) facts: Facts,
    pub(crate) node: Node,
    pub(crate) plan: Plan,
}

impl Planned {
    /// Reads the contract while facts are gathered, and plans.
    pub(crate) fn new<'a>(
        contract: &Path,
        facts: impl Into<Knowledge<'a>>,
        host: &dyn Host,
        screen: &Screen,
    ) -> Result<Self, Failure> {
        let facts = facts.into();
        let (given, facts) = thread::scope(|scope| {
            let facts = scope.spawn(|| knowledge::facts(facts, host));
            let given = Given::read(contract, screen);
            (given, facts.join())
        });
        let given = given?;
        let facts = facts.unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
        let node = node(&given.contract).map_err(|refused| {
            let field = |Refused { path, reason }| Obstacle { path, message: reason, hint: None };
            let fields: Vec<Obstacle> = refused.into_iter().map(field).collect();
            given
                .refused("not-native", &fields, screen)
                .with_hint("--mode scripts leaves it to the image's scripts; nothing of the node was touched")
        })?;
        given.suffices(screen)?;
        match plan(&node, &facts) {
            Ok(plan) => Ok(Self { given, facts, node, plan }),
            Err(Unplanned::Refused(refusals)) => Err(unplannable(&given, &refusals, screen)),
            Err(Unplanned::Broken(error)) => Err(Failure {
                blame: Blame::Slipway,
                ..Failure::input("broken-plan", format!("cannot plan {}", given.name), error)
            }
            .with_hint("this is a mistake in Slipway: please report it with the contract, secrets removed")),
        }
    }
}

fn unplannable(given: &Given, refusals: &[Refusal], screen: &Screen) -> Failure {
    let field = |refusal: &Refusal| Obstacle {
        path: refusal.what.clone(),
        message: refusal.message.clone(),
        hint: Some(refusal.hint.clone()).filter(|hint| !hint.is_empty()),
    };
    let fields: Vec<Obstacle> = refusals.iter().map(field).collect();
    given
        .refused("cannot-plan", &fields, screen)
        .with_hint("slipway facts shows what is known about this machine; nothing of the node was touched")
}
