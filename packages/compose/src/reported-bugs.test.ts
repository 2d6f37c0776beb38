// biome-ignore-all lint/suspicious/noTemplateCurlyInString: compose files hold these

import { HivekeepError } from '@hivekeep/contracts';
import { describe, expect, it } from 'vitest';
import type { LoadInput } from './api.ts';
import { convertStack } from './convert-stack.ts';
import { loadCompose } from './load-compose.ts';
import { rotateNames } from './rotate-names.ts';
import { type Files, memoryReader, service } from './testing/memory-stack.ts';

type Row = readonly [bug: string, files: Files, expected: object, env?: Record<string, string>];

/** The service `web` with its container, what was warned of, and what was wrong. */
async function outcome(files: Files, dialect: LoadInput['dialect'], env: Record<string, string> = {}): Promise<object> {
  const paths = Object.keys(files).filter((path) => path.endsWith('.yml'));
  try {
    const loaded = await loadCompose({ files: paths, reader: memoryReader(files), env, dialect, stack: 'demo' });
    const { manifest, files: contents } = rotateNames(loaded, { stack: 'demo', secretDigest: () => 'd'.repeat(64) });
    const { services, waves, configs } = convertStack({ stack: 'demo', document: manifest, files: contents });
    const web = services.find(({ Name }) => Name === 'demo_web');
    return { web, container: web?.TaskTemplate.ContainerSpec, waves, configs, rules: loaded.warnings.map(({ rule }) => rule) };
  } catch (error) {
    if (!HivekeepError.is(error, 'compose/invalid', 'compose/unsupported')) throw error;
    return { issues: error.issues };
  }
}

const over = (line: string) => `services:\n  web:\n    ${line}\n`;
const ports = (...list: object[]) => ({ web: { EndpointSpec: { Ports: list } } });

const bothDialects: readonly Row[] = [
  [
    'docker/cli#6223: two protocols on one port are one after a merge',
    { 'a.yml': service('ports: ["443:443", "443:443/udp"]'), 'b.yml': over('environment: {X: "1"}') },
    ports({ Protocol: 'tcp', PublishedPort: 443 }, { Protocol: 'udp', PublishedPort: 443 }),
  ],
  [
    'ports that are not published are one after a merge',
    { 'a.yml': service('ports: ["80", "443"]'), 'b.yml': over('labels: {k: v}') },
    ports({ TargetPort: 80 }, { TargetPort: 443 }),
  ],
  [
    'docker/cli#3810: zero replicas do not override',
    { 'a.yml': service('deploy: {replicas: 3}'), 'b.yml': over('deploy: {replicas: 0}') },
    { web: { Mode: { Replicated: { Replicas: 0 } } } },
  ],
  [
    'docker/cli#3293: a zero of an update does not override',
    {
      'a.yml': service('deploy: {update_config: {parallelism: 2, max_failure_ratio: 0.5}}'),
      'b.yml': over('deploy: {update_config: {parallelism: 0, max_failure_ratio: 0}}'),
    },
    { web: { UpdateConfig: { Parallelism: 0, MaxFailureRatio: 0 } } },
  ],
  [
    'docker/cli#3810: no retries do not override',
    { 'a.yml': service('healthcheck: {test: a, retries: 3}'), 'b.yml': over('healthcheck: {retries: 0}') },
    { container: { Healthcheck: expect.not.objectContaining({ Retries: 3 }) } },
  ],
  [
    'docker/cli#3810: an empty list does not override',
    { 'a.yml': service('command: [a]'), 'b.yml': over('command: []') },
    { container: expect.not.objectContaining({ Args: ['a'] }) },
  ],
  [
    'docker/cli#3810: false does not override',
    { 'a.yml': service('read_only: true'), 'b.yml': over('read_only: false') },
    { container: expect.not.objectContaining({ ReadOnly: true }) },
  ],
  [
    'swarmcli-cd#146: a dollar written twice stays twice',
    { 'a.yml': service(`command: sh -c 'export P="$$(cat /run/secrets/db)"; exec app'`) },
    { container: { Args: ['sh', '-c', 'export P="$(cat /run/secrets/db)"; exec app'] } },
  ],
  [
    'moby#30991: a secret in short form cannot be read',
    { 'a.yml': `${service('secrets: [s]')}secrets: {s: {external: true}}\n` },
    { container: { Secrets: [{ SecretName: 's', File: { Name: 's', Mode: 0o444 } }] } },
  ],
  [
    'a config that is external in the old form has no file',
    { 'a.yml': `${service('configs: [a]')}configs: {a: {external: {name: shared_a}}}\n` },
    { container: { Configs: [{ ConfigName: 'shared_a' }] } },
  ],
  [
    'docker/cli#2075: names of an env file without a value become empty',
    { 'a.yml': service('env_file: e.env'), 'e.env': 'A=1\nB=\nC\nD\n' },
    { container: { Env: ['A=1', 'B=', 'C=c'] } },
    { C: 'c' },
  ],
  [
    'moby#29133: declared values are not read',
    { 'a.yml': service('hostname: "h${TAG}"') },
    { container: { Hostname: 'h7' } },
    { TAG: '7' },
  ],
  [
    'docker/cli#569: one published port of two files is published twice',
    { 'a.yml': service('ports: ["8080:80"]'), 'b.yml': over('ports: [{target: 80, published: 8080, mode: host, protocol: tcp}]') },
    ports({ PublishedPort: 8080, PublishMode: 'host' }),
  ],
];

