/** Charts of our own: files by path, and what is given over their values. */
export interface ChartCase {
  readonly name: string;
  readonly files: Readonly<Record<string, string>>;
  readonly values?: string;
}

const WEB = 'services:\n  web:\n    image: nginx\n';
const inTemplate = (name: string, template: string, values = '', more: Record<string, string> = {}): ChartCase => ({
  name,
  files: { 'templates/stack.yaml': template, 'values.yaml': values, ...more },
});

const PROXY = `{{- $mw := list "secure" -}}
version: "3.9"
services:
  proxy:
    image: "traefik:{{ .Chart.AppVersion }}"
    command:
      - --providers.swarm.network={{ .Values.network.name }}
      {{- if .Values.dashboard.enabled }}
      - --api.dashboard=true
      {{- $mw = append $mw "auth" }}
      {{- else }}
      - --api=false
      {{- end }}
      {{- range .Values.entrypoints }}
      - --entrypoints.{{ .name }}.address=:{{ .port }}
      {{- end }}
    deploy:
      replicas: {{ .Values.replicas | default 1 }}
      labels:
        traefik.http.routers.{{ .Release.Name }}.middlewares: {{ join "," $mw | quote }}
        com.swarmcli.release: {{ .Release.Name }}
      {{- with .Values.resources }}
      resources:
{{ toYaml . | indent 8 }}
      {{- end }}
    ports:
      {{- range $name, $port := .Values.ports }}
      - "{{ $port }}:{{ $port }}" # {{ $name }}
      {{- end }}
    networks: [{{ .Values.network.name }}]
networks:
  {{ .Values.network.name }}:
    external: {{ .Values.network.external | default false }}
volumes:
  certs:
`;
const PROXY_VALUES = `network: {name: edge, external: true}
dashboard: {enabled: true}
entrypoints: [{name: web, port: 80}, {name: websecure, port: 443}]
ports: {web: 80, websecure: 443, a10: 22, a2: 21}
resources: {limits: {cpus: "0.50", memory: 128M}}
`;
const DATABASE = `{{- define "db.env" -}}
{{- range $key, $value := .env }}
      {{ $key }}: {{ $value | quote }}
{{- end }}
{{- end -}}
{{- /* one service
       for each of the replicas */ -}}
services:
{{- range $i := until (int .Values.count) }}
  db{{ add1 $i }}:
    image: {{ printf "%s:%v" $.Values.image $.Values.tag }}
    hostname: {{ $.Release.Name }}-db-{{ $i }}
    environment:
      {{- template "db.env" (dict "env" $.Values.env) }}
      ROLE: {{ ternary "primary" "replica" (eq $i 0) }}
      {{- if and (gt $i 0) (not $.Values.standalone) }}
      PRIMARY: {{ $.Release.Name }}-db-0
      {{- end }}
    configs:
      - source: conf
        target: /etc/db.conf
        mode: 0444
    volumes: ["data{{ $i }}:/var/lib/db"]
{{- end }}
configs:
  conf:
    name: {{ .Release.Name }}-conf-{{ .Values.conf | toJson | sha256sum | trunc 12 }}
    file: files/db.conf
    template_driver: golang
volumes:
{{- range $i := until (int .Values.count) }}
  data{{ $i }}: {}
{{- end }}
`;

