import { busUserName, inboxPrefix } from '@hivekeep/runtime';
import type { Answers } from './answers.ts';
import { natsCommand, natsPaths } from './nats-conf.ts';
import { natsHealth } from './nats-health.ts';
import { deployment, ownService, STOP_GRACE, secretFile } from './stack-service.ts';

/** Where a stack's objects come from: a file of the folder, under a name that changes with its content. */
export interface FileObject {
  readonly file: string;
  readonly name: string;
}

export interface StackObjects {
  readonly secrets: Readonly<Record<string, FileObject>>;
  readonly configs: Readonly<Record<string, FileObject>>;
}

const SOCKET = '/var/run/docker.sock:/var/run/docker.sock';
const CA_FILE = '/etc/hivekeep/ca.crt';
const BUS = 'bus';
const OUTSIDE = 'outside';

/** The stack of the hub: NATS and all services of its own swarm. Nothing is published. Names of secrets are those of `objects`. */
export function hubStack(answers: Answers, objects: StackObjects): object {
  const local = [BUS];
  return {
    version: '3.9',
    services: {
      nats: natsService(answers),
      source: sourceService(answers, objects),
      ...swarmServices({ ...answers, home: true, servers: 'tls://nats:4222', networks: local }),
      gateway: ownService('gateway', {
        image: answers.image,
        networks: [BUS, OUTSIDE],
        environment: {
          ...busEnvironment({ service: 'gateway' }, 'tls://nats:4222', answers),
          HIVEKEEP_LISTEN: ':8080',
          HIVEKEEP_ADMIN_TOKEN_FILE: '/run/secrets/admin-token',
          HIVEKEEP_APPSET_INTERVAL: answers.interval,
        },
        secrets: [secretFile('seed-gateway'), secretFile('admin-token')],
        configs: [{ source: 'ca', target: CA_FILE }],
        deploy: deployment({ replicas: 2, memory: '512M' }),
      }),
    },
    networks: { [BUS]: { driver: 'overlay', internal: true }, [OUTSIDE]: { driver: 'overlay' } },
    volumes: { nats: {}, mirrors: { name: `${answers.stack}-mirrors-{{.Task.Slot}}` } },
    ...declared(objects),
  };
}

/** What another swarm runs: its reconciler and agents, which dial the hub. */
export function remoteStack(answers: Answers, swarm: string, servers: readonly string[], objects: StackObjects): object {
  return {
    version: '3.9',
    services: swarmServices({ ...answers, swarm, home: false, servers: servers.join(','), networks: [OUTSIDE] }),
    networks: { [OUTSIDE]: { driver: 'overlay' } },
    ...declared(objects),
  };
}

/** Publishes the gateway with TLS, on each node that runs one. */
export function gatewayOverlay({ gatewayPort }: Answers, objects: StackObjects): object {
  return {
    version: '3.9',
    services: {
      gateway: {
        environment: {
          HIVEKEEP_LISTEN: `:${gatewayPort}`,
          HIVEKEEP_TLS_CERT: '/etc/hivekeep/gateway.crt',
          HIVEKEEP_TLS_KEY: '/run/secrets/gateway-key',
        },
        secrets: [secretFile('gateway-key')],
        configs: [{ source: 'gateway-crt', target: '/etc/hivekeep/gateway.crt' }],
        ports: [{ target: gatewayPort, published: gatewayPort, protocol: 'tcp', mode: 'host' }],
      },
    },
    ...declared(objects),
  };
}

/** Publishes NATS for other swarms, on the nodes that run it. */
export function hubOverlay({ hubPort }: Answers): object {
  const ports = [{ target: 4222, published: hubPort, protocol: 'tcp', mode: 'host' }];
  return { version: '3.9', services: { nats: { networks: [BUS, OUTSIDE], ports } } };
}

/**
 * Swarm's DNS names only tasks that are well, and servers of a cluster find each other by it: each must be well before there is a
 * cluster. The second name of the option is that of servers from 2.10 on.
 */
const CLUSTER_HEALTH = '?js-enabled=true&js-enabled-only=true';

function natsService({ natsImage, natsLabel, natsNodes }: Answers): object {
  const url = `http://127.0.0.1:8222/healthz${natsNodes === 3 ? CLUSTER_HEALTH : ''}`;
  const health = natsHealth({ url, hosts: '/etc/hosts', mark: '/dev/shm/well' });
  return {
    image: natsImage,
    command: natsCommand(natsPaths),
    user: '0',
    cap_drop: ['ALL'],
    read_only: true,
    stop_grace_period: STOP_GRACE,
    environment: { NATS_SERVER_NAME: '{{.Node.Hostname}}' },
    networks: [BUS],
    volumes: [`nats:${natsPaths.data}`],
    secrets: [secretFile('nats-key', true)],
    configs: [
      { source: 'nats-conf', target: natsPaths.config },
      { source: 'nats-crt', target: natsPaths.certificate },
      { source: 'ca', target: natsPaths.authority },
    ],
    healthcheck: {
      test: ['CMD', ...health.map((part) => part.replaceAll('$', '$$$$'))], // `$$`: docker fills in variables
      interval: '5s',
      timeout: '5s',
      retries: 4,
      start_period: '60s',
    },
    // On the labelled nodes and nowhere else: a replica that moves would leave its store behind, and run twice at times.
    deploy: deployment({ memory: '1G', constraints: [`node.labels.${natsLabel} == true`], careful: true }),
  };
}

