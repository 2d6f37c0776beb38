import { DEMO_IMAGE, greeterChart } from './demo-chart.ts';

export interface DemoPlace {
  /** The repository, as the app set names it. */
  readonly repository: string;
  /** The only node with the image; all nodes have it when absent. */
  readonly onlyNode: string | undefined;
}

/** The demo repository's files, by path: an app set and four applications, one of a chart. `notes` comes last, so that it is easily cut off. */
export function demoFiles({ repository, onlyNode }: DemoPlace): Record<string, string> {
  const placement = onlyNode === undefined ? '' : `, placement: {constraints: ["node.id == ${onlyNode}"]}`;
  return {
    'applications.yaml': appSet(repository),
    'web/index.html': '<h1>Hello from Git</h1>\n',
    'web/compose.yaml': webStack(placement),
    'job/compose.yaml': jobStack(placement),
    ...greeterChart,
    'greeter/values.yaml': greeterValues(onlyNode),
    'notes/key.txt': 'a secret of the demo\n',
    'notes/compose.yaml': notesStack(placement),
  };
}

export const applicationNames = ['web', 'job', 'greeter', 'notes'] as const;
export type DemoApplication = (typeof applicationNames)[number];

/** The stack of an application, apart from what a machine may run already. */
export const stackOf = (application: DemoApplication) => `demo-${application}`;

const sourceOf = (name: DemoApplication) =>
  name === 'greeter'
    ? `chart: {path: charts/greeter, values: [greeter/values.yaml], release: ${stackOf(name)}}`
    : `compose: {files: [${name}/compose.yaml], release: ${stackOf(name)}}`;

/** What this swarm gives to the chart. */
const greeterValues = (onlyNode: string | undefined) =>
  `greeting: Good day\nreplicas: 1\n${onlyNode === undefined ? '' : `constraints: ["node.id == ${onlyNode}"]\n`}`;

function appSet(repository: string): string {
  const entry = (name: DemoApplication) => `  - name: ${name}
    source:
      repoURL: ${repository}
      revision: main
      ${sourceOf(name)}
    syncPolicy: {automated: true, interval: 10s}
    driftDetection: live
`;
  return `apiVersion: v1\napplications:\n${applicationNames.map(entry).join('')}`;
}

/** Two services, a network, a config. */
function webStack(placement: string): string {
  return `services:
  page:
    image: ${DEMO_IMAGE}
    command: [httpd, -f, -h, /www]
    configs: [{source: page, target: /www/index.html}]
    networks: [front]
    stop_grace_period: 1s
    deploy: {replicas: 2${placement}}
  reader:
    image: ${DEMO_IMAGE}
    command: [sh, -c, "while sleep 5; do wget -qO- http://page; done"]
    networks: [front]
    stop_grace_period: 1s
    deploy: {replicas: 1${placement}}
networks: {front: {}}
configs: {page: {file: index.html}}
`;
}

/** A job that runs once and ends. */
function jobStack(placement: string): string {
  return `services:
  migrate:
    image: ${DEMO_IMAGE}
    command: [sh, -c, "echo migrated"]
    deploy: {mode: replicated-job, restart_policy: {condition: on-failure}${placement}}
`;
}

/** A service on every node, each with a volume of its own, and a secret. */
function notesStack(placement: string): string {
  return `services:
  writer:
    image: ${DEMO_IMAGE}
    command: [sh, -c, "cat /run/secrets/key > /data/key; while sleep 2; do date >> /data/notes; done"]
    secrets: [key]
    volumes: ["data:/data"]
    stop_grace_period: 1s
    deploy: {mode: global${placement}}
volumes: {data: {}}
secrets: {key: {file: key.txt}}
`;
}
