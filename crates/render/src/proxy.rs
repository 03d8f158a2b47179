//! The egress proxy, as shell text: the scripts evaluate it.

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
}
