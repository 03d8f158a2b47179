//! The settings of kubelet's configuration file.

use std::borrow::Cow;

use slipway_model::node::SettingValue;
use slipway_model::{Facts, Mode, Node, Sources};
use slipway_render::{Json, RETIRED_SETTING, kubelet_config, kubelet_setting};

use crate::plan::{Explained, ExplainedKind};
use crate::subjects::certificates::{Signer, signer};

/// A setting that stays.
pub(super) struct Kept {
    path: Vec<String>,
    value: SettingValue,
    sources: Sources,
}

impl Kept {
    pub(super) fn explained(&self, path: &str) -> Explained {
        Explained {
            kind: ExplainedKind::KubeletKey,
            name: self.path.join("."),
            value: json(&self.value).to_text(),
            path: path.into(),
            sources: self.sources.clone(),
        }
    }
}

/// Every setting, in the order of the contract, by the names that kubelet reads.
pub(super) fn settings(node: &Node, facts: &Facts, of: &mut Sources) -> Vec<Kept> {
    let mut settings = Vec::new();
    for setting in &node.kubelet.settings {
        let mut sources = node.kubelet.has_file.sources().clone();
        let value = sources.read(&setting.value).clone();
        let mut path = setting.path.clone();
        if let Some(name) = path.last_mut() {
            kubelet_setting(&setting.path).clone_into(name);
        }
        let kept = kept(node, facts, &path, value, &mut sources);
        of.join(&sources);
        settings.extend(kept.map(|value| Kept { path, value, sources }));
    }
    settings
}

/// The value that a setting keeps, unless it goes.
fn kept(
    node: &Node,
    facts: &Facts,
    path: &[String],
    value: SettingValue,
    of: &mut Sources,
) -> Option<SettingValue> {
    let [name] = path else { return Some(value) };
    match name.as_str() {
        RETIRED_SETTING => (!of.read(&node.cluster.kubernetes).is_at_least(1, 34)).then_some(value),
        "serverTLSBootstrap" => Some(SettingValue::Switch(signer(node, facts, of) == Signer::Cluster)),
        "tlsCertFile" | "tlsPrivateKeyFile" => (signer(node, facts, of) != Signer::Cluster).then_some(value),
        _ => Some(value),
    }
}

/// The text of the file.
pub(super) fn text(settings: &[Kept]) -> String {
    let mut members = Vec::new();
    for setting in settings {
        place(&mut members, &setting.path, json(&setting.value));
    }
    kubelet_config(Json::Object(members), Mode::Ours)
}

/// Puts a value where its path says, into objects that are made as needed.
fn place<'a>(members: &mut Vec<(Cow<'a, str>, Json<'a>)>, path: &'a [String], value: Json<'a>) {
    let Some((name, below)) = path.split_first() else { return };
    if below.is_empty() {
        members.push((name.into(), value));
        return;
    }
    let at = members.iter().position(|(known, _)| known == name).unwrap_or_else(|| {
        members.push((name.into(), Json::Object(Vec::new())));
        members.len() - 1
    });
    if let Some(inner) = members[at].1.members_mut() {
        place(inner, below, value);
    }
}

fn json(value: &SettingValue) -> Json<'_> {
    match value {
        SettingValue::Switch(value) => Json::Bool(*value),
        SettingValue::Number(value) => Json::Int(*value),
        SettingValue::Text(text) => Json::Text(text.into()),
        SettingValue::Texts(texts) => Json::List(texts.iter().map(|text| Json::Text(text.into())).collect()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{facts, instance, with};

    fn of(settings: &str, version: &str, facts: &Facts) -> String {
        let node = with(&format!(
            r#""kubernetes_version":"{version}","kubelet_config":{{"kubelet_config_file_config":{{{settings}}}}}"#
        ));
        let text = super::text(&super::settings(&node, facts, &mut Sources::none()));
        let head = r#","kind":"KubeletConfiguration","apiVersion":"kubelet.config.k8s.io/v1beta1"}"#;
        let line: String = text.split_whitespace().collect();
        format!("{}}}", line.strip_suffix(head).unwrap())
    }

    #[test]
    fn settings_stand_in_their_objects_by_the_names_that_kubelet_reads() {
        assert_eq!(
            of(
                r#""maxPods":30,"clusterDNS":["10.0.0.10"],"evictionHard":{"memory.available":"1Gi","nodefs.available":"5%"},"authentication":{"webhook":{"cacheTtl":"5s"}},"featureGates":{"A":false}"#,
                "1.33.0",
                &facts()
            ),
            r#"{"authentication":{"webhook":{"enabled":false,"cacheTTL":"5s"}},"clusterDNS":["10.0.0.10"],"maxPods":30,"evictionHard":{"memory.available":"1Gi","nodefs.available":"5%"},"featureGates":{"A":false}}"#
        );
    }

    #[test]
    fn versions_and_signers_take_settings_away() {
        let given = r#""tlsCertFile":"/c","serverTLSBootstrap":true,"streamingConnectionIdleTimeout":"4h""#;
        let mut facts = facts();
        assert_eq!(of(given, "1.34.0", &facts), r#"{"serverTLSBootstrap":true}"#);
        facts.imds = Some(instance("aks-disable-kubelet-serving-certificate-rotation"));
        assert_eq!(
            of(given, "1.33.0", &facts),
            r#"{"tlsCertFile":"/c","serverTLSBootstrap":false,"streamingConnectionIdleTimeout":"4h"}"#
        );
    }
}