export const chartCases: readonly ChartCase[] = [
  inTemplate('the least', WEB),
  { name: 'a proxy', files: { 'templates/stack.yaml.tmpl': PROXY, 'values.yaml': PROXY_VALUES } },
  {
    name: 'a proxy without its dashboard',
    files: { 'templates/stack.yaml.tmpl': PROXY, 'values.yaml': PROXY_VALUES },
    values: 'dashboard: {enabled: false}\nreplicas: 3\nresources: null\n',
  },
  {
    name: 'a database of several services',
    files: {
      'templates/stack.yaml': DATABASE,
      'files/db.conf': 'x',
      'values.yaml': 'count: 3\nimage: postgres\ntag: 16.10\nenv: {B: 1, A: yes, C: 0444}\nconf: {a: "<b>"}\nstandalone: false\n',
    },
  },
  {
    name: 'several files, helpers and a later list',
    files: {
      'templates/_helpers.tpl': '{{ define "name" }}{{ .Release.Name }}-{{ .Chart.Name }}{{ end }}{{ define "twice" }}first{{ end }}',
      'templates/_other.tpl': '{{ define "twice" }}second{{ end }}{{ block "empty" . }}{{ end }}',
      'templates/a.yaml': 'services: {web: {image: a, hostname: {{ template "name" . }}, ports: ["80", "81"], labels: {x: "1"}}}',
      'templates/b.yaml': 'services: {web: {ports: ["82"], labels: {y: {{ template "twice" }}}}, api: {image: b}}',
      'templates/off.yaml': '{{ if .Values.off }}services: {no: {image: no}}{{ end }}\n',
      'templates/remark.txt': '# nothing\n',
    },
  },
  inTemplate(
    'numbers, words and times of YAML',
    `${WEB}x-v:\n{{ toYaml .Values | indent 2 }}\n`,
    'a: 0444\nb: yes\nc: 1_000\nd: 1e3\ne: 1.50\nf: 2020-01-01\ng: 12:30\nh: ~\ni: "on"\nj: 0x1F\nk: 12345678901234567890\nl: .5\nm: -0.0\nn: 08\no: 1.0\n',
  ),
  inTemplate(
    'keys in their natural order',
    `${WEB}x-v:\n{{ toYaml .Values | indent 2 }}\n`,
    'b10: 1\nb2: 1\nB: 1\na: 1\n".z": 1\nx-y: 1\nx_y: 1\nx1a: 1\nxa: 1\n"1": 1\né: 1\nv10: 1\nv2: 1\n"": 1\n',
  ),
  inTemplate(
    'strings that need quotes',
    `${WEB}x-v:\n{{ toYaml .Values | indent 2 }}\n`,
    `a: "true"\nb: "null"\nc: "1.0"\nd: "~"\ne: "22:22"\nf: "80:80"\ng: " x"\nh: "a: b"\ni: "a #b"\nj: "- a"\nk: "*a"\nl: "x\\ty"\nm: "é"\nn: "😀"\no: "y"\np: ""\nq: "0o17"\nr: "@x"\ns: "a:"\nt: "%"\n`,
  ),
  inTemplate(
    'texts of several lines',
    `${WEB}x-v:\n{{ toYaml .Values | indent 2 }}\nx-w: |\n{{ .Values.b | indent 2 }}\n`,
    'a: |\n  one\n  two\nb: |-\n  one\n\n  two\nc: |+\n  one\n\nd: "  lead\\nx\\n"\ne: >\n  folded\n  text\nf: "tab\\there\\nx"\n',
  ),
  inTemplate('anchors and merges', `${WEB}    labels: &l {a: "1"}\n    environment:\n      <<: *l\n      b: "2"\n`),
  inTemplate('empty things', `${WEB}    labels: {}\n    command: []\n    hostname: ""\n    x: ~\nvolumes: {v: }\n`),
  inTemplate('lists in lists and odd nesting', `${WEB}x-l: [[1, [2, {a: [3]}]], [], {}, [{}]]\n`),
  inTemplate('keys that are no text', `${WEB}x-k: {{ range $k, $v := .Values.k }}{{ $k }}={{ $v }},{{ end }}\n`, 'k: {2: a, 1: b}\n'),
  {
    name: 'given values',
    files: {
      'templates/s.yaml': `${WEB}x-v:\n{{ toYaml (omit .Values "k") | indent 2 }}\nx-k: {{ len .Values.k }}\n`,
      'values.yaml': 'a: {b: 1, c: [1, 2], d: {e: 1}}\nk: {1: a, b: c}\nn: {x: 1}\n',
    },
    values: 'a: {c: [3], d: null}\nk: {2: b}\nn: {y: 2}\nz: new\n',
  },
  inTemplate(
    'missing values',
    `${WEB}x-a: "{{ .Values.nope }} {{ .Values.nope.deep.er }} {{ .Values.nope | default "d" }} {{ .Values.nope | quote }}"\n`,
  ),
  inTemplate(
    'sprig',
    `${WEB}x-a: {{ dict "b" (list 1 2.5 "x") | toJson | quote }}\nx-b: {{ "a,b" | splitList "," | join "-" }}\nx-c: {{ regexReplaceAll "a(x*)b" "-ab-axxb-" "\${1}W" }}\nx-d: {{ "hello world" | title | trunc 7 }}\nx-e: {{ semverCompare "^1.2" "1.3.0" }}\nx-f: {{ list "b" "a" | sortAlpha | first }}\nx-g: {{ mul 3 4 | add 1 | toString | quote }}\nx-h: {{ 1700000000 | date "2006-01-02" }}\n`,
  ),
  inTemplate('a requirement for each value', WEB, 'nets: [{name: a}, {name: b, driver: weave, hand: true}]\n', {
    'requirements.yaml':
      'networks:\n{{- range .Values.nets }}\n- name: {{ .name }}\n  {{- with .driver }}\n  driver: {{ . }}\n  {{- end }}\n  autoCreate: {{ not .hand }}\n{{- end }}\nsecrets: [{name: s, description: d}]\n',
  }),
  inTemplate('files, one of them unused', `${WEB}    env_file: [files/a.env, ./files/b/c.env]\nconfigs: {c: {file: files/conf}}\n`, '', {
    'files/a.env': 'A=1\n',
    'files/b/c.env': 'B=1\n',
    'files/conf': 'x',
    'files/unused': 'x',
  }),
  inTemplate('dollars', `${WEB}    command: ["$$HOME", "a$$b"]\n`),
  inTemplate('windows line ends and a byte order mark', `\uFEFF${WEB}`.replaceAll('\n', '\r\n')),
  inTemplate('a long key and a long line', `${WEB}x-m:\n  ${'k'.repeat(130)}: ${'word '.repeat(60)}\n`),
  inTemplate('two documents', `${WEB}---\nservices: {no: {image: no}}\n`),
  inTemplate('values that a template changes', `{{ $_ := set .Values "x" "n" }}${WEB}`, '', {
    'requirements.yaml': 'networks: [{name: "{{ .Values.x }}"}]',
  }),
  // each of these fails in both
  inTemplate('no services', 'volumes: {v: }\n'),
  inTemplate('a list', '- a\n'),
  inTemplate('only blanks', '{{ if false }}x{{ end }}\n'),
  inTemplate('a function that there is not', `${WEB}x: {{ include "x" . }}\n`),
  inTemplate('a field that there is not', `${WEB}x: {{ .Chart.Nope }}\n`),
  inTemplate('a nil in the way', `${WEB}x: {{ .Values.a.b }}\n`, 'a: null\n'),
  inTemplate('a failing helper', WEB, '', { 'templates/_h.tpl': '{{ fail "no" }}' }),
  inTemplate('a key twice', `${WEB}${WEB}`),
  inTemplate('a file outside', `${WEB}configs: {c: {file: ../x}}\n`),
  inTemplate('a file that is not there', `${WEB}configs: {c: {file: files/x}}\n`),
  inTemplate('requirements without a name', WEB, '', { 'requirements.yaml': 'secrets: [{description: {{ "x" }}}]\n' }),
  inTemplate('another apiVersion', WEB, '', { 'Chart.yaml': 'apiVersion: v2\nname: x\nversion: 1.0.0\n' }),
];
