/** The image of every service of the demo: a busybox. */
export const DEMO_IMAGE = 'hivekeep-demo/busybox:1';

/** Files of the chart `greeter`, by path: a service whose words and replicas are values, checked by a schema. */
export const greeterChart: Readonly<Record<string, string>> = {
  'charts/greeter/Chart.yaml': 'name: greeter\nversion: 0.1.0\ndescription: says something every few seconds\nswarmcliVersion: ">= 2.0"\n',
  'charts/greeter/values.yaml': `image: ${DEMO_IMAGE}\ngreeting: Hello\nreplicas: 1\nconstraints: []\n`,
  'charts/greeter/values.schema.json': `{
  "type": "object",
  "additionalProperties": false,
  "properties": {
    "image": { "type": "string" },
    "greeting": { "type": "string", "pattern": "^[A-Za-z ]+$" },
    "replicas": { "type": "integer", "minimum": 0, "maximum": 10 },
    "constraints": { "type": "array", "items": { "type": "string" } }
  }
}
`,
  'charts/greeter/templates/stack.yaml': `services:
  greeter:
    image: {{ .Values.image }}
    command: [sh, -c, {{ printf "while sleep 5; do echo %s from %s; done" .Values.greeting .Release.Name | quote }}]
    stop_grace_period: 1s
    deploy:
      replicas: {{ .Values.replicas }}
      {{- with .Values.constraints }}
      placement:
        constraints: {{ toJson . }}
      {{- end }}
`,
};
