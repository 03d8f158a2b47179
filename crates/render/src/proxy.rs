//! The egress proxy: for the shell that the scripts evaluate, for services, for apt and for those who log in.

use slipway_model::Mode;

/// An egress proxy; empty is unset.
#[derive(Debug, Clone, Copy, Default)]
pub struct Proxy<'a> {
    /// For HTTP.
    pub http: &'a str,
    /// For HTTPS.
    pub https: &'a str,
    /// What is reached without it.
    pub bypass: &'a [String],
}

/// The export statements for a proxy. Those before the last end in a space even when the last is missing.
pub fn proxy_exports(proxy: Proxy<'_>, mode: Mode) -> String {
    let mut out = String::new();
    let mut export = |name: &str, value: &str, end: &str| {
        out.push_str("export ");
        out.push_str(name);
        out.push_str("=\"");
        for character in value.chars() {
            // Inside double quotes the shell still reads these four.
            if mode == Mode::Ours && matches!(character, '"' | '\\' | '$' | '`') {
                out.push('\\');
            }
            out.push(character);
        }
        out.push_str(end);
    };
    if !proxy.bypass.is_empty() {
        export("NO_PROXY", &proxy.bypass.join(","), "\"; ");
    }
    if !proxy.https.is_empty() {
        export("HTTPS_PROXY", proxy.https, "\"; ");
    }
    if !proxy.http.is_empty() {
        export("http_proxy", proxy.http, "\";");
    }
    out
}

impl Proxy<'_> {
    /// The variables that say it, in both spellings: programs disagree about the case.
    pub fn variables(&self) -> Vec<(&'static str, String)> {
        let bypass = self.bypass.join(",");
        let rows = [
            (["HTTP_PROXY", "http_proxy"], self.http),
            (["HTTPS_PROXY", "https_proxy"], self.https),
            (["NO_PROXY", "no_proxy"], &*bypass),
        ];
        let set = rows.into_iter().filter(|(_, value)| !value.is_empty());
        set.flat_map(|(names, value)| names.map(|name| (name, value.to_owned()))).collect()
    }

    /// The environment file of services.
    pub fn environment_file(&self) -> String {
        self.variables().iter().flat_map(|(name, value)| [name, "=", value, "\n"]).collect()
    }

    /// The drop-in of the service manager that gives the variables to every service.
    pub fn manager_drop_in(&self) -> String {
        let variables = self.variables();
        let lines =
            variables.iter().flat_map(|(name, value)| ["DefaultEnvironment=\"", name, "=", value, "\"\n"]);
        std::iter::once("[Manager]\n").chain(lines).collect()
    }

    /// apt's configuration.
    pub fn apt_configuration(&self) -> String {
        let rows = [("http", self.http), ("https", self.https)];
        let set = rows.into_iter().filter(|(_, value)| !value.is_empty());
        set.flat_map(|(scheme, value)| ["Acquire::", scheme, "::proxy \"", value, "\";\n"]).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_set_is_exported() {
        let bypass = ["localhost".to_owned(), "10.0.0.0/8".to_owned()];
        let exports = |http, https, bypass| proxy_exports(Proxy { http, https, bypass }, Mode::Compat);
        assert_eq!(exports("", "", &[]), "");
        assert_eq!(exports("h", "", &[]), r#"export http_proxy="h";"#);
        assert_eq!(exports("", "s", &[]), r#"export HTTPS_PROXY="s"; "#);
        assert_eq!(exports("", "", &bypass), r#"export NO_PROXY="localhost,10.0.0.0/8"; "#);
        assert_eq!(
            exports("h", "s", &bypass),
            r#"export NO_PROXY="localhost,10.0.0.0/8"; export HTTPS_PROXY="s"; export http_proxy="h";"#
        );
    }

    #[test]
    fn nothing_in_a_proxy_is_executed_by_the_shell() {
        let proxy = Proxy { http: r#"http://"$(id)`id`\"#, ..Proxy::default() };
        assert_eq!(proxy_exports(proxy, Mode::Ours), r#"export http_proxy="http://\"\$(id)\`id\`\\";"#);
        assert_eq!(proxy_exports(proxy, Mode::Compat), r#"export http_proxy="http://"$(id)`id`\";"#);
    }

    #[test]
    fn services_and_apt_are_told_what_is_set() {
        let bypass = ["localhost".to_owned(), ".svc".to_owned()];
        let proxy = Proxy { http: "http://p:1/", https: "", bypass: &bypass };
        assert_eq!(
            proxy.environment_file(),
            "HTTP_PROXY=http://p:1/\nhttp_proxy=http://p:1/\nNO_PROXY=localhost,.svc\nno_proxy=localhost,.svc\n"
        );
        assert_eq!(proxy.apt_configuration(), "Acquire::http::proxy \"http://p:1/\";\n");
        assert!(
            proxy.manager_drop_in().starts_with("[Manager]\nDefaultEnvironment=\"HTTP_PROXY=http://p:1/\"\n")
        );
    }
}
