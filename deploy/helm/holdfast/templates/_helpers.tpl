{{- define "holdfast.name" -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- end -}}

{{- define "holdfast.labels" -}}
app.kubernetes.io/name: holdfast
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{/* The settings of one role: those of all servers, those of the role, and what the chart decides. */}}
{{- define "holdfast.config" -}}
{{- $root := .root -}}
{{- $own := dict
      "mode" .role
      "host" "0.0.0.0"
      "port" 7420
      "drain" (printf "PT%dS" (int $root.Values.drainSeconds))
      "database" (dict "url" $root.Values.database.url "user" $root.Values.database.user) -}}
{{- if eq .role "worker" -}}
{{- $own = merge $own (dict "queues" $root.Values.worker.queues "concurrency" (int $root.Values.worker.concurrency)) -}}
{{- end -}}
{{- $given := index $root.Values .role "config" -}}
{{- toYaml (mergeOverwrite (deepCopy $root.Values.config) (deepCopy $given) $own) -}}
{{- end -}}

{{- define "holdfast.deployment" -}}
{{- $root := .root -}}
{{- $role := .role -}}
{{- $own := index $root.Values $role -}}
{{- $values := $root.Values -}}
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ include "holdfast.name" $root }}-{{ $role }}
  labels:
    {{- include "holdfast.labels" $root | nindent 4 }}
    app.kubernetes.io/component: {{ $role }}
spec:
  {{- if not (and (eq $role "worker") $values.worker.autoscaling.enabled) }}
  replicas: {{ $own.replicas }}
  {{- end }}
  selector:
    matchLabels:
      {{- include "holdfast.labels" $root | nindent 6 }}
      app.kubernetes.io/component: {{ $role }}
  strategy:
    type: RollingUpdate
    rollingUpdate: {maxUnavailable: 0, maxSurge: 1}
  template:
    metadata:
      labels:
        {{- include "holdfast.labels" $root | nindent 8 }}
        app.kubernetes.io/component: {{ $role }}
      annotations:
        # A changed configuration restarts the servers.
        checksum/config: {{ include "holdfast.config" . | sha256sum }}
        {{- with $values.podAnnotations }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
    spec:
      # Otherwise a service named holdfast would set HOLDFAST_PORT to an address.
      enableServiceLinks: false
      automountServiceAccountToken: false
      terminationGracePeriodSeconds: {{ add $values.preStopSeconds $values.drainSeconds $values.killAfterSeconds }}
      {{- with $values.imagePullSecrets }}
      imagePullSecrets: {{- toYaml . | nindent 8 }}
      {{- end }}
      securityContext:
        runAsNonRoot: true
        runAsUser: 10001
        runAsGroup: 10001
        fsGroup: 10001
        seccompProfile: {type: RuntimeDefault}
      {{- if and $values.tasks.image (ne $role "api") }}
      initContainers:
        - name: tasks
          image: {{ $values.tasks.image | quote }}
          command: ["cp", "-r", {{ printf "%s/." $values.tasks.folder | quote }}, "/tasks/"]
          securityContext:
            allowPrivilegeEscalation: false
            capabilities: {drop: [ALL]}
          volumeMounts:
            - {name: tasks, mountPath: /tasks}
      {{- end }}
      containers:
        - name: holdfast
          image: "{{ $values.image.repository }}:{{ $values.image.tag | default $root.Chart.AppVersion }}"
          imagePullPolicy: {{ $values.image.pullPolicy }}
          args: ["serve", "--config", "/etc/holdfast/holdfast.yaml"]
          env:
            # Those of the image would override the file.
            - {name: HOLDFAST_HOST, value: ""}
            - {name: HOLDFAST_LOG_FORMAT, value: ""}
            - name: HOLDFAST_DATABASE_PASSWORD
              valueFrom: {secretKeyRef: {name: {{ $values.database.existingSecret }}, key: password}}
            - name: HOLDFAST_ADMIN_KEY
              valueFrom: {secretKeyRef: {name: {{ $values.database.existingSecret }}, key: adminKey, optional: true}}
            {{- if $values.secrets.existingSecret }}
            - {name: HOLDFAST_SECRETS_KEY_FILE, value: {{ printf "/etc/holdfast-secrets/%s" $values.secrets.key | quote }}}
            {{- if $values.secrets.oldKey }}
            - {name: HOLDFAST_SECRETS_OLD_KEY_FILE, value: {{ printf "/etc/holdfast-secrets/%s" $values.secrets.oldKey | quote }}}
            {{- end }}
            {{- end }}
            {{- if and $values.tasks.classpath (ne $role "api") }}
            - {name: HOLDFAST_CLASSPATH, value: {{ $values.tasks.classpath | quote }}}
            {{- end }}
          ports:
            - {name: http, containerPort: 7420}
          # Slow starts (a migration, a database that is away) are not failures.
          startupProbe:
            httpGet: {path: /health, port: http}
            periodSeconds: 2
            failureThreshold: 90
          livenessProbe:
            httpGet: {path: /health, port: http}
            periodSeconds: 10
            timeoutSeconds: 3
            failureThreshold: 6
          readinessProbe:
            httpGet: {path: /ready, port: http}
            periodSeconds: 5
            timeoutSeconds: 3
            failureThreshold: 2
          lifecycle:
            preStop:
              # Afterwards SIGTERM drains the server; see drainSeconds.
              exec: {command: ["sleep", {{ $values.preStopSeconds | quote }}]}
          resources: {{- toYaml $own.resources | nindent 12 }}
          securityContext:
            allowPrivilegeEscalation: false
            readOnlyRootFilesystem: true
            capabilities: {drop: [ALL]}
          volumeMounts:
            - {name: config, mountPath: /etc/holdfast, readOnly: true}
            - {name: tmp, mountPath: /tmp}
            - {name: home, mountPath: /var/lib/holdfast}
            {{- if and $values.tasks.image (ne $role "api") }}
            - {name: tasks, mountPath: /tasks, readOnly: true}
            {{- end }}
            {{- if $values.secrets.existingSecret }}
            - {name: secrets, mountPath: /etc/holdfast-secrets, readOnly: true}
            {{- end }}
      volumes:
        - name: config
          configMap: {name: {{ include "holdfast.name" $root }}-{{ $role }}}
        - {name: tmp, emptyDir: {}}
        - {name: home, emptyDir: {}}
        {{- if and $values.tasks.image (ne $role "api") }}
        - {name: tasks, emptyDir: {}}
        {{- end }}
        {{- if $values.secrets.existingSecret }}
        - name: secrets
          secret: {secretName: {{ $values.secrets.existingSecret }}, defaultMode: 0440}
        {{- end }}
      {{- with $values.nodeSelector }}
      nodeSelector: {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- with $values.tolerations }}
      tolerations: {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- with $values.affinity }}
      affinity: {{- toYaml . | nindent 8 }}
      {{- end }}
{{- end -}}
