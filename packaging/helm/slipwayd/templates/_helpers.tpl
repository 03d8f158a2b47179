{{- define "slipwayd.name" -}}
{{- $name := printf "%s-%s" .Release.Name .Chart.Name }}
{{- if contains .Chart.Name .Release.Name }}{{ $name = .Release.Name }}{{ end }}
{{- $name | trunc 63 | trimSuffix "-" }}
{{- end }}

{{- define "slipwayd.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "slipwayd.labels" -}}
{{ include "slipwayd.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end }}

{{- define "slipwayd.serviceAccount" -}}
{{- if .Values.serviceAccount.create }}{{ .Values.serviceAccount.name | default (include "slipwayd.name" .) }}{{ else }}{{ .Values.serviceAccount.name | default "default" }}{{ end }}
{{- end }}

{{- /* Refuses values that would make a service that cannot or should not run. */}}
{{- define "slipwayd.check" -}}
{{- $auth := .Values.authentication }}
{{- $shown := or $auth.bearerToken.existingSecret $auth.clientCA.existingSecret }}
{{- if and (not $shown) (not $auth.none) }}
{{- fail "callers have no way to show who they are: set authentication.bearerToken.existingSecret or authentication.clientCA.existingSecret, or authentication.none where the network policy is enough" }}
{{- end }}
{{- if and $shown $auth.none }}
{{- fail "authentication.none excludes authentication.bearerToken and authentication.clientCA" }}
{{- end }}
{{- if and $auth.clientCA.existingSecret (not .Values.tls.existingSecret) }}
{{- fail "authentication.clientCA needs tls.existingSecret: client certificates are shown over TLS" }}
{{- end }}
{{- if and .Values.clusters .Values.existingConfigSecret }}
{{- fail "set clusters or existingConfigSecret, not both" }}
{{- end }}
{{- end }}