const docker: readonly Row[] = [
  [
    'moby#29133: a variable without a value is silent',
    { 'a.yml': service('hostname: "h${TAG}"') },
    { container: { Hostname: 'h' }, rules: ['unset-variable'] },
  ],
  [
    'swarmkit#3190: a decimal mode is silent',
    { 'a.yml': `${service('secrets: [{source: s, target: s, mode: 400}]')}secrets: {s: {external: true}}\n` },
    { container: { Secrets: [{ File: { Mode: 400 } }] }, rules: ['decimal-mode'] },
  ],
  [
    'moby#49034: a healthcheck that never runs is silent',
    { 'a.yml': service('healthcheck: {test: [pg_isready, -q]}') },
    { rules: ['healthcheck-word'] },
  ],
  [
    'moby#31101: extends is refused without a way',
    { 'a.yml': service('extends: base') },
    { issues: [{ path: 'services.web.extends', message: expect.stringContaining('dialect: spec') }] },
  ],
];

const spec: readonly Row[] = [
  [
    'docker/cli#1073: ports must be numbers',
    { 'a.yml': service('ports: [{target: "80", published: "8080"}]') },
    ports({ TargetPort: 80, PublishedPort: 8080 }),
  ],
  [
    'moby#46827: depends_on must be a list',
    { 'a.yml': `${service('depends_on: {db: {condition: service_healthy}}')}  db: {image: "x:1", healthcheck: {test: a}}\n` },
    { waves: { demo_db: 0, demo_web: 1 }, rules: [] },
  ],
  [
    'compose#11843: an env file must be a text',
    { 'a.yml': service('env_file: [{path: ./none.env, required: false}]') },
    { container: { Image: 'nginx:1.27' } },
  ],
  [
    'compose#11843: a required one that is missing is named',
    { 'a.yml': service('env_file: [{path: ./none.env}]') },
    { issues: [{ message: expect.stringContaining('none.env') }] },
  ],
  [
    'moby#29133: a variable without a value',
    { 'a.yml': service('image: "r/app:${TAG}"').replace('    image: nginx:1.27\n', '') },
    { issues: [{ file: 'a.yml', line: 3 }] },
  ],
  [
    'swarmkit#3190: an octal mode as a text',
    { 'a.yml': `${service('secrets: [{source: s, target: s, mode: "0400"}]')}secrets: {s: {external: true}}\n` },
    { container: { Secrets: [{ File: { Mode: 0o400 } }] } },
  ],
  [
    'swarmkit#3190: a decimal mode',
    { 'a.yml': `${service('secrets: [{source: s, target: s, mode: 400}]')}secrets: {s: {external: true}}\n` },
    { issues: [{ path: 'services.web.secrets[0]' }] },
  ],
  [
    'moby#49034: a healthcheck that never runs',
    { 'a.yml': service('healthcheck: {test: [pg_isready, -q]}') },
    { issues: [{ path: 'services.web.healthcheck.test' }] },
  ],
  [
    'moby#31101: extends',
    { 'a.yml': `${service('extends: base')}  base: {image: "x:1", hostname: h}\n` },
    { container: { Hostname: 'h' } },
  ],
  [
    'a config with its content has no file',
    { 'a.yml': `${service('configs: [b]')}configs: {b: {content: hello}}\n` },
    { configs: [{ Name: expect.stringMatching(/^demo_b-[0-9a-f]{12}$/), Data: 'aGVsbG8=' }] },
  ],
  [
    'a config of a variable that is not declared',
    { 'a.yml': `${service('configs: [c]')}configs: {c: {environment: CONF}}\n` },
    { issues: [{ path: 'configs.c.environment' }] },
  ],
];

describe.each([
  ['docker', [...bothDialects, ...docker]],
  ['spec', [...bothDialects, ...spec]],
] as const)('what went wrong elsewhere, read by the dialect %s', (dialect, rows) => {
  it.for(rows)('%s', async ([_bug, files, expected, env]) => {
    expect(await outcome(files, dialect, env)).toMatchObject(expected);
  });
});
