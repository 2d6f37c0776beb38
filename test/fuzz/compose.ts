import { convertStack, loadCompose, rotateNames } from '@hivekeep/compose';
import fc from 'fast-check';
import { fuzz, nearly, yamlWords } from './lib/fuzz.ts';

const words = [
  ...yamlWords,
  ...[
    'version: "3.8"',
    'services:',
    'web:',
    'image: nginx:1',
    'ports:',
    '80:80',
    '"8000-8010:80/udp"',
    'volumes:',
    './a:/b',
    'data:/d:ro',
    'environment:',
    'A=b',
    '$' + '{A:-x}',
    '$' + '{A?no}',
    '$$',
    'deploy:',
    'replicas: 2',
    'configs:',
    'secrets:',
    'file: ./x',
    'external: true',
    'name: n',
    'networks:',
    'aliases:',
    'healthcheck:',
    'test: ["CMD", "x"]',
    'interval: 1s',
    'limits:',
    'cpus: "0.5"',
    'memory: 64M',
    'ulimits:',
    'labels:',
    'env_file: x',
    'extends:',
    'include: [compose.yml]',
    'depends_on: {web: {condition: service_healthy}}',
    '!reset',
    '!override',
    'content: c',
    'tmpfs: /run:size=1m',
    'profiles: [a]',
    'x-a: ',
  ],
];
const files: Record<string, string> = { x: 'A=b\nB\n# c\n' };

const text = fc.constantFrom(
  'a',
  '80:80',
  './a:/b',
  'data:/d',
  '1s',
  '64M',
  '0.5',
  'host',
  '',
  '-1',
  '$A',
  'x:y:z',
  '99999999999999999999',
);
const scalar = fc.oneof(text, fc.integer(), fc.boolean(), fc.constant(null), fc.double());
const keys = [
  'image',
  'command',
  'ports',
  'volumes',
  'environment',
  'deploy',
  'configs',
  'secrets',
  'networks',
  'healthcheck',
  'labels',
  'logging',
  'ulimits',
  'sysctls',
  'tmpfs',
  'dns',
  'extra_hosts',
  'stop_grace_period',
  'replicas',
  'resources',
  'limits',
  'cpus',
  'memory',
  'test',
  'interval',
  'source',
  'target',
  'mode',
  'type',
  'external',
  'name',
  'file',
  'driver',
  'driver_opts',
  'depends_on',
  'env_file',
  'extends',
  'mem_limit',
  'security_opt',
  'shm_size',
  'placement',
  'constraints',
  'restart_policy',
  'update_config',
];
const { tree } = fc.letrec((tie) => ({
  tree: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    scalar,
    fc.array(tie('tree'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...keys), tie('tree'), { maxKeys: 5 }),
  ),
}));
const service = fc.dictionary(fc.constantFrom(...keys), tree, { maxKeys: 6 }).map((fields) => ({ image: 'nginx:1', ...fields }));
const structured = fc
  .record({ version: fc.constantFrom('3.8', '3', '3.13'), services: fc.dictionary(fc.constantFrom('web', 'api'), service, { minKeys: 1 }) })
  .map((document) => JSON.stringify(document));

const dialects = fc.constantFrom('docker' as const, 'spec' as const, 'auto' as const);
await fuzz('compose', fc.tuple(fc.oneof(nearly(words), structured), dialects), async ([text, dialect]) => {
  const reader = { read: async (path: string) => Buffer.from(path === 'compose.yml' ? text : (files[path] ?? '')) };
  const loaded = await loadCompose({ files: ['compose.yml'], reader, env: { A: '1' }, dialect, stack: 'demo' });
  const rotated = rotateNames(loaded, { stack: 'demo', secretDigest: () => 'a'.repeat(64) });
  const input = { stack: 'demo', document: rotated.manifest, files: rotated.files };
  const once = JSON.stringify(convertStack(input), bigints);
  if (once !== JSON.stringify(convertStack(input), bigints)) throw new Error('two conversions differ');
});

function bigints(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? `${value}n` : value;
}
