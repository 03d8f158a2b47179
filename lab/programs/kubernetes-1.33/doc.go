//go:build tools

package kubernetes

import _ "k8s.io/kubernetes/cmd/kubelet"
