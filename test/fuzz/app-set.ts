import { loadAppSet } from '@hivekeep/application';
import { fuzz, nearly, yamlWords } from './lib/fuzz.ts';

const words = [
  ...yamlWords,
  ...[
    'apiVersion: v1',
    'applications:',
    'name: a',
    'source:',
    'repoURL: https://git.example.com/a.git',
    'repoURL: git@host:a',
    'revision: main',
    'compose: {files: [a.yml]}',
    'releaseFile: r.yaml',
    'chart: {path: c}',
    'syncPolicy:',
    'automated: true',
    'interval: 1m',
    'historyMax: 0',
    'allow:',
    'hostPaths: [/srv]',
    'destination: {swarm: b}',
    'driftDetection: live',
    'self: true',
  ],
];

await fuzz('app set', nearly(words), (text) => loadAppSet(Buffer.from(text), { file: 'applications.yaml', mode: 'online' }));
