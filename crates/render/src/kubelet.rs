//! Kubelet's configuration file.

use slipway_model::Mode;

use crate::json::Json;

/// Where the contract's name for a setting is not the one that kubelet reads.
const SPELLINGS: [(&[&str], &str, &str); 3] = [
    (&["authentication", "webhook"], "cacheTtl", "cacheTTL"),
    (&["authorization", "webhook"], "cacheAuthorizedTtl", "cacheAuthorizedTTL"),
    (&["authorization", "webhook"], "cacheUnauthorizedTtl", "cacheUnauthorizedTTL"),
];

/// Authenticators whose `enabled` is written even when it is false: kubelet's own default for the webhook is true.
const AUTHENTICATORS: [[&str; 2]; 2] = [["authentication", "webhook"], ["authentication", "anonymous"]];

/// A flag that Kubernetes 1.34 no longer takes.
pub const RETIRED_FLAG: &str = "--streaming-connection-idle-timeout";
/// The same as a setting.
pub const RETIRED_SETTING: &str = "streamingConnectionIdleTimeout";

/// The name by which kubelet reads the setting at this path of the contract's names.
pub fn kubelet_setting(path: &[String]) -> &str {
    let Some((name, above)) = path.split_last() else { return "" };
    let wrong = SPELLINGS.iter().find(|(objects, wrong, _)| above == *objects && name == wrong);
    wrong.map_or(name, |(_, _, right)| right)
}

/// The text of kubelet's configuration file.
///
/// `settings` has the contract's JSON names, zero values left out. [`Mode::Ours`] corrects the names that kubelet
/// would ignore and says `enabled: false` where the contract does.
pub fn kubelet_config(mut settings: Json<'_>, mode: Mode) -> String {
    if mode == Mode::Ours {
        for (path, wrong, right) in SPELLINGS {
            if let Some(members) = descend(&mut settings, path).and_then(Json::members_mut) {
                for (name, _) in members.iter_mut().filter(|(name, _)| name == wrong) {
                    *name = right.into();
                }
            }
        }
        for path in AUTHENTICATORS {
            if let Some(members) = descend(&mut settings, &path).and_then(Json::members_mut)
                && !members.iter().any(|(name, _)| name == "enabled")
            {
                members.insert(0, ("enabled".into(), Json::Bool(false)));
            }
        }
    }
    settings.to_text()
}

fn descend<'j, 'a>(json: &'j mut Json<'a>, path: &[&str]) -> Option<&'j mut Json<'a>> {
    path.iter().try_fold(json, |json, name| json.member_mut(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings() -> Json<'static> {
        let text = |text: &'static str| Json::Text(text.into());
        let object = |members: Vec<(&'static str, Json<'static>)>| {
            Json::Object(members.into_iter().map(|(name, value)| (name.into(), value)).collect())
        };
        object(vec![
            (
                "authentication",
                object(vec![
                    ("webhook", object(vec![("cacheTtl", text("10s"))])),
                    ("anonymous", object(vec![("enabled", Json::Bool(true))])),
                ]),
            ),
            (
                "authorization",
                object(vec![(
                    "webhook",
                    object(vec![("cacheAuthorizedTtl", text("5m")), ("cacheUnauthorizedTtl", text("30s"))]),
                )]),
            ),
        ])
    }

    #[test]
    fn kubelet_reads_every_name_that_we_write() {
        let text: String = kubelet_config(settings(), Mode::Ours).split_whitespace().collect();
        assert_eq!(
            text,
            r#"{"authentication":{"webhook":{"enabled":false,"cacheTTL":"10s"},"anonymous":{"enabled":true}},"authorization":{"webhook":{"cacheAuthorizedTTL":"5m","cacheUnauthorizedTTL":"30s"}}}"#
        );
    }

    #[test]
    fn a_setting_has_one_name() {
        let path = |path: &str| path.split('.').map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(kubelet_setting(&path("authentication.webhook.cacheTtl")), "cacheTTL");
        assert_eq!(kubelet_setting(&path("webhook.cacheTtl")), "cacheTtl");
        assert_eq!(kubelet_setting(&path("maxPods")), "maxPods");
    }

    #[test]
    fn compat_keeps_the_names_of_the_contract() {
        assert_eq!(kubelet_config(settings(), Mode::Compat), settings().to_text());
    }
}
