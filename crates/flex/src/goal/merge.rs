//! Azure and the configuration may both say what the machine should be: for each thing, whoever spoke last is right.

use slipway_azure::arm::{KubeletWish, MachineWish};

/// What the machine should be: what Azure wants, except where the configuration has changed since it was applied, and where
/// Azure says nothing.
pub fn merged(azure: &MachineWish, base: &MachineWish, config: &MachineWish) -> MachineWish {
    MachineWish {
        max_pods: last(azure.max_pods.as_ref(), base.max_pods.as_ref(), config.max_pods.as_ref()),
        node_labels: last(azure.node_labels.as_ref(), base.node_labels.as_ref(), config.node_labels.as_ref()),
        node_taints: last(azure.node_taints.as_ref(), base.node_taints.as_ref(), config.node_taints.as_ref()),
        kubelet_config: KubeletWish {
            image_gc_high: last(
                azure.kubelet_config.image_gc_high.as_ref(),
                base.kubelet_config.image_gc_high.as_ref(),
                config.kubelet_config.image_gc_high.as_ref(),
            ),
            image_gc_low: last(
                azure.kubelet_config.image_gc_low.as_ref(),
                base.kubelet_config.image_gc_low.as_ref(),
                config.kubelet_config.image_gc_low.as_ref(),
            ),
        },
    }
}

fn last<T: Clone + PartialEq>(azure: Option<&T>, base: Option<&T>, config: Option<&T>) -> Option<T> {
    azure.filter(|_| base == config).or(config).cloned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_spoke_last_is_right_about_each_thing() {
        let pods = |number| MachineWish { max_pods: number, ..MachineWish::default() };
        let taints = |texts: &[&str]| Some(texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>());
        for (azure, base, config, expected) in [
            (Some(50), Some(40), Some(40), Some(50)),
            (Some(50), Some(40), Some(60), Some(60)),
            (None, Some(40), Some(40), Some(40)),
        ] {
            assert_eq!(merged(&pods(azure), &pods(base), &pods(config)), pods(expected));
        }
        // The owner changes one thing: what Azure said about the others still counts.
        let azure = MachineWish { node_taints: taints(&[]), ..pods(Some(50)) };
        let base = MachineWish { node_taints: taints(&["a:NoSchedule"]), ..pods(Some(40)) };
        let config = MachineWish { max_pods: Some(41), ..base.clone() };
        let expected = MachineWish { node_taints: taints(&[]), ..pods(Some(41)) };
        assert_eq!(merged(&azure, &base, &config), expected);
    }
}