function sourceService(answers: Answers, { secrets }: StackObjects): object {
  const { appsetRepo, gitUsername, allowInsecureGit } = answers;
  const hasToken = 'git-token' in secrets;
  const appSet: Record<string, string> = appsetRepo
    ? { HIVEKEEP_APPSET_REPO: appsetRepo, HIVEKEEP_APPSET_REVISION: answers.appsetRevision, HIVEKEEP_APPSET_PATH: answers.appsetPath }
    : { HIVEKEEP_CONFIG: '/etc/hivekeep/applications.yaml' };
  return ownService('source', {
    image: answers.image,
    init: true,
    networks: [BUS, OUTSIDE],
    environment: {
      ...busEnvironment({ service: 'source' }, 'tls://nats:4222', answers),
      ...appSet,
      HIVEKEEP_HOME_SWARM: answers.swarm,
      ...(gitUsername && { HIVEKEEP_GIT_USERNAME: gitUsername }),
      ...(hasToken && { HIVEKEEP_GIT_TOKEN_FILE: '/run/secrets/git-token' }),
      ...(allowInsecureGit.length > 0 && { HIVEKEEP_ALLOW_INSECURE_GIT: allowInsecureGit.join(',') }),
    },
    // A mirror for each task: two would be in each other's way. It may be lost. An ssh key is copied to where nobody else reads it.
    volumes: ['mirrors:/var/lib/hivekeep', { type: 'tmpfs', target: '/tmp' }],
    secrets: [secretFile('seed-source'), ...(hasToken ? [secretFile('git-token')] : [])],
    configs: [
      { source: 'ca', target: CA_FILE },
      ...(appsetRepo ? [] : [{ source: 'applications', target: '/etc/hivekeep/applications.yaml' }]),
    ],
    deploy: deployment({ replicas: 2, memory: '1G' }),
  });
}

interface SwarmServices extends Answers {
  readonly home: boolean;
  readonly servers: string;
  readonly networks: readonly string[];
}

/** Reconciler and agents of one swarm. The only services with the engine's socket. */
function swarmServices(options: SwarmServices): { reconciler: object; 'node-agent': object } {
  const { image, swarm, networks, home, servers, prune, pruneVolumes } = options;
  const [reconciler, agent] = [
    { service: 'reconciler', swarm },
    { service: 'node-agent', swarm },
  ] as const;
  const common = { image, networks, root: true, configs: [{ source: 'ca', target: CA_FILE }] };
  return {
    reconciler: ownService('reconciler', {
      ...common,
      volumes: [SOCKET],
      environment: {
        ...busEnvironment(reconciler, servers, options),
        HIVEKEEP_SWARM: swarm,
        HIVEKEEP_HOME: String(home),
        HIVEKEEP_CONTROLLER_ID: options.controllerId,
        HIVEKEEP_PRUNE: String(prune),
        HIVEKEEP_PRUNE_VOLUMES: String(pruneVolumes),
        HIVEKEEP_PRUNE_VOLUMES_AFTER: options.pruneVolumesAfter,
        HIVEKEEP_RECONCILE_INTERVAL: options.interval,
        HIVEKEEP_APPSET_INTERVAL: options.interval,
      },
      secrets: [secretFile(`seed-${busUserName(reconciler)}`, true)],
      deploy: deployment({ replicas: 2, memory: '1G', constraints: ['node.role == manager'], startFirst: true }),
    }),
    'node-agent': ownService('node-agent', {
      ...common,
      hostname: '{{.Node.Hostname}}',
      volumes: [SOCKET],
      environment: { ...busEnvironment(agent, servers, options), HIVEKEEP_SWARM: swarm },
      secrets: [secretFile(`seed-${busUserName(agent)}`, true)],
      deploy: deployment({ memory: '256M' }),
    }),
  };
}

function busEnvironment(user: Parameters<typeof busUserName>[0], servers: string, { natsNodes }: Answers): Record<string, string> {
  return {
    HIVEKEEP_NATS: servers,
    HIVEKEEP_NATS_CA: CA_FILE,
    HIVEKEEP_NATS_SEED_FILE: `/run/secrets/seed-${busUserName(user)}`,
    HIVEKEEP_NATS_INBOX_PREFIX: inboxPrefix(user),
    HIVEKEEP_NATS_REPLICAS: String(natsNodes),
  };
}

function declared({ secrets, configs }: StackObjects): object {
  return { ...(Object.keys(secrets).length > 0 && { secrets }), ...(Object.keys(configs).length > 0 && { configs }) };
}
