//! The network configuration of kubenet nodes.

/// What containerd fills in to configure kubenet's bridge; the braces are Go's template syntax.
pub const KUBENET_TEMPLATE: &str = r#"{
  "cniVersion": "0.3.1",
  "name": "kubenet",
  "plugins": [
    {
      "type": "bridge",
      "bridge": "cbr0",
      "mtu": 1500,
      "addIf": "eth0",
      "isGateway": true,
      "ipMasq": false,
      "promiscMode": true,
      "hairpinMode": false,
      "ipam": {
        "type": "host-local",
        "ranges": [{{range $at, $cidr := .PodCIDRRanges}}{{if $at}}, {{end}}[{"subnet": "{{$cidr}}"}]{{end}}],
        "routes": [{{range $at, $route := .Routes}}{{if $at}}, {{end}}{"dst": "{{$route}}"}{{end}}]
      }
    },
    {
      "type": "portmap",
      "capabilities": {"portMappings": true},
      "externalSetMarkChain": "KUBE-MARK-MASQ"
    }
  ]
}
"#;
