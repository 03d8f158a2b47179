//! The network, as native provisioning uses it.

use slipway_apply::{Outside, Patience, Problem, ReadyOrder};
use slipway_host::Host;
use slipway_model::{Node, Secret};

/// The world outside this machine.
pub(crate) fn world(_host: &dyn Host, _node: &Node) -> impl Outside {
    World
}

struct World;

impl Outside for World {
    fn fetch(
        &self,
        _artifact: &slipway_plan::Artifact,
        _open: &mut dyn FnMut(&std::path::Path) -> std::io::Result<Box<dyn slipway_host::Writer>>,
        _patience: Patience<'_>,
    ) -> Result<(), Problem> {
        Err(Problem::new("fetch", "not yet"))
    }

    fn bootstrap(
        &self,
        _order: &slipway_plan::TlsBootstrap,
        _ca: &[u8],
        _key: &Secret<String>,
        _patience: Patience<'_>,
    ) -> Result<String, Problem> {
        Err(Problem::new("bootstrap", "not yet"))
    }

    fn wait_ready(&self, _order: &ReadyOrder<'_>, _patience: Patience<'_>) -> Result<(), Problem> {
        Err(Problem::new("ready", "not yet"))
    }

    fn reach(&self, _host: &str, _port: u16, _patience: Patience<'_>) -> Result<String, Problem> {
        Err(Problem::new("reach", "not yet"))
    }
}
