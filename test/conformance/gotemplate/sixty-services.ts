/** A chart's template of the usual kind, and values for sixty services. */
export const template = `{{- define "labels" }}
        app: {{ .chart | quote }}
        release: {{ .release | quote }}
        service: {{ .name }}
{{- end }}
services:
{{- range $i, $s := .Values.services }}
  {{ $s.name }}:
    image: "{{ $s.image.repository }}:{{ $s.image.tag | default $.Chart.AppVersion }}"
    {{- with $s.command }}
    command: {{ . | toJson }}
    {{- end }}
    environment:
      {{- range $k, $v := $s.env }}
      {{ $k | upper }}: {{ $v | quote }}
      {{- end }}
    {{- if $s.ports }}
    ports:
      {{- range $s.ports }}
      - target: {{ .target }}
        published: {{ .published }}
        protocol: {{ .protocol | default "tcp" }}
        mode: {{ if eq (.mode | default "ingress") "host" }}host{{ else }}ingress{{ end }}
      {{- end }}
    {{- end }}
    networks: [{{ join ", " $s.networks }}]
    deploy:
      replicas: {{ $s.replicas | default 1 }}
      labels:
        {{- template "labels" (dict "chart" $.Chart.Name "release" $.Release.Name "name" $s.name) }}
        hash: {{ printf "%s-%d" $s.name $i | sha256sum | trunc 12 }}
      resources:
        limits:
          cpus: {{ $s.cpus | toString | quote }}
          memory: {{ mul $s.memory 1024 }}
      {{- if and $s.placement (gt (len $s.placement) 0) }}
      placement:
        constraints:
{{ toYaml $s.placement | indent 10 }}
      {{- end }}
{{- end }}
`;

export const values = {
  services: Array.from({ length: 60 }, (_, i) => ({
    name: `service-${i}`,
    image: { repository: `registry.example.com/app-${i}`, tag: i % 3 ? `1.${i}` : '' },
    command: i % 2 ? ['run', '--port', String(8000 + i)] : null,
    env: { db_host: 'db', db_port: 5432 + i, log_level: 'info', feature_x: true, ratio: 0.5 },
    ports:
      i % 4
        ? [
            { target: 80, published: 8000 + i },
            { target: 443, published: 9000 + i, protocol: 'udp', mode: 'host' },
          ]
        : [],
    networks: ['front', 'back'],
    replicas: i % 5,
    cpus: '0.5',
    memory: 256 + i,
    placement: ['node.role == worker', `node.labels.zone == z${i}`],
  })),
};
